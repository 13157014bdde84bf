package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// column finds a column by name; -1 when the table has none.
func column(t Table, name string) int {
	for j, c := range t.Columns {
		if c.Name == name {
			return j
		}
	}
	return -1
}

// TestUndecidedIsNeverAWinner: neither sentence nor table calls the best guess
// of an undecided task its answer.
func TestUndecidedIsNeverAWinner(t *testing.T) {
	r := undecidedResult()
	lead := resultBlocks(r)[0].(Paragraph).Text
	holds(t, lead, "decided 1 of 3 tasks", "left aniline and amide undecided", "sample limit")
	table := answersTable(r)
	j := column(table, "arm")
	for i, want := range []string{"XPhos", "undecided", "undecided"} {
		if got := table.Rows[i][j]; got != want {
			t.Errorf("row %d: answer %q, want %q", i, got, want)
		}
	}
}

// TestWarningsComeBeforeNumbers: a reader meets them before any table.
func TestWarningsComeBeforeNumbers(t *testing.T) {
	warnings := 0
	for _, b := range resultBlocks(undecidedResult()) {
		if n, ok := b.(Note); ok && n.Warning {
			warnings++
		}
		if _, ok := b.(Table); ok {
			break
		}
	}
	if warnings != 2 {
		t.Errorf("%d warnings before the first table, want 2", warnings)
	}
}

func TestResultSentences(t *testing.T) {
	wrong := fcResult()
	wrong.Errors = engine.Rate{Count: 3, Runs: 50, Rate: 0.06, CI95: [2]float64{0.0206, 0.1622}}
	wrong.Runs, wrong.Undecided.Count = 48, 2
	single := undecidedResult()
	single.Answers, single.Status = single.Answers[:1], engine.StatusDecided
	near := fcResult()
	near.Status, near.Epsilon = engine.StatusEpsilon, 0.05
	picks := fbResult("CoBayesFB", 3, 0.04)
	picks.Runs, picks.Asked, picks.Epsilon, picks.Regret = 10, 10, 5, engine.Interval{Mean: 1.5, CI95: [2]float64{1, 2}}
	picks.Errors, picks.TaskErrors = engine.Rate{Count: 8, Runs: 10, Rate: 0.8, CI95: [2]float64{0.5, 0.9}}, engine.Rate{Count: 8, Runs: 20, Rate: 0.4, CI95: [2]float64{0.2, 0.6}}
	decided := fbResult("CoKernelFB", 3, 0.04)
	decided.Delta, decided.DecidedTasks, decided.DecidedErrors = 0.05, 2, engine.Rate{Count: 1, Runs: 100, Rate: 0.01, CI95: [2]float64{0, 0.05}}
	rough := fcResult() // of two runs
	rough.SamplesPerAgent = engine.Interval{Mean: 57, CI95: [2]float64{-54, 168}}
	unanswered := fcResult()
	unanswered.DecidedErrors.Runs = unanswered.Errors.Runs
	for i := range picks.Answers {
		picks.Answers[i].Decided, picks.Answers[i].Margin = false, math.Inf(1)
	}
	for _, c := range []struct {
		name   string
		result engine.Result
		want   []string
	}{
		{"wrong runs are told", wrong, []string{"Only 48 of 50 runs finished.", "2 of 50 runs left at least one task undecided.", "3 of 50 runs had a wrong answer: error rate 0.060 [0.021, 0.162] (allowed: δ = 0.005)."}},
		{"few answers are named", single, []string{"decided on XPhos for primary amine, with 400 samples per agent in 2 rounds."}},
		{"accuracy is told", near, []string{"decided each of 5 tasks to within 0.05 of the best arm"}},
		{"a budget decides or leaves open", decided, []string{"CoKernelFB decided 0 of 2 tasks in its first run and left", "In all runs together, 2 of 200 answers were decided. 1 of 100 runs had a wrong decided answer"}},
		{"a budget that tests nothing", picks, []string{"CoBayesFB recommends an arm for each of 2 tasks,", "12 of 20 recommendations are within 5 of the best arm of their task: rate 0.60 [0.40, 0.80]. The simple regret is 1.50 [1.00, 2.00] on average."}},
		{"no interval of a count reaches below 0", rough, []string{"with 57 [0, 168] samples per agent"}},
		{"no answers", unanswered, []string{"No run decided a task, so there are no answers to count errors of."}},
		{"nothing finished", engine.Result{Algorithm: "IndRAGE", Status: engine.StatusInterrupted}, []string{"has no answers (interrupted)"}},
	} {
		var said []string
		for _, b := range resultBlocks(c.result) {
			if p, ok := b.(Paragraph); ok {
				said = append(said, p.Text)
			}
		}
		for _, want := range c.want {
			if !strings.Contains(strings.Join(said, "\n"), want) {
				t.Errorf("%s: %q lacks %q", c.name, said, want)
			}
		}
	}
}

