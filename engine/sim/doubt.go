package sim

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
)

// doubt says what the error rate over several runs tells about delta, unless it tells
// that errors stay within: "" then, and for one run or none, which claim nothing. The
// text is the same for all cells of a sweep with the same counts, to be said once.
//
// That errors exceed delta goes by the exact interval: at an error rate of delta it is said with
// probability 2.5 % at most, where Wilson's interval, whose lower end is too high near 0, says it
// with up to 16 %.
func doubt(errors engine.Rate, delta float64) string {
	wrong := fmt.Sprintf("%d of %d", errors.Count, errors.Runs)
	switch {
	case errors.Runs < 2 || errors.CI95[1] <= delta:
		return ""
	case exceeds(errors, delta):
		return fmt.Sprintf("errors exceed delta: %s runs, 95 %% interval from %.3g", wrong, exact(errors)[0])
	case errors.Rate > delta:
		interval := exact(errors)
		return fmt.Sprintf("cannot tell whether errors stay within delta = %g: %s runs are wrong, compatible with %.2g %% to %.2g %%", delta, wrong, 100*interval[0], 100*interval[1])
	}
	s := fmt.Sprintf("%d runs are too few to tell whether errors stay within delta = %g: %s is compatible with up to %.2g %%", errors.Runs, delta, wrong, 100*errors.CI95[1])
	if errors.Count == 0 {
		s += fmt.Sprintf("; without errors it takes %d runs", enoughRuns(delta))
	}
	return s
}

// exceeds reports whether the exact 95 % interval lies above delta: whether so many errors have a
// probability below 2.5 % at that rate.
func exceeds(errors engine.Rate, delta float64) bool {
	k, n := float64(errors.Count), float64(errors.Runs)
	return k > 0 && delta < 1 && mathext.RegIncBeta(k, n-k+1, delta) < 0.025
}

// exact is the 95 % interval of [Clopper and Pearson 1934].
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

// enoughRuns is the smallest number n of runs whose Wilson interval for 0 errors, up to
// z²/(n+z²), ends at delta.
func enoughRuns(delta float64) int {
	n := math.Ceil(normal95 * normal95 * (1 - delta) / delta)
	return int(math.Min(n, math.MaxInt32))
}
