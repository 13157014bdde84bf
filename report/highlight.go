package report

import (
	"fmt"
	"html"
	"iter"
	"regexp"
	"strings"
)

// tokens of the script language that are worth a colour: the first line of a cell, comments,
// texts, names, numbers. Two dots between numbers belong to neither.
var tokens = regexp.MustCompile(`(%%cope\b[^\n]*)` +
	`|(//[^\n]*|/\*(?s:.*?)(?:\*/|\z))` +
	`|("(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|` + "`[^`]*`?)" +
	`|([\pL_][\pL\pN_]*)` +
	`|\.\.` +
	`|(0[xXbBoO][0-9a-fA-F_]+|(?:\d[\d_]*(?:\.\d[\d_]*)?|\.\d[\d_]*)(?:[eE][-+]?\d+)?)`)

// Colours cuts source text of the script language into pieces, each with the class of the look
// that colours it: k the line %%cope, c comment, s text, f name of a function that is called,
// d number, "" anything else. It reads what is unfinished or wrong, too.
func Colours(source string) iter.Seq2[string, string] {
	return func(yield func(piece, class string) bool) {
		last := 0
		for _, m := range tokens.FindAllStringSubmatchIndex(source, -1) {
			class := ""
			switch {
			case m[2] >= 0:
				class = "k"
			case m[4] >= 0:
				class = "c"
			case m[6] >= 0:
				class = "s"
			case m[8] >= 0 && strings.HasPrefix(strings.TrimLeft(source[m[1]:], " \t\r\n"), "("):
				class = "f"
			case m[10] >= 0:
				class = "d"
			}
			if class == "" {
				continue
			}
			if last < m[0] && !yield(source[last:m[0]], "") || !yield(source[m[0]:m[1]], class) {
				return
			}
			last = m[1]
		}
		if last < len(source) {
			yield(source[last:], "")
		}
	}
}

// highlight escapes source text for HTML and marks its tokens, line by line. Colour only
// repeats what the text says, so that nothing is lost without it.
func highlight(source string) string {
	var b strings.Builder
	for piece, class := range Colours(source) {
		piece = html.EscapeString(piece)
		if class != "" {
			begin, end := `<span class="`+class+`">`, `</span>`
			piece = begin + strings.ReplaceAll(piece, "\n", end+"\n"+begin) + end
		}
		b.WriteString(piece)
	}
	return b.String()
}

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
