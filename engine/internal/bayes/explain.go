package bayes

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
)

var _ engine.Explainer = (*coBayes)(nil)

// Hardest returns the most probable rival.
func (a *coBayes) Hardest(v int) engine.Rival {
	set := a.Sets[v]
	if a.estimates == nil {
		return a.NoData(v, set[0])
	}
	rival, gap, sd := a.likeliest(set)
	return a.Shown(rival, engine.Rival{Open: len(set), Gap: gap, Error: sd, Statistic: gap + a.epsilon, Threshold: a.needed() * sd})
}

// Samples returns how many more pulls of each task, in the proportions of those so far, would make
// its most probable rival improbable enough if it were the only one.
func (a *coBayes) Samples(tasks []int) float64 {
	if a.estimates == nil {
		return math.NaN()
	}
	sum := 0.0
	for _, v := range tasks {
		_, gap, sd := a.likeliest(a.Sets[v])
		times := a.needed() * sd / (rounds.MedianGap(gap, sd) + a.epsilon)
		sum += max(1, math.Ceil(float64(a.taken[v])*(times*times-1)))
	}
	return sum
}

// likeliest returns the most probable rival of a set's leader, with the leader's lead over it and
// its posterior standard deviation, normalised.
func (a *coBayes) likeliest(set []int) (rival int, gap, sd float64) {
	first, freedom, most := rounds.Leader(set, a.estimates), a.scales.FreedomOf(set), -1.0
	for _, i := range set {
		p := exceeds(a.estimates[i]-a.estimates[first], a.belief.Variance(i, first), a.epsilon, freedom)
		if i != first && p > most {
			rival, most = i, p
		}
	}
	return rival, a.estimates[first] - a.estimates[rival], math.Sqrt(a.belief.Variance(rival, first))
}

// needed returns by how many posterior standard deviations a single rival must be behind.
func (a *coBayes) needed() float64 { return distuv.UnitNormal.Quantile(1 - a.risk) }
