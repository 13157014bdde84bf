package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Batch holds the rewards of one round as the agents exchange them [Du23, Alg. 1, l. 10]. Rewards passed to Steps and Run have the sign
// of the data. Rewards passed to an Algorithm have the sign by which higher is better.
type Batch struct {
	Counts []int     // N counts of pulls made, in arm order
	Means  []float64 // N mean rewards, reward units; ignored if the count is 0
	// Squares holds N sums Σ (reward - mean)² over the rewards of each arm in the round, reward units², if Plan.WantSquares is set; nil
	// otherwise.
	Squares []float64
	// Ranges holds N pairs of the smallest and the largest reward of each arm in the round, reward units. It is set together with Squares
	// if the rewards of the problem have bounds; nil otherwise.
	Ranges [][2]float64
	// Within has the data of the blocks of each side of the plan (Plan.Sides); nil if the plan has no sides
	Within []Within
}

// BatchOf returns the batch of the rewards of a round: rewards[i] has the rewards of arm i, with the sign of the data, one for each of its
// pulls in the plan. Squares and ranges are set if the plan wants squares. Learn checks the counts.
func BatchOf(p Plan, rewards [][]float64) Batch {
	n := len(rewards)
	b := Batch{Counts: make([]int, n), Means: make([]float64, n)}
	if p.WantSquares {
		b.Squares, b.Ranges = make([]float64, n), make([][2]float64, n)
	}
	for i, own := range rewards {
		if b.Counts[i] = len(own); len(own) == 0 {
			continue
		}
		for _, y := range own {
			b.Means[i] += y / float64(len(own))
		}
		if !p.WantSquares {
			continue
		}
		for _, y := range own {
			b.Squares[i] += (y - b.Means[i]) * (y - b.Means[i])
		}
		b.Ranges[i] = [2]float64{slices.Min(own), slices.Max(own)}
	}
	return b
}

// Clone returns a deep copy.
func (b Batch) Clone() Batch {
	return Batch{slices.Clone(b.Counts), slices.Clone(b.Means), slices.Clone(b.Squares), slices.Clone(b.Ranges), slices.Clone(b.Within)}
}

// Part returns the batch of the arms lo to hi-1.
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

// Turned converts between the sign of the data and the sign by which higher is better. It changes nothing unless goal is problem.GoalMin.
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

// CheckBatch returns an error if a batch does not match its plan: lengths, counts, blocks, or numbers that are not finite.
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

// checkRewards returns an error for missing or non-finite rewards.
func checkRewards(p Plan, b Batch) error {
	if err := checkWithin(p, b); err != nil {
		return err
	}
	if p.WantSquares && len(b.Squares) != len(b.Counts) {
		return fmt.Errorf("round %d: the plan asks for the squared deviations of %d arms, the batch has %d", p.Round,
			len(b.Counts), len(b.Squares))
	}
	if b.Ranges != nil && len(b.Ranges) != len(b.Counts) {
		return fmt.Errorf("round %d: the batch has the smallest and the largest reward of %d arms, but %d counts", p.Round,
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

// Side is a set of arms of one task that are measured together in some blocks of a round, once in every block. A block belongs to one
// side.
type Side struct {
	Arms   []int `json:"arms"` // ascending
	Blocks int   `json:"blocks"`
}

// SidesOf groups blocks with the same arms into sides and returns the side of each block. It keeps every block as its own side if the
// noise distribution (law) needs the rewards of each block. It sorts the arms of each block in place.
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

// Within has the means and products of the rewards in the blocks of one side.
type Within struct {
	Means []float64 // per arm of the side: Ȳ_i over these blocks, reward units
	// at i·n + j for the n arms of the side: Σ_k (Y_ik - Ȳ_i)(Y_jk - Ȳ_j) over the blocks, reward units²
	Products []float64
}

// turned changes the sign of the means if goal is problem.GoalMin.
func (w Within) turned(goal string) Within {
	w.Means = slices.Clone(w.Means)
	for i, mean := range w.Means {
		w.Means[i] = problem.Turned(goal, mean)
	}
	return w
}

// CountsOf returns the number of pulls of each of n arms in these sides.
func CountsOf(sides []Side, n int) []int {
	out := make([]int, n)
	for _, s := range sides {
		for _, i := range s.Arms {
			out[i] += s.Blocks
		}
	}
	return out
}

// MeansOf returns the means of n arms over all their blocks, reward units; 0 for an arm without blocks.
func MeansOf(sides []Side, within []Within, n int) []float64 {
	counts, out := CountsOf(sides, n), make([]float64, n)
	for k, s := range sides {
		for a, i := range s.Arms {
			out[i] += within[k].Means[a] * float64(s.Blocks) / float64(counts[i])
		}
	}
	return out
}

// checkWithin returns an error if the blocks of a batch do not match the sides of its plan.
func checkWithin(p Plan, b Batch) error {
	if len(b.Within) != len(p.Sides) {
		return fmt.Errorf("round %d: the plan has blocks of %d sets of arms, the batch has %d", p.Round, len(p.Sides), len(b.Within))
	}
	for k, w := range b.Within {
		if n := len(p.Sides[k].Arms); len(w.Means) != n || len(w.Products) != n*n {
			return fmt.Errorf("round %d: for %d arms in blocks the batch has %d means and %d products of deviations, want %d and %d",
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

// A BlockAmender is an Algorithm whose round may have other blocks than planned, because pulls were lost or another build made the plan.
type BlockAmender interface {
	// AmendBlocks replaces the blocks of the last planned round. An error changes nothing.
	AmendBlocks([]Side) error
}

// AmendBlocks replaces the blocks of the open round by the ones that were measured. Amend does the same for counts.
func (s *Steps) AmendBlocks(sides []Side) error {
	if s.plan.Counts == nil {
		return errors.New("no round is open. Call AmendBlocks after Next and before Learn")
	}
	if slices.EqualFunc(sides, s.plan.Sides, func(a, b Side) bool { return a.Blocks == b.Blocks && slices.Equal(a.Arms, b.Arms) }) {
		return nil
	}
	a, able := s.alg.(BlockAmender)
	if !able {
		return fmt.Errorf("round %d: its blocks cannot be rearranged: %w", s.plan.Round, ErrFixedPlans)
	}
	if err := a.AmendBlocks(sides); err != nil {
		return fmt.Errorf("round %d: its blocks cannot be rearranged: %w", s.plan.Round, err)
	}
	s.plan.Sides, s.plan.Counts, s.amended = sides, CountsOf(sides, len(s.plan.Counts)), true
	s.plan.Digest = s.chain.digest(s.plan)
	return nil
}
