package engine

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// Warning is a fact that readers of a result or of a fit must know. String returns its sentence.
type Warning struct {
	Kind WarningKind `json:"kind"`
	// names of tasks, arms and others, in the order of the sentence
	Names   []string  `json:"names,omitempty"`
	Numbers []float64 `json:"numbers,omitempty"` // numbers in the order of the sentence, in the units that it states

	// for WarnLackOfFit: the evidence of the first run that has any
	LackOfFit *LackOfFit `json:"lack_of_fit,omitempty"`
}

// WarningKind is the kind of a Warning.
type WarningKind string

// The kinds of warnings of results. Comments list the contents of Names and Numbers.
const (
	// names: task, arm; numbers: distance of its expected reward from the kernel's space
	WarnKernel WarningKind = "kernel"
	// numbers: runs that reject the kernel, number of runs
	WarnLackOfFit WarningKind = "lack of fit"
	// the data are improbable under the prior. Numbers: mean of the rewards, level and standard deviation of the prior, round,
	// p-value; then, for several runs, the number of such runs and of all runs
	WarnPriorLevel WarningKind = "prior level"
	// like WarnPriorLevel, with an unknown level; numbers: mean and standard deviation of the rewards, standard deviation of the
	// prior, then the numbers of WarnPriorLevel from the round on
	WarnPriorScale WarningKind = "prior scale"
	// like WarnPriorScale, with a fitted scale; numbers: as for WarnPriorScale
	WarnPriorKernel WarningKind = "prior kernel"
	// numbers: fraction of left-out data that the kernel explains, required fraction
	WarnUnexplained WarningKind = "kernel unexplained"
	// Theorem 1 does not cover the run; numbers: ξ, both sides of the theorem's condition on ξ
	WarnRidgeFC   WarningKind = "ridge fc"
	WarnRidgeFB   WarningKind = "ridge fb"   // Theorem 2 does not cover the run; numbers: as for WarnRidgeFC
	WarnThinRound WarningKind = "thin round" // numbers: pulls per round, rounding ratio
	// Theorem 2 would cover the run if it had more pulls; numbers: as for WarnThinRound
	WarnThinBudget WarningKind = "thin budget"
	WarnAmended    WarningKind = "amended" // numbers: rounds whose pulls differ from the plan, number of rounds
	// names: task; numbers: rounds without data from its agent, number of rounds
	WarnSilent    WarningKind = "silent agent"
	WarnNotNormal WarningKind = "not normal" // names: environment
	WarnTooClose  WarningKind = "too close"  // names: task
	// names: task, leader; numbers: bound on the best reward minus the leader's
	WarnTooCloseWithin WarningKind = "too close, within"
	WarnUnpulled       WarningKind = "unpulled"                     // numbers: pulls per agent
	WarnTestsAlone     WarningKind = "tests alone"                  // numbers: rank of the kernel
	WarnTestsAloneMany WarningKind = "tests alone, many directions" // numbers: largest number of least-squares directions, number of arms
	WarnTestsMeans     WarningKind = "tests by means"               // numbers: number of arms
	// numbers: the norm that was tried, samples per agent with it, samples per agent without it
	WarnNormWould    WarningKind = "norm would"
	WarnNormWouldNot WarningKind = "norm would not" // numbers as for WarnNormWould
	WarnNormKnown    WarningKind = "norm known"     // numbers: the norm in reward units, and normalised
	// numbers: as for WarnNormKnown, then the distance of the expected rewards from a function of that norm
	WarnNormNear      WarningKind = "norm near"
	WarnRidgeBelieved WarningKind = "xi believed"
	WarnCostNorm      WarningKind = "cost, norm"
	WarnCostBudget    WarningKind = "cost, budget"
	WarnCostPulls     WarningKind = "cost, pulls"   // names: algorithm
	WarnNoiseGuessed  WarningKind = "noise guessed" // names: problem; numbers: guess
	WarnNoiseBounded  WarningKind = "noise bounded" // names: algorithm; numbers: stated standard deviation, both bounds
	// names: task, arm; numbers: standard deviation of its rewards, ratio to the noise scale
	WarnNoiseTooSmall WarningKind = "noise too small"
	// numbers: standard deviation of an arm's rewards, ratio to the assumed scale, p-value
	WarnNoiseDiffers WarningKind = "noise differs"
	// names: task and arm with the largest standard deviation, task and arm with the smallest, among arms with a common unknown
	// scale; numbers: both standard deviations, p-value
	WarnScalesDiffer WarningKind = "scales differ"
	// which arms the test gave one noise scale, if the data chose that; names and numbers as for WarnScalesDiffer, then, for
	// several runs, the number of such runs and of all runs
	WarnScaleCommon  WarningKind = "one noise scale" // numbers: only those of runs
	WarnScalesByTask WarningKind = "noise scales by task"
	WarnScalesByArm  WarningKind = "noise scales by arm"
	WarnScalesLate   WarningKind = "noise scales, found late" // earlier rounds were tested with one scale
	// names: task, arm; numbers: standard deviation of its rewards, ratio to the stated scale, p-value
	WarnNoiseAbove WarningKind = "noise above stated"
	// names: task, arm; numbers: skewness
	WarnSkewed WarningKind = "skewed rewards"
	// rewards have two values. Numbers: pulled arms with few rewards of one value, pulled arms, limit of "few"
	WarnFewOutcomes  WarningKind = "few outcomes"
	WarnFree         WarningKind = "free numbers"
	WarnBlocks       WarningKind = "blocks"         // names: block column, algorithm
	WarnBound        WarningKind = "no bound"       // names: the error
	WarnBoundSize    WarningKind = "no bound: size" // numbers: arms, products per step, limit
	WarnBoundStopped WarningKind = "no bound: stopped"
	// numbers: wrong runs, runs, lower end of the interval
	WarnErrors WarningKind = "errors exceed delta"
	// numbers: delta, wrong runs, runs, both ends of the interval in %
	WarnErrorsUnclear WarningKind = "errors unclear"
	// numbers: runs, delta, wrong runs, runs, upper end of the interval in %
	WarnFewRuns WarningKind = "few runs"
	// numbers: as for WarnFewRuns, then the number of runs without errors that would suffice
	WarnFewRunsRight WarningKind = "few runs, all right"
	// names: other builds of gonb-cope that made runs, and how they differ
	WarnMixedBuilds WarningKind = "mixed builds"
	// names: task, arm with the largest difference; numbers: p-value, mean of late minus timely rewards in reward units, and that
	// difference in standard errors
	WarnLateDiffer WarningKind = "late results differ"
	// names: ids of a pull and of its repetition; numbers: equal pairs, pairs, value of this pair
	WarnTwice WarningKind = "told twice"
)

