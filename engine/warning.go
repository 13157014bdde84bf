package engine

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
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
	// numbers: what the kernel explains of left-out data, what is asked
	WarnUnexplained WarningKind = "kernel unexplained"
	// numbers: ξ, both sides of the condition. Theorem 1 does not cover the run
	WarnRidgeFC   WarningKind = "ridge fc"
	WarnRidgeFB   WarningKind = "ridge fb"   // as WarnRidgeFC, of Theorem 2
	WarnThinRound WarningKind = "thin round" // numbers: pulls a round, rounding ratio
	// as WarnThinRound, where Theorem 2 would cover the run
	WarnThinBudget WarningKind = "thin budget"
	WarnAmended    WarningKind = "amended" // numbers: rounds of other pulls than planned, rounds
	// names: task; numbers: rounds that went on without its agent, rounds
	WarnSilent    WarningKind = "silent agent"
	WarnNotNormal WarningKind = "not normal" // names: environment
	WarnTooClose  WarningKind = "too close"  // names: task
	// names: task, leader; numbers: how far the leader may be from the best
	WarnTooCloseWithin WarningKind = "too close, within"
	WarnUnpulled       WarningKind = "unpulled"                     // numbers: pulls per agent
	WarnTestsAlone     WarningKind = "tests alone"                  // numbers: rank
	WarnTestsAloneMany WarningKind = "tests alone, many directions" // numbers: most directions of least squares, arms
	WarnTestsMeans     WarningKind = "tests by means"               // numbers: arms
	WarnNormKnown      WarningKind = "norm known"                   // numbers: the norm in reward units, and normalised
	// the same, and how far the expected rewards are off a function of that norm
	WarnNormNear      WarningKind = "norm near"
	WarnRidgeBelieved WarningKind = "xi believed"
	WarnCostNorm      WarningKind = "cost, norm"
	WarnCostBudget    WarningKind = "cost, budget"
	WarnCostPulls     WarningKind = "cost, pulls"   // names: algorithm
	WarnNoiseGuessed  WarningKind = "noise guessed" // names: problem; numbers: guess
	// names: task, arm; numbers: standard deviation, its ratio to the scale
	WarnNoiseTooSmall WarningKind = "noise too small"
	// numbers: standard deviation of an arm's rewards, its ratio to what was taken, p-value
	WarnNoiseDiffers WarningKind = "noise differs"
	// names: task and arm that scatter most, task and arm that scatter least, of those with one unknown scale; numbers:
	// their standard deviations, p-value
	WarnScalesDiffer WarningKind = "scales differ"
	// names: task, arm; numbers: standard deviation, its ratio to the stated scale, p-value
	WarnNoiseAbove WarningKind = "noise above stated"
	// names: task, arm; numbers: skewness
	WarnSkewed WarningKind = "skewed rewards"
	// rewards are one of two values; numbers: pulled arms with few of one of them, pulled arms, and what is few
	WarnFewOutcomes  WarningKind = "few outcomes"
	WarnFree         WarningKind = "free numbers"
	WarnBlocks       WarningKind = "blocks"         // names: the block, the algorithm
	WarnBound        WarningKind = "no bound"       // names: the error
	WarnBoundSize    WarningKind = "no bound: size" // numbers: arms, products a step, limit
	WarnBoundStopped WarningKind = "no bound: stopped"
	// numbers: wrong runs, runs, lower end of the interval
	WarnErrors WarningKind = "errors exceed delta"
	// numbers: delta, wrong runs, runs, both ends of the interval in %
	WarnErrorsUnclear WarningKind = "errors unclear"
	// numbers: runs, delta, wrong runs, runs, upper end of the interval in %
	WarnFewRuns WarningKind = "few runs"
	// as WarnFewRuns, and how many runs without errors it takes
	WarnFewRunsRight WarningKind = "few runs, all right"
	// names: the other builds of gonb-cope that made runs, with what they differ in
	WarnMixedBuilds WarningKind = "mixed builds"
	// numbers: round, p-value
	WarnPlates WarningKind = "plates differ"
	// names: task, arm that differs most; numbers: p-value, late less timely mean, reward units, and over its standard error
	WarnLateDiffer WarningKind = "late results differ"
	// names: id of a pull and of its repetition; numbers: pairs that are equal, pairs, value of these two
	WarnTwice WarningKind = "told twice"
)

