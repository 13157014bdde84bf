package sim_test

import (
	"context"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The forecast of Expected has the order of magnitude of the samples taken.
func TestExpected(t *testing.T) {
	for _, gap := range []float64{0.4, 0.1, 0.03} {
		x := sim.Experiment{Problem: enginetest.Paper(t, 2, gap), Mode: engine.ModeFC, Algorithm: "CoKernelFC", Runs: 3, Seed: 2}
		expected := try.Of(x.Expected(context.Background()))
		r := run(t, x)
		if ratio := expected / r.SamplesPerAgent.Mean; ratio < 0.1 || ratio > 10 {
			t.Errorf("gap %g: %.3g expected, %.3g taken", gap, expected, r.SamplesPerAgent.Mean)
		}
	}
	if e, err := (sim.Experiment{Problem: enginetest.Paper(t, 2, 0.4), Mode: engine.ModeFC, Algorithm: "CoTestFC"}).Expected(context.Background()); e != 0 || err != nil {
		t.Errorf("CoTestFC: %g, %v", e, err)
	}
}
