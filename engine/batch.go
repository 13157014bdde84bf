package engine

import (
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Batch holds what the agents broadcast after a round [Du23, Alg. 1, l. 10]. Steps and Run take
// rewards as they were measured, with the sign of the data; an Algorithm is told rewards of which
// higher ones are better.
type Batch struct {
	Counts []int     // N pulls made, in arm order
	Means  []float64 // N mean rewards, reward units; ignored where the count is 0
	// Squares are N sums Σ (reward - mean)² over the round's rewards of an arm, reward
	// units², where the plan asked for them (Plan.WantSquares); nil otherwise.
	Squares []float64
	// Ranges are N pairs of the smallest and the largest of the round's rewards of an arm, reward
	// units; the bounds of rewards where they are not known. They are told where squares are and the rewards of the
	// problem have bounds; nil otherwise.
	Ranges [][2]float64
	// Within is, by side of the plan, what its blocks say (Plan.Sides); nil where the plan has none
	Within []Within
}

// Clone returns a copy that shares nothing with the batch.
func (b Batch) Clone() Batch {
	return Batch{slices.Clone(b.Counts), slices.Clone(b.Means), slices.Clone(b.Squares), slices.Clone(b.Ranges), slices.Clone(b.Within)}
}

// Part returns what a batch says of the arms from lo to hi, hi not included.
func (b Batch) Part(lo, hi int) Batch {
	out := Batch{Counts: b.Counts[lo:hi], Means: b.Means[lo:hi]}
	if b.Squares != nil {
		out.Squares = b.Squares[lo:hi]
	}
	if b.Ranges != nil {
		out.Ranges = b.Ranges[lo:hi]
	}
	return out
}

// Turned returns a batch with the signs of its rewards changed where goal is problem.GoalMin: rewards
// of the data become such of which higher is better, and back.
func (b Batch) Turned(goal string) Batch {
	if goal == problem.GoalMin {
		b.Means = slices.Clone(b.Means)
		for i, mean := range b.Means {
			b.Means[i] = problem.Turned(goal, mean)
		}
		b.Ranges = slices.Clone(b.Ranges)
		for i, r := range b.Ranges {
			b.Ranges[i] = [2]float64{problem.Turned(goal, r[1]), problem.Turned(goal, r[0])}
		}
		b.Within = slices.Clone(b.Within)
		for k, w := range b.Within {
			b.Within[k] = w.turned(goal)
		}
	}
	return b
}

// Empty reports whether no pull was made.
func (b Batch) Empty() bool {
	return !slices.ContainsFunc(b.Counts, func(c int) bool { return c > 0 })
}

// CheckBatch reports how a batch differs from the plan that it answers.
func CheckBatch(p Plan, b Batch) error {
	if len(b.Counts) != len(p.Counts) || len(b.Means) != len(p.Counts) {
		return fmt.Errorf("round %d: the batch has %d counts and %d means for %d arms", p.Round, len(b.Counts), len(b.Means), len(p.Counts))
	}
	for i, c := range p.Counts {
		if b.Counts[i] != c {
			return fmt.Errorf("round %d: arm %d: %d pulls were planned, %d reported", p.Round, i, c, b.Counts[i])
		}
	}
	return checkRewards(p, b)
}

// checkRewards reports rewards that are no numbers.
func checkRewards(p Plan, b Batch) error {
	if err := checkWithin(p, b); err != nil {
		return err
	}
	if p.WantSquares && len(b.Squares) != len(b.Counts) {
		return fmt.Errorf("round %d: the plan asks for the squared deviations of %d arms, the batch has %d", p.Round, len(b.Counts), len(b.Squares))
	}
	if b.Ranges != nil && len(b.Ranges) != len(b.Counts) {
		return fmt.Errorf("round %d: the batch has the smallest and the largest reward of %d arms, and %d counts", p.Round, len(b.Ranges), len(b.Counts))
	}
	for i, c := range b.Counts {
		if b.Ranges != nil && c > 0 && !(b.Ranges[i][0] <= b.Ranges[i][1]) {
			return fmt.Errorf("round %d: arm %d: the smallest reward must not be above the largest, got %g and %g", p.Round, i, b.Ranges[i][0], b.Ranges[i][1])
		}
		if c > 0 && (math.IsNaN(b.Means[i]) || math.IsInf(b.Means[i], 0)) {
			return fmt.Errorf("round %d: arm %d: the mean reward must be a finite number, got %g", p.Round, i, b.Means[i])
		}
		if p.WantSquares && c > 0 && (!(b.Squares[i] >= 0) || math.IsInf(b.Squares[i], 0)) {
			return fmt.Errorf("round %d: arm %d: the sum of squared deviations must be a finite number of 0 or more, got %g", p.Round, i, b.Squares[i])
		}
	}
	return nil
}
