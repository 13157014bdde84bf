package cotest

import (
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// estimation holds the estimates of the arms from all data; they determine leaders, gaps and the sizes of
// rounds.
type estimation struct {
	decisions
	estimator estimator
	misfit    misfit
	belief    *rounds.Belief   // posterior from all data; nil means least squares
	pooled    *model.Estimator // estimator from all data
	loose     bool             // some pulls were not planned
	aside     int              // number of pulls outside the rounds
}

// pool returns the estimator from all data.
func (a *estimation) pool(means []float64) *model.Estimator {
	if a.belief == nil {
		return try.Of(model.NewEstimator(a.scales.Model, 0, a.Counts))
	}
	try.To(a.belief.Learn(a.scales.Model, a.Counts, means, a.scales.Freedom()))
	return a.belief.Estimator
}

// shrinkToMeans keeps the kernel's estimates and returns the best guesses: those, moved
// towards the arms' own means as far as the misfit is large beside their noise.
func (a *estimation) shrinkToMeans(estimates []float64) []float64 {
	a.misfit.fitted = estimates
	g := a.misfit.typical * a.misfit.typical
	if g == 0 {
		return estimates
	}
	out := slices.Clone(estimates)
	for i, c := range a.Counts {
		if c > 0 {
			v := 1 / (float64(c) * a.scales.Model.Precision[i])
			out[i] += g / (g + v) * (a.Sums[i]/float64(c)/a.Model.Unit - out[i])
		}
	}
	return out
}

// variance returns the approximate variance of the estimated gap of arms i and j.
func (a *estimation) variance(i, j int) float64 { return a.estimator.variance(i, j) }

// unmeasured reports whether pulls that no plan foresaw have left the gap of arms i and j without an
// estimate. A Gaussian process has one of every gap.
func (a *estimation) unmeasured(i, j int) bool {
	return math.IsInf(a.variance(i, j), 1)
}

// guesses returns the estimates by which leaders are chosen. An arm without pulls can lead only if every other candidate
// has none.
func (a *estimation) guesses() []float64 {
	if !a.loose || a.belief != nil || a.pooled == nil {
		return a.estimates
	}
	out := slices.Clone(a.estimates)
	for i := range out {
		if !a.pooled.Spans(i) {
			out[i] = math.Inf(-1)
		}
	}
	return out
}

// oriented reports whether the data separate the open arms from their leaders, so that a round can
// be sized for the walks' needs. Planned rounds see to that from the first on.
func (a *estimation) oriented() bool {
	if a.estimates == nil {
		return false
	}
	for _, c := range a.contests {
		for k, i := range c.arms {
			if !c.closed && !c.walks[k].Out && a.unmeasured(c.arms[c.leader], i) {
				return false
			}
		}
	}
	return true
}

// pulled holds the number of pulls so far, and the variances of the gaps that they give.
type pulled struct {
	pulls    int
	variance func(i, j int) float64 // variance of the estimated gap of two arms
}

// sofar returns the information of the pulls so far.
func (a *estimation) sofar() pulled {
	return pulled{engine.PullsOf(a.Counts), a.variance}
}

// more returns the number of pulls, in the proportions of the pulls so far, that give every contrast the
// information it is weighted by.
func (p pulled) more(needs []design.Pair) float64 {
	times := lists.Max(needs, func(q design.Pair) float64 { return q.Weight * p.variance(q.I, q.J) })
	return math.Ceil(times * float64(p.pulls))
}

// ArmEstimates returns the estimates of all data; of a Gaussian process its posterior. Where rewards
// may be off the kernel, an interval has the estimated variance of that besides.
func (a *estimation) ArmEstimates() engine.ArmEstimates {
	omitted := a.misfit.typical * a.misfit.typical
	out := rounds.ArmEstimates(a.Model, a.pooled, a.estimates, omitted, func(i int) float64 { return a.scales.FreedomOf([]int{i}) })
	out.Posterior = a.belief != nil
	return out
}

// share returns which part of all pulls rounds made, or a first round would make: clocks and the least sizes of rounds use the
// information of rounds, so that many pulls of no round do not make rounds large.
func (a *estimation) share() float64 {
	if a.aside == 0 {
		return 1
	}
	all := engine.PullsOf(a.Counts)
	return min(1, float64(max(all-a.aside, roundOne*a.Model.Rank()))/float64(all))
}

// roundVariance returns the approximate variance of a gap from the data of rounds alone.
func (a *estimation) roundVariance() func(i, j int) float64 {
	share := a.share()
	return func(i, j int) float64 { return a.variance(i, j) / share }
}
