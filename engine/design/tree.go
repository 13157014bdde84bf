package design

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// ball is a node of the tree: arms from ≤ k < to of a group's order.
type ball struct {
	from, to int
	centre   []float64
	radius   float64 // largest distance of an arm from the centre
	reach    float64 // largest distance of an arm from the mean of the group
	halves   []*ball // nil for a leaf
}

// farthestApart returns an upper bound on the squared distance of an arm of b from an arm of c.
func (b *ball) farthestApart(c *ball) float64 {
	d := min(math.Sqrt(squaredDistance(b.centre, c.centre))+b.radius+c.radius, b.reach+c.reach)
	return d * d
}

// ordered has the arms of a group in the order of their balls. Their features are minus the mean of the group: differences
// do not change, and smaller norms have smaller rounding errors.
type ordered struct {
	arms []ranked       // arm with its key for the present halving
	rows blas64.General // features
	norm []float64      // ‖row‖²
	root *ball
}

// newOrdered returns the arms of g, with the rows of v as features.
func newOrdered(g []int, v blas64.General) *ordered {
	n := len(g)
	o := &ordered{arms: make([]ranked, n), rows: reshape(blas64.General{}, n, v.Cols), norm: make([]float64, n)}
	mean := make([]float64, v.Cols)
	for _, i := range g {
		axpy(1/float64(n), row(v, i), mean)
	}
	for k, i := range g {
		o.arms[k] = ranked{i, squaredDistance(row(v, i), mean)}
	}
	o.root = o.split(v, mean, 0, n, 0)
	return o
}

const (
	// leafSize is the largest number of arms in a leaf.
	leafSize = 16
	// shells is the number of halvings by the distance from the mean. Arms without close neighbours have wide balls; then
	// only these halvings exclude pairs.
	shells = 3
)

// split returns the tree of the arms from ≤ k < to and sorts them. The first halvings are by the distance from the mean,
// the others along the line from one arm to the arm that is farthest from it.
func (o *ordered) split(v blas64.General, mean []float64, from, to, depth int) *ball {
	b := &ball{from: from, to: to, centre: make([]float64, v.Cols)}
	arms := o.arms[from:to]
	if depth >= shells {
		line := slices.Clone(row(v, farthestFrom(v, arms)))
		axpy(-1, row(v, arms[0].arm), line)
		for k := range arms {
			arms[k].key = dot(row(v, arms[k].arm), line)
		}
	}
	slices.SortFunc(arms, byRank)
	if len(arms) > leafSize {
		middle := (from + to) / 2
		b.halves = []*ball{o.split(v, mean, from, middle, depth+1), o.split(v, mean, middle, to, depth+1)}
	} else {
		for k, a := range arms {
			r := row(o.rows, from+k)
			copy(r, row(v, a.arm))
			axpy(-1, mean, r)
			o.norm[from+k] = dot(r, r)
		}
	}
	for k := from; k < to; k++ {
		axpy(1/float64(to-from), row(o.rows, k), b.centre)
		b.reach = max(b.reach, math.Sqrt(o.norm[k]))
	}
	for k := from; k < to; k++ {
		b.radius = max(b.radius, math.Sqrt(squaredDistance(row(o.rows, k), b.centre)))
	}
	return b
}

// farthestFrom returns the arm that is farthest from the first one.
func farthestFrom(v blas64.General, arms []ranked) (at int) {
	most := -1.0
	for _, a := range arms {
		if d := distance(v, arms[0].arm, a.arm); d > most {
			at, most = a.arm, d
		}
	}
	return at
}
