package problem

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
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
		{Kind: NoteLineSkipped, Path: "a.csv"},
		{Kind: NoteLinesSkipped, Path: "a.csv", Numbers: []float64{3}},
		{Kind: NoteRowNames},
		{Kind: NoteHeaderLines, Names: []string{"yield_mean"}},
		{Kind: NoteSeparator, Path: "a.csv", Names: []string{"\t"}},
		{Kind: NoteDecimalCommas, Path: "a.csv", Names: []string{";"}},
		{Kind: NoteThousands, Path: "a.csv", Names: []string{"1.234"}, Numbers: []float64{2}},
		{Kind: NoteIgnored, Names: strings.Split("a b c d e f g h i j k l m n", " ")},
		{Kind: NoteCategories, Names: []string{"oil", "palm", "rape"}},
		{Kind: NoteIdentifiers, Names: []string{"batch", "08", "16"}},
		{Kind: NoteEqual, Path: "a.csv", Names: []string{"cuda", "12.1", "12.10", "13", "13.0", "13.00", "13.000"}, Numbers: []float64{2, 4}},
		{Kind: NoteRounded, Names: []string{"dose", "0.3", "0.30000000000000004"}, Numbers: []float64{2}},
		{Kind: NoteWritten, Names: strings.Split("store 01 1 02 2 03 3 04 4 05 5", " "), Numbers: []float64{2, 2, 2, 2, 2}},
		{Kind: NoteAlike, Names: []string{"site", "Gent", "gent"}},
		{Kind: NoteUnseen, Names: []string{"site", "Gent\u200b", "U+200B"}, Numbers: []float64{3}},
		{Kind: NoteFailed, Names: []string{"y", "crash", "failed="}, Numbers: []float64{3, 2, 1}},
		{Kind: NoteFailedStates, Names: []string{"y", "OOM"}, Numbers: []float64{2, 2}},
		{Kind: NoteLimits, Names: []string{"y"}, Numbers: []float64{3, 0}},
		{Kind: NoteNotDrawn, Names: []string{"y"}},
		{Kind: NoteNoOption, Names: []string{"a", "b"}, Numbers: []float64{2, 7}},
		{Kind: NoteTwice, Names: []string{"lr", "lr.1"}},
		{Kind: NoteSheets, Names: []string{"2025", "2026"}},
		{Kind: NoteNoData, Names: []string{"repeat the header"}, Numbers: []float64{2, 7}},
		{Kind: NoteGroups, Names: []string{"n", "1,100"}},
		{Kind: NoteTotals, Names: []string{"option", "Total", "col('option') != 'Total'"}},
		{Kind: NoteSums, Names: []string{"y", "n"}},
		{Kind: NoteSuccesses, Names: []string{"y", "n"}},
		{Kind: NotePercentages, Names: []string{"y", "n"}},
		{Kind: NoteEnded, Names: []string{"error", "OOM", "y", "col('error') != nil"}, Numbers: []float64{3}},
		{Kind: NotePending, Names: []string{"done", "False"}, Numbers: []float64{2}},
		{Kind: NoteUnfinished, Names: []string{"state", "FAIL", "PRUNED"}, Numbers: []float64{2, 5}},
		{Kind: NoteCopies, Names: []string{"lines 4 to 5 repeat lines 2 to 3"}, Numbers: []float64{2, 4}},
		{Kind: NoteRepeats, Names: []string{"line 3 repeats line 2"}, Numbers: []float64{1, 4}},
		{Kind: NoteNearCopies, Names: []string{"lines 4 to 5 repeat lines 2 to 3"}, Numbers: []float64{2, 4}},
		{Kind: NoteMixed, Names: []string{"unit", "mg", "g", "yield", "col('unit') == 'mg'"}},
		{Kind: NoteNoReward, Names: []string{"yield"}, Numbers: []float64{2, 17}},
		{Kind: NoteDropped, Names: []string{"oslo", "a", "rome", "b"}, Numbers: []float64{2, 9}},
		{Kind: NoteDropped, Names: strings.Split("o a o b o c o d", " "), Numbers: []float64{40, 90}},
		{Kind: NoteUnmeasured, Names: arm, Numbers: []float64{1, 9}},
		{Kind: NoteInferred, Names: arm, Numbers: []float64{2, 9}},
		{Kind: NoteBlocks, Names: []string{"week", "oven"}},
		{Kind: NoteTogether, Names: []string{"Temp C", "Temp K"}},
		{Kind: NoteNested, Names: []string{"day"}},
		{Kind: NoteRandom, Names: []string{"year"}},
		{Kind: NoteOneLevel, Names: []string{"year", "2024"}},
		{Kind: NoteCombinations, Names: []string{"lr", "batch"}, Numbers: []float64{26, 280}},
		{Kind: NoteBent, Path: "g.csv", Numbers: []float64{0.001}},
		{Kind: NoteCandidates, Numbers: []float64{8}},
		{Kind: NoteOnce, Names: arm, Numbers: []float64{3, 9}},
		{Kind: NotePooled, Names: arm, Numbers: []float64{9, 9}},
		{Kind: NoteNoNoise},
		{Kind: NoteCodes, Names: []string{"rbf", "oil"}},
		{Kind: NoteLongScale, Names: []string{"rbf", "x_t"}, Numbers: []float64{30, 1, 0, 1, 150, 210}},
		{Kind: NoteShortScale, Names: []string{"rbf", "x_t"}, Numbers: []float64{1, 30, 150, 210}},
		{Kind: NoteAdmitsAll, Numbers: []float64{36}},
		{Kind: NoteUnrelated, Numbers: []float64{36}},
		{Kind: NoteRough, Numbers: []float64{0.1, 600, 9683, 600, 10000, 300, 0.4567}},
		{Kind: NoteRoughKernel, Names: []string{"arm(rbf(1))"}, Numbers: []float64{76}},
		{Kind: "something else"},
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
	f := try.Of(parser.ParseFile(token.NewFileSet(), "note.go", nil, 0))
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
