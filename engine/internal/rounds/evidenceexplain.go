package rounds

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
)

// Hardest returns the arm of task v that needs most further samples to be beaten by the leader.
func (ev *Evidence) Hardest(v int) engine.Rival {
	r, _ := ev.lacking(v)
	return r
}

// Samples returns the samples of a further round after which the answers of all these tasks would
// be supported. They are for a round in the proportions of the one that the rival was last in, since
// every round is judged by itself; the budget may not have them.
func (ev *Evidence) Samples(tasks []int) float64 {
	return Most(tasks, func(v int) float64 {
		_, samples := ev.lacking(v)
		return samples
	})
}

// lacking returns the rival in task v, another arm where the leader itself is beaten, and the
// samples until it is beaten.
func (ev *Evidence) lacking(v int) (engine.Rival, float64) {
	lo, hi := ev.of.Model.Problem.ArmsOf(v)
	first := ev.leader(v)
	rival, out := first, engine.Rival{}
	most := math.Inf(-1)
	for i := lo; i < hi; i++ {
		if ev.beaten[i] && i != first {
			continue
		}
		out.Open++
		if i == first || ev.seen[i] < 0 {
			continue
		}
		j := ev.rounds[ev.seen[i]]
		gap, sd := j.estimates[first]-j.estimates[i], math.Sqrt(j.estimator.Variance(i, first))
		width := gap + ev.upper(j, i, first)
		more := math.Inf(1)
		if b := MedianGap(gap, sd); b > 0 && !math.IsInf(width, 1) {
			more = float64(j.estimator.Pulls) * width / b * width / b
		}
		if more > most {
			rival, most = i, more
			out.Gap, out.Error, out.Statistic, out.Threshold = gap, sd, gap, width
		}
	}
	switch {
	case len(ev.rounds) == 0:
		most = math.NaN()
	case math.IsInf(most, 0): // the same to the kernel, or the leader is beaten
		most = -1
	}
	if rival == first {
		if rival = lo; rival == first {
			rival++
		}
	}
	return ev.of.Shown(rival, out), math.Ceil(most)
}
