package bayes

import (
	"math"

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
	rival, gap, sd := a.likeliest(v)
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
		_, gap, sd := a.likeliest(v)
		times := a.needed() * sd / (rounds.MedianGap(gap, sd) + a.epsilon)
		sum += max(1, math.Ceil(float64(a.taken[v])*(times*times-1)))
	}
	return sum
}

// likeliest returns the most probable rival of an open task's leader, with the leader's lead over it
// and its posterior standard deviation, normalised.
func (a *coBayes) likeliest(v int) (rival int, gap, sd float64) {
	set, at := a.Sets[v], 0
	first, most := rounds.Leader(set, a.estimates), -1.0
	for k, i := range set {
		p := exceeds(a.estimates[i]-a.estimates[first], a.apart[v][k], a.epsilon, a.scales.FreedomOf([]int{i, first}))
		if i != first && p > most {
			at, most = k, p
		}
	}
	return set[at], a.estimates[first] - a.estimates[set[at]], math.Sqrt(a.apart[v][at])
}

// needed returns by how many posterior standard deviations a single rival must be behind.
func (a *coBayes) needed() float64 { return upper(a.share()) }
