package rounds

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// Candidates are the sets B_v^(r) with the audit trail of what left them.
type Candidates struct {
	Model *model.Model
	Sets  [][]int // per task, in arm order
	trail []engine.Elimination
}

// NewCandidates returns sets with all arms of each task.
func NewCandidates(m *model.Model) Candidates {
	return Candidates{Model: m, Sets: m.Problem.Groups()}
}

// Eliminations returns the audit trail so far.
func (c *Candidates) Eliminations() []engine.Elimination { return c.trail }

// Alive returns the number of arms not eliminated.
func (c *Candidates) Alive() int {
	sum := 0
	for _, set := range c.Sets {
		sum += len(set)
	}
	return sum
}

// Single reports whether every task has one candidate left.
func (c *Candidates) Single() bool { return c.Alive() == len(c.Sets) }

// Drop records that arm lost against rival. Gap and width are normalised.
func (c *Candidates) Drop(round, arm, rival int, gap, width float64, rule engine.Rule) {
	p := c.Model.Problem
	c.trail = append(c.trail, engine.Elimination{
		Round: round, Task: p.Tasks.Names[p.TaskOf[arm]], Arm: p.Arms.Names[arm], Rival: p.Arms.Names[rival],
		Gap: gap * c.Model.Unit, Width: width * c.Model.Unit, Rule: rule,
	})
}

// Leader returns the arm of the set with the largest estimate, the first of
// tied ones.
func Leader(set []int, estimates []float64) int {
	best := set[0]
	for _, i := range set[1:] {
		if estimates[i] > estimates[best] {
			best = i
		}
	}
	return best
}

// Answer starts the answer of a task whose leader is arm i.
func (c *Candidates) Answer(v, i int, estimate float64) engine.Answer {
	p := c.Model.Problem
	a := engine.Answer{Task: p.Tasks.Names[v], Leader: p.Arms.Names[i], Estimate: estimate * c.Model.Unit}
	if len(c.Sets[v]) > 1 {
		for _, j := range c.Sets[v] {
			a.Candidates = append(a.Candidates, p.Arms.Names[j])
		}
	}
	return a
}

// CheckBatch reports how a batch differs from the plan that it answers. It panics without a plan.
func CheckBatch(p engine.Plan, b engine.Batch) error {
	if p.Counts == nil {
		panic(LearnedEarly)
	}
	return engine.CheckBatch(p, b)
}

// DecidedProgress returns the progress of a task that is decided.
func (c *Candidates) DecidedProgress(v, leader int) engine.Progress {
	p := c.Model.Problem
	return engine.Progress{Task: p.Tasks.Names[v], Decided: true, Leader: p.Arms.Names[leader], Reached: 1, Open: 1}
}

// OpenProgress returns the progress of a task that is open, of which the rival is the arm
// farthest from being told from the leader; -1 is no rival, as after an interrupt between the
// exclusion of the last one and the decision. Gap, sd and threshold are normalised.
func (c *Candidates) OpenProgress(v, leader, rival, open int, gap, sd, reached, samples float64) engine.Progress {
	p := c.Model.Problem
	out := engine.Progress{
		Task: p.Tasks.Names[v], Leader: p.Arms.Names[leader], Open: open,
		Gap: gap * c.Model.Unit, Error: sd * c.Model.Unit, Reached: reached, Samples: samples,
	}
	if rival >= 0 {
		out.Rival = p.Arms.Names[rival]
	}
	return out
}

// NoDataProgress returns the progress of a task of which there are no data yet.
func (c *Candidates) NoDataProgress(v, leader int) engine.Progress {
	rival := c.Sets[v][0]
	if rival == leader {
		rival = c.Sets[v][1]
	}
	return c.OpenProgress(v, leader, rival, len(c.Sets[v]), 0, math.Inf(1), 0, math.NaN())
}

// LearnedEarly is the panic of algorithms that get a round's data before they planned one.
const LearnedEarly = "engine: Learn was called before Plan"