// The kinds of warnings that are also notes of problems.
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
	WarnForecastStopped WarningKind = "forecast stopped"
)

// The kinds of warnings of bounds.
const (
	WarnBoundsGuessed WarningKind = "bounds: noise guessed" // numbers: guess
	WarnBoundsKernel  WarningKind = "bounds: kernel"        // names and numbers: as for WarnKernel
	// names: value, status of its design; numbers: duality gap, both ends of the interval
	WarnBoundsGap WarningKind = "bounds: gap"
	// names: value; numbers: both ends of the interval
	WarnBoundsEnds WarningKind = "bounds: ends"
	// names: value; numbers: both ends of the interval, and the largest value over the examined pairs
	WarnBoundsReached WarningKind = "bounds: ends and reached"
	// numbers: lower end of T*, ξ, upper end
	WarnBoundsTime WarningKind = "bounds: characteristic time"
	// names: theorem; numbers: ξ, both sides of the theorem's condition on ξ
	WarnBoundsRidge WarningKind = "bounds: condition on xi"
	WarnBoundsAuto  WarningKind = "bounds: xi of many arms" // numbers: ξ, number of directions
	WarnBoundsNorm  WarningKind = "bounds: norm unknown"
	// numbers: norm, samples per agent
	WarnBoundsWithNorm WarningKind = "bounds: with a norm"
	WarnBoundsBudget   WarningKind = "bounds: budget"  // numbers: budget per agent, required budget per agent
	WarnBoundsEpsilon  WarningKind = "bounds: epsilon" // numbers: epsilon, smallest gap
)

