package bayes

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
)

var _ engine.Explainer = (*coBayes)(nil)

// Progress returns for every open task the most probable rival, and how many more pulls of the task
// in the proportions of those so far would make it improbable enough if it were the only one.
func (a *coBayes) Progress() []engine.Progress {
	out := make([]engine.Progress, len(a.Sets))
	for v, set := range a.Sets {
		switch {
		case len(set) == 1:
			out[v] = a.DecidedProgress(v, set[0])
		case a.estimates == nil:
			out[v] = a.NoDataProgress(v, set[0])
		default:
			out[v] = a.lacking(v, set)
		}
	}
	return out
}

// lacking returns the progress of an open task.
func (a *coBayes) lacking(v int, set []int) engine.Progress {
	first, rival, most := rounds.Leader(set, a.estimates), -1, -1.0
	freedom := a.scales.FreedomOf(set)
	for _, i := range set {
		p := exceeds(a.estimates[i]-a.estimates[first], a.belief.Variance(i, first), a.epsilon, freedom)
		if i != first && p > most {
			rival, most = i, p
		}
	}
	threshold := distuv.UnitNormal.Quantile(1 - a.risk)
	gap, sd := a.estimates[first]-a.estimates[rival], math.Sqrt(a.belief.Variance(rival, first))
	times := threshold * sd / (rounds.MedianGap(gap, sd) + a.epsilon)
	samples := max(1, math.Ceil(float64(a.taken[v])*(times*times-1)))
	return a.OpenProgress(v, first, rival, len(set), gap, sd, rounds.Reached(gap+a.epsilon, threshold*sd), samples)
}

// Remaining returns the pulls that all open tasks lack.
func (a *coBayes) Remaining() float64 {
	var sum float64
	for _, t := range a.Progress() {
		sum += t.Samples
	}
	return sum
}
