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

// estimation holds the estimates of the arms from all data. They determine leaders, gaps and the sizes of rounds.
type estimation struct {
	decisions
	estimator estimator
	misfit    misfit
	belief    *rounds.Belief   // posterior from all data; nil means least squares
	pooled    *model.Estimator // estimator from all data
	loose     bool             // some pulls were not planned, or some planned pulls were not made
	aside     int              // number of added pulls, which belong to no round
}

// pool returns the estimator from all data: the posterior if there is a belief, otherwise least squares. means has the
// mean of each arm.
func (a *estimation) pool(means []float64) *model.Estimator {
	if a.belief == nil {
		return try.Of(model.NewEstimator(a.scales.Model, 0, a.Counts))
	}
	try.To(a.belief.Learn(a.scales.Model, a.Counts, means, a.scales.Freedom()))
	return a.belief.Estimator
}

// shrinkToMeans stores the kernel's estimates in misfit.fitted and returns estimates that are moved towards the arms' own
// means. The weight of an arm's own mean is g/(g + v): g is the variance of the misfit, v the variance of the mean.
// Without a misfit it returns the kernel's estimates.
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

// variance returns the approximate variance of the estimated gap of arms i and j, normalised.
func (a *estimation) variance(i, j int) float64 { return a.estimator.variance(i, j) }

// unmeasured reports whether the data give no estimate of the gap of arms i and j. This can happen after unplanned pulls.
// A Gaussian process always gives an estimate.
func (a *estimation) unmeasured(i, j int) bool {
	return math.IsInf(a.variance(i, j), 1)
}

// guesses returns the estimates from which leaders are chosen. They are -Inf for arms that the data do not determine, so
// such an arm leads only if all other candidates are undetermined too.
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

// oriented reports whether the data give an estimate of the gap between every open arm and its leader. Only then can a
// round be sized for what the walks need. It is always true after a complete planned round 1.
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

// pulled holds the number of pulls so far and the variances of gaps after these pulls.
type pulled struct {
	pulls    int
	variance func(i, j int) float64 // variance of the estimated gap of two arms
}

// sofar returns the number of pulls so far and the current variances of gaps.
func (a *estimation) sofar() pulled {
	return pulled{engine.PullsOf(a.Counts), a.variance}
}

// more returns how many more pulls, in the proportions of the pulls so far, give every contrast the information in its
// Weight.
func (p pulled) more(needs []design.Pair) float64 {
	times := lists.Max(needs, func(q design.Pair) float64 { return q.Weight * p.variance(q.I, q.J) })
	return math.Ceil(times * float64(p.pulls))
}

// share returns the fraction of all pulls that belong to rounds, counting at least the pulls of a usual first round.
// Clocks and the smallest sizes of rounds use it, so that many added pulls do not enlarge the rounds.
func (a *estimation) share() float64 {
	if a.aside == 0 {
		return 1
	}
	all := engine.PullsOf(a.Counts)
	return min(1, float64(max(all-a.aside, roundOne*a.Model.Rank()))/float64(all))
}

// roundVariance returns a function that gives the approximate variance of a gap from the data of rounds alone.
func (a *estimation) roundVariance() func(i, j int) float64 {
	share := a.share()
	return func(i, j int) float64 { return a.variance(i, j) / share }
}