// The kinds of warnings that problems have as notes.
const (
	WarnAdmitsAll   = WarningKind(problem.NoteAdmitsAll)
	WarnUnrelated   = WarningKind(problem.NoteUnrelated)
	WarnRough       = WarningKind(problem.NoteRough)
	WarnRoughKernel = WarningKind(problem.NoteRoughKernel)
)

// The kinds of warnings of forecasts.
const (
	WarnLeastFavourable WarningKind = "least favourable"
	WarnNotForecast     WarningKind = "not forecast" // names: the error
	// names: what was changed, the error
	WarnChangeFailed      WarningKind = "change not forecast"
	WarnForecastStopped   WarningKind = "forecast stopped"
	WarnForecastByProblem WarningKind = "simulated by the problem"
)

// The kinds of warnings of bounds.
const (
	WarnBoundsGuessed WarningKind = "bounds: noise guessed" // numbers: guess
	WarnBoundsKernel  WarningKind = "bounds: kernel"        // as WarnKernel
	// names: value, status of its design; numbers: duality gap, both ends
	WarnBoundsGap WarningKind = "bounds: gap"
	// names: value; numbers: both ends
	WarnBoundsEnds WarningKind = "bounds: ends"
	// as WarnBoundsEnds; numbers: also what the pairs that were looked at reach
	WarnBoundsReached WarningKind = "bounds: ends and reached"
	// numbers: lower end of T*, ξ, upper end
	WarnBoundsTime WarningKind = "bounds: characteristic time"
	// names: theorem; numbers: ξ, both sides of the condition
	WarnBoundsRidge WarningKind = "bounds: condition on xi"
	WarnBoundsAuto  WarningKind = "bounds: xi of many arms" // numbers: ξ, directions
	WarnBoundsNorm  WarningKind = "bounds: norm unknown"
	// numbers: norm, samples per agent
	WarnBoundsWithNorm WarningKind = "bounds: with a norm"
	WarnBoundsBudget   WarningKind = "bounds: budget"  // numbers: budget, budget needed, per agent
	WarnBoundsEpsilon  WarningKind = "bounds: epsilon" // numbers: epsilon, smallest gap
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
const measuredSpeedup = "the speedup is %.3g [%.3g, %.3g] in simulated runs, where %.3g is predicted (the prediction is for estimates; " +
	"a test relies only on what the kernel rules out, which is nothing where it has identity())"

// sentences have a verb for each name, then for each number, in the order of the Warning or by
// their place in it.
var sentences = map[WarningKind]string{
	WarnKernel: "the kernel cannot represent the expected rewards: off by %.3[3]g at task %[1]q, arm %[2]q; no guarantee " +
		"holds (add c*identity() to the kernel, or state misfit=%.2[4]g for CoTestFC)",
	WarnPriorLevel: "rewards near %.3g under a prior of level %.3g with sd %.3g: the data are not credible under the prior (round " +
		"%d, p = %.2g), and answers that rest on it may be wrong; leave out level= and scale=, which are then learned from the data",
	WarnPriorScale: "rewards near %.3g that differ by an sd of %.3g under a prior with sd %.3g: the data are not credible under " +
		"the prior (round %d, p = %.2g), and answers that rest on it may be wrong; leave out scale=, which is then fitted to the data",
	WarnUnexplained: "the kernel explains %.2g of the variation of left-out data within tasks, less than %.2g: no task is decided " +
		"before each of its arms was pulled",
	WarnPriorKernel: "rewards near %.3g that differ by an sd of %.3g under a prior that was fitted to them, with sd %.3g: the data are " +
		"not credible under the kernel (round %d, p = %.2g), and answers that rest on it may be wrong; add c*identity() to the kernel, " +
		"or state larger noise",
	WarnRidgeFC:    "xi = %.3g does not meet the condition of Theorem 1 (%.3g ≤ %.3g): its guarantee does not cover this run",
	WarnRidgeFB:    "xi = %.3g does not meet the condition of Theorem 2 (%.3g ≤ %.3g): it does not bound the errors of this run",
	WarnThinRound:  "%d pulls a round are too few for the rounding ratio %.2g",
	WarnThinBudget: "%d pulls a round are too few for the rounding ratio %.2g: Theorem 2 does not cover this budget",
	WarnAmended: "%d of %d rounds had other pulls than were planned: Theorem 2 is about planned pulls and does not bound " +
		"the errors of this run",
	WarnSilent: "task %q: its agent was silent, and %d of %d rounds went on without it; the answers hold only if it was " +
		"not silent because of its rewards",
	WarnNotNormal: "rewards are %s and the test treats a round's estimates as normal: delta holds approximately, and better " +
		"with more pulls a round",
	WarnTooClose:       "task %q: its arms are too close for the test, which has come to its end",
	WarnTooCloseWithin: "task %q: its arms are too close for the test, which has come to its end: %q is within %.3g of the best",
	WarnUnpulled:       "%d pulls per agent do not reach every arm: those never pulled are judged by the kernel alone",
	WarnNormKnown: "the bound on the norm comes from the expected rewards, %.3g (norm=%.3g), which only a simulation knows: " +
		"state norm to see what an experiment would take",
	WarnNormNear: "the bound on the norm comes from the expected rewards, %.3g (norm=%.3g) for a function that is within %.2g " +
		"of each, which only a simulation knows: state norm to see what an experiment would take",
	WarnRidgeBelieved: "xi goes by what the measurements say on average, which only a simulation has beforehand: state xi to see " +
		"what an experiment would take",
	WarnCostNorm: "the column cost does not guide pulls here: under a bound on the norm the bias of an estimate counts beside " +
		"its variance, and designs that spend least are worked out for the variance alone; CoTestFC without norm= and CoBayesFC plan by cost",
	WarnCostPulls: "the column cost does not guide pulls here: %s plans by the number of pulls, whatever they cost; CoTestFC " +
		"without norm= and CoBayesFC plan by cost",
	WarnCostBudget: "the column cost does not guide pulls here: a budget counts pulls, and what its rounds may decide is proven " +
		"for that many, whatever they cost; CoTestFC without norm= and CoBayesFC plan by cost",
	WarnTestsAlone: "the rank of the kernel on all arms, %d, is the sum of its ranks on the tasks, so agents have nothing to learn from " +
		"each other by a test: each ran alone, as IndTestFC; a bound on the norm (norm=), a kernel of lower rank or longer length scales " +
		"lets them share, and CoBayesFC goes by what the kernel calls likely",
	WarnTestsMeans: "the kernel excludes nothing about any of these %d arms by what others show, as far as a test without a bound on " +
		"the norm goes: each arm was judged by its own mean, and sharing saved nothing; a bound on the norm (norm=), a kernel of lower " +
		"rank or longer length scales lets arms share, and CoBayesFC goes by what the kernel calls likely",
	WarnTestsAloneMany: "the kernel tells more than %d directions of these %d arms apart, too many for one test of all tasks without " +
		"a bound on the norm: each agent ran alone, as IndTestFC; norm= lets them share, and CoBayesFC goes by what the kernel calls likely",
	WarnNoiseGuessed: "nothing says how far the rewards of problem %q scatter: they are simulated with a standard deviation of %.3g, which " +
		"the algorithm does not know; numbers of samples rest on it; state it by noise= or a column sd, or by noise_guess= " +
		"beside noise=\"unknown\"",
	WarnNoiseTooSmall: `the noise scale is too small at task %q, arm %q: its rewards have a standard deviation of %.4g, %.3g times the scale; the guarantee holds only approximately (noise="sd" takes one scale per arm, from about ten measurements of each)`,
	WarnNoiseDiffers: "the rewards of an arm have a standard deviation of %.3g, %.3g times what noise= says (p = %.2g): arms count " +
		"by the scatter that they show",
	WarnScalesDiffer: "some arms scatter far more than others: task %[1]q, arm %[2]q has a standard deviation of %.3[5]g, and task %[3]q, " +
		"arm %[4]q one of %.3[6]g (p = %.2[7]g); the test assumes one scale for both and may err more often than delta; " +
		"noise=\"unknown arm\" gives each arm its own",
	WarnNoiseAbove: "rewards scatter more than stated: task %[1]q, arm %[2]q has a standard deviation of %.3[3]g, %.3[4]g times the " +
		"stated noise (p = %.2[5]g); the test may err more often than delta; state a larger noise= or leave it out",
	WarnSkewed: "rewards are skewed: those of task %[1]q, arm %[2]q have a skewness of %.2[3]g; with a scale for each arm the test " +
		"may err far more often than delta; state their limits by bounded=[lo, hi], which holds for any law",
	WarnFewOutcomes: "rewards are one of two values, and %d of the %d arms pulled have fewer than %d of one of them: the normal law, which " +
		"stands for counts and for shares of arms, is rough there",
	WarnFree: "the kernel has free numbers, which stand at their start values; fit(p) finds them",
	WarnBlocks: "arms are measured side by side (block=%q), and %s takes each reward by itself, with what a block adds for " +
		"noise; CoTestFC and CoBayesFC compare arms within blocks",
	WarnBound: "no lower bound: %s",
	WarnBoundSize: "no lower bound: for %d arms its design takes %.2g products a step or more, and beside a result it is left " +
		"out above %.0g; bounds(p) computes it",
	WarnBoundStopped: "no lower bound: it was not computed after the interrupt",
	WarnErrors:       "errors exceed delta: %d of %d runs, 95 %% interval from %.3g",
	WarnErrorsUnclear: "cannot tell whether errors stay within delta = %g: %d of %d runs are wrong, so the error rate may be anything " +
		"from %.2g %% to %.2g %%",
	WarnFewRuns: "%d runs are too few to tell whether errors stay within delta = %g: with %d of %d wrong, the error rate may " +
		"be as high as %.2g %%",
	WarnFewRunsRight: "%d runs are too few to tell whether errors stay within delta = %g: with %d of %d wrong, the error rate may " +
		"be as high as %.2g %%; %d runs without an error would be enough",
	WarnMixedBuilds: "runs were made by other builds of gonb-cope, too, whose arithmetic may differ in the last digits, and with " +
		"it samples and answers: %s; the same runs on one build may give other numbers",

	WarnPlates: "in round %d rewards differ from plate to plate by more than noise does (p = %.2g): where lists were measured " +
		"in their order this cancels between rivals; look for what differs between plates",
	WarnLateDiffer: "late results differ from timely ones by more than noise does (p = %.2[3]g), most at task %[1]q, arm %[2]q: " +
		"by %.3[4]g, %.3[5]g standard errors; whether a result comes in time seems to hang on its reward, which no guarantee allows for",
	WarnTwice: "%[3]d of %[4]d pulls that were handed out again were told with the value of their repetition, as %[5]g of %[1]s " +
		"and of %[2]s: it seems that one measurement was told under both ids and counts twice; correct or fail one of them",

	WarnFitLimit:        "%[1]s ended at its limit, %[2]s=%.3[3]g: the data want it further out, or do not need it",
	WarnFitUndetermined: "%s is not determined by these data: its interval is unknown",
	WarnFitLoose:        "%s is poorly determined by these data: values from %.3g to %.3g do about as well",
	WarnFitMisfit: "the kernel does not fit (p = %.3[3]g): the means differ from it by more than noise; add %[1]s and fit " +
		"again, which gives %[2]s",
	WarnFitTooGood: "the means are closer to the kernel than their noise allows (mean square %.3g, p = %.3g): rewards of different " +
		"arms may share their noise, as when replicates are the same batches",
	WarnFitWorse:   "the kernel predicts an arm worse than the mean of the other arms of its task does (error %.3g against %.3g)",
	WarnFitFewArms: "%d arms are few for %d free numbers: the fit adapts to chance",
	WarnPoolHurts: "pooling the tasks hurts: kernels that share nothing between tasks explain the data better (by %.3g " +
		"nats); use task(identity())",
	WarnPoolUnclear: "these data cannot tell whether pooling the tasks helps (support %.3g nats)",
	WarnPoolWeak:    "sharing will save few further measurements at the precision of these data: the predicted speedup is %.3g",

	WarnMeasuredWrong: "the fitted kernel misleads, shared or not: %d of %d simulated runs answer wrongly together and %d alone, " +
		"against delta = %g; it cannot represent these means: add identity() to it, or use robust=true",
	WarnMeasuredPoolWrong: "pooling the tasks hurts: agents that share answer wrongly in %d of %d simulated runs, against delta " +
		"= %g, and alone in %d: the kernel cannot represent these means; add identity() to it, or use robust=true",
	WarnMeasuredSlower: "pooling the tasks hurts in runs with a guarantee: " + measuredSpeedup,
	WarnMeasuredWeak:   "pooling the tasks will help little in runs with a guarantee: " + measuredSpeedup,
	WarnMeasuredLess:   "pooling the tasks helps less than predicted in runs with a guarantee: " + measuredSpeedup,
	WarnUnmeasured:     "interrupted: what sharing is worth was not measured",

	WarnLeastFavourable: "planned for the hardest rewards that the kernel can represent in which the best arm of every task leads " +
		"by the gap (least favourable configuration); rewards with larger gaps need less",
	WarnNotForecast:       "%s",
	WarnChangeFailed:      "%s: %s",
	WarnForecastStopped:   "interrupted: not every method was simulated, or not in all the runs asked for",
	WarnForecastByProblem: "the rewards are simulated by what the problem says of them, not by the function of the run",

	WarnBoundsGuessed: "the noise scale is unknown: the numbers are for the guess of %.3g, and numbers of samples grow with its square",
	WarnBoundsKernel:  "the kernel cannot represent the expected rewards: off by %.3[3]g at task %[1]q, arm %[2]q; the theorems do not apply",
	WarnBoundsGap:     "%[1]s is certified to %.2[3]g only (%[2]s): between %.6[4]g and %.6[5]g",
	WarnBoundsEnds:    "%s lies between %.6g and %.6g",
	WarnBoundsReached: "%s lies between %.6g and %.6g; the pairs that were looked at, which are not all, reach %.6g",
	WarnBoundsTime:    "T* lies between %.6g, its value at xi = %.3g, and %.6g, the value for arms which share nothing",
	WarnBoundsRidge:   "xi = %.3[2]g does not meet the condition of %[1]s (%.3[3]g ≤ %.3[4]g)",
	WarnBoundsAuto: "xi = %.3g is the smallest at which %d of the arms represent all others to a tenth of it; the theorems ask " +
		"for one so small that thousands of directions would have to be told apart",
	WarnBoundsNorm: "the norm of the expected rewards is not computed for so many arms: without norm= the conditions of the " +
		"theorems on xi are not looked at",
	WarnBoundsWithNorm: "algorithms that rely on a norm of at most %g need at least %.4g samples per agent; the lower bound of T* " +
		"is for those that do not",
	WarnBoundsBudget: "the budget of %d per agent is below what Alg. 2 asks for (%.4g): its error bound is vacuous",
	WarnBoundsEpsilon: "gaps below epsilon = %g count as epsilon (the smallest is %.4g): hardness and bounds are for the PAC problem, " +
		"the lower bound is for the easier problem",
}

// OfNoise reports whether the data speak against what the guarantee assumes of the noise.
func (w Warning) OfNoise() bool {
	return w.Kind == WarnScalesDiffer || w.Kind == WarnNoiseAbove
}

// String returns the sentence, without a full stop.
func (w Warning) String() string { return WarningText(w) }

// UnmarshalJSON reads the fact as it is stored, or its sentence as package report writes it.
func (w *Warning) UnmarshalJSON(b []byte) error {
	var said string
	if json.Unmarshal(b, &said) == nil {
		*w = Warning{Kind: WarningKind(said)}
		return nil
	}
	type fact Warning
	return json.Unmarshal(b, (*fact)(w))
}

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
	case w.OfPrior():
		return w.prior(format)
	case w.Named():
		ws = ws[:1]
	}
	if !listed {
		return problem.NoteText(lists.Map(ws, Warning.Note)...)
	}
	return sentence.Write(format, w.Names, lists.Map(ws, func(x Warning) []float64 { return x.Numbers })...)
}

