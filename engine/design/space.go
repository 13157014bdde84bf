package design

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// problem is a checked Space with its Contrasts. Its features are coordinates of the span of the arms that can be
// measured. In these, A is positive definite for every λ > 0, also at ξ = 0. Values do not change, since all contrasts lie
// in that span.
type problem struct {
	phi    blas64.General // φ_i in an orthonormal basis of the span: N × r
	root   []float64      // 1/σ_i
	ridge  float64        // ξ
	groups [][]int        // groups of at least two arms
	pairs  []Pair
	pivots []int // r arms that span all arms
	stop   stopper
}

// newProblem checks the input and computes coordinates. Only arms with importance > 0 define the span; nil means all arms.
// If a contrast is outside the span, it returns ErrUnestimable for a zero ridge. With a ridge it adds the arms of
// contrasts to the span, since ξI measures every direction.
func newProblem(stop stopper, s Space, c Contrasts, importance []float64) (_ *problem, err error) {
	defer try.Caught(&err)
	try.To(checkSpace(s))
	n, _ := s.Features.Dims()
	p := &problem{ridge: s.Ridge, root: s.roots(), stop: stop}
	try.To(p.setContrasts(c, n))
	if s.Ridge == 0 && importance == nil {
		importance = s.Precision
	}
	if s.Ridge > 0 && importance != nil {
		importance = p.contrasted(importance)
	}
	var rest blas64.General
	p.phi, rest, p.pivots = span(stop, s.Features, importance)
	if importance != nil && !p.within(rest, s.Features) {
		return nil, ErrUnestimable
	}
	return p, nil
}

// precision returns 1/σ_i².
func (s Space) precision(i int) float64 { return precisionOf(s.Precision, i) }

// roots returns 1/σ_i of all N arms.
func (s Space) roots() []float64 {
	n, _ := s.Features.Dims()
	return roots(s.Precision, n)
}

// precisionOf returns precision[i], or 1 if precision is nil.
func precisionOf(precision []float64, i int) float64 {
	if precision == nil {
		return 1
	}
	return precision[i]
}

func roots(precision []float64, n int) []float64 {
	return lists.Make(n, func(i int) float64 { return math.Sqrt(precisionOf(precision, i)) })
}

// checkSpace panics on wrong shapes. It returns an error, with the arm, for numbers from which no allocation can be
// computed.
func checkSpace(s Space) error {
	if s.Features == nil || s.Features.IsEmpty() {
		panic("design: no features")
	}
	n, _ := s.Features.Dims()
	if s.Precision != nil && len(s.Precision) != n {
		panic("design: one precision per arm is needed")
	}
	if !(s.Ridge >= 0) || math.IsInf(s.Ridge, 1) {
		return fmt.Errorf("design: the ridge must be a finite number that is not negative, but is %v", s.Ridge)
	}
	for i := range n {
		for j, v := range s.Features.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("design: arm %d: feature %d must be finite, but is %v", i, j, v)
			}
			if math.Abs(v) > 1e150 {
				return fmt.Errorf("design: arm %d: feature %d must be at most 1e150 for its square to be finite, but is %v", i, j, v)
			}
		}
		if v := s.precision(i); !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("design: arm %d: the precision must be finite and not negative, but is %v", i, v)
		}
	}
	return nil
}

// setContrasts stores the groups with at least two arms and the listed pairs. It panics for an unknown arm, and returns an
// error for a weight that is not positive and finite.
func (p *problem) setContrasts(c Contrasts, n int) error {
	for _, g := range c.Groups {
		for _, i := range g {
			if i < 0 || i >= n {
				panic("design: a group names an arm that does not exist")
			}
		}
		if len(g) > 1 {
			p.groups = append(p.groups, g)
		}
	}
	for _, q := range c.Pairs {
		if q.I < 0 || q.I >= n || q.J < 0 || q.J >= n {
			panic("design: a pair names an arm that does not exist")
		}
		if !(q.Weight > 0) || math.IsInf(q.Weight, 1) {
			return fmt.Errorf("design: arms %d and %d: the weight of a contrast must be positive and finite, but is %v", q.I, q.J, q.Weight)
		}
	}
	p.pairs = c.Pairs
	return nil
}

// information sets a (r × r) to the Cholesky factor of A = ξI + Σ λ_i φ_i φ_iᵀ/σ_i², where φ_i are the rows of phi and
// root has 1/σ_i. scaled is workspace of the size of phi. It reports whether A is positive definite.
func information(stop stopper, phi blas64.General, root, lambda []float64, ridge float64, scaled, a blas64.General) bool {
	for i, l := range lambda {
		f, to := math.Sqrt(l)*root[i], row(scaled, i)
		for k, v := range row(phi, i) {
			to[k] = f * v
		}
	}
	addOuter(stop, scaled, a)
	for i := range a.Rows {
		a.Data[i*a.Stride+i] += ridge
	}
	return cholesky(stop, a)
}

// restrict copies the features and 1/σ of the given arms. It uses the storage of phi and root if that is large enough.
func (p *problem) restrict(arms []int, phi blas64.General, root []float64) (blas64.General, []float64) {
	phi, root = reshape(phi, len(arms), p.phi.Cols), resize(root, len(arms))
	for a, i := range arms {
		copy(row(phi, a), row(p.phi, i))
		root[a] = p.root[i]
	}
	return phi, root
}

// scatter sets to[arms[k]] = lambda[k], and the other entries of to to 0.
func scatter(arms []int, lambda, to []float64) {
	clear(to)
	for a, i := range arms {
		to[i] = lambda[a]
	}
}

