package cotest

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
)

// Progress returns for every task the arm that is hardest to tell from its leader. The samples are
// for a whole run of this kind in which it would be told: this one does not go beyond its budget.
func (a *coTestFB) Progress() []engine.Progress {
	out := make([]engine.Progress, len(a.Sets))
	height := math.Inf(1)
	if k := len(a.clock.Z) - 1; k >= 0 {
		height = a.clock.Z[k]
	}
	for _, c := range a.contests {
		g := a.hardest(c)
		for _, v := range c.tasks {
			switch at := a.in(v, c, c.arms[c.leader]); {
			case c.closed:
				out[v] = a.DecidedProgress(v, at)
			case a.pooled == nil:
				out[v] = a.NoDataProgress(v, at)
			case g.rival < 0: // every arm is out, which is an error of the tests
				out[v] = engine.Progress{Task: a.Model.Problem.Tasks.Names[v], Leader: a.Model.Problem.Arms.Names[at], Open: 1, Samples: -1}
			default:
				need := height / (rounds.MedianGap(g.gap, g.sd) / g.sd)
				total := math.Ceil(float64(engine.Plan{Counts: a.Counts}.Pulls()) * need * need)
				out[v] = a.OpenProgress(v, at, a.in(v, c, g.rival), g.open+1, g.gap, g.sd, g.reached, total)
			}
		}
	}
	return out
}

// hardest looks for the open arm whose gap is the fewest standard errors; its rival is -1 before
// any data and without an open arm.
func (a *coTestFB) hardest(c *contest) ahead {
	out, first, least := ahead{rival: -1}, c.arms[c.leader], math.Inf(1)
	for k, i := range c.arms {
		if a.pooled == nil || !c.open(k, a.clock, 0) {
			continue
		}
		out.open++
		gap, sd := a.estimates[first]-a.estimates[i], math.Sqrt(a.variance(first, i))
		t := rounds.MedianGap(gap, sd) / sd
		if !(t < least) && out.rival >= 0 {
			continue
		}
		least, out.rival, out.gap, out.sd, out.reached = t, i, gap, sd, 0
		if w := c.walks[k]; w.Look >= 0 {
			out.reached = rounds.Reached(w.Sum, a.clock.Height(w.Look))
		}
	}
	return out
}

// Remaining returns the samples of the run in which the hardest task would be told.
func (a *coTestFB) Remaining() float64 { return rounds.Remaining(a.Progress()) }
