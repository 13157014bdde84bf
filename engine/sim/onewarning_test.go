package sim_test

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// Runs that end with different margins of one task and leader give one warning with the smallest and the largest.
func TestOneWarningOfAKind(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{0.5, 0.5 - 1e-9})
	r := run(t, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Runs: 60, Seed: 1})
	count := 0
	for _, w := range r.Warnings {
		if w.Kind == engine.WarnTooCloseWithin {
			count++
		}
	}
	if count == 0 || count > 4 {
		t.Errorf("%d warnings of margins from %d runs undecided", count, r.Undecided.Count)
	}
}
