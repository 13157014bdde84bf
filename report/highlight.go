package report

import (
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
