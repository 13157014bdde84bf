package sim_test

import (
	"context"
	"math"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The twelve literal CoKernelFC sample counts per agent, ξ → 0, δ = 0.005, and their rounds, from an independent implementation in
// another language, whose 50 simulations per cell all gave the same number. Cases 2 and 3 are two and five times case 1 within rounding.
func TestLiteralCounts(t *testing.T) {
	want := map[float64]struct {
		samples float64
		rounds  int
	}{0.1: {196116.0, 4}, 0.2: {45465.6, 3}, 0.4: {10989.0, 2}, 0.8: {4415.2, 1}}
	for number, factor := range map[int]float64{1: 1, 2: 2, 3: 5} {
		for gap, w := range want {
			p := enginetest.Paper(t, number, gap)
			r := try.Of(sim.Run(context.Background(), sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoKernelFC", Runs: 20, Seed: 1,
				Options: engine.Options{Delta: 0.005, Schedule: engine.SchedulePaper, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-9}}}))
			if got := r.SamplesPerAgent.Mean; math.Abs(got/(factor*w.samples)-1) > 0.002 || r.MaxRounds != w.rounds || r.Errors.Count > 0 {
				t.Errorf("case %d, gap %g: %.1f samples in %d rounds, %d wrong; want %.1f in %d", number, gap, got, r.MaxRounds, r.Errors.Count, factor*w.samples, w.rounds)
			}
		}
	}
}
