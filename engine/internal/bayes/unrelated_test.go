package bayes

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// BenchmarkUnrelated times runs over unrelated arms, whose expected rewards scatter as much as a pull.
func BenchmarkUnrelated(b *testing.B) { benchmarkRuns(b, enginetest.Identity, 12, 100, 1000) }

// BenchmarkRough times runs over unrelated tasks, in which neighbours on a line have a correlation of 0.37.
func BenchmarkRough(b *testing.B) { benchmarkRuns(b, rough, 12, 100, 1000) }

// rough relates arms within a task, as neighbours on a line whose rewards are nowhere smooth.
var rough = kernels.Joint{Terms: []kernels.Term{
	{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Matern{Nu: 0.5, Lengthscale: []float64{1}}},
}}

// benchmarkRuns times runs over so many arms in each of 15 tasks, 10 of 100 arms or more.
func benchmarkRuns(b *testing.B, kernel kernels.Joint, arms ...int) {
	for _, n := range arms {
		tasks := 10
		if n < 100 {
			tasks = 15
		}
		b.Run(fmt.Sprintf("n=%d", tasks*n), func(b *testing.B) {
			means, rng := make([]float64, n), rand.New(rand.NewPCG(1, 2))
			for i := range means {
				means[i] = rng.NormFloat64()
			}
			p := enginetest.Unrelated(b, tasks, means).WithKernel(kernel)
			samples, rounds := 0, 0
			for b.Loop() {
				m, err := model.New(p, 0)
				if err != nil {
					b.Fatal(err)
				}
				alg := try.Of(plain.On(engine.ModeFC, NewCoBayesFC)(m, engine.Options{Delta: 0.1, Epsilon: 1}))
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