// The kinds of warnings of fits.
const (
	WarnFitLimit        WarningKind = "fit limit"        // names: hyperparameter, its limit; numbers: value
	WarnFitUndetermined WarningKind = "fit undetermined" // names: hyperparameter
	// names: hyperparameter; numbers: both ends of its interval
	WarnFitLoose WarningKind = "fit loose"
	// names: proposed term, kernel with that term; numbers: p-value
	WarnFitMisfit  WarningKind = "fit misfit"
	WarnFitTooGood WarningKind = "fit too good" // numbers: mean square of the residuals, p-value
	// numbers: prediction error of the kernel, of the mean of the other arms
	WarnFitWorse    WarningKind = "fit worse"
	WarnFitFewArms  WarningKind = "fit few arms"    // numbers: arms, free hyperparameters
	WarnPoolHurts   WarningKind = "pooling hurts"   // numbers: loss in log likelihood, in nats
	WarnPoolUnclear WarningKind = "pooling unclear" // numbers: support for pooling, and the same in nats
	WarnPoolWeak    WarningKind = "pooling weak"    // numbers: predicted speedup

	// numbers: wrong collaborative runs, runs, wrong independent runs, delta
	WarnMeasuredWrong WarningKind = "measured wrong"
	// numbers: wrong collaborative runs, runs, delta, wrong independent runs
	WarnMeasuredPoolWrong WarningKind = "measured pooling wrong"
	// numbers: measured speedup, both ends of its interval, predicted speedup
	WarnMeasuredSlower WarningKind = "measured slower"
	WarnMeasuredWeak   WarningKind = "measured weak" // names and numbers: as for WarnMeasuredSlower
	WarnMeasuredLess   WarningKind = "measured less" // names and numbers: as for WarnMeasuredSlower
	WarnUnmeasured     WarningKind = "unmeasured"
)

// measuredSpeedup is the end of sentences about speedups. In tests, sharing may help less than in estimates.
const measuredSpeedup = "the speedup in simulated runs is %.3g [%.3g, %.3g]; %.3g is predicted for estimates. " +
	"A test uses only what the kernel excludes; identity() excludes nothing"

