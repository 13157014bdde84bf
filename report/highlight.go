package report

import (
	"html"
	"regexp"
	"strings"
)

// tokens of the script language that are worth a colour: comments, text,
// numbers, and the names of functions that are called.
var tokens = regexp.MustCompile(`(//[^\n]*)|("(?:[^"\\\n]|\\.)*"?)|([A-Za-z_][A-Za-z_0-9]*)|((?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)`)

// highlight escapes source text for HTML and marks its tokens. Colour only
// repeats what the text says, so that nothing is lost without it.
func highlight(source string) string {
	var b strings.Builder
	last := 0
	for _, m := range tokens.FindAllStringSubmatchIndex(source, -1) {
		class := ""
		switch {
		case m[2] >= 0:
			class = "c"
		case m[4] >= 0:
			class = "s"
		case m[6] >= 0 && strings.HasPrefix(source[m[1]:], "("):
			class = "f"
		case m[8] >= 0:
			class = "d"
		}
		b.WriteString(html.EscapeString(source[last:m[0]]))
		word := html.EscapeString(source[m[0]:m[1]])
		if class != "" {
			word = `<span class="` + class + `">` + word + `</span>`
		}
		b.WriteString(word)
		last = m[1]
	}
	b.WriteString(html.EscapeString(source[last:]))
	return b.String()
}
