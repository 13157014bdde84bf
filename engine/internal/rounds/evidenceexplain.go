package rounds

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
)

// ProgressOf returns for each task what its answer still lacks at the level δ of evidence. The
// samples are for one further round in the proportions of the round that the rival was last in,
// since every round is judged by itself; the budget may not have them.
func (ev *Evidence) ProgressOf(c *Candidates, answers []engine.Answer) []engine.Progress {
	out := make([]engine.Progress, len(answers))
	for v, a := range answers {
		lo, hi := c.Model.Problem.ArmsOf(v)
		first := lo
		for i := lo; i < hi; i++ {
			if c.Model.Problem.Arms.Names[i] == a.Leader {
				first = i
			}
		}
		if a.Decided {
			out[v] = c.DecidedProgress(v, first)
			continue
		}
		out[v] = ev.lacking(c, v, first)
	}
	return out
}

// lacking returns the progress of an undecided task: its rival is the arm that needs most
// further samples to be beaten by the leader, the leader itself where another beats it.
func (ev *Evidence) lacking(c *Candidates, v, first int) engine.Progress {
	lo, hi := c.Model.Problem.ArmsOf(v)
	rival, open := first, 0
	var gap, sd, share float64
	most := math.Inf(-1)
	for i := lo; i < hi; i++ {
		if ev.beaten[i] && i != first {
			continue
		}
		open++
		if i == first || ev.seen[i] < 0 {
			continue
		}
		j := ev.Rounds[ev.seen[i]]
		g, s := j.Estimates[first]-j.Estimates[i], math.Sqrt(j.estimator.Variance(i, first))
		width := g + ev.upper(j, i, first)
		more := math.Inf(1)
		if b := MedianGap(g, s); b > 0 && !math.IsInf(width, 1) {
			more = float64(j.estimator.Pulls) * width / b * width / b
		}
		if more > most {
			rival, gap, sd, share, most = i, g, s, Reached(g, width), more
		}
	}
	switch {
	case len(ev.Rounds) == 0:
		most = math.NaN()
	case math.IsInf(most, 0): // the same to the kernel, or the leader is beaten
		most = -1
	}
	if rival == first {
		for i := lo; i < hi; i++ {
			if i != first {
				rival = i
				break
			}
		}
	}
	return c.OpenProgress(v, first, rival, open, gap, sd, share, math.Ceil(most))
}

// Remaining returns the samples of a further round that would do for every undecided task.
func Remaining(tasks []engine.Progress) float64 {
	most := 0.0
	for _, t := range tasks {
		if t.Samples < 0 || math.IsNaN(t.Samples) {
			return t.Samples
		}
		most = max(most, t.Samples)
	}
	return most
}
