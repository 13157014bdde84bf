package engine

import (
	"fmt"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/sentence"
)

// Warning is a fact that a reader of a result or of a fit must not overlook. Its String is the
// sentence.
type Warning struct {
	Kind WarningKind `json:"kind"`
	// of tasks, arms and what else the sentence names
	Names   []string  `json:"names,omitempty"`
	Numbers []float64 `json:"numbers,omitempty"` // of the sentence, in the units that it names

	// of WarnLackOfFit: the finding of the first run with one
	LackOfFit *LackOfFit `json:"lack_of_fit,omitempty"`
}

// WarningKind says what a Warning tells.
type WarningKind string

// The kinds of warnings of results.
const (
	// names: task, arm; numbers: distance from the kernel's space
	WarnKernel WarningKind = "kernel"
	// numbers: runs that reject the kernel, all runs
	WarnLackOfFit WarningKind = "lack of fit"
	// the data are not credible under the prior of a posterior method. Numbers: mean of the rewards,
	// level and standard deviation of the prior, round, p-value, and of several runs those that say
	// so and all
	WarnPriorLevel WarningKind = "prior level"
	// as WarnPriorLevel, where the level was unknown; numbers: mean and standard deviation of the
	// rewards, standard deviation of the prior, and the same
	WarnPriorScale WarningKind = "prior scale"
	// as WarnPriorScale, where the scale was fitted, too
	WarnPriorKernel WarningKind = "prior kernel"
	// numbers: ξ, both sides of the condition. Theorem 1 does not cover the run
	WarnRidgeFC   WarningKind = "ridge fc"
	WarnRidgeFB   WarningKind = "ridge fb"   // as WarnRidgeFC, of Theorem 2
	WarnThinRound WarningKind = "thin round" // numbers: pulls a round, rounding ratio
	// as WarnThinRound, where Theorem 2 would cover the run
	WarnThinBudget WarningKind = "thin budget"
	WarnAmended    WarningKind = "amended"    // numbers: rounds of other pulls than planned, rounds
	WarnNotNormal  WarningKind = "not normal" // names: environment
	WarnTooClose   WarningKind = "too close"  // names: task
	// names: task, leader; numbers: how far the leader may be from the best
	WarnTooCloseWithin WarningKind = "too close, within"
	WarnUnpulled       WarningKind = "unpulled"      // numbers: pulls per agent
	WarnAdmitsAll      WarningKind = "admits all"    // numbers: different arms
	WarnUnrelated      WarningKind = "unrelated"     // as WarnAdmitsAll, and the prior relates no two arms
	WarnTestsAlone     WarningKind = "tests alone"   // numbers: different arms
	WarnNormKnown      WarningKind = "norm known"    // numbers: the norm in reward units, and normalised
	WarnNoiseGuessed   WarningKind = "noise guessed" // names: problem; numbers: guess
	// names: task, arm; numbers: standard deviation, its ratio to the scale
	WarnNoiseTooSmall WarningKind = "noise too small"
	WarnFree          WarningKind = "free numbers"
	WarnBound         WarningKind = "no bound"       // names: the error
	WarnBoundSize     WarningKind = "no bound: size" // numbers: arms, products a step, limit
	WarnBoundStopped  WarningKind = "no bound: stopped"
	// numbers: wrong runs, runs, lower end of the interval
	WarnErrors WarningKind = "errors exceed delta"
	// numbers: delta, wrong runs, runs, both ends of the interval in %
	WarnErrorsUnclear WarningKind = "errors unclear"
	// numbers: runs, delta, wrong runs, runs, upper end of the interval in %
	WarnFewRuns WarningKind = "few runs"
	// as WarnFewRuns, and how many runs without errors it takes
	WarnFewRunsRight WarningKind = "few runs, all right"

	// numbers: accuracy, directions that the kernel tells apart at it among the arms drawn and at most
	// among all, arms drawn, all arms, few directions, accuracy at which few are left
	WarnRough WarningKind = "rough"
	// names: a smoother kernel; numbers: directions that it tells apart at the same accuracy
	WarnRoughKernel WarningKind = "rough: smoother kernel"
)

