package repo

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
	"unicode/utf8"
)

// longLines are the lines of code above 140 characters that each folder may still have. Nobody raises a number:
// rows of tables break by field, calls by argument, texts at a space.
var longLines = map[string]int{"dsl": 2, "engine": 1}

// Lines of code have at most 140 characters, except for what is inside raw texts.
func TestLineLengths(t *testing.T) {
	const most = 140
	found := map[string][]string{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		raw := rawLines(s)
		number := 0
		for line := range strings.Lines(read(t, s.file)) {
			if number++; utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > most && !raw[number] {
				folder, _, _ := strings.Cut(s.file, "/")
				found[folder] = append(found[folder], s.file)
			}
		}
	}
	for folder, files := range found {
		if len(files) > longLines[folder] {
			t.Errorf("%s has %d lines above %d characters, of %d allowed; break them by field or argument: %s",
				folder, len(files), most, longLines[folder], strings.Join(files, " "))
		}
	}
}

// rawLines returns the lines that hold a raw text, whose line ends are part of it.
func rawLines(s source) map[int]bool {
	out := map[int]bool{}
	ast.Inspect(s.tree, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && strings.HasPrefix(lit.Value, "`") {
			from := s.line(lit)
			for k := range strings.Count(lit.Value, "\n") + 1 {
				out[from+k] = true
			}
		}
		return true
	})
	return out
}
