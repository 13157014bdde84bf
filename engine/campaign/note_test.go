package campaign

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Every kind of note has its sentence, and the names and numbers of a note are in it where they belong.
func TestNotes(t *testing.T) {
	told := map[NoteKind]bool{}
	for _, c := range []struct {
		note Note
		want string // a part; "" for any
	}{
		{Note{Kind: NoteLed, Names: []string{"run wells"}}, ""},
		{noteOf(NoteUnused, 4), ""},
		{Note{Kind: NoteNoBest, Names: []string{"a reason"}}, ""},
		{Note{Kind: NotePending, Names: []string{"a", "x", "b", "y"}}, ""},
		{Note{Kind: NoteEpsilon, Numbers: []float64{0.5, 4}}, ""},
		{Note{Kind: NoteDecided}, ""},
		{Note{Kind: NoteEnded, Names: []string{"budget used"}, Numbers: []float64{0, 4}}, ""},
		{Note{Kind: NoteNoPulls}, ""},
		{Note{Kind: NoteHandedOut, Names: []string{"Ann", ""}, Numbers: []float64{3, 1, 12}}, ""},
		{Note{Kind: NoteOtherTasks, Names: []string{"a"}, Numbers: []float64{3}}, ""},
		{noteOf(NoteLost, 1), "the 1 measurement that was lost is independent of its reward"},
		{noteOf(NoteLost, 7), "the 7 measurements that were lost are independent of their rewards"},
		{noteOf(NoteExtra, 2), ""},
		{noteOf(NoteClosed, 1), "1 round was closed"},
		{noteOf(NoteClosed, 2), "2 rounds were closed"},
		{noteOf(NoteEarly, 1), ""},
		{Note{Kind: NoteDiffers}, ""},
		{Note{Kind: NoteLateDiffer}, ""},
		{Note{Kind: NoteTwice}, ""},
		{Note{Kind: NoteSkewed}, ""},
		{Note{Kind: NoteCensored, Numbers: []float64{2}}, ""},
		{Note{Kind: NoteManyLost, Numbers: []float64{4, 11}}, ""},
		{Note{Kind: NoteRule}, ""},
		{Note{Kind: NoteRule, Numbers: []float64{0}}, "the reward 0"},
		{Note{Kind: NoteRule, Names: []string{"min"}}, "the largest possible reward"},
		{Note{Kind: NoteRewardsDrawn}, ""},
		{Note{Kind: NoteRewardsKnown}, ""},
		{Note{Kind: NoteRewardsBelieved}, ""},
		{Note{Kind: NoteRewardsAttached}, ""},
		{Note{Kind: NoteGivenUp, Names: []string{"north", "a"}}, "failing at task \"north\", arm \"a\". They probably fail again"},
		{Note{Kind: NoteLeftOut, Names: []string{"north", "a"}}, "are left out"},
		{Note{Kind: NoteRequired, Names: []string{"north", "a"}}, "--withdraw TASK/ARM"},
		{Note{Kind: NoteFixed, Names: []string{"north", "a"}}, "start another campaign"},
		{noteOf(NoteWithdrawn, 1), "1 option was withdrawn only because"},
		{Note{Kind: NoteRewardsLed, Numbers: []float64{6}}, ""},
		{Note{Kind: NoteNoiseBelow}, ""},
		{Note{Kind: NoteOwnPart, Names: []string{"CoBayesFC"}}, ""},
		{Note{Kind: NoteLosses, Names: []string{"days"}, Numbers: []float64{0.1, 0.1, 0, 0, 3}}, "10 % of measurements fail"},
		{Note{Kind: NoteLosses, Names: []string{"days"}, Numbers: []float64{0, 0.2, 0.15, 0.15, 5}}, "up to 20 % of measurements fail"},
		{Note{Kind: "said by an older build"}, "said by an older build"},
	} {
		told[c.note.Kind] = true
		if got := c.note.String(); !strings.Contains(got, c.want) || strings.Contains(got, "%!") {
			t.Errorf("%s: got %q, want %q", c.note.Kind, got, c.want)
		}
	}
	for kind := range noteSentences {
		if !told[kind] {
			t.Errorf("no row for %q", kind)
		}
	}
	// constants without a sentence would show as their name: there are as many of both
	file := try.Of(parser.ParseFile(token.NewFileSet(), "note.go", nil, 0))
	kinds := 0
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(v.Names[0].Name, "Note") {
			kinds++
		}
		return true
	})
	if kinds != len(noteSentences) {
		t.Errorf("%d kinds and %d sentences", kinds, len(noteSentences))
	}
}

// A difference says which answer was recorded and which one the replay has.
func TestDifferences(t *testing.T) {
	for _, c := range []struct {
		d    Difference
		want string
	}{
		{Difference{Round: 2, Task: "a", Was: "x"}, `before round 2 task "a" had the answer "x" and is now open`},
		{Difference{Round: 2, Task: "a", Was: "x", Now: "y"}, `before round 2 task "a" had the answer "x" and now has "y"`},
		{Difference{Round: 2, AtEnd: true, Task: "a", Now: "y"}, `at the end task "a" was open and now has the answer "y"`},
	} {
		if got := c.d.String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// A forecast that was recorded with sentences, as before they were facts, reads and says the same; one
// that is recorded now comes back with its kind and numbers.
func TestForecastNotesRead(t *testing.T) {
	var f Forecast
	try.To(json.Unmarshal([]byte(`{"rows": [], "notes": ["nothing says how far the rewards scatter"]}`), &f))
	if len(f.Notes) != 1 || f.Notes[0].String() != "nothing says how far the rewards scatter" {
		t.Errorf("%q", f.Notes)
	}
	want := engine.Warning{Kind: engine.WarnNoiseGuessed, Names: []string{"p"}, Numbers: []float64{0.25}}
	text := try.Of(json.Marshal(Forecast{Notes: []engine.Warning{want}}))
	try.To(json.Unmarshal(text, &f))
	if n := f.Notes[0]; n.Kind != want.Kind || n.Numbers[0] != 0.25 || !n.Same(want) {
		t.Errorf("%+v, want %+v", n, want)
	}
}
