package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Side is a set of arms of one task that are measured side by side in some blocks of a round, one pull of each in
// every block. A block is of one side.
type Side struct {
	Arms   []int `json:"arms"` // in rising order
	Blocks int   `json:"blocks"`
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

// An Arranger is an Algorithm whose rounds may consist of other blocks than it planned: pulls of some
// were lost, or the plan was recorded by another build.
type Arranger interface {
	// Arrange makes these the blocks of the round planned last. An error changes nothing.
	Arrange([]Side) error
}

// Arrange says that the open round was measured in these blocks, as Amend says it of counts.
func (s *Steps) Arrange(sides []Side) error {
	if s.plan.Counts == nil {
		return errors.New("no round is open: a round is arranged between its plan and its rewards")
	}
	if slices.EqualFunc(sides, s.plan.Sides, func(a, b Side) bool { return a.Blocks == b.Blocks && slices.Equal(a.Arms, b.Arms) }) {
		return nil
	}
	a, able := s.alg.(Arranger)
	if !able {
		return fmt.Errorf("round %d: arranging: %w", s.plan.Round, ErrFixedPlans)
	}
	if err := a.Arrange(sides); err != nil {
		return fmt.Errorf("round %d: arranging: %w", s.plan.Round, err)
	}
	s.plan.Sides, s.plan.Counts, s.amended = sides, CountsOf(sides, len(s.plan.Counts)), true
	s.plan.Digest = s.chain.digest(s.plan)
	return nil
}
