package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Batch holds what the agents broadcast after a round [Du23, Alg. 1, l. 10]. Steps and Run take
// rewards as they were measured, with the sign of the data; an Algorithm is told rewards turned so that
// higher is better.
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
// of the data become rewards where higher is better, and back.
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
func (b Batch) Empty() bool { return !slices.ContainsFunc(b.Counts, func(c int) bool { return c > 0 }) }

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
		return fmt.Errorf("round %d: the plan asks for the squared deviations of %d arms, the batch has %d", p.Round,
			len(b.Counts), len(b.Squares))
	}
	if b.Ranges != nil && len(b.Ranges) != len(b.Counts) {
		return fmt.Errorf("round %d: the batch has the smallest and the largest reward of %d arms, and %d counts", p.Round,
			len(b.Ranges), len(b.Counts))
	}
	for i, c := range b.Counts {
		if b.Ranges != nil && c > 0 && !(b.Ranges[i][0] <= b.Ranges[i][1]) {
			return fmt.Errorf("round %d: arm %d: the smallest reward must not be above the largest, got %g and %g", p.Round, i,
				b.Ranges[i][0], b.Ranges[i][1])
		}
		if c > 0 && (math.IsNaN(b.Means[i]) || math.IsInf(b.Means[i], 0)) {
			return fmt.Errorf("round %d: arm %d: the mean reward must be a finite number, got %g", p.Round, i, b.Means[i])
		}
		if p.WantSquares && c > 0 && (!(b.Squares[i] >= 0) || math.IsInf(b.Squares[i], 0)) {
			return fmt.Errorf("round %d: arm %d: the sum of squared deviations must be a finite number of 0 or more, got %g",
				p.Round, i, b.Squares[i])
		}
	}
	return nil
}

// Side is a set of arms of one task that are measured side by side in some blocks of a round, one pull of each in
// every block. A block is of one side.
type Side struct {
	Arms   []int `json:"arms"` // in rising order
	Blocks int   `json:"blocks"`
}

// SidesOf returns blocks as sides, and the number of the side that each belongs to. Blocks of the same arms are one side, unless the
// law of the noise asks for the rewards of each block. The arms of each block are sorted in place.
func SidesOf(blocks [][]int, law string) (sides []Side, of []int) {
	for _, arms := range blocks {
		slices.Sort(arms)
		at := -1
		if law != LawSymmetric {
			at = slices.IndexFunc(sides, func(s Side) bool { return slices.Equal(s.Arms, arms) })
		}
		if at < 0 {
			at, sides = len(sides), append(sides, Side{Arms: arms})
		}
		sides[at].Blocks++
		of = append(of, at)
	}
	return sides, of
}

// Within holds what the blocks of a side say.
type Within struct {
	Means []float64 // by arm of the side: Ȳ_i of these blocks, reward units
	// Σ_k (Y_ik - Ȳ_i)(Y_jk - Ȳ_j) over the blocks at i·n + j for the n arms of the side, reward units²
	Products []float64
}

// turned returns it of rewards with the sign that the goal asks for.
func (w Within) turned(goal string) Within {
	w.Means = slices.Clone(w.Means)
	for i, mean := range w.Means {
		w.Means[i] = problem.Turned(goal, mean)
	}
	return w
}

// CountsOf returns the pulls of n arms that are measured in these sides.
func CountsOf(sides []Side, n int) []int {
	out := make([]int, n)
	for _, s := range sides {
		for _, i := range s.Arms {
			out[i] += s.Blocks
		}
	}
	return out
}

// MeansOf returns the means of n arms over all their blocks; 0 where an arm has none.
func MeansOf(sides []Side, within []Within, n int) []float64 {
	counts, out := CountsOf(sides, n), make([]float64, n)
	for k, s := range sides {
		for a, i := range s.Arms {
			out[i] += within[k].Means[a] * float64(s.Blocks) / float64(counts[i])
		}
	}
	return out
}

// checkWithin reports a batch that does not answer the sides of its plan.
func checkWithin(p Plan, b Batch) error {
	if len(b.Within) != len(p.Sides) {
		return fmt.Errorf("round %d: %d sets of arms are measured side by side, and the batch tells of %d", p.Round, len(p.Sides), len(b.Within))
	}
	for k, w := range b.Within {
		if n := len(p.Sides[k].Arms); len(w.Means) != n || len(w.Products) != n*n {
			return fmt.Errorf("round %d: of %d arms side by side the batch has %d means and %d products of deviations, want %d and %d",
				p.Round, n, len(w.Means), len(w.Products), n, n*n)
		}
		for _, x := range slices.Concat(w.Means, w.Products) {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("round %d: means and products of deviations side by side must be finite numbers, got %g", p.Round, x)
			}
		}
	}
	return nil
}

// A BlockAmender is an Algorithm whose rounds may consist of other blocks than it planned: pulls of some
// were lost, or the plan was recorded by another build.
type BlockAmender interface {
	// AmendBlocks makes these the blocks of the round planned last. An error changes nothing.
	AmendBlocks([]Side) error
}

// AmendBlocks says that the open round was measured in these blocks, as Amend says it of counts.
func (s *Steps) AmendBlocks(sides []Side) error {
	if s.plan.Counts == nil {
		return errors.New("no round is open: a round is arranged between its plan and its rewards")
	}
	if slices.EqualFunc(sides, s.plan.Sides, func(a, b Side) bool { return a.Blocks == b.Blocks && slices.Equal(a.Arms, b.Arms) }) {
		return nil
	}
	a, able := s.alg.(BlockAmender)
	if !able {
		return fmt.Errorf("round %d: arranging: %w", s.plan.Round, ErrFixedPlans)
	}
	if err := a.AmendBlocks(sides); err != nil {
		return fmt.Errorf("round %d: arranging: %w", s.plan.Round, err)
	}
	s.plan.Sides, s.plan.Counts, s.amended = sides, CountsOf(sides, len(s.plan.Counts)), true
	s.plan.Digest = s.chain.digest(s.plan)
	return nil
}
