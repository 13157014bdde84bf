package sim_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// If the noise is not stated, no algorithm assumes a number for it: those that estimate scales make the runs of noise="unknown tested", whatever
// the guess is, and the others require it. A warning states the simulated noise, and a proven guarantee does not depend on it.
func TestUnstatedNoise(t *testing.T) {
	const table = "task,arm,mean\na,x,0\na,y,3\na,z,1\nb,x,0\nb,y,1\nb,z,4\n"
	path := filepath.Join(t.TempDir(), "bare.csv")
	try.To(os.WriteFile(path, []byte(table), 0o600))
	load := func(m problem.NoiseModel) *problem.Problem {
		return try.Of(problem.Load(path, kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Identity{}}}}, problem.LoadOptions{Noise: m}))
	}
	silent, tested, stated := load(problem.NoiseModel{}), load(problem.NoiseModel{UnknownBy: problem.UnknownTested}), load(problem.NoiseModel{Scales: []float64{1}})
	run := func(e algorithms.Entry, p *problem.Problem) (engine.Result, error) {
		return sim.Run(context.Background(), sim.Experiment{Problem: p, Mode: e.Mode, Algorithm: e.Name, Options: engine.Options{Budget: 60}, Runs: 4, Seed: 1})
	}
	for _, e := range algorithms.All() {
		r, err := run(e, silent)
		if !e.EstimatesScales() {
			if err == nil || !strings.Contains(err.Error(), "Write noise= with the standard deviation of one reward") {
				t.Errorf("%s %s runs without a noise scale: %v", e.Mode, e.Name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s %s: %v", e.Mode, e.Name, err)
			continue
		}
		said := slices.ContainsFunc(r.Warnings, func(w engine.Warning) bool { return w.Kind == engine.WarnNoiseGuessed && w.Numbers[0] == 1 })
		if !said {
			t.Errorf("%s %s: nothing says what was simulated: %v", e.Mode, e.Name, r.Warnings)
		}
		same, err := run(e, tested)
		if err != nil || same.SamplesTotal != r.SamplesTotal || same.Guarantee != r.Guarantee {
			t.Errorf("%s %s: %g samples (%s), and %g with noise=\"unknown tested\" (%s), error %v", e.Mode, e.Name, r.SamplesTotal, r.Guarantee, same.SamplesTotal, same.Guarantee, err)
		}
		if want := e.Proven(); (r.Standing == engine.StandingProven) != want {
			t.Errorf("%s %s: %s", e.Mode, e.Name, r.Guarantee)
		}
		own := sim.Func(silent, func(_ *rand.Rand, task, arm string, n int) (float64, error) {
			return float64(len(task) + int(arm[0])), nil
		})
		drawn, err := sim.Run(context.Background(), sim.Experiment{Problem: silent, Mode: e.Mode, Algorithm: e.Name, Options: engine.Options{Budget: 60, MaxRounds: 2}, Runs: 1, Draw: own})
		if err != nil || slices.ContainsFunc(drawn.Warnings, func(w engine.Warning) bool { return w.Kind == engine.WarnNoiseGuessed }) {
			t.Errorf("%s %s, rewards of a function: %v, error %v", e.Mode, e.Name, drawn.Warnings, err)
		}
		known, err := run(e, stated)
		if err != nil || slices.ContainsFunc(known.Warnings, func(w engine.Warning) bool { return w.Kind == engine.WarnNoiseGuessed }) {
			t.Errorf("%s %s with noise=1: %v, error %v", e.Mode, e.Name, known.Warnings, err)
		}
		if e.Mode == engine.ModeFC && e.Proven() && known.SamplesTotal == r.SamplesTotal {
			t.Errorf("%s takes %g samples with and without a noise scale: it knew the scale", e.Name, r.SamplesTotal)
		}
	}
}
