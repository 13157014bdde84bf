package problem

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// sentencesOf returns the sentences of notes.
func sentencesOf(notes []Note) []string {
	var out []string
	for _, n := range notes {
		out = append(out, n.String())
	}
	return out
}

// The sentence of every kind of note, with the names and numbers that the constants list: each verb is filled in.
func TestNoteSentences(t *testing.T) {
	arm := []string{"oslo", "a"}
	said := map[NoteKind]bool{}
	for _, n := range []Note{
	} {
		said[n.Kind] = true
		if text := n.String(); strings.Contains(text, "%!") || !strings.HasPrefix(text, n.Path) {
			t.Errorf("%q: %s", n.Kind, text)
		}
		if len(n.Names) > 0 && n.Kind != NoteSeparator && n.Kind != NoteDecimalCommas && n.Kind != NotePooled && !strings.Contains(n.String(), n.Names[0]) {
			t.Errorf("%q does not name %s: %s", n.Kind, n.Names[0], n)
		}
		_ = Note{Kind: n.Kind}.String() // does not panic without names and numbers
	}
	f, err := parser.ParseFile(token.NewFileSet(), "note.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	kinds := 0
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if kinds++; !said[NoteKind(strings.Trim(lit.Value, `"`))] {
				t.Errorf("no sentence of %s is tested", spec.Names[0])
			}
		}
		return true
	})
	if kinds != len(noteSentences) {
		t.Errorf("%d kinds and %d sentences", kinds, len(noteSentences))
	}
}
