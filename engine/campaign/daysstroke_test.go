package campaign

import (
	"math"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// strokeDays returns a protocol of 96 patients a day on eight groups of patients and six treatments, of rewards of 0 and 1
// whose noise of at most a half is stated, with the true means and standard deviations. The kernel has the variances that the table has
// between tasks and within them, in one figure.
func strokeDays(t *testing.T, algorithm string) (p Protocol, mean, sd []float64) {
	of := try.Of(problem.Load("../../notebooks/data/stroke.csv", kernels.Joint{Terms: []kernels.Term{
		{Scale: 0.03, Task: kernels.Identity{}, Arm: kernels.Func("one", func(x, y []float64) float64 { return 1 })},
		{Scale: 0.0009, Task: kernels.RBF{Lengthscale: []float64{0.5}}, Arm: kernels.Identity{}},
	}}, problem.LoadOptions{Noise: problem.NoiseModel{Scales: []float64{0.5}}}))
	mean = of.Mean
	for _, x := range mean {
		sd = append(sd, math.Sqrt(x*(1-x)))
	}
	q := *of
	q.Mean, q.Reps, q.Noise.SD, q.Noise.Environment = nil, nil, nil, problem.EnvironmentGaussian
	return Protocol{Name: "stroke", Problem: &q, Mode: engine.ModeFC, Algorithm: algorithm, Options: engine.Options{Delta: 0.05, Epsilon: 0.05}, Plate: 24, Capacity: 96, Seed: 1}, mean, sd
}
