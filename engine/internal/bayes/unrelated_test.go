package bayes

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// BenchmarkUnrelated times runs over unrelated arms, whose expected rewards scatter as much as a pull.
func BenchmarkUnrelated(b *testing.B) { benchmarkRuns(b, enginetest.Identity) }

// BenchmarkRough times runs over unrelated tasks of the same arms, of which neighbours have a correlation of 0.37.
func BenchmarkRough(b *testing.B) {
	rough := kernels.Matern{Nu: 0.5, Lengthscale: []float64{1}}
	benchmarkRuns(b, kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: rough}}})
}

func benchmarkRuns(b *testing.B, kernel kernels.Joint) {
	for _, n := range []struct{ tasks, arms int }{{15, 12}, {10, 100}, {10, 1000}} {
		b.Run(fmt.Sprintf("n=%d", n.tasks*n.arms), func(b *testing.B) {
			means, rng := make([]float64, n.arms), rand.New(rand.NewPCG(1, 2))
			for i := range means {
				means[i] = rng.NormFloat64()
			}
			p := enginetest.Unrelated(b, n.tasks, means).WithKernel(kernel)
			samples, rounds := 0, 0
			for b.Loop() {
				m, err := model.New(p, 0)
				if err != nil {
					b.Fatal(err)
				}
				alg, err := plain.On(engine.ModeFC, NewCoBayesFC)(m, engine.Options{Delta: 0.1, Epsilon: 1})
				if err != nil {
					b.Fatal(err)
				}
				out, err := engine.Run(b.Context(), alg, enginetest.EnvironmentFunc(func(plan engine.Plan) engine.Batch {
					return enginetest.Pull(rng, p, plan)
				}), engine.Options{})
				if err != nil || out.Status == "" {
					b.Fatal(err)
				}
				samples, rounds = samples+out.Samples, rounds+len(out.Rounds)
			}
			b.ReportMetric(float64(samples)/float64(b.N), "samples")
			b.ReportMetric(float64(rounds)/float64(b.N), "rounds")
		})
	}
}
