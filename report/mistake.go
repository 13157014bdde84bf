package report

import (
	"fmt"
	"html"
	"strings"
)

// Mistake is an error of the user with its place in a text. Only Message must be set.
type Mistake struct {
	Message string
	Place   string // where, in words: "cell 5, line 3, column 16"
	Line    int    // number of the line, from 1; 0 for a mistake without a place

	// The line in three parts, and carets below the wrong one.
	Before, Wrong, After string
	Underline            string

	Cause string // what a file or a computation reported; may have lines
	Hint  string // what to write instead
}

// MistakesHTML writes mistakes as HTML to stand inside a page, such as a notebook
// cell: a div with its own style. The wrong part of a line is marked and has carets
// below it, so that nothing depends on seeing a colour.
func MistakesHTML(mistakes []Mistake) string {
	var h htmlWriter
	h.writef("<div class=\"cope\">\n<style>\n%s</style>\n", notebookStyle)
	for _, m := range mistakes {
		h.mistake(m)
	}
	h.write("</div>\n")
	return h.b.String()
}

func (h *htmlWriter) mistake(m Mistake) {
	h.writef("<div class=\"error\" role=\"note\">\n<p><strong>Error:</strong> %s</p>\n", html.EscapeString(m.Message))
	if m.Line > 0 {
		number := fmt.Sprint(m.Line)
		h.writef("<p class=\"place\">%s</p>\n<pre><code><span class=\"n\">%s</span>%s<mark>%s</mark>%s\n<span "+
			"class=\"n\">%s</span><span class=\"carets\" aria-hidden=\"true\">%s</span></code></pre>\n",
			html.EscapeString(m.Place), number, html.EscapeString(m.Before), html.EscapeString(m.Wrong),
			html.EscapeString(strings.TrimRight(m.After, " \t")),
			strings.Repeat(" ", len(number)), html.EscapeString(m.Underline))
	}
	if m.Cause != "" {
		h.writef("<p>%s</p>\n", strings.ReplaceAll(html.EscapeString(m.Cause), "\n", "<br/>"))
	}
	if m.Hint != "" {
		h.writef("<p><strong>Hint:</strong> %s</p>\n", html.EscapeString(m.Hint))
	}
	h.write("</div>\n")
}