// The kinds of warnings of fits.
const (
	WarnFitLimit        WarningKind = "fit limit"        // names: number, its limit; numbers: value
	WarnFitUndetermined WarningKind = "fit undetermined" // names: number
	// names: number; numbers: both ends of its interval
	WarnFitLoose WarningKind = "fit loose"
	// names: term to add, kernel with it; numbers: p-value
	WarnFitMisfit  WarningKind = "fit misfit"
	WarnFitTooGood WarningKind = "fit too good" // numbers: mean square, p-value
	// numbers: error of the kernel, error of the mean of the others
	WarnFitWorse    WarningKind = "fit worse"
	WarnFitFewArms  WarningKind = "fit few arms"    // numbers: arms, free numbers
	WarnPoolHurts   WarningKind = "pooling hurts"   // numbers: nats
	WarnPoolUnclear WarningKind = "pooling unclear" // numbers: support, nats
	WarnPoolWeak    WarningKind = "pooling weak"    // numbers: predicted speedup

	// numbers: wrong runs together, runs, wrong runs alone, delta
	WarnMeasuredWrong WarningKind = "measured wrong"
	// numbers: wrong runs together, runs, delta, wrong runs alone
	WarnMeasuredPoolWrong WarningKind = "measured pooling wrong"
	// numbers: speedup, its interval, speedup predicted
	WarnMeasuredSlower WarningKind = "measured slower"
	WarnMeasuredWeak   WarningKind = "measured weak" // as WarnMeasuredSlower
	WarnMeasuredLess   WarningKind = "measured less" // as WarnMeasuredSlower
	WarnUnmeasured     WarningKind = "unmeasured"
)

// measuredSpeedup ends the sentences on speedups. A test can gain less from sharing than
// estimates do, for the reason that it gives.
const measuredSpeedup = "the speedup is %.3g [%.3g, %.3g] in simulated runs, where %.3g is predicted (the prediction is for estimates; a test relies only on what the kernel rules out, which is nothing where it has identity())"

