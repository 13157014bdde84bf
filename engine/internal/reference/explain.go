package reference

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
)

var _ engine.Explainer = (*oracle)(nil)

// Hardest returns the rival whose confidence width in all data is farthest above its gap.
func (a *oracle) Hardest(v int) engine.Rival {
	if a.estimates == nil {
		return a.NoData(v, a.best[v])
	}
	r, _ := a.lacking(v)
	return r
}

// Samples returns the samples of the task that needs most: all are sampled until the last is decided.
func (a *oracle) Samples(tasks []int) float64 {
	if a.estimates == nil {
		return math.NaN()
	}
	return rounds.Most(tasks, func(v int) float64 {
		_, samples := a.lacking(v)
		return samples
	})
}

// lacking returns the hardest rival in task v with the samples until it is beaten: in the same
// proportions the width falls as one over their root.
func (a *oracle) lacking(v int) (out engine.Rival, samples float64) {
	pulls := float64(engine.PullsOf(a.Counts))
	first, most := a.best[v], math.Inf(-1)
	for _, i := range a.Sets[v] {
		if i == first {
			continue
		}
		gap, sd := a.estimates[first]-a.estimates[i], math.Sqrt(a.stage.Estimate.Variance(i, first))
		slack, width := a.opt.Epsilon/a.Model.Unit, a.width(i, first)
		times := width / (rounds.MedianGap(gap, sd) + slack)
		if more := max(times*times-1, oracleGrowth) * pulls; more > most {
			most = more
			out = a.Shown(i, engine.Rival{Open: len(a.Sets[v]), Gap: gap, Error: sd, Statistic: gap + slack, Threshold: width})
		}
	}
	return out, math.Ceil(most)
}
