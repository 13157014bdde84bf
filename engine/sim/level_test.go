package sim_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// BenchmarkLevel measures the rejection rate of each test: "level" under the null hypothesis, "power" under an alternative. One operation
// is the whole measurement, always with the same seed; measured/level.csv has the table.
func BenchmarkLevel(b *testing.B) {
	measure := func(name string, share func(b *testing.B, effect bool) float64) {
		b.Run(name, func(b *testing.B) {
			var level, power float64
			for b.Loop() {
				level, power = share(b, false), share(b, true)
			}
			b.ReportMetric(level, "level")
			b.ReportMetric(power, "power")
		})
	}
	for _, unknown := range []string{"", problem.UnknownProblem, problem.UnknownTask, problem.UnknownArm} {
		measure("lack-of-fit/unknown="+cmp.Or(unknown, "none"), func(b *testing.B, off bool) float64 {
			p := enginetest.Paper(b, 1, 0.4)
			if off { // 0.5 standard deviations outside the kernel's space
				p = perturbed(p, 0.5, 3)
			}
			p.Noise.UnknownBy = unknown
			return float64(rejected(b, p, "CoTestFC", 1500)) / 1500
		})
	}
	for _, runs := range []int{34, 200, 1000} {
		measure(fmt.Sprintf("errors-exceed-delta/runs=%d", runs), func(_ *testing.B, off bool) float64 {
			return alarms(runs, 0.005, 0.005*(1+3*amount(off))) // at δ and at 4δ
		})
	}
	for _, rho := range []float64{0, 0.3, 1} {
		measure(fmt.Sprintf("tasks-in-error/correlation=%g", rho), func(_ *testing.B, off bool) float64 {
			// the tested rate is 0.1; the true one is 0.1 or 0.2
			return sharesApart(0.1, 0.1*(1+amount(off)), rho)
		})
	}
	for _, runs := range []int{5, 50} {
		for _, m := range []string{sim.MeasureSamples, sim.MeasureError} {
			measure(fmt.Sprintf("compare/%s/runs=%d", m, runs), func(b *testing.B, off bool) float64 {
				return pairsApart(b, m, runs, amount(off))
			})
		}
	}
}

// amount returns 1 or 0.
func amount(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// alarms returns the probability that this many runs with this error rate give the warning that errors exceed delta.
func alarms(runs int, delta, rate float64) (probability float64) {
	law := distuv.Binomial{N: float64(runs), P: rate}
	for k := range runs + 1 {
		if w := sim.Doubt(sim.Proportion(k, runs), delta); len(w) > 0 && w[0].Kind == engine.WarnErrors {
			probability += law.Prob(float64(k))
		}
	}
	return probability
}

// sharesApart returns how often the interval of 100 runs of five tasks excludes a rate.
func sharesApart(asked, rate, rho float64) float64 {
	const repetitions = 4000
	rng := rand.New(rand.NewPCG(3, 4))
	apart := repetitions
	for range repetitions {
		wrong := make([]int, 100)
		for i := range wrong {
			wrong[i] = together(rng, rate, rho, 5)
		}
		apart -= covers(sim.Shares(wrong, 5), asked)
	}
	return float64(apart) / repetitions
}

// pairsApart returns how often the interval for the difference of two algorithms excludes 0: samples are log-normal with correlation a
// half, errors 20 %, and an effect of 1 means 40 % more samples or 30 % more of the runs in error.
func pairsApart(b *testing.B, measure string, runs int, effect float64) float64 {
	const repetitions = 4000
	rng := rand.New(rand.NewPCG(5, 6))
	apart := 0
	for range repetitions {
		x, y := make([]float64, runs), make([]float64, runs)
		wrongX, wrongY := make([]bool, runs), make([]bool, runs)
		for i := range runs {
			shared := rng.NormFloat64()
			x[i] = math.Exp(0.5*math.Sqrt(0.5)*(shared+rng.NormFloat64())) * (1 + 0.4*effect)
			y[i] = math.Exp(0.5 * math.Sqrt(0.5) * (shared + rng.NormFloat64()))
			wrongX[i], wrongY[i] = rng.Float64() < 0.2+0.3*effect, rng.Float64() < 0.2
		}
		c := try.Of(sim.Paired(made("a", x, wrongX), made("b", y, wrongY), measure))
		if !holds(c.Difference, 0) {
			apart++
		}
	}
	return float64(apart) / repetitions
}