// sentences have a verb for each name, then for each number, in the order of the Warning or by
// their place in it.
var sentences = map[WarningKind]string{
	WarnKernel:         "the kernel cannot represent the expected rewards: off by %.3[3]g at task %[1]q, arm %[2]q; no guarantee holds (add c*identity() to the kernel)",
	WarnPriorLevel:     "rewards near %.3g under a prior of level %.3g with sd %.3g: the data are not credible under the prior (round %d, p = %.2g), and answers that rest on it may be wrong; leave out level= and scale=, which are then learned from the data",
	WarnPriorScale:     "rewards near %.3g that differ by an sd of %.3g under a prior with sd %.3g: the data are not credible under the prior (round %d, p = %.2g), and answers that rest on it may be wrong; leave out scale=, which is then fitted to the data",
	WarnPriorKernel:    "rewards near %.3g that differ by an sd of %.3g under a prior that was fitted to them, with sd %.3g: the data are not credible under the kernel (round %d, p = %.2g), and answers that rest on it may be wrong; add c*identity() to the kernel, or state larger noise",
	WarnRidgeFC:        "xi = %.3g does not meet the condition of Theorem 1 (%.3g ≤ %.3g): its guarantee does not cover this run",
	WarnRidgeFB:        "xi = %.3g does not meet the condition of Theorem 2 (%.3g ≤ %.3g): it does not bound the errors of this run",
	WarnThinRound:      "%d pulls a round are too few for the rounding ratio %.2g",
	WarnThinBudget:     "%d pulls a round are too few for the rounding ratio %.2g: Theorem 2 does not cover this budget",
	WarnAmended:        "%d of %d rounds had other pulls than were planned: Theorem 2 is about planned pulls and does not bound the errors of this run",
	WarnNotNormal:      "rewards are %s and the test treats a round's estimates as normal: delta holds approximately, and better with more pulls a round",
	WarnTooClose:       "task %q: its arms are too close for the test, which has come to its end",
	WarnTooCloseWithin: "task %q: its arms are too close for the test, which has come to its end: %q is within %.3g of the best",
	WarnUnpulled:       "%d pulls per agent do not reach every arm: those never pulled are judged by the kernel alone",
	WarnAdmitsAll:      `the kernel admits every truth on these %d arms: CoTestFC and CoKernelFC, whose guarantees go by what a kernel rules out, gain nothing by it over identity(); CoTestFC with a bound on the norm (norm=) rules out more, and CoBayesFC, and CoTestFB with xi="gp", go by what the kernel calls likely; a kernel of lower rank (fewer terms, no identity(), longer length scales) can help all of them`,
	WarnUnrelated:      "the kernel takes these %d arms for unrelated, as identity() does: no method gains by it; longer length scales, or a kernel of lower rank such as linear(), relate them",
	WarnNormKnown:      "the bound on the norm comes from the expected rewards, %.3g (norm=%.3g), which only a simulation knows: state norm to see what an experiment would take",
	WarnTestsAlone:     "the kernel admits every truth on these %d arms, so agents have nothing to learn from each other by a test: each ran alone, as IndTestFC; a bound on the norm (norm=), a kernel of lower rank or longer length scales lets them share, and CoBayesFC goes by what the kernel calls likely",
	WarnNoiseGuessed:   "nothing says how far the rewards of problem %q scatter: they are simulated with a standard deviation of %.3g, which the algorithm does not know; numbers of samples rest on it; state it by noise= or a column sd, or by noise_guess= beside noise=\"unknown\"",
	WarnNoiseTooSmall:  `the noise scale is too small at task %q, arm %q: its rewards have a standard deviation of %.4g, %.3g times the scale; the guarantee holds only approximately (noise="sd" takes one scale per arm)`,
	WarnFree:           "the kernel has free numbers, which stand at their start values; fit(p) finds them",
	WarnBound:          "no lower bound: %s",
	WarnBoundSize:      "no lower bound: for %d arms its design takes %.2g products a step or more, and beside a result it is left out above %.0g; bounds(p) computes it",
	WarnBoundStopped:   "no lower bound: it was not computed after the interrupt",
	WarnErrors:         "errors exceed delta: %d of %d runs, 95 %% interval from %.3g",
	WarnErrorsUnclear:  "cannot tell whether errors stay within delta = %g: %d of %d runs are wrong, so the error rate may be anything from %.2g %% to %.2g %%",
	WarnFewRuns:        "%d runs are too few to tell whether errors stay within delta = %g: with %d of %d wrong, the error rate may be as high as %.2g %%",
	WarnFewRunsRight:   "%d runs are too few to tell whether errors stay within delta = %g: with %d of %d wrong, the error rate may be as high as %.2g %%; %d runs without an error would be enough",

	WarnRough:       "at an accuracy of %.2g the kernel tells %d to %d directions apart (counted on %d of the %d arms, drawn at random): each has to be sampled, and memory and time grow with their number; %d directions are left at an accuracy of about %.2g",
	WarnRoughKernel: "a smoother kernel with the same length scales, %s, tells about %d directions apart there",

	WarnFitLimit:        "%[1]s ended at its limit, %[2]s=%.3[3]g: the data want it further out, or do not need it",
	WarnFitUndetermined: "%s is not determined by these data: its interval is unknown",
	WarnFitLoose:        "%s is poorly determined by these data: values from %.3g to %.3g do about as well",
	WarnFitMisfit:       "the kernel does not fit (p = %.3[3]g): the means differ from it by more than noise; add %[1]s and fit again, which gives %[2]s",
	WarnFitTooGood:      "the means are closer to the kernel than their noise allows (mean square %.3g, p = %.3g): rewards of different arms may share their noise, as when replicates are the same batches",
	WarnFitWorse:        "the kernel predicts an arm worse than the mean of the other arms of its task does (error %.3g against %.3g)",
	WarnFitFewArms:      "%d arms are few for %d free numbers: the fit adapts to chance",
	WarnPoolHurts:       "pooling the tasks hurts: kernels that share nothing between tasks explain the data better (by %.3g nats); use task(identity())",
	WarnPoolUnclear:     "these data cannot tell whether pooling the tasks helps (support %.3g nats)",
	WarnPoolWeak:        "pooling the tasks will help little: the predicted speedup is %.3g",

	WarnMeasuredWrong:     "the fitted kernel misleads, shared or not: %d of %d simulated runs answer wrongly together and %d alone, against delta = %g; it cannot represent these means: add identity() to it, or use robust=true",
	WarnMeasuredPoolWrong: "pooling the tasks hurts: agents that share answer wrongly in %d of %d simulated runs, against delta = %g, and alone in %d: the kernel cannot represent these means; add identity() to it, or use robust=true",
	WarnMeasuredSlower:    "pooling the tasks hurts in runs with a guarantee: " + measuredSpeedup,
	WarnMeasuredWeak:      "pooling the tasks will help little in runs with a guarantee: " + measuredSpeedup,
	WarnMeasuredLess:      "pooling the tasks helps less than predicted in runs with a guarantee: " + measuredSpeedup,
	WarnUnmeasured:        "interrupted: what sharing is worth was not measured",
}