// sentences has a format for each kind, with a verb such as %s for each name and then for each number, in the order of the
// Warning or by index. Each sentence states what happened, what it means and what to do.
var sentences = map[WarningKind]string{
	WarnKernel: "the kernel cannot represent the expected rewards: at task %[1]q, arm %[2]q it misses by %.3[3]g. No guarantee holds. Add " +
		"c*identity() to the kernel, or state misfit=%.2[4]g for CoTestFC",
	WarnPriorLevel: "rewards near %.3g are not credible under the prior, which has mean %.3g and sd %.3g (round %d, p = %.2g). " +
		"Answers under this prior may be wrong. Leave out level= and scale=, and both are learned from the data",
	WarnPriorScale: "rewards near %.3g with sd %.3g are not credible under the prior, which has sd %.3g (round %d, p = %.2g). " +
		"Answers under this prior may be wrong. Leave out scale=, and it is fitted to the data",
	WarnPriorKernel: "rewards near %.3g with sd %.3g are not credible under the kernel, although its sd, %.3g, was fitted to them " +
		"(round %d, p = %.2g). Answers may be wrong. Add c*identity() to the kernel, or state larger noise",
	WarnUnexplained: "the kernel predicts left-out data poorly: it explains a share of %.2g of their variation within tasks, less than " +
		"%.2g. So each arm must be measured before its task is decided",
	WarnRidgeFC: "xi = %.3g is too large for Theorem 1, whose condition %.3g ≤ %.3g fails. The theorem's guarantee does not cover " +
		"this run. Leave xi out, or state a smaller one",
	WarnRidgeFB: "xi = %.3g is too large for Theorem 2, whose condition %.3g ≤ %.3g fails. The theorem does not bound the errors of " +
		"this run. Leave xi out, or state a smaller one",
	WarnThinRound:  "%d pulls per round are too few for the rounding ratio %.2g. Give a larger budget or fewer rounds",
	WarnThinBudget: "%d pulls per round are too few for the rounding ratio %.2g. Theorem 2 does not cover this budget. Give a larger budget",
	WarnAmended: "in %d of %d rounds the pulls were not the planned ones. Theorem 2 assumes the planned pulls, so it does not bound the " +
		"errors of this run",
	WarnSilent: "the agent of task %q sent nothing in %d of %d rounds, which continued without it. The guarantee holds only if this did " +
		"not depend on its rewards",
	WarnNotNormal: "the test assumes normal estimates, but rewards are %s. So the error probability is only close to delta. The " +
		"difference shrinks with more pulls per round",
	WarnTooClose: "task %q: the test reached its last round and could not separate the best arms. Give a larger epsilon " +
		"or, with fb, a larger budget",
	WarnTooCloseWithin: "task %q: the test reached its last round and could not separate the best arms, so its answer stays undecided. The " +
		"test shows less, with the same error probability: %q is within %.3g of the best. Give a larger epsilon or, with fb, a larger budget",
	WarnUnpulled: "%d pulls per agent do not reach every arm. The kernel alone estimates arms that were never measured. Give a " +
		"larger budget to measure them",
	WarnNormWould: "with norm=%.3g the arms share data: about %.0f samples per agent (up to about twice that) instead of %.0f. " +
		"The forecast uses the true means and their norm, which an experiment does not know. There, state a bound that is certainly larger",
	WarnNormWouldNot: "a norm would save little here. With norm=%.3g, a bound on the norm of the true means, runs need at least about " +
		"%.0f instead of %.0f samples per agent",
	WarnNormKnown: "the norm bound %.3g (norm=%.3g) was computed from the true means, which are known only in simulation. For a realistic " +
		"sample size, set norm=",
	WarnNormNear: "the norm bound %.3g (norm=%.3g) was computed from the true means, which are known only in simulation. A function of " +
		"this norm is within %.2g of each. For a realistic sample size, set norm=",
	WarnRidgeBelieved: "xi was computed from the expected rewards, which are known only in simulation. For a realistic sample size, set xi=",
	WarnCostNorm: "under norm= the column cost does not guide pulls, because the plan weighs bias and variance. To plan by cost, use " +
		"CoTestFC without norm=, or CoBayesFC",
	WarnCostPulls:  "%s plans by the number of pulls and ignores the column cost. To plan by cost, use CoTestFC without norm=, or CoBayesFC",
	WarnCostBudget: "a budget counts pulls, so the column cost is ignored. To plan by cost, use CoTestFC without norm=, or CoBayesFC",
	WarnTestsAlone: "the agents did not share; each ran as IndTestFC. With this kernel, a test learns hardly anything about one " +
		"task from another. The kernel's rank on all arms is %[2]d, about the sum of the ranks of the tasks. To share, %[1]s, use a " +
		"kernel of lower rank, or use CoBayesFC",
	WarnTestsMeans: "the arms did not share: the kernel lets the rewards of these %[2]d arms differ freely. " +
		"The test compares the means of each arm alone. To share, %[1]s, use a kernel of lower rank, or use CoBayesFC",
	WarnTestsAloneMany: "the agents did not share; each ran as IndTestFC. The kernel's effective rank is above %[2]d on these %[3]d arms. " +
		"So a test gains nothing from it. To share, %[1]s, or use CoBayesFC",
	WarnNoiseGuessed: "the noise of problem %q is unknown. Rewards are simulated with sd %.3g, which the algorithm does not use, and the " +
		"sample sizes depend on it. State noise= or a column sd, or noise_guess= with noise=\"unknown\"",
	WarnNoiseBounded: "%s does not use the stated noise %g, because its answers are right for every distribution between %g and %g. " +
		"best(p) and CoBayesFB with a learned kernel use it. For a test that assumes normal noise of this size, leave bounded= out",
	WarnNoiseTooSmall: "the noise scale is too small: rewards of task %q, arm %q have sd %.4g, %.3g times the scale. So the guarantee is " +
		"approximate. If each arm has about ten measurements, noise=\"sd\" gives each arm its own scale",
	WarnNoiseDiffers: "rewards of an arm have sd %.3g, %.3g times the noise from noise= or the table (p = %.2g). So arms are now weighted " +
		"by the noise of their rewards. Correct noise=, or the table's column of standard deviations",
	WarnScalesDiffer: "some arms are far noisier than others: task %[1]q, arm %[2]q has sd %.3[5]g; task %[3]q, arm %[4]q has sd %.3[6]g " +
		"(p = %.2[7]g). The test assumes one scale for both and may err more often than delta. Use noise=\"unknown arm\"",
	WarnScaleCommon: "the test used one noise scale for arms that are tested together, because their rewards do not show different scales. " +
		"To allow for differences that these data cannot show, use noise=\"unknown arm\"",
	WarnScalesByTask: "the test used a noise scale for each task: " + scalesDiffer,
	WarnScalesByArm:  "the test used a noise scale for each arm: " + scalesDiffer,
	WarnScalesLate: "some rounds were tested with one noise scale for several arms, but " + scalesDiffer + ". If scales differ, the " +
		"test may err more often than delta. To allow for that, use noise=\"unknown arm\"",
	WarnNoiseAbove: "rewards are noisier than assumed: task %[1]q, arm %[2]q has sd %.3[3]g, %.3[4]g times the noise from noise= or the " +
		"table (p = %.2[5]g). The test may err more often than delta. State a larger noise=, or noise=\"unknown\"",
	WarnSkewed: "rewards are skewed: task %[1]q, arm %[2]q has a skewness of %.2[3]g. With a scale for each arm the test " +
		"may err far more often than delta. State bounded=[lo, hi], which is valid for any distribution in these limits",
	WarnFewOutcomes: "rewards take two values, and %d of the %d measured arms have fewer than %d of one of them. For these arms the normal " +
		"approximation is rough. Measure them more often before you rely on it",
	WarnFree: "the kernel has free hyperparameters, which still have their start values. Call fit(p) to estimate them",
	WarnBlocks: "arms are measured in blocks (block=%q), but %s ignores blocks and treats block effects as noise. " +
		"CoTestFC and CoBayesFC compare arms within blocks",
	WarnBound: "no lower bound was computed: %s",
	WarnBoundSize: "no lower bound was computed. For %d arms its design needs at least %.2g products per step, above the limit of %.0g. " +
		"bounds(p) computes it",
	WarnBoundStopped: "no lower bound was computed, because the run was interrupted",
	WarnErrors: "errors exceed delta: %d of %d runs are wrong, and the 95 %% interval begins at %.3g. An assumption of the guarantee " +
		"may be violated: see the other warnings",
	WarnErrorsUnclear: "these runs cannot show whether errors stay within delta = %g. %d of %d runs are wrong, so the error rate may be " +
		"%.2g %% to %.2g %%. Use more runs",
	WarnFewRuns: "%d runs are too few to show that errors stay within delta = %g. With %d of %d wrong, the error rate may be as high as " +
		"%.2g %%. Use more runs",
	WarnFewRunsRight: "%d runs are too few to show that errors stay within delta = %g. With %d of %d wrong, the error rate may be as high " +
		"as %.2g %%. %d runs without an error would be enough",
	WarnMixedBuilds: "some runs were made by other builds of gonb-cope: %s. Their arithmetic may differ in the last digits, so samples " +
		"and answers may differ from a run with one build",

	WarnLateDiffer: "late results differ from timely ones by more than noise (p = %.2[3]g). The largest difference is %.3[4]g (%.3[5]g " +
		"standard errors), at task %[1]q, arm %[2]q. If lateness depends on the reward, no guarantee holds. Find out why these came late",
	WarnTwice: "%[3]d of %[4]d repeated pulls have exactly the value of their first pull, as %[5]g of %[1]s and of %[2]s. " +
		"One measurement seems to be recorded under both ids and counts twice. Correct or fail one of them",

	WarnFitLimit: "the fit of the hyperparameter %[1]s ended at its limit, %.3[3]g. The data favour a value beyond the limit, or do not " +
		"need this term. Widen the limit, as in free(..., %[2]s=...), or remove the term",
	WarnFitUndetermined: "these data do not determine %s, so its interval is unknown. State its value if you know it",
	WarnFitLoose:        "these data determine %s poorly. Values from %.3g to %.3g fit about as well",
	WarnFitMisfit: "the kernel does not fit: the means differ from it by more than noise (p = %.3[3]g). Add %[1]s and fit again: " +
		"%[2]s",
	WarnFitTooGood: "the means are closer to the kernel than their noise allows (mean square %.3g, p = %.3g). Rewards of different " +
		"arms may share their noise, as replicates of one batch do",
	WarnFitWorse: "the kernel predicts a left-out arm worse than the mean of its task does (error %.3g against %.3g). Its features may " +
		"not matter here: try other columns or another kernel",
	WarnFitFewArms: "%d arms are too few for %d free hyperparameters. The fit may follow chance. State some of them as numbers",
	WarnPoolHurts: "pooling the tasks hurts: kernels without sharing between tasks explain the data better (difference of penalised " +
		"log likelihoods: %.3g). Use task(identity())",
	WarnPoolUnclear: "these data do not show whether pooling the tasks helps (difference of penalised log likelihoods: %.3g)",
	WarnPoolWeak:    "sharing will save few further measurements at the precision of these data: the predicted speedup is %.3g",

	WarnMeasuredWrong: "the fitted kernel misleads: %d of %d simulated runs are wrong with sharing and %d without, against delta = %g. " +
		"It cannot represent these means. Add identity() to it, or state misfit=",
	WarnMeasuredPoolWrong: "pooling the tasks hurts: %d of %d simulated runs are wrong with sharing, against delta " +
		"= %g, and %d without. The kernel cannot represent these means. Add identity() to it, or state misfit=",
	WarnMeasuredSlower: "pooling the tasks hurts in runs with a guarantee: " + measuredSpeedup,
	WarnMeasuredWeak:   "pooling the tasks will help little in runs with a guarantee: " + measuredSpeedup,
	WarnMeasuredLess:   "pooling the tasks helps less than predicted in runs with a guarantee: " + measuredSpeedup,
	WarnUnmeasured:     "the run was interrupted before the value of sharing was measured",

	WarnLeastFavourable: "the plan is for the least favourable configuration: the hardest rewards in which the best arm of each task leads " +
		"by the gap. Larger gaps need fewer samples",
	WarnNotForecast:     "%s",
	WarnForecastStopped: "the command was interrupted. Some methods were not simulated, or with fewer runs than asked for",

	WarnBoundsGuessed: "the noise scale is unknown, and the numbers are for the guess of %.3g. Sample sizes grow with its square. State " +
		"noise= if you know it",
	WarnBoundsKernel: "the kernel cannot represent the expected rewards: at task %[1]q, arm %[2]q it misses by %.3[3]g. The theorems do " +
		"not apply. Add c*identity() to the kernel",
	WarnBoundsGap: "%[1]s is known only to lie between %.6[4]g and %.6[5]g. The solver stopped early, at a relative gap of %.2[3]g " +
		"(%[2]s)",
	WarnBoundsEnds:    "%s is between %.6g and %.6g",
	WarnBoundsReached: "%s is between %.6g and %.6g. Not all pairs were examined; those examined reach %.6g",
	WarnBoundsTime:    "T* is between %.6g (its value at xi = %.3g) and %.6g (its value for unrelated arms)",
	WarnBoundsRidge:   "xi = %.3[2]g is too large for %[1]s, whose condition %.3[3]g ≤ %.3[4]g fails",
	WarnBoundsAuto: "xi = %.3g is the smallest value at which %d arms represent all others to within a tenth of xi. The theorems need a " +
		"much smaller xi, with thousands of directions",
	WarnBoundsNorm: "for so many arms the norm of the expected rewards is not computed. So the conditions of the theorems on xi are not " +
		"checked. To check them, state norm=",
	WarnBoundsWithNorm: "algorithms that assume a norm of at most %g need at least %.4g samples per agent. The lower bound from T* is for " +
		"algorithms without that assumption",
	WarnBoundsBudget: "the budget of %d per agent is below the minimum of Alg. 2 (%.4g). Its error bound does not apply. Give a larger budget",
	WarnBoundsEpsilon: "gaps below epsilon = %g (the smallest is %.4g) are raised to epsilon. Hardness and upper bounds are for this PAC " +
		"problem. The lower bound is for an easier one",
}

