package rounds

import (
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
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

// Goal returns that of the problem.
func (c *Candidates) Goal() string { return c.Model.Problem.Goal }

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

// Reopen takes what the audit trail says of an arm's end back.
func (c *Candidates) Reopen(arm int) {
	p := c.Model.Problem
	c.trail = slices.DeleteFunc(c.trail, func(e engine.Elimination) bool {
		return e.Task == p.Tasks.Names[p.TaskOf[arm]] && e.Arm == p.Arms.Names[arm]
	})
}

// Withdrawn records that an arm was taken out of its task.
func (c *Candidates) Withdrawn(round, arm int) {
	p := c.Model.Problem
	c.Reopen(arm)
	c.trail = append(c.trail, engine.Elimination{Round: round, Task: p.Tasks.Names[p.TaskOf[arm]], Arm: p.Arms.Names[arm],
		Rule: engine.RuleWithdrawn})
}

// TakeTrail begins the audit trail with that of other candidates, but for the arms that left theirs
// before any data.
func (c *Candidates) TakeTrail(from *Candidates) {
	for _, e := range from.trail {
		if e.Rule != engine.RuleSame {
			c.trail = append(c.trail, e)
		}
	}
}

// CheckWithdraw reports arms that cannot be withdrawn: those that are not there, and the last of a task.
func (c *Candidates) CheckWithdraw(withdrawn []bool, arms []int) error {
	p := c.Model.Problem
	gone := slices.Clone(withdrawn)
	if gone == nil {
		gone = make([]bool, p.N())
	}
	for _, i := range arms {
		if i < 0 || i >= p.N() {
			return fmt.Errorf("there is no arm %d", i)
		}
		gone[i] = true
	}
	for _, i := range arms {
		lo, hi := p.ArmsOf(p.TaskOf[i])
		if !slices.Contains(gone[lo:hi], false) {
			return fmt.Errorf("task %q: a task keeps at least one arm; %q would be the last to go", p.Tasks.Names[p.TaskOf[i]], p.Arms.Names[i])
		}
	}
	return nil
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

// Shown names the rival at arm i and turns its normalised gap into reward units.
func (c *Candidates) Shown(i int, r engine.Rival) engine.Rival {
	r.Arm = c.Model.Problem.Arms.Names[i]
	r.Gap *= c.Model.Unit
	r.Error *= c.Model.Unit
	return r
}

// NoData returns the rival in task v before any data.
func (c *Candidates) NoData(v, leader int) engine.Rival {
	set := c.Sets[v]
	rival := set[0]
	if rival == leader {
		rival = set[1]
	}
	return c.Shown(rival, engine.Rival{Open: len(set), Error: math.Inf(1)})
}

// LearnedEarly is the panic of algorithms that get a round's data before they planned one.
const LearnedEarly = "engine: Learn was called before Plan"

// CheckInform reports rewards of no round that are not of the arms of a problem.
func CheckInform(p *problem.Problem, b engine.Batch) error {
	if len(b.Counts) != p.N() || len(b.Means) != p.N() {
		return fmt.Errorf("the batch has %d counts and %d means for %d arms", len(b.Counts), len(b.Means), p.N())
	}
	return nil
}
