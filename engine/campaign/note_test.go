package campaign

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
)

// Every kind of note has its sentence, and the names and numbers of a note are in it where they belong.
func TestNotes(t *testing.T) {
	told := map[NoteKind]bool{}
	for _, c := range []struct {
		note Note
		want string
	}{
		{Note{Kind: NoteLed, Names: []string{"run wells"}}, "the rounds are planned by run wells, which has the answers"},
		{noteOf(NoteUnused, 4), "round 4 and what follows it are not used: without them everything is decided"},
		{Note{Kind: NoteNoBest, Names: []string{"a reason"}}, "the measurements say nothing of the best arms: a reason"},
		{Note{Kind: NotePending, Names: []string{"a", "x", "b", "y"}}, `measured from the next round on: task "a", arm "x", task "b", arm "y"`},
		{Note{Kind: NoteEpsilon, Numbers: []float64{0.5, 4}}, "epsilon is changed to 0.5; what stands here is still for 4, until results of a later round are told"},
		{Note{Kind: NoteDecided}, "everything is decided: nothing is left to measure"},
		{Note{Kind: NoteEnded, Names: []string{"budget used"}, Numbers: []float64{0, 4}}, "budget used; tasks decided: 0 of 4; nothing more is asked for"},
		{Note{Kind: NoteNoPulls}, "nothing is left to hand out"},
		{Note{Kind: NoteHandedOut, Names: []string{"Ann", ""}, Numbers: []float64{3, 1, 12}}, "all pulls of round 3 are handed out: 1 pull with Ann, 12 pulls with somebody without a name (--by)"},
		{Note{Kind: NoteOtherTasks, Names: []string{"a"}, Numbers: []float64{3}}, `all pulls of task "a" in round 3 are handed out; there are some of other tasks`},
		// of one, and of several
		{noteOf(NoteLost, 1), "the 1 pull that was lost has nothing to do with its reward (what fails is a result, and not lost)"},
		{noteOf(NoteLost, 7), "the 7 pulls that were lost have nothing to do with their rewards (what fails is a result, and not lost)"},
		{noteOf(NoteExtra, 2), "the 2 pulls beyond the plan were not chosen by their rewards"},
		{noteOf(NoteClosed, 1), "1 round was closed for reasons that have nothing to do with rewards"},
		{noteOf(NoteClosed, 2), "2 rounds were closed for reasons that have nothing to do with rewards"},
		{noteOf(NoteEarly, 1), "when a result comes has nothing to do with its reward: 1 round ended without late results, which the posterior took whole when they came"},
		{Note{Kind: NoteChanged, Numbers: []float64{2, 1, 0.123456, 0.1}}, "1 arm was withdrawn and 2 arms were added while it ran, so that the probability of a wrong answer is at most 0.1235 in place of 0.1 (docs/theory/changes.md)"},
		{Note{Kind: NoteChanged, Numbers: []float64{0, 2, 0.2, 0.1}}, "2 arms were withdrawn while it ran, so that the probability of a wrong answer is at most 0.2 in place of 0.1 (docs/theory/changes.md)"},
		{Note{Kind: NoteDiffers}, "decisions changed after results were corrected or the program was replaced, which no theorem allows for"},
		{Note{Kind: NoteLateDiffer}, "whether results came in time seems to hang on their rewards, see the warning"},
		{Note{Kind: NoteTwice}, "measurements seem to be told twice, see the warning"},
		{Note{Kind: NoteSkewed}, "the rewards of some arms are skewed, see the warning"},
		{Note{Kind: NoteCensored, Numbers: []float64{2}}, "results of which only a limit is known count by its number: 2"},
		{Note{Kind: NoteManyLost, Numbers: []float64{4, 11}}, "4 of 11 pulls were given back or not told, and with so many it decides why"},
		{Note{Kind: NoteRule}, "a reaction or run that fails is a result, with the lowest reward that it can have, and not a failed pull: only pulls that were not measured for reasons that have nothing to do with their reward may be given back"},
		{Note{Kind: NoteRule, Numbers: []float64{0}}, "a reaction or run that fails is a result, with the reward 0, and not a failed pull: only pulls that were not measured for reasons that have nothing to do with their reward may be given back"},
		{Note{Kind: NoteRule, Names: []string{"min"}}, "a reaction or run that fails is a result, with the largest reward that it can have (0 would be among the best), and not a failed pull: only pulls that were not measured for reasons that have nothing to do with their reward may be given back"},
		{Note{Kind: NoteRewardsDrawn}, "rewards drawn from the kernel as prior, in squared reward units (gaps= plans for a lead of the best arm instead)"},
		{Note{Kind: NoteRewardsKnown}, "the means of the table for expected rewards"},
		{Note{Kind: NoteRewardsBelieved}, "expected rewards drawn from what the measurements of the table say, other ones in each run, " +
			"which begins without these measurements"},
		{Note{Kind: NoteRewardsAttached}, "expected rewards drawn from what the measurements of the table say, other ones in each run, " +
			"which begins with these measurements (attach=false plans without them)"},
		{Note{Kind: NoteGivenUp, Names: []string{"north", "a"}}, `every try failed, and is not asked for any more: task "north", arm "a"; ` +
			`ask with --retry (retry=true in a script) tries again, and amend --withdraw TASK/ARM takes an arm out`},
		{Note{Kind: NoteRewardsLed, Numbers: []float64{6}}, "the hardest rewards that the kernel can represent in which the best arm of every task leads by 6"},
		{Note{Kind: NoteNoiseBelow}, "with a variance of the noise of each task evenly between none and what is stated"},
		{Note{Kind: NoteOwnPart, Names: []string{"CoBayesFC"}}, "for CoBayesFC, which finds out how far arms are from what the kernel says, with about half of the variance between the arms of a task by each arm itself and from none to twice of it in one task or another"},
		{Note{Kind: NoteLosses, Names: []string{"days"}, Numbers: []float64{0.1, 0.1, 0, 0, 3}}, "with 10 % of pulls failing and 0 % of results coming up to 3 days late"},
		{Note{Kind: NoteLosses, Names: []string{"days"}, Numbers: []float64{0, 0.2, 0.15, 0.15, 5}}, "with up to 20 % of pulls failing and 15 % of results coming up to 5 days late (failed= and late= state the shares)"},
		{Note{Kind: "said by an older build"}, "said by an older build"},
	} {
		told[c.note.Kind] = true
		if got := c.note.String(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.note.Kind, got, c.want)
		}
	}
	for kind := range noteSentences {
		if !told[kind] {
			t.Errorf("no row for %q", kind)
		}
	}
	// constants without a sentence would show as their name: there are as many of both
	file, err := parser.ParseFile(token.NewFileSet(), "note.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
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
		{Difference{Round: 2, Task: "a", Was: "x"}, `before round 2 task "a" had the answer "x", and is open now`},
		{Difference{Round: 2, Task: "a", Was: "x", Now: "y"}, `before round 2 task "a" had the answer "x", and has "y" now`},
		{Difference{Round: 2, AtEnd: true, Task: "a", Now: "y"}, `at the end task "a" was open, and has the answer "y" now`},
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
	if err := json.Unmarshal([]byte(`{"rows": [], "notes": ["nothing says how far the rewards scatter"]}`), &f); err != nil {
		t.Fatal(err)
	}
	if len(f.Notes) != 1 || f.Notes[0].String() != "nothing says how far the rewards scatter" {
		t.Errorf("%q", f.Notes)
	}
	want := engine.Warning{Kind: engine.WarnNoiseGuessed, Names: []string{"p"}, Numbers: []float64{0.25}}
	text, err := json.Marshal(Forecast{Notes: []engine.Warning{want}})
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	if n := f.Notes[0]; n.Kind != want.Kind || n.Numbers[0] != 0.25 || !n.Same(want) {
		t.Errorf("%+v, want %+v", n, want)
	}
}
