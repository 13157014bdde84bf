package engine

import "github.com/gonb-cope/gonb-cope/engine/problem"

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
	WarnAmended    WarningKind = "amended" // numbers: rounds of other pulls than planned, rounds
	// names: task; numbers: rounds that went on without its agent, rounds
	WarnSilent    WarningKind = "silent agent"
	WarnNotNormal WarningKind = "not normal" // names: environment
	WarnTooClose  WarningKind = "too close"  // names: task
	// names: task, leader; numbers: how far the leader may be from the best
	WarnTooCloseWithin WarningKind = "too close, within"
	WarnUnpulled       WarningKind = "unpulled"    // numbers: pulls per agent
	WarnTestsAlone     WarningKind = "tests alone" // numbers: different arms
	WarnNormKnown      WarningKind = "norm known"  // numbers: the norm in reward units, and normalised
	WarnCostNorm       WarningKind = "cost, norm"
	WarnCostBudget     WarningKind = "cost, budget"
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
	// names: the other builds of gonb-cope that made runs, with what they differ in
	WarnMixedBuilds WarningKind = "mixed builds"
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
	WarnBoundsAuto  WarningKind = "bounds: xi of many arms" // numbers: ξ
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

// CostWarnings says that costs do not guide a fixed budget.
func CostWarnings(mode string, p *problem.Problem) []Warning {
	if mode != ModeFB || p.RelativeCost() == nil {
		return nil
	}
	return []Warning{{Kind: WarnCostBudget}}
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
