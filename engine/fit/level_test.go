package fit

import (
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// BenchmarkLevel measures how often the tests of a fit reject at 5 %, without fitting: "level" for
// rewards that the kernel draws, "power" where each arm is off by 0.5 more in standard deviation.
// Noise is 0.8, with 3 replicates. An operation is 1,000 draws of each.
func BenchmarkLevel(b *testing.B) {
	w := world{tasks: 4, arms: 8, reps: 3, noise: 0.8}
	smooth := joint(b, kernels.RBF{}, kernels.RBF{Lengthscale: []float64{2}})
	share := func(draws kernels.Joint, rejects func(Misfit) bool) float64 {
		const repetitions = 1000
		rejected := 0
		for draw := range repetitions {
			p := w.draw(b, draws, 0, rand.New(rand.NewPCG(2, uint64(draw))))
			if rejects(fitted(b, p, Options{Kernel: smooth, Starts: 1}).Misfit) {
				rejected++
			}
		}
		return float64(rejected) / repetitions
	}
	for name, rejects := range map[string]func(Misfit) bool{
		"pure-error":       func(m Misfit) bool { return m.PValue < misfitLevel },
		"likelihood-ratio": func(m Misfit) bool { return m.GainP < misfitLevel },
	} {
		b.Run(name, func(b *testing.B) {
			var level, power float64
			for b.Loop() {
				level, power = share(smooth, rejects), share(kernels.AddJoint(smooth, identity(0.25)), rejects)
			}
			b.ReportMetric(level, "level")
			b.ReportMetric(power, "power")
		})
	}
}