// TestLabelsSayWhatIsCounted: labels name what a row or column counts, and what a design minimises in each algorithm.
func TestLabelsSayWhatIsCounted(t *testing.T) {
	for _, c := range map[string]struct {
		result engine.Result
		want   []string
	}{
		"elimination": {fcResult(), []string{"Runs with a wrong answer", "Tasks with a wrong leader", "times the pulls.", "after rounding to whole pulls"}},
		"sequential test": {func() engine.Result {
			r := fcResult()
			r.Algorithm, r.Answers = "CoTestFC", slices.Clone(r.Answers)
			r.Answers[0].Decided, r.Answers[0].Margin = false, math.Inf(1)
			return r
		}(), []string{"In round 1 it is a variance times the pulls, later the number of pulls", "no bound"}},
		"budget": {fbResult("CoKernelFB", 3, 0.04), []string{"Recommended"}},
	} {
		var b strings.Builder
		try.To(Text(&b, Document{Displays: []Display{{Value: c.result}}}, TextOptions{Width: 400}))
		holds(t, b.String(), c.want...)
	}
}

// TestAuditTrail: folded where folding exists, cut with a count elsewhere.
func TestAuditTrail(t *testing.T) {
	var b strings.Builder
	try.To(Text(&b, Document{Displays: []Display{{Value: fcResult()}}}, TextOptions{}))
	if n := strings.Count(b.String(), "confidence interval"); n != collapsedRows {
		t.Errorf("%d eliminations in text, want %d", n, collapsedRows)
	}
	holds(t, b.String(), "15 more rows")
}

// TestTextWidth: tables whose columns can be narrowed keep to the width, and
// colour is written only when asked for.
func TestTextWidth(t *testing.T) {
	d := Document{Displays: []Display{{Value: undecidedResult()}, {Value: hardness()}}}
	var plain, colour strings.Builder
	try.To(Text(&plain, d, TextOptions{Width: 90}))
	for _, line := range strings.Split(plain.String(), "\n") {
		if n := len([]rune(line)); n > 90 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
	try.To(Text(&colour, d, TextOptions{Width: 90, Color: true}))
	if strings.Contains(plain.String(), "\x1b") || !strings.Contains(colour.String(), "\x1b[") {
		t.Error("colour does not follow the option")
	}
}

// TestCompare: t(0.975; 99) = 1.98422 from tables of Student's t distribution,
// six digits, hence the tolerance.
func TestCompare(t *testing.T) {
	table := Compare([]engine.Result{fbResult("CoKernelFB", 3, 0.04), fbResult("IndUniformFB", 22, 0.11)})
	if column(table, "schedule") >= 0 || column(table, "ratio") >= 0 {
		t.Error("columns that no result knows are shown")
	}
	got := table.Rows[0][column(table, "relative_regret")].(MeanError)
	if want := (0.048 - 0.032) / 2 / 1.98422; math.Abs(got.StandardError-want) > 1e-5*want || got.Mean != 0.04 {
		t.Errorf("spread %+v, want standard error %g", got, want)
	}
	if diff := cmp.Diff(table.Rows[1][column(table, "error")], any(fbResult("", 22, 0).Errors)); diff != "" {
		t.Error(diff)
	}
}

// TestSweepMeasures: the columns asked for and no others, and a measure that no result
// knows is refused.
func TestSweepMeasures(t *testing.T) {
	s := sim.Sweep{Names: []string{"gap"}, Rows: []sim.SweepRow{
		{Values: []any{0.1}, Result: engine.Result{Mode: engine.ModeFC, Algorithm: "CoKernelFC", Rounds: 4, Bytes: 100}},
		{Values: []any{0.2}, Result: engine.Result{Mode: engine.ModeFC, Algorithm: "CoKernelFC", Rounds: 3, Bytes: 80}},
	}}
	table := try.Of(SweepMeasures(s, "bytes", "rounds"))
	var names []string
	for _, c := range table.Columns {
		names = append(names, c.Name)
	}
	if got := strings.Join(names, " "); !strings.HasPrefix(got, "gap algorithm") || !strings.HasSuffix(got, "bytes rounds") {
		t.Errorf("the columns are %s", got)
	}
	if last := table.Rows[1][len(names)-1]; last != 3.0 {
		t.Errorf("the last cell is %v", last)
	}
	if _, err := SweepMeasures(s, "bytes_raw"); err == nil || !strings.Contains(err.Error(), "bytes_raw") {
		t.Errorf("a measure that no result has: %v", err)
	}
}

// An algorithm of your own may state no estimates. Then the answers have no column of estimates, instead of zeros.
func TestAnswersWithoutEstimates(t *testing.T) {
	for estimate, want := range map[float64]bool{0: false, 1.5: true} {
		r := engine.Result{Answers: []engine.Answer{{Task: "a", Arm: "x", Leader: "x", Decided: true, Estimate: estimate}}}
		got := slices.ContainsFunc(answersTable(r).Columns, func(c Column) bool { return c.Title == "Estimated reward" })
		if got != want {
			t.Errorf("estimate %v: column %v", estimate, got)
		}
	}
}
