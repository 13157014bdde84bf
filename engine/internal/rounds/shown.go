package rounds

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gonb-cope/gonb-cope/engine"
)

// fewestOutcomes is the number of unbounded rewards that must all be 0 or 1 to count as two-valued.
const fewestOutcomes = 8

// show adds a round's rewards and reports whether the precisions of the next round use their observed variance: for bounded rewards, and
// for those that were all 0 or 1 so far. Means without squares have no information on it.
func (n *Scales) show(b engine.Batch) (shown bool, err error) {
	if n.seen == nil {
		return false, nil
	}
	bounded := n.each == nil
	if !bounded && b.Squares == nil && slices.ContainsFunc(b.Counts, func(c int) bool { return c > 1 }) {
		n.seen = nil
		return false, nil
	}
	lo, hi := n.Model.Problem.TwoRewards()
	n.seen.add([2]float64{lo, hi}, b.Counts, b.Means, b.Squares)
	two, width := n.seen.twoValued(bounded), (hi-lo)/n.Model.Unit
	if !bounded && !two {
		n.seen = nil
	}
	if !bounded && (!two || floats.Sum(n.seen.count) < fewestOutcomes) {
		return false, nil
	}
	return true, n.weigh(func(i int) float64 { return width * width * n.seen.variance(i, two) })
}

// fewOutcomes is the number of rewards of either value that an arm needs for the normal approximation.
const fewOutcomes = 5

// Doubts returns warnings if the variation of rewards differs from the stated one, or if outcomes of two values are few.
func (n *Scales) Doubts() (out []engine.Warning) {
	if n.Found != nil {
		out = append(out, *n.Found)
	}
	if n.seen == nil || !n.outcomes && (n.each != nil || !n.seen.twoValued(true)) {
		return out
	}
	few, pulled := 0., 0.
	for i, count := range n.seen.count {
		if count > 0 {
			pulled++
			if mean := n.seen.mean[i]; count*min(mean, 1-mean) < fewOutcomes {
				few++
			}
		}
	}
	if few > 0 {
		out = append(out, engine.Warning{Kind: engine.WarnFewOutcomes, Numbers: []float64{few, pulled, fewOutcomes}})
	}
	return out
}

// shown has rewards of arms, scaled to the range between two values.
type shown struct{ count, mean, squares []float64 }

// add adds a round; missing squares get their largest possible value.
func (s *shown) add(bounds [2]float64, counts []int, means, squares []float64) {
	width := bounds[1] - bounds[0]
	for i, c := range counts {
		if c == 0 {
			continue
		}
		k, mean := float64(c), (means[i]-bounds[0])/width
		within := 0.0
		if squares != nil {
			within = squares[i] / (width * width)
		} else if c > 1 {
			within = max(0, k*mean*(1-mean))
		}
		off := mean - s.mean[i]
		s.squares[i] += within + off*off*k*s.count[i]/(k+s.count[i])
		s.count[i] += k
		s.mean[i] += off * k / s.count[i]
	}
}

// added is the number of rewards added to an arm's own, half at either bound: with z² of them the normal interval of a proportion has its
// nominal coverage [AC98].
//
// [AC98]: A. Agresti, B. A. Coull, Approximate is better than "exact" for interval estimation of binomial proportions, The American
// Statistician 52 (1998) 119.
const added = 4.0

// variance returns the variance of a reward of arm i over the squared range: for two-valued rewards from their proportion including the
// added rewards, else from all rewards including these.
func (s *shown) variance(i int, twoValued bool) float64 {
	n, mean := s.count[i], s.mean[i]
	if twoValued {
		share := (n*mean + added/2) / (n + added)
		return share * (1 - share)
	}
	return (s.squares[i] + added/4) / (n + added)
}

// twoValued reports whether all rewards are at the bounds, up to rounding relative to the range of stated bounds or else to the rewards,
// since small rewards of any unit are near 0. Rewards beyond the bounds, from a user's function, are not.
func (s *shown) twoValued(bounded bool) bool {
	off, rounding := 0.0, 0.0
	for i, n := range s.count {
		counted := n * s.mean[i] * (1 - s.mean[i])
		off += math.Abs(counted - s.squares[i])
		if bounded {
			rounding += 1e-9 * n
		} else {
			rounding += 1e-9*math.Abs(counted) + 1e-14*n
		}
	}
	return off <= rounding
}

// take adds the data of arms of another problem; at has their indices, -1 for dropped arms.
func (s *shown) take(from *shown, at []int) {
	for k, i := range at {
		if i >= 0 {
			s.count[i], s.mean[i], s.squares[i] = from.count[k], from.mean[k], from.squares[k]
		}
	}
}
