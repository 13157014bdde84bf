package engine

import (
	"fmt"
	"math"
)

// candidates are the sets B_v^(r) with the audit trail of what left them.
type candidates struct {
	model *Model
	alive [][]int // per task, in arm order
	trail []Elimination
}

func newCandidates(m *Model) candidates {
	return candidates{model: m, alive: m.Problem.Groups()}
}

// Eliminations is the audit trail so far.
func (c *candidates) Eliminations() []Elimination { return c.trail }

// Alive is the number of arms not eliminated.
func (c *candidates) Alive() int {
	sum := 0
	for _, set := range c.alive {
		sum += len(set)
	}
	return sum
}

// single reports whether every task has one candidate left.
func (c *candidates) single() bool { return c.Alive() == len(c.alive) }

// drop records that arm lost against rival. Gap and width are normalised.
func (c *candidates) drop(round, arm, rival int, gap, width float64, rule Rule) {
	p := c.model.Problem
	c.trail = append(c.trail, Elimination{
		Round: round, Task: p.Tasks.Names[p.TaskOf[arm]], Arm: p.Arms.Names[arm], Rival: p.Arms.Names[rival],
		Gap: gap * c.model.Unit, Width: width * c.model.Unit, Rule: rule,
	})
}

// leader returns the arm of the set with the largest estimate, the first of
// tied ones.
func leader(set []int, estimates []float64) int {
	best := set[0]
	for _, i := range set[1:] {
		if estimates[i] > estimates[best] {
			best = i
		}
	}
	return best
}

// answer starts the answer of a task whose leader is arm i.
func (c *candidates) answer(v, i int, estimate float64) Answer {
	p := c.model.Problem
	a := Answer{Task: p.Tasks.Names[v], Leader: p.Arms.Names[i], Estimate: estimate * c.model.Unit}
	if len(c.alive[v]) > 1 {
		for _, j := range c.alive[v] {
			a.Candidates = append(a.Candidates, p.Arms.Names[j])
		}
	}
	return a
}

// checkBatch reports how a batch differs from the plan that it answers. It panics when there is none.
func checkBatch(p Plan, b Batch) error {
	if p.Counts == nil {
		panic(learnedEarly)
	}
	if len(b.Counts) != len(p.Counts) || len(b.Means) != len(p.Counts) {
		return fmt.Errorf("round %d: the batch has %d counts and %d means for %d arms", p.Round, len(b.Counts), len(b.Means), len(p.Counts))
	}
	if p.Spread && len(b.Squares) != len(p.Counts) {
		return fmt.Errorf("round %d: the plan asks for the squared deviations of %d arms, the batch has %d", p.Round, len(p.Counts), len(b.Squares))
	}
	for i, c := range p.Counts {
		if b.Counts[i] != c {
			return fmt.Errorf("round %d: arm %d: %d pulls were planned, %d reported", p.Round, i, c, b.Counts[i])
		}
		if c > 0 && (math.IsNaN(b.Means[i]) || math.IsInf(b.Means[i], 0)) {
			return fmt.Errorf("round %d: arm %d: the mean reward must be a finite number, got %g", p.Round, i, b.Means[i])
		}
		if p.Spread && c > 0 && (!(b.Squares[i] >= 0) || math.IsInf(b.Squares[i], 0)) {
			return fmt.Errorf("round %d: arm %d: the sum of squared deviations must be a finite number of 0 or more, got %g", p.Round, i, b.Squares[i])
		}
	}
	return nil
}
