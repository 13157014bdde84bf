package sim

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// doubt returns a warning if the error rate over several runs exceeds delta, or if there are too few runs to decide that;
// nil for 0 or 1 run.
//
// The warning that errors exceed delta uses the exact interval: if the error rate is delta, its probability is at most 2.5
// %. With Wilson's interval, whose lower end is too high near 0, it would be up to 16 %.
func doubt(errors engine.Rate, delta float64) []engine.Warning {
	wrong, runs := float64(errors.Count), float64(errors.Runs)
	w := engine.Warning{Kind: engine.WarnFewRuns, Numbers: []float64{runs, delta, wrong, runs, 100 * errors.CI95[1]}}
	switch {
	case errors.Runs < 2 || errors.CI95[1] <= delta:
		return nil
	case exceeds(errors, delta):
		w = engine.Warning{Kind: engine.WarnErrors, Numbers: []float64{wrong, runs, Exact(errors)[0]}}
	case errors.Rate > delta:
		interval := Exact(errors)
		w = engine.Warning{Kind: engine.WarnErrorsUnclear, Numbers: []float64{delta, wrong, runs, 100 * interval[0], 100 * interval[1]}}
	case errors.Count == 0:
		w.Kind, w.Numbers = engine.WarnFewRunsRight, append(w.Numbers, float64(enoughRuns(delta)))
	}
	return []engine.Warning{w}
}

// exceeds reports whether the exact 95 % interval lies above delta: if the error rate were delta, so many errors would
// have a probability below 2.5 %.
func exceeds(errors engine.Rate, delta float64) bool {
	k, n := float64(errors.Count), float64(errors.Runs)
	return k > 0 && delta < 1 && mathext.RegIncBeta(k, n-k+1, delta) < 0.025
}

// Exact returns the 95 % interval of Clopper and Pearson [1934].
func Exact(errors engine.Rate) [2]float64 {
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

// enoughRuns returns the smallest number of runs without errors for which Wilson's interval ends at or below delta. The
// interval of 0 errors in n runs ends at z²/(n+z²).
func enoughRuns(delta float64) int {
	n := math.Ceil(normal95 * normal95 * (1 - delta) / delta)
	return int(math.Min(n, 1<<53))
}

// understated returns a warning about the arm whose rewards vary most in excess of its stated noise scale. It ignores an
// excess up to 5 %, by which sample and population standard deviations may differ.
func understated(p *problem.Problem) []engine.Warning {
	worst, ratio := 0, 0.0
	for i, sd := range p.Noise.SD {
		if r := sd / p.Noise.Scales[i]; r > ratio && p.Noise.UnknownBy == "" {
			worst, ratio = i, r
		}
	}
	if ratio <= 1.05 {
		return nil
	}
	return []engine.Warning{{Kind: engine.WarnNoiseTooSmall, Names: p.NamesOf(worst), Numbers: []float64{p.Noise.SD[worst], ratio}}}
}