// scalesDiffer is the reason of WarnScalesByTask, WarnScalesByArm and WarnScalesLate.
const scalesDiffer = "rewards show different ones. Task %[1]q, arm %[2]q has sd %.3[5]g; task %[3]q, arm %[4]q has sd %.3[6]g " +
	"(p = %.2[7]g)"

// GroupKinds are the kinds of warnings that state which arms had a common noise scale.
var GroupKinds = [...]WarningKind{WarnScaleCommon, WarnScalesByTask, WarnScalesByArm, WarnScalesLate}

// OfNoise reports whether the data contradict the noise model that the guarantee assumes.
func (w Warning) OfNoise() bool {
	return w.Kind == WarnScalesDiffer || w.Kind == WarnNoiseAbove
}

// String returns the sentence, without a full stop.
func (w Warning) String() string { return WarningText(w) }

// UnmarshalJSON reads a Warning from its fields, or from its sentence as package report writes it.
func (w *Warning) UnmarshalJSON(b []byte) error {
	var said string
	if json.Unmarshal(b, &said) == nil {
		*w = Warning{Kind: WarningKind(said)}
		return nil
	}
	type fact Warning
	return json.Unmarshal(b, (*fact)(w))
}

// Named reports whether the warning names a task, an arm or another object; its sentence is then not true of other objects.
func (w Warning) Named() bool { return len(w.Names) > 0 || w.LackOfFit != nil }

