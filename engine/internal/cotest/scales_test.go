package cotest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Guesses of the noise that are wrong by orders of magnitude are found out: the same samples
// as with the right ones, within a factor, and every answer right.
func TestUnknownScales(t *testing.T) {
	if testing.Short() {
		t.Skip("300 runs")
	}
	samples := map[string]float64{}
	for _, guess := range []float64{1, 1000, 0.001} {
		for _, unknown := range []string{"", problem.UnknownProblem, problem.UnknownTask, problem.UnknownArm} {
			if unknown == "" && guess != 1 {
				continue
			}
			wrong := 0
			for seed := range uint64(30) {
				p := enginetest.Paper(t, 2, 0.8)
				p.Noise.UnknownBy = unknown
				truth := make([]float64, p.N())
				for i := range truth {
					truth[i], p.Noise.Scales[i] = 1, guess
				}
				m := plain.ModelOf(t, p)
				alg, err := plain.On(engine.ModeFC, NewCoTestFC)(m, engine.Options{Delta: 0.05, Together: true})
				if err != nil {
					t.Fatal(err)
				}
				rng := rand.New(rand.NewPCG(seed, 77))
				out, err := engine.Run(t.Context(), alg, enginetest.EnvironmentFunc(func(plan engine.Plan) engine.Batch {
					if plan.WantSquares != (unknown != "") {
						t.Fatalf("%q: squared deviations wanted: %v", unknown, plan.WantSquares)
					}
					return enginetest.SquaresPull(rng, p, truth, plan)
				}), engine.Options{})
				if err != nil || out.Status != engine.StatusDecided {
					t.Fatalf("%q, guess %g: %s, %v", unknown, guess, out.Status, err)
				}
				samples[fmt.Sprint(unknown, " ", guess)] += float64(out.Samples) / 30
				best := try.Of(m.Truth().Best())
				for v, a := range out.Answers {
					if a.Arm != p.Arms.Names[best[v]] {
						wrong++
					}
				}
			}
			if wrong > 2 {
				t.Errorf("%q, guess %g: %d of 150 answers wrong", unknown, guess, wrong)
			}
		}
	}
	t.Log(samples)
	known := samples[" 1"]
	for name, n := range samples {
		if n < 0.8*known || n > 4*known {
			t.Errorf("%s: %.0f samples, %.0f with known scales", name, n, known)
		}
	}
}
