package sim

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
)

// doubt says what the error rate over several runs tells about delta, unless it tells
// that errors stay within: nothing then, nor for one run or none, which claim nothing.
//
// That errors exceed delta goes by the exact interval: at an error rate of delta it is said with
// probability 2.5 % at most, where Wilson's interval, whose lower end is too high near 0, says it
// with up to 16 %.
func doubt(errors engine.Rate, delta float64) []engine.Warning {
	wrong, runs := float64(errors.Count), float64(errors.Runs)
	w := engine.Warning{Kind: engine.WarnFewRuns, Numbers: []float64{runs, delta, wrong, runs, 100 * errors.CI95[1]}}
	switch {
	case errors.Runs < 2 || errors.CI95[1] <= delta:
		return nil
	case exceeds(errors, delta):
		w = engine.Warning{Kind: engine.WarnErrors, Numbers: []float64{wrong, runs, exact(errors)[0]}}
	case errors.Rate > delta:
		interval := exact(errors)
		w = engine.Warning{Kind: engine.WarnErrorsUnclear, Numbers: []float64{delta, wrong, runs, 100 * interval[0], 100 * interval[1]}}
	case errors.Count == 0:
		w.Kind, w.Numbers = engine.WarnFewRunsRight, append(w.Numbers, float64(enoughRuns(delta)))
	}
	return []engine.Warning{w}
}

// exceeds reports whether the exact 95 % interval lies above delta: whether that number of errors
// has a probability below 2.5 % at that rate.
func exceeds(errors engine.Rate, delta float64) bool {
	k, n := float64(errors.Count), float64(errors.Runs)
	return k > 0 && delta < 1 && mathext.RegIncBeta(k, n-k+1, delta) < 0.025
}

// exact returns the 95 % interval of [Clopper and Pearson 1934].
func exact(errors engine.Rate) [2]float64 {
	k, n := float64(errors.Count), float64(errors.Runs)
	interval := [2]float64{0, 1}
	if k > 0 {
		interval[0] = distuv.Beta{Alpha: k, Beta: n - k + 1}.Quantile(0.025)
	}
	if k < n {
		interval[1] = distuv.Beta{Alpha: k + 1, Beta: n - k}.Quantile(0.975)
	}
	return interval
}

// enoughRuns returns the smallest number n of runs whose Wilson interval for 0 errors, up to
// z²/(n+z²), ends at delta.
func enoughRuns(delta float64) int {
	n := math.Ceil(normal95 * normal95 * (1 - delta) / delta)
	return int(math.Min(n, math.MaxInt32))
}
