package sim

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
)

// guarantee says in a sentence what backs the answers.
func guarantee(r engine.Result, entry engine.AlgorithmEntry, p *engine.Problem) string {
	switch {
	case entry.PerV:
		return "none: a reference to compare with, not an algorithm: it counts the samples of agents that share nothing as if sharing had cut them to 1/V"
	case entry.Ideal:
		return "none: a reference to compare with, not an algorithm: it knows the expected rewards"
	case entry.Posterior:
		return "heuristic: " + posterior(r)
	case !entry.Proven:
		return "none: a baseline without guarantee; an answer counts as decided only where the data separate it at level " + percent(r.Delta)
	}
	if slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.HasSuffix(w, engine.Uncovered) }) {
		return "none: xi is too large for the theorem behind the literal schedule, see the warning (the tuned schedule holds for every xi)"
	}
	var s string
	switch {
	case r.Mode == engine.ModeFB:
		s = fmt.Sprintf("each decided answer is the best arm with probability at least %s for all tasks together", percent(1-r.Delta))
	case r.Epsilon > 0:
		s = fmt.Sprintf("all decided answers are within %g of their best arm with probability at least %s", r.Epsilon, percent(1-r.Delta))
	default:
		s = fmt.Sprintf("all decided answers are best arms with probability at least %s", percent(1-r.Delta))
	}
	if p.KernelFittedHere() {
		s = "heuristic: the kernel was fitted on these data, which no bound allows for; if it were known beforehand, " + s
	}
	if entry.Normal && p.Environment != engine.EnvironmentGaussian {
		s += "; it is for normal rewards, which these are not, so this holds approximately"
	}
	if p.NoiseEstimated {
		s += "; the noise scales were estimated from the data, so this holds approximately"
	}
	return s
}

// posterior says what answers mean that are backed by a posterior only.
func posterior(r engine.Result) string {
	return fmt.Sprintf("under the kernel as prior, each decided answer is within %g of its best arm with posterior probability at least 1 - delta/V = %s; how often it is depends on whether the kernel is right", r.Epsilon, percent(1-r.Delta/float64(r.Tasks)))
}

// doubt says what the error rate over several runs tells about delta, unless it tells
// that errors stay within: "" then, and for one run or none, which claim nothing. The
// text is the same for all cells of a sweep with the same counts, to be said once.
func doubt(errors engine.Rate, delta float64) string {
	wrong := fmt.Sprintf("%d of %d", errors.Count, errors.Runs)
	switch {
	case errors.Runs < 2 || errors.CI95[1] <= delta:
		return ""
	case errors.CI95[0] > delta:
		return fmt.Sprintf("errors exceed delta: %s runs, 95 %% interval from %.3g", wrong, errors.CI95[0])
	case errors.Rate > delta:
		return fmt.Sprintf("cannot tell whether errors stay within delta = %g: %s runs are wrong, compatible with %.2g %% to %.2g %%", delta, wrong, 100*errors.CI95[0], 100*errors.CI95[1])
	}
	s := fmt.Sprintf("%d runs are too few to tell whether errors stay within delta = %g: %s is compatible with up to %.2g %%", errors.Runs, delta, wrong, 100*errors.CI95[1])
	if errors.Count == 0 {
		s += fmt.Sprintf("; without errors it takes %d runs", enoughRuns(delta))
	}
	return s
}

// enoughRuns is the smallest number n of runs whose Wilson interval for 0 errors, up to
// z²/(n+z²), ends at delta.
func enoughRuns(delta float64) int {
	n := math.Ceil(normal95 * normal95 * (1 - delta) / delta)
	return int(math.Min(n, math.MaxInt32))
}

// understated tells of an arm whose rewards vary more than its noise scale says,
// beyond the 5 % that separate a sample standard deviation from that of the
// population it was computed from; "" when there is none.
func understated(p *engine.Problem) string {
	worst, ratio := 0, 0.0
	for i, sd := range p.SD {
		if r := sd / p.Noise[i]; r > ratio {
			worst, ratio = i, r
		}
	}
	if ratio <= 1.05 {
		return ""
	}
	return fmt.Sprintf("the noise scale is too small at %s: its rewards have a standard deviation of %.4g, %.3g times the scale; the guarantee holds only approximately (noise=\"sd\" takes one scale per arm)",
		p.Where(worst), p.SD[worst], ratio)
}

func percent(x float64) string { return fmt.Sprintf("%.4g %%", 100*x) }
