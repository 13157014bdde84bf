package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
)

// guarantee says what backs the answers: in a word, and in a sentence that begins with it.
func (x Experiment) guarantee(r engine.Result, entry engine.AlgorithmEntry, model *engine.Model, t *tally) (standing, sentence string) {
	why := x.unbacked(r, entry)
	if why == "" || entry.Role != engine.RoleReference && entry.Proven() {
		why = cmp.Or(x.contradicted(r, entry, model), why)
	}
	if why != "" {
		return engine.StandingNone, engine.StandingNone + ": " + why
	}
	if entry.Backing == engine.BackingPosterior {
		return engine.StandingHeuristic, engine.StandingHeuristic + ": " + posterior(r)
	}
	var s string
	switch {
	case r.Mode == engine.ModeFB:
		s = "each decided answer is the best arm with probability at least " + atLeast(r.Delta) + " for all tasks together"
	case r.Epsilon > 0:
		s = fmt.Sprintf("all decided answers are within %g of their best arm with probability at least %s", r.Epsilon, atLeast(r.Delta))
	default:
		s = "all decided answers are best arms with probability at least " + atLeast(r.Delta)
	}
	if assumed := x.assumed(r, entry, model); assumed != "" {
		s += ", if " + assumed
	}
	if doubts := x.doubts(r, entry, model, t); len(doubts) > 0 {
		return engine.StandingHeuristic, engine.StandingHeuristic + ": " + strings.Join(doubts, "; ") + "; were it not for that, " + s
	}
	return engine.StandingProven, engine.StandingProven + ": " + s
}

// unbacked says why nothing backs the answers, "" where something does.
func (x Experiment) unbacked(r engine.Result, entry engine.AlgorithmEntry) string {
	switch {
	case entry.DividedByV:
		return "a reference to compare with, not an algorithm: it counts the samples of agents that share nothing as if sharing had cut them to 1/V"
	case entry.Role == engine.RoleReference:
		return "a reference to compare with, not an algorithm: it knows the expected rewards"
	case entry.Backing == engine.BackingNone:
		return "a baseline without guarantee; an answer counts as decided only where the data separate it at level " + percent(r.Delta)
	case slices.ContainsFunc(r.Warnings, func(w engine.Warning) bool { return w.Kind == engine.WarnRidgeFC }):
		return "xi is too large for the theorem behind the literal schedule, see the warning (the tuned schedule holds for every xi)"
	}
	return ""
}

// doubts are the conditions of the guarantee that hold approximately, or that were taken
// from the data which they should be known before. What a reward function of its own does
// cannot be checked.
func (x Experiment) doubts(r engine.Result, entry engine.AlgorithmEntry, model *engine.Model, t *tally) []string {
	p := x.Problem
	var out []string
	if p.KernelFittedHere() {
		out = append(out, "the kernel was fitted on these data, which no bound allows for")
	}
	if x.Options.Robust {
		out = append(out, "how far rewards are from what the kernel can represent was estimated from the data of the run")
	}
	if p.Noise.Estimated() {
		out = append(out, "the noise scales were estimated from the data")
	}
	if p.Noise.Known == engine.NoiseAssumed {
		out = append(out, "nobody stated the noise scale, and 1 is assumed")
	}
	if w := x.blurred(entry, model); w != "" {
		out = append(out, w)
	}
	if !x.natural {
		if t.rejected() {
			out = append(out, "the data speak against the kernel, see the warning")
		}
		return out
	}
	normal := entry.Backing == engine.BackingNormal && x.Options.LawFor(p) == engine.LawNormal
	switch {
	case !engine.Independent(p.Noise.Environment):
		out = append(out, fmt.Sprintf("rewards are not independent (environment %s)", p.Noise.Environment))
	case normal && p.Noise.Environment != engine.EnvironmentGaussian && p.Noise.Environment != "":
		out = append(out, "the test is for normal rewards, which these are not")
	case p.Noise.UnknownBy == "" && !p.Noise.Estimated() && !subGaussian(p):
		out = append(out, "the noise scales that are stated do not cover these rewards")
	case !proportional(p):
		out = append(out, fmt.Sprintf("the noise scales are not guesses times one factor for each %s, as was stated (noise=%q allows for any)", p.Noise.UnknownBy, "unknown arm"))
	}
	return out
}

// proportional tells whether the scales of simulated noise are what is stated of unknown ones:
// the guesses, times one factor for all arms or for those of a task.
func proportional(p *engine.Problem) bool {
	sd, scales := p.Noise.Deviations(), p.Noise.Scales
	groups := p.Noise.Groups(p.TaskOf)
	for i, g := range groups {
		first := slices.Index(groups, g)
		if math.Abs(sd[i]*scales[first]-sd[first]*scales[i]) > 1e-9*sd[i]*scales[first] {
			return false
		}
	}
	return true
}

// subGaussian tells whether simulated rewards are as sub-Gaussian as the noise scales say:
// normal ones of no larger standard deviation, or those that lie in a range of twice the scale
// [Hoeffding63].
func subGaussian(p *engine.Problem) bool {
	for i, scale := range p.Noise.Scales {
		needed := math.Inf(1)
		switch p.Noise.Environment {
		case engine.EnvironmentGaussian, "":
			needed = p.Noise.Deviations()[i]
		case engine.EnvironmentBernoulli:
			needed = 0.5
			if p.Noise.Bounds != nil {
				needed = (p.Noise.Bounds[1] - p.Noise.Bounds[0]) / 2
			}
		case engine.EnvironmentResampled:
			needed = (slices.Max(p.Rewards[i]) - slices.Min(p.Rewards[i])) / 2
		}
		if needed > scale*(1+1e-9) {
			return false
		}
	}
	return true
}

// posterior says what answers mean that are backed by a posterior only.
func posterior(r engine.Result) string {
	what := "the best arm"
	if r.Epsilon > 0 {
		what = fmt.Sprintf("within %g of its best arm", r.Epsilon)
	}
	return fmt.Sprintf("under the kernel as prior, each decided answer is %s with posterior probability at least 1 - delta/V = %s; how often it is depends on whether the kernel is right", what, atLeast(r.Delta/float64(r.Tasks)))
}

// understated tells of an arm whose rewards vary more than its noise scale says,
// beyond the 5 % that separate a sample standard deviation from that of the
// population it was computed from.
func understated(p *engine.Problem) []engine.Warning {
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

func percent(x float64) string { return fmt.Sprintf("%.4g %%", 100*x) }

// atLeast writes the probability 1 - delta in per cent, with as many digits as tell it from one.
func atLeast(delta float64) string {
	if delta < 1e-12 {
		return fmt.Sprintf("1 - %g", delta)
	}
	digits := max(4, 3-int(math.Floor(math.Log10(delta))))
	return fmt.Sprintf("%.*g %%", digits, 100*(1-delta))
}
