package design

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// spanTolerance is the part of the largest squared norm below which what is
// left of a feature counts as rounding: 1e-10 of the norm. Doubles carry the
// input to 1e-16, so a true direction is lost only below what it can express.
const spanTolerance = 1e-20

// spanRows counts the rows that are projected between two looks at the context.
const spanRows = 1024

// within reports whether every contrast lies in the span, given what the projection on it left of
// each feature.
func (p *problem) within(rest blas64.General, x *mat.Dense) bool {
	largest := 0.0
	for i := range rest.Rows {
		largest = max(largest, dot(x.RawRowView(i), x.RawRowView(i)))
	}
	outside := func(i, j int) bool { return distance(rest, i, j) > 100*spanTolerance*largest }
	for _, g := range p.groups {
		for _, j := range g[1:] { // differences from one arm span those of the group
			if outside(g[0], j) {
				return false
			}
		}
	}
	for _, q := range p.pairs {
		if outside(q.I, q.J) {
			return false
		}
	}
	return true
}

// distance returns ‖g_i - g_j‖² for two rows of g.
func distance(g blas64.General, i, j int) float64 {
	d := 0.0
	b := row(g, j)
	for k, v := range row(g, i) {
		v -= b[k]
		d += v * v
	}
	return d
}

// span chooses, by Gram-Schmidt with the largest remaining row first (the row norms weighted by
// importance; nil means equally), an orthonormal basis of the rows of x with positive importance.
// It returns the coordinates of all rows (N × r), what is left of them outside the basis (N × m),
// and the rows chosen. The basis is orthogonal to the accuracy that the input has in its last
// directions; φ_i is the combination of it given by its coordinates to full accuracy, since each is
// taken from what the earlier ones left. Largest first makes the coordinates graded, which Cholesky
// factors of A survive with small relative errors.
func span(stop stopper, x *mat.Dense, importance []float64) (phi, rest blas64.General, pivots []int) {
	n, m := x.Dims()
	stop.claim(n, n*m, n*m)
	rest = reshape(rest, n, m)
	size := make([]float64, n)
	measure := func(i int) float64 {
		r := row(rest, i)
		if importance != nil {
			return importance[i] * dot(r, r)
		}
		return dot(r, r)
	}
	for i := range n {
		copy(row(rest, i), x.RawRowView(i))
		size[i] = measure(i)
	}
	limit := 0.0
	phi = reshape(phi, n, m)
	q := make([]float64, m)
	for k := range m {
		top := 0
		for i := range size {
			if size[i] > size[top] {
				top = i
			}
		}
		if k == 0 {
			limit = spanTolerance * size[top]
		}
		if size[top] <= limit {
			break
		}
		pivots = append(pivots, top)
		copy(q, row(rest, top))
		scale(1/math.Sqrt(dot(q, q)), q)
		for i := range n {
			if i%spanRows == 0 {
				stop.check()
			}
			c := dot(row(rest, i), q)
			phi.Data[i*m+k] = c
			axpy(-c, q, row(rest, i))
			size[i] = measure(i)
		}
	}
	phi.Cols = len(pivots)
	return phi, rest, pivots
}