// Note returns the warning as a note of a problem, where it is about the kernel on its points.
func (w Warning) Note() problem.Note {
	return problem.Note{Kind: problem.NoteKind(w.Kind), Names: w.Names, Numbers: w.Numbers}
}

// lackOfFit returns the sentence of WarnLackOfFit.
func (w Warning) lackOfFit() string {
	l := w.LackOfFit
	arms := lists.Map(l.Worst, func(r Residual) string {
		return fmt.Sprintf("task %q, arm %q by %.3g (%s standard errors)", r.Task, r.Arm, r.Off, tenths(r.Standardised))
	})
	remedy := fmt.Sprintf("the remedy is + %.3g*identity() in the kernel, or robust=true with CoTestFC", l.Nugget)
	if l.Robust {
		remedy = fmt.Sprintf("robust=true allows for it; in the kernel it is + %.3g*identity()", l.Nugget)
	}
	if l.Scales {
		remedy += `; or the noise is larger than stated, which noise="unknown" allows for`
	}
	if math.IsInf(l.Nugget, 1) {
		remedy = "no kernel explains numbers so large: look for a slip in them"
	}
	if a := l.Alike; a != nil {
		remedy = fmt.Sprintf("arms %q and %q of task %q have the same features and differ by %.3g (%s standard errors): a column "+
			"that tells them apart is missing; ", a.Arm, a.Other, a.Task, math.Abs(a.Off), tenths(math.Abs(a.Standardised))) + remedy
	}
	s := fmt.Sprintf("the kernel does not fit: in round %d the mean rewards differed from what it can represent by more than "+
		"noise does (p = %.2g); farthest off: %s; %s",
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

// priorNumbers is how many numbers of a warning about a prior are about one run.
const priorNumbers = 5

// OfPrior reports whether the warning says that data are not credible under a prior.
func (w Warning) OfPrior() bool {
	return w.Kind == WarnPriorLevel || w.Kind == WarnPriorScale || w.Kind == WarnPriorKernel
}

// prior returns the sentence of a warning about a prior, with the number of runs where there are
// several.
func (w Warning) prior(format string) string {
	s := sentence.Write(format, nil, w.Numbers[:min(priorNumbers, len(w.Numbers))])
	if runs := w.Numbers[min(priorNumbers, len(w.Numbers)):]; len(runs) == 2 && runs[1] > 1 {
		s = fmt.Sprintf("in %.0f of %.0f runs %s (of the first such run)", runs[0], runs[1], s)
	}
	return s
}

// tenths writes a number of standard errors; more than a thousand have no tenths.
func tenths(x float64) string {
	if math.Abs(x) < 1000 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.3g", x)
}
