package engine

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// An Explainer is an Algorithm that can say how far it is. What it says guides people
// and decides nothing. It is worked out when asked for, at the cost of about one design a task.
type Explainer interface {
	// Progress is how far each task is, in task order.
	Progress() []Progress
	// Remaining is how many further samples, all agents together, deciding all tasks takes,
	// in the sense of Progress.Samples; at most the sum over tasks, since tasks share rounds.
	// -1 when some task cannot be decided, NaN before any data.
	Remaining() float64
}

// reached is the share of the evidence that a decision takes: (statistic/threshold)²,
// which grows in proportion to the samples if the gap is what it seems. It stays
// below 1, which is for what is decided.
func reached(statistic, threshold float64) float64 {
	if !(statistic > 0) || !(threshold > 0) {
		return 0
	}
	x := statistic / threshold
	return min(x*x, math.Nextafter(1, 0))
}

// medianGap returns the median of a normal gap with this estimate and standard error, given that
// it is positive, as a leader's gap is: the estimate itself may be nearly 0, and then says
// nothing of how long it takes.
func medianGap(gap, sd float64) float64 {
	if !(sd > 0) || gap > 6*sd {
		return max(gap, 0)
	}
	x := max(gap/sd, -6) // a leader is seldom that far behind
	positive := distuv.UnitNormal.CDF(x)
	return sd * (x + distuv.UnitNormal.Quantile(1-positive/2))
}

// decidedProgress returns the progress of a task that is decided.
func (c *candidates) decidedProgress(v, leader int) Progress {
	p := c.model.Problem
	return Progress{Task: p.Tasks.Names[v], Decided: true, Leader: p.Arms.Names[leader], Reached: 1, Open: 1}
}

// openProgress returns the progress of a task that is open, of which the rival is the arm
// farthest from being told from the leader. Gap, sd and threshold are normalised.
func (c *candidates) openProgress(v, leader, rival, open int, gap, sd, reached, samples float64) Progress {
	p := c.model.Problem
	return Progress{
		Task: p.Tasks.Names[v], Leader: p.Arms.Names[leader], Rival: p.Arms.Names[rival], Open: open,
		Gap: gap * c.model.Unit, Error: sd * c.model.Unit, Reached: reached, Samples: samples,
	}
}

// noDataProgress returns the progress of a task of which there are no data yet.
func (c *candidates) noDataProgress(v, leader int) Progress {
	rival := c.alive[v][0]
	if rival == leader {
		rival = c.alive[v][1]
	}
	return c.openProgress(v, leader, rival, len(c.alive[v]), 0, math.Inf(1), 0, math.NaN())
}
