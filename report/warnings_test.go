package report

import (
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// Warnings of a kind are one sentence with ranges of their numbers; warnings of agents alone name a
// task each, and the first represents all.
func TestWarningsOfAKind(t *testing.T) {
	off := func(task string, size float64) engine.Warning {
		return engine.Warning{Kind: engine.WarnKernel, Names: []string{task, "a"}, Numbers: []float64{size, size}}
	}
	unpulled := func(budget float64) engine.Warning {
		return engine.Warning{Kind: engine.WarnUnpulled, Numbers: []float64{budget}}
	}
	alone := engine.Result{Warnings: []engine.Warning{off("t0", 3), off("t1", 2), {Kind: engine.WarnFree}}}
	s := sim.Sweep{Names: []string{"n"}, Rows: []sim.SweepRow{
		{Values: []any{1.0}, Result: alone},
		{Values: []any{2.0}, Result: engine.Result{Warnings: []engine.Warning{off("t0", 4), unpulled(4)}}},
		{Values: []any{3.0}, Result: engine.Result{Warnings: []engine.Warning{unpulled(2)}}},
		{Values: []any{4.0}, Result: engine.Result{}},
	}}
	const kernel = `the kernel cannot represent the expected rewards: at task "t0", arm "a" it misses by 3. No guarantee holds. Add c*identity() to the kernel, or state misfit=3 for CoTestFC`
	const free = "the kernel has free hyperparameters, which still have their start values. Call fit(p) to estimate them"
	want := []string{kernel + " (2 of 4 results; the first is shown)", free + " (1 of 4 results)",
		"2 to 4 pulls per agent do not reach every arm. The kernel alone estimates arms that were never measured. Give a larger budget to measure them (2 of 4 results)"}
	if got := sweepWarnings(s); !slices.Equal(got, want) {
		t.Errorf("a sweep: got %q, want %q", got, want)
	}
	want = []string{kernel + " (the first of 2 different warnings of this kind in all runs)", free}
	if got := resultWarnings(alone); !slices.Equal(got, want) {
		t.Errorf("a result: got %q, want %q", got, want)
	}
}

// Results that are backed by different things side by side say so.
func TestStandingSideBySide(t *testing.T) {
	proven, none := engine.Result{Algorithm: "A", Standing: engine.StandingProven}, engine.Result{Algorithm: "B", Standing: engine.StandingNone}
	if got := Compare([]engine.Result{proven, none}); column(got, "standing") < 0 {
		t.Error("no word on what backs each")
	}
	if got := Compare([]engine.Result{proven, proven}); column(got, "standing") >= 0 || !slices.Contains(got.Notes, "Guarantee (all rows): proven.") {
		t.Errorf("what backs all is not said once: %q", got.Notes)
	}
}

// Results side by side keep their warnings, with the names of the results that have them, and state the
// number of answers that a guarantee covers if it does not cover all.
func TestFootnotesSideBySide(t *testing.T) {
	few := func(wrong float64) engine.Warning {
		return engine.Warning{Kind: engine.WarnFewRuns, Numbers: []float64{20, 0.05, wrong, 20, 25}}
	}
	guessed := engine.Warning{Kind: engine.WarnNoiseGuessed, Names: []string{"p"}, Numbers: []float64{1}}
	answers := func(decided ...bool) []engine.Answer {
		var out []engine.Answer
		for _, d := range decided {
			out = append(out, engine.Answer{Task: "a", Decided: d})
		}
		return out
	}
	a := engine.Result{Algorithm: "A", Standing: engine.StandingProven, Warnings: []engine.Warning{few(1), guessed}, Answers: answers(true, true)}
	b := engine.Result{Algorithm: "B", Standing: engine.StandingProven, Warnings: []engine.Warning{guessed}, Answers: answers(false, false)}
	got := Compare([]engine.Result{a, b, a})
	for _, want := range []string{
		"Guarantee (all rows): proven.", "Guarantees cover decided answers only.",
		"Warning for A in row 1 and A in row 3: " + few(1).String() + ".",
		"Warning for all results: " + guessed.String() + ".",
	} {
		if !slices.Contains(got.Notes, want) {
			t.Errorf("no note %q in %q", want, got.Notes)
		}
	}
	for i, want := range []string{"2 of 2", "0 of 2", "2 of 2"} {
		if at := column(got, "decided"); at < 0 || got.Rows[i][at] != want {
			t.Errorf("row %d: %v, want %s", i, got.Rows[i], want)
		}
	}
	if got := Compare([]engine.Result{a, a}); column(got, "decided") >= 0 {
		t.Errorf("a column for decided tasks where all are: %v", got.Rows)
	}
	if got := Compare([]engine.Result{b, a}); !slices.Contains(got.Notes, "Warning for A: "+few(1).String()+".") {
		t.Errorf("notes %q", got.Notes)
	}
}
