package rounds

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gonb-cope/gonb-cope/engine"
)

// fewestOutcomes is how many rewards, which nobody bounded, must all be 0 or 1 to be taken for counts.
const fewestOutcomes = 8

// show takes in a round's rewards and reports whether they scatter by what they show, which precisions of the next round then
// use: rewards between bounds, and those that were all 0 or 1 so far. Means of several rewards whose squares nobody
// gave tell nothing of that.
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

// fewOutcomes is how many rewards of either value an arm needs for the normal law to represent the law of counts.
const fewOutcomes = 5

// Doubts returns warnings where the scatter of rewards is not what was stated, and where rewards of two values are few.
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

// shown are rewards of arms, over the range from the lower to the higher of two.
type shown struct{ count, mean, squares []float64 }

// add takes in a round; squares of rewards that nobody gave are the largest that there can be.
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

// added are the rewards that are added to an arm's own, half of them at either bound: z² of them make the normal
// interval of a share of successes hold what it says [AC98].
//
// [AC98]: A. Agresti, B. A. Coull, Approximate is better than "exact" for interval estimation of binomial proportions, The
// American Statistician 52 (1998) 119.
const added = 4.0

// variance returns the variance of a reward of arm i over the square of the range: of counts of the two bounds by their
// law at the share with the rewards that are added, else of rewards with those added.
func (s *shown) variance(i int, twoValued bool) float64 {
	n, mean := s.count[i], s.mean[i]
	if twoValued {
		share := (n*mean + added/2) / (n + added)
		return share * (1 - share)
	}
	return (s.squares[i] + added/4) / (n + added)
}

// twoValued reports whether all rewards lie on the bounds, to rounding: of the range where bounds are stated, else of
// the rewards, since small ones of any unit are near 0. Rewards beyond the bounds, which a function of the user may draw, do not.
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

// take adds what arms of another problem showed; at holds their places, -1 for those that are left out.
func (s *shown) take(from *shown, at []int) {
	for k, i := range at {
		if i >= 0 {
			s.count[i], s.mean[i], s.squares[i] = from.count[k], from.mean[k], from.squares[k]
		}
	}
}
