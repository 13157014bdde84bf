package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Batch holds the rewards of one round, in the form in which agents exchange them [Du23, Alg. 1, l. 10]. In calls of Steps and
// Run, rewards have the sign of the data. In calls of an Algorithm, higher rewards are better.
type Batch struct {
	Counts []int     // N numbers of pulls made, in the order of arms
	Means  []float64 // N mean rewards, in reward units; ignored for arms with count 0
	// Squares holds, for each of N arms, Σ (reward - mean)² over its rewards in the round, in reward units². It is set if
	// Plan.WantSquares is; otherwise nil.
	Squares []float64
	// Ranges holds, for each of N arms, its smallest and its largest reward in the round, in reward units. It is set together
	// with Squares if the rewards of the problem have bounds; otherwise nil.
	Ranges [][2]float64
	// Within holds the data of the blocks, one element for each of Plan.Sides; nil without sides
	Within []Within
}

// BatchOf returns the batch of the single rewards of a round. rewards[i] has one reward for each planned pull of arm i, with the
// sign of the data. Squares and Ranges are set if the plan wants squares. Learn checks the counts.
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

// Reward is a result of an arm: one reward, or the mean of several.
type Reward struct {
	Arm   int     `json:"arm"`   // number in the problem, from 0
	Count int     `json:"count"` // pulls, at least 1
	Mean  float64 `json:"mean"`  // reward units
	// Σ (reward - mean)² of the pulls, reward units²; 0 for one pull
	Squares float64 `json:"squares,omitempty"`
	// smallest and largest reward of the pulls, reward units; nil if unknown
	Range *[2]float64 `json:"range,omitempty"`
}

// MergeRewards returns the batch of the rewards of n arms. It adds the rewards of an arm in the order of the list, so that
// the same list gives the same bits. Squares is set if squares is, and then Ranges if the rewards have bounds: a mean of
// several rewards without a range may have any rewards between them. Tests that bet on bounded rewards need ranges.
func MergeRewards(n int, all []Reward, squares bool, bounds *[2]float64) Batch {
	b := Batch{Counts: make([]int, n), Means: make([]float64, n)}
	whole := make([]float64, n) // the only mean of an arm, which the division below would round
	for _, r := range all {
		if whole[r.Arm] = math.NaN(); b.Counts[r.Arm] == 0 {
			whole[r.Arm] = r.Mean
		}
		b.Counts[r.Arm] += r.Count
		b.Means[r.Arm] += float64(r.Count) * r.Mean
	}
	for i, c := range b.Counts {
		if b.Means[i] /= float64(max(c, 1)); c > 0 && !math.IsNaN(whole[i]) {
			b.Means[i] = whole[i]
		}
	}
	if !squares {
		return b
	}
	if b.Squares = make([]float64, n); bounds != nil {
		b.Ranges = make([][2]float64, n)
	}
	merged := make([]bool, n)
	for _, r := range all {
		// the squares within a mean, and the deviation of the mean from the arm's mean
		off := r.Mean - b.Means[r.Arm]
		b.Squares[r.Arm] += r.Squares + float64(r.Count)*off*off
		if bounds == nil {
			continue
		}
		span := [2]float64{r.Mean, r.Mean}
		if r.Range != nil {
			span = *r.Range
		} else if r.Count > 1 {
			span = *bounds
		}
		if own := b.Ranges[r.Arm]; merged[r.Arm] {
			span = [2]float64{min(span[0], own[0]), max(span[1], own[1])}
		}
		b.Ranges[r.Arm], merged[r.Arm] = span, true
	}
	return b
}

// Clone returns a deep copy.
func (b Batch) Clone() Batch {
	return Batch{slices.Clone(b.Counts), slices.Clone(b.Means), slices.Clone(b.Squares), slices.Clone(b.Ranges), slices.Clone(b.Within)}
}

// Part returns the batch restricted to arms lo to hi-1.
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

// Turned changes the sign of the rewards if goal is problem.GoalMin. It converts between the sign of the data and the convention
// that higher is better, in both directions.
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

// CheckBatch returns an error if a batch does not match its plan in lengths, counts or blocks, or has numbers that are not
// finite.
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

// Side is a set of arms of one task that are compared within blocks: each of its blocks measures every arm once. A block belongs
// to one side.
type Side struct {
	Arms   []int `json:"arms"` // indices of arms, ascending
	Blocks int   `json:"blocks"`
}

// SidesOf groups blocks with the same arms into sides, and returns the index of the side of each block. If the noise distribution
// law needs the rewards of single blocks, every block is its own side. It sorts the arms of each block in place.
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

// Within holds the means and products of the rewards in the blocks of one side.
type Within struct {
	Means []float64 // Ȳ_i for each arm i of the side: its mean over these blocks, in reward units
	// n×n values for the n arms of the side, (i, j) at i·n + j: Σ_k (Y_ik - Ȳ_i)(Y_jk - Ȳ_j) over blocks k, in reward units²
	Products []float64
}

// turned changes the sign of the means if goal is problem.GoalMin; products do not change.
func (w Within) turned(goal string) Within {
	w.Means = slices.Clone(w.Means)
	for i, mean := range w.Means {
		w.Means[i] = problem.Turned(goal, mean)
	}
	return w
}

// CountsOf returns the number of pulls of each of n arms in the blocks of these sides.
func CountsOf(sides []Side, n int) []int {
	out := make([]int, n)
	for _, s := range sides {
		for _, i := range s.Arms {
			out[i] += s.Blocks
		}
	}
	return out
}

// MeansOf returns the mean of each of n arms over all its blocks, in reward units; 0 for an arm without blocks.
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

// A BlockAmender is an Algorithm that accepts a round with other blocks than planned, because pulls were lost or another build
// made the plan.
type BlockAmender interface {
	// AmendBlocks replaces the blocks of the last planned round. If it returns an error, nothing has changed.
	AmendBlocks([]Side) error
}

// AmendBlocks replaces the blocks of the open round by those that were measured. Amend does the same for counts.
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
