package report

import (
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

func TestMerged(t *testing.T) {
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{[]string{"none"}, "none"},
		{[]string{"it is 1.07 times as many", "it is 1.15 times as many", "it is 1.06 times as many"}, "it is 1.06 to 1.15 times as many"},
		{[]string{"50 runs, 1,000 of 7", "100 runs, 900 of 7"}, "50 to 100 runs, 900 to 1,000 of 7"},
		{[]string{"below 1e-5.", "below 2e-7."}, "below 2e-7 to 1e-5."},
		{[]string{`off by 3 at task "t4"`, `off by 2 at task "t1"`}, `off by 3 at task "t4"`}, // t1 to 4 is no task
	} {
		if got := merged(c.texts); got != c.want {
			t.Errorf("%q: got %q, want %q", c.texts, got, c.want)
		}
	}
	if skeleton("3 of 50: 0.06") != skeleton("12 of 1,050: 1e-3") || skeleton("3 of 50") == skeleton("3 in 50") {
		t.Error("texts that differ in their numbers alone have one skeleton")
	}
}

// An algorithm of agents alone warns of each task, and a warning with names is not merged.
func TestWarningsOfNames(t *testing.T) {
	alone := engine.Result{Warnings: []string{`off by 3 at task "t0"`, `off by 2 at task "t1"`, "few runs"}}
	s := sim.Sweep{Names: []string{"n"}, Rows: []sim.SweepRow{
		{Values: []any{1.0}, Result: alone},
		{Values: []any{2.0}, Result: engine.Result{Warnings: []string{`off by 4 at task "t0"`}}},
		{Values: []any{3.0}, Result: engine.Result{}},
	}}
	want := []string{`off by 3 at task "t0" (2 of 3 results; this is of the first)`, "few runs (1 of 3 results)"}
	if got := sweepWarnings(s); !slices.Equal(got, want) {
		t.Errorf("a sweep: got %q, want %q", got, want)
	}
	want = []string{`off by 3 at task "t0" (the first of 2 such warnings)`, "few runs"}
	if got := resultWarnings(alone); !slices.Equal(got, want) {
		t.Errorf("a result: got %q, want %q", got, want)
	}
}

// Results that are backed by different things side by side say so.
func TestStandingSideBySide(t *testing.T) {
	proven, none := engine.Result{Algorithm: "A", Standing: engine.StandingProven}, engine.Result{Algorithm: "B", Standing: engine.StandingNone}
	if got := Compare([]engine.Result{proven, none}); column(got, "standing") < 0 {
		t.Error("no word of what backs each")
	}
	if got := Compare([]engine.Result{proven, proven}); column(got, "standing") >= 0 || !slices.Contains(got.Notes, "Guarantee of all: proven.") {
		t.Errorf("what backs all is not said once: %q", got.Notes)
	}
}