// String returns the sentence, without a full stop.
func (w Warning) String() string { return WarningText(w) }

// Named reports whether the warning names a task, an arm or something else: what it says is then
// not true of others of its kind.
func (w Warning) Named() bool { return len(w.Names) > 0 || w.LackOfFit != nil }

// Same reports whether two warnings read the same: numbers count to the digits that are shown.
func (w Warning) Same(v Warning) bool { return w.String() == v.String() }

// WarningText returns one sentence for several warnings of one kind, at least one. Each number of
// the sentence is a range where they differ, as in "1.06 to 1.15 times the scale"; warnings that
// name something are not merged, and the first stands for all. A kind that is not listed is its
// own sentence.
func WarningText(ws ...Warning) string {
	w := ws[0]
	format, listed := sentences[w.Kind]
	switch {
	case w.LackOfFit != nil:
		return w.lackOfFit()
	case !listed:
		return string(w.Kind)
	case w.OfPrior():
		return w.prior(format)
	case w.Named():
		ws = ws[:1]
	}
	var numbers [][]float64
	for _, x := range ws {
		numbers = append(numbers, x.Numbers)
	}
	return sentence.Write(format, w.Names, numbers...)
}

// lackOfFit returns the sentence of WarnLackOfFit.
func (w Warning) lackOfFit() string {
	l := w.LackOfFit
	var arms []string
	for _, r := range l.Worst {
		arms = append(arms, fmt.Sprintf("task %q, arm %q by %.3g (%.1f standard errors)", r.Task, r.Arm, r.Off, r.Standardised))
	}
	remedy := fmt.Sprintf("the remedy is + %.3g*identity() in the kernel, or robust=true with CoTestFC", l.Nugget)
	if l.Robust {
		remedy = fmt.Sprintf("robust=true allows for it; in the kernel it is + %.3g*identity()", l.Nugget)
	}
	if l.Scales {
		remedy += `; or the noise is larger than stated, which noise="unknown" allows for`
	}
	s := fmt.Sprintf("the kernel does not fit: in round %d the mean rewards differed from what it can represent by more than noise does (p = %.2g); farthest off: %s; %s",
		l.Round, l.PValue, strings.Join(arms, ", "), remedy)
	if len(w.Numbers) == 2 && w.Numbers[1] > 1 {
		s = fmt.Sprintf("in %.0f of %.0f runs %s (of the first such run)", w.Numbers[0], w.Numbers[1], s)
	}
	return s
}

// NoiseWarnings says that rewards are simulated with a guess of their noise, where nothing is known
// of it: predictions go by it, and rewards in other units have another one. An algorithm that
// estimates the scale takes no guess for true, and its guarantee does not rest on one.
func NoiseWarnings(p *problem.Problem) []Warning {
	if p.Noise.UnknownBy != "" && p.Noise.SD == nil && p.Rewards == nil && p.N() > 0 {
		return []Warning{{Kind: WarnNoiseGuessed, Names: []string{p.Name}, Numbers: []float64{p.LargestNoise()}}}
	}
	return nil
}