// Same reports whether two warnings have the same sentence; numbers are equal if they print the same.
func (w Warning) Same(v Warning) bool { return w.String() == v.String() }

// WarningText returns one sentence for several warnings of one kind; at least one is required. A number that differs between them
// is written as a range, such as "1.06 to 1.15 times the scale". Named warnings are not merged: the first one represents all. A
// kind without a format is its own sentence.
func WarningText(ws ...Warning) string {
	w := ws[0]
	format, listed := sentences[w.Kind]
	switch {
	case w.LackOfFit != nil:
		return w.lackOfFit()
	case w.OfPrior():
		return w.counted(format, priorNumbers)
	case w.Kind == WarnScaleCommon:
		return w.counted(format, 0)
	case slices.Contains(GroupKinds[:], w.Kind):
		return w.counted(format, 3)
	case w.Named():
		ws = ws[:1]
	}
	if !listed {
		return problem.NoteText(lists.Map(ws, Warning.Note)...)
	}
	return sentence.Write(format, w.Names, lists.Map(ws, func(x Warning) []float64 { return x.Numbers })...)
}

// Note converts a warning about the kernel on its points to a note of a problem.
func (w Warning) Note() problem.Note {
	return problem.Note{Kind: problem.NoteKind(w.Kind), Names: w.Names, Numbers: w.Numbers}
}

