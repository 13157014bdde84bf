package model_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/internal/cotest"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Features that end below the kernel's rank: every algorithm ends without NaN, and what it calls
// decided is right. Only an arm beyond the cut has a reward, and under identity() it has no feature
// at all.
func TestCutFeatures(t *testing.T) {
	const arms, rank = 12, 8
	smooth := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Constant{Value: 1}, Arm: kernels.Matern{Nu: 0.5, Lengthscale: []float64{2}}}}}
	for name, k := range map[string]kernels.Joint{"identity": enginetest.Identity, "rough": smooth} {
		mean, rows := make([]float64, arms), make([][]float64, arms)
		mean[arms-1] = 1
		for i := range rows {
			rows[i] = []float64{float64(i)}
		}
		p := model.OnFeatures(t, k, rows, mean)
		m, err := model.NewTruncated(t.Context(), p, 0, rank)
		if err != nil {
			t.Fatal(err)
		}
		if !m.Cut() || m.Rank() != rank {
			t.Fatalf("%s: rank %d, cut %v", name, m.Rank(), m.Cut())
		}
		whole := plain.ModelOf(t, p)
		norm, err := m.Truth().Norm()
		if want, _ := whole.Truth().Norm(); err != nil || math.Abs(norm-want) > 1e-9*want {
			t.Errorf("%s: the norm of the whole reward function is %g, got %g (%v)", name, want, norm, err)
		}
		for _, entry := range algorithms.All() {
			t.Run(fmt.Sprint(name, "/", entry.Mode, "/", entry.Name), func(t *testing.T) {
				opt := engine.Options{Delta: 0.1, Epsilon: 0.3, Budget: 200, MaxRounds: 8, MaxSamples: 1e6}
				for seed := range uint64(enginetest.Number(5, 2)) {
					alg, err := entry.New(m, opt)
					if err != nil {
						t.Skip(err)
					}
					rng := rand.New(rand.NewPCG(seed, 1))
					out := try.Of(engine.Run(t.Context(), alg, enginetest.EnvironmentFunc(func(plan engine.Plan) engine.Batch { return enginetest.Pull(rng, p, plan) }), opt))
					for _, a := range out.Answers {
						if a.Decided && a.Arm != p.Arms.Names[arms-1] && entry.Role != algorithms.RoleReference && entry.Backing != algorithms.BackingNone {
							t.Errorf("seed %d: decided for %q after %d samples", seed, a.Arm, out.Samples)
						}
						if math.IsNaN(a.Margin) {
							t.Errorf("seed %d: the margin is no number: %+v", seed, a)
						}
					}
				}
			})
		}
	}
}

// Where the norm is neither stated nor known, the error says so.
func TestCutFeaturesWithoutNorm(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, make([]float64, 12))
	p.Mean = nil
	m := try.Of(model.NewTruncated(t.Context(), p, 0, 8))
	if _, err := plain.On(engine.ModeFC, cotest.NewCoTestFC)(m, engine.Options{}); err == nil {
		t.Error("no bound is known for what the cut leaves out, and nobody says so")
	}
	if _, err := plain.On(engine.ModeFC, cotest.NewCoTestFC)(m, engine.Options{Norm: 2}); err != nil {
		t.Error(err)
	}
}