// whiten sets v = x L⁻ᵀ, so that inner products of rows are those of A⁻¹. It computes several rows together, because each
// entry of a row needs the earlier entries of that row.
func whiten(stop stopper, x, l, v blas64.General) {
	const together = 16
	for i0 := 0; i0 < x.Rows; i0 += together {
		stop.check()
		i1 := min(i0+together, x.Rows)
		for k := range x.Cols {
			lk := row(l, k)[:k]
			f := 1 / l.Data[k*l.Stride+k]
			for i := i0; i < i1; i++ {
				vi := v.Data[i*v.Stride : i*v.Stride+k+1]
				vi[k] = (x.Data[i*x.Stride+k] - dot(lk, vi)) * f
			}
		}
	}
}

// contrasted returns 1 for arms with positive importance and for arms of contrasts, and 0 for others.
func (p *problem) contrasted(importance []float64) []float64 {
	out := make([]float64, len(importance))
	for i, v := range importance {
		if v > 0 {
			out[i] = 1
		}
	}
	for _, g := range p.groups {
		for _, i := range g {
			out[i] = 1
		}
	}
	for _, q := range p.pairs {
		out[q.I], out[q.J] = 1, 1
	}
	return out
}

// spanTolerance is the squared norm of a residual feature, relative to the largest, up to which it counts as a rounding
// error. That is 1e-10 of the norm. The input is accurate to 1e-16, so only directions below its resolution are lost.
const spanTolerance = 1e-20

// spanRows is the number of rows that span projects between two checks of the context.
const spanRows = 1024

// within reports whether every contrast lies in the span. rest has the residual of each feature, and x the features.
func (p *problem) within(rest blas64.General, x *mat.Dense) bool {
	largest := 0.0
	for i := range rest.Rows {
		largest = max(largest, dot(x.RawRowView(i), x.RawRowView(i)))
	}
	outside := func(i, j int) bool { return distance(rest, i, j) > 100*spanTolerance*largest }
	for _, g := range p.groups {
		for _, j := range g[1:] { // differences from one arm span all differences of the group
			if outside(g[0], j) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(p.pairs, func(q Pair) bool { return outside(q.I, q.J) })
}

// distance returns ‖g_i - g_j‖² for two rows of g.
func distance(g blas64.General, i, j int) float64 { return squaredDistance(row(g, i), row(g, j)) }

// squaredDistance returns ‖a - b‖².
func squaredDistance(a, b []float64) float64 {
	d := 0.0
	for k, v := range a {
		v -= b[k]
		d += v * v
	}
	return d
}

// span computes an orthonormal basis of the rows of x with positive importance. It uses Gram-Schmidt, and takes the row
// with the largest residual first, weighted by importance (nil: equally). It returns the coordinates of all rows (N × r),
// their residuals outside the basis (N × m), and the indices of the basis rows. The last basis vectors are orthogonal only
// up to the accuracy of the input. The coordinates reproduce φ_i to full accuracy, because each is computed from the
// residual of the earlier ones. Since the largest row is first, coordinates are graded, and Cholesky factors of A have
// small relative errors.
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
		top := floats.MaxIdx(size)
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

// MaxVariance returns the objective of Minimax at given weights λ ≥ 0, which need not sum to one,
//
//	max_p ‖y_p‖²_{A(ξ,λ)⁻¹},
//
// and a contrast that attains it. Without contrasts the value is 0. At ξ = 0 only arms with positive weight measure
// anything: for a contrast outside their span it returns +Inf and ErrUnestimable. For a negative or infinite weight it
// returns an error with the arm, and for a wrong number of weights it panics. If the context ends, it returns the
// context's error.
func MaxVariance(ctx context.Context, s Space, c Contrasts, weights []float64) (value float64, at Pair, err error) {
	defer try.Caught(&err)
	return maxVariance(stopper{ctx}, s, c, weights)
}

func maxVariance(stop stopper, s Space, c Contrasts, weights []float64) (value float64, at Pair, err error) {
	p, err := weighted(stop, s, c, weights)
	if err != nil {
		return math.Inf(1), Pair{}, err
	}
	return p.variance(weights)
}

// variance returns the result of MaxVariance for weights whose arms span p.
func (p *problem) variance(weights []float64) (value float64, at Pair, err error) {
	n, r := p.phi.Rows, p.phi.Cols
	if r == 0 {
		return 0, Pair{}, nil
	}
	v := reshape(blas64.General{}, n, r)
	l := reshape(blas64.General{}, r, r)
	if !information(p.stop, p.phi, p.root, weights, p.ridge, v, l) {
		return math.Inf(1), Pair{}, ErrUnestimable
	}
	whiten(p.stop, p.phi, l, v)
	value, at = newScan(n).run(p, v, 0, 0)
	return max(value, 0), at, nil
}

// weighted checks the weights and returns the problem in coordinates of the arms with positive weight and precision.
func weighted(stop stopper, s Space, c Contrasts, weights []float64) (*problem, error) {
	if err := checkWeights(s, weights); err != nil {
		return nil, err
	}
	importance := lists.Make(len(weights), func(i int) float64 { return weights[i] * s.precision(i) })
	return newProblem(stop, s, c, importance)
}

func checkWeights(s Space, weights []float64) error {
	if n, _ := s.Features.Dims(); len(weights) != n {
		panic("design: one weight per arm is needed")
	}
	for i, w := range weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return fmt.Errorf("design: arm %d: the weight must be finite and not negative, but is %v", i, w)
		}
	}
	return nil
}
