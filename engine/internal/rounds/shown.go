package rounds

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/gonb-cope/gonb-cope/engine"
)

// learnBounded sets the precisions of the next round by what bounded rewards show.
func (n *Scales) learnBounded(b engine.Batch) (err error) {
	bounds := *n.Model.Problem.Noise.Bounds
	n.seen.add(bounds, b.Counts, b.Means, b.Squares)
	two, width := n.seen.twoValued(), (bounds[1]-bounds[0])/n.Model.Unit
	precision := make([]float64, len(n.Model.Precision))
	for i, old := range n.Model.Precision {
		if old > 0 {
			precision[i] = 1 / (width * width * n.seen.variance(i, two))
		}
	}
	n.Model, err = n.Model.Reweighted(precision)
	return err
}

// shown are the bounded rewards of arms, over their range.
type shown struct{ count, mean, squares []float64 }

func newShown(n int) *shown {
	return &shown{make([]float64, n), make([]float64, n), make([]float64, n)}
}

// add takes in a round; squares of rewards that nobody gave are the largest that there can be.
func (s *shown) add(bounds [2]float64, counts []int, means, squares []float64) {
	width := bounds[1] - bounds[0]
	for i, c := range counts {
		if c == 0 {
			continue
		}
		k, mean := float64(c), (means[i]-bounds[0])/width
		within := max(0, k*mean*(1-mean))
		if squares != nil {
			within = squares[i] / (width * width)
		}
		off := mean - s.mean[i]
		s.squares[i] += within + off*off*k*s.count[i]/(k+s.count[i])
		s.count[i] += k
		s.mean[i] += off * k / s.count[i]
	}
}

// added are the rewards that are added to those of an arm, half of them at either bound: z² of them make the normal
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

// twoValued reports whether all rewards lie on the bounds, to rounding. Rewards beyond the bounds, which a function of
// the user may draw, do not.
func (s *shown) twoValued() bool {
	off := 0.0
	for i, n := range s.count {
		off += n*s.mean[i]*(1-s.mean[i]) - s.squares[i]
	}
	return math.Abs(off) <= 1e-9*floats.Sum(s.count)
}