// lackOfFit returns the sentence of WarnLackOfFit.
func (w Warning) lackOfFit() string {
	l := w.LackOfFit
	arms := lists.Map(l.Worst, func(r Residual) string {
		return fmt.Sprintf("task %q, arm %q by %.3g (%s standard errors)", r.Task, r.Arm, r.Off, tenths(r.Standardised))
	})
	remedy := fmt.Sprintf("Add %.3g*identity() to the kernel, or state misfit=, a bound on the misspecification, with CoTestFC", l.Nugget)
	if l.Scales {
		remedy += `. If the noise is larger than stated, use noise="unknown"`
	}
	if math.IsInf(l.Nugget, 1) {
		remedy = "No kernel explains residuals so large. Check these rewards for typing errors"
	}
	if a := l.Alike; a != nil {
		remedy = fmt.Sprintf("Arms %q and %q of task %q have the same features and differ by %.3g (%s standard errors). A column "+
			"that distinguishes them is missing. ", a.Arm, a.Other, a.Task, math.Abs(a.Off), tenths(math.Abs(a.Standardised))) + remedy
	}
	s := fmt.Sprintf("the kernel does not fit: in round %d its predictions miss the mean rewards by more than noise "+
		"(p = %.2g). Largest residuals: %s. %s",
		l.Round, l.PValue, strings.Join(arms, ", "), remedy)
	if len(w.Numbers) == 2 && w.Numbers[1] > 1 {
		s = fmt.Sprintf("in %.0f of %.0f runs %s (of the first such run)", w.Numbers[0], w.Numbers[1], s)
	}
	return s
}

