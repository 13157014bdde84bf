package engine

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

var _ Explainer = (*coBayes)(nil)

// Progress tells of every open task which arm is the most probable rival, and how many more
// pulls of the task in the proportions of those so far would make it improbable enough, were it
// the only one.
func (a *coBayes) Progress() []Progress {
	out := make([]Progress, len(a.alive))
	for v, set := range a.alive {
		switch {
		case len(set) == 1:
			out[v] = a.decidedProgress(v, set[0])
		case a.estimates == nil:
			out[v] = a.noDataProgress(v, set[0])
		default:
			out[v] = a.lacking(v, set)
		}
	}
	return out
}

// lacking is the progress of an open task.
func (a *coBayes) lacking(v int, set []int) Progress {
	first, rival, most := leader(set, a.estimates), -1, -1.0
	freedom := a.law.freedomOf(set)
	for _, i := range set {
		p := exceeds(a.estimates[i]-a.estimates[first], a.posterior.Variance(i, first), a.epsilon, freedom)
		if i != first && p > most {
			rival, most = i, p
		}
	}
	threshold := distuv.UnitNormal.Quantile(1 - a.risk)
	gap, sd := a.estimates[first]-a.estimates[rival], math.Sqrt(a.posterior.Variance(rival, first))
	times := threshold * sd / (medianGap(gap, sd) + a.epsilon)
	samples := max(1, math.Ceil(float64(a.taken[v])*(times*times-1)))
	return a.openProgress(v, first, rival, len(set), gap, sd, reached(gap+a.epsilon, threshold*sd), samples)
}

// Remaining is the pulls that all open tasks lack.
func (a *coBayes) Remaining() float64 {
	var sum float64
	for _, t := range a.Progress() {
		sum += t.Samples
	}
	return sum
}
