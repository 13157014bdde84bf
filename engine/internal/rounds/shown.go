package rounds

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gonb-cope/gonb-cope/engine"
)

// fewestOutcomes is the number of unbounded rewards, all of them 0 or 1, after which rewards count as two-valued.
const fewestOutcomes = 8

// show adds a round's rewards. It reports whether the precisions of the next round use the observed variance. This is so
// for bounded rewards, and for rewards that were all 0 or 1 so far. Means of several rewards without squares end it,
// because they do not show the variance.
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

// fewOutcomes is the number of rewards of each value that an arm needs for the normal approximation.
const fewOutcomes = 5

// Doubts returns warnings if the variation of rewards contradicts the stated scales, or if arms have too few outcomes of
// one value.
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

// shown holds the number, mean and squared deviations of each arm's rewards, scaled so that the two bounds are 0 and 1.
type shown struct{ count, mean, squares []float64 }

// add adds a round. Missing squares get their largest possible value.
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

// added is the number of rewards that are added to an arm's own, half at each bound. With z² added rewards, the normal
// interval of a proportion has its nominal coverage [AC98].
//
// [AC98]: A. Agresti, B. A. Coull, Approximate is better than "exact" for interval estimation of binomial proportions,
// The American Statistician 52 (1998) 119.
const added = 4.0

// variance returns the variance of a reward of arm i, divided by the squared range. It includes the added rewards. For
// two-valued rewards it is p(1 - p) of their proportion p.
func (s *shown) variance(i int, twoValued bool) float64 {
	n, mean := s.count[i], s.mean[i]
	if twoValued {
		share := (n*mean + added/2) / (n + added)
		return share * (1 - share)
	}
	return (s.squares[i] + added/4) / (n + added)
}

// twoValued reports whether all rewards are at the bounds, up to rounding. The tolerance is relative to the range if
// bounds are stated. Otherwise it is relative to the rewards, because small rewards in any unit are near 0. Rewards beyond
// the bounds, from a user's function, are not at the bounds.
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

// take replaces the data of arms by those of another problem's arms. at has the new index of each of these arms, -1 for
// dropped ones.
func (s *shown) take(from *shown, at []int) {
	for k, i := range at {
		if i >= 0 {
			s.count[i], s.mean[i], s.squares[i] = from.count[k], from.mean[k], from.squares[k]
		}
	}
}