// NoiseWarnings returns the warning that a simulation draws rewards with a guessed noise scale, if the true scale is unknown. Its
// predictions depend on the guess. An algorithm that estimates the scale does not use the guess for its guarantee.
func NoiseWarnings(p *problem.Problem) []Warning {
	if p.Noise.UnknownBy != "" && p.Noise.SD == nil && p.Rewards == nil && p.N() > 0 {
		return []Warning{{Kind: WarnNoiseGuessed, Names: []string{p.Name}, Numbers: []float64{p.LargestNoise()}}}
	}
	return nil
}

// priorNumbers is the number of a prior warning's numbers that describe one run.
const priorNumbers = 5

// OfPrior reports whether the warning states that data are improbable under a prior.
func (w Warning) OfPrior() bool {
	return w.Kind == WarnPriorLevel || w.Kind == WarnPriorScale || w.Kind == WarnPriorKernel
}

// counted returns the sentence of a warning, including the number of runs if there are several. The first of its numbers describe
// one run.
func (w Warning) counted(format string, first int) string {
	first = min(first, len(w.Numbers))
	s := sentence.Write(format, w.Names, w.Numbers[:first])
	if runs := w.Numbers[first:]; len(runs) == 2 && runs[1] > 1 {
		s = fmt.Sprintf("in %.0f of %.0f runs %s", runs[0], runs[1], s)
		if first > 0 {
			s += " (of the first such run)"
		}
	}
	return s
}

// tenths prints a number of standard errors with one decimal, or without decimals from 1000 on.
func tenths(x float64) string {
	if math.Abs(x) < 1000 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.3g", x)
}
