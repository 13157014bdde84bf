package design

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// problem is a Space with its Contrasts, checked, in coordinates of the span of
// the arms that can be measured. There A is positive definite for every λ > 0,
// also at ξ = 0, and no value changes: all contrasts lie in that span.
type problem struct {
	phi    blas64.General // φ_i in an orthonormal basis of the span: N × r
	root   []float64      // 1/σ_i, or nil when all are 1
	ridge  float64        // ξ
	groups [][]int        // groups of at least two arms
	pairs  []Pair
	pivots []int // r arms that span everything
	stop   stopper
}

// newProblem checks and reduces. Only arms with importance > 0 span, nil means
// all; a contrast outside their span is ErrUnestimable if the ridge is zero, and
// else its arms span, too: ξI measures every direction.
func newProblem(stop stopper, s Space, c Contrasts, importance []float64) (*problem, error) {
	if err := checkSpace(s); err != nil {
		return nil, err
	}
	n, _ := s.Features.Dims()
	p := &problem{ridge: s.Ridge, stop: stop}
	p.root = roots(s.Precision)
	if err := p.setContrasts(c, n); err != nil {
		return nil, err
	}
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

// roots returns 1/σ_i of precisions, nil for nil.
func roots(precision []float64) []float64 {
	if precision == nil {
		return nil
	}
	out := make([]float64, len(precision))
	for i, v := range precision {
		out[i] = math.Sqrt(v)
	}
	return out
}

// checkSpace panics on shapes that do not fit and returns an error that names
// the arm for numbers that no allocation can be computed from.
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
		if s.Precision != nil {
			if v := s.Precision[i]; !(v >= 0) || math.IsInf(v, 1) {
				return fmt.Errorf("design: arm %d: the precision must be finite and not negative, but is %v", i, v)
			}
		}
	}
	return nil
}

// setContrasts keeps the groups that contrast something and the explicit pairs.
// It panics on an arm that does not exist.
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

// information sets a (r × r) to the Cholesky factor of A = ξI + Σ λ_i φ_i φ_iᵀ/σ_i² over the rows
// of phi, using scaled as workspace, and reports success.
func information(stop stopper, phi blas64.General, root, lambda []float64, ridge float64, scaled, a blas64.General) bool {
	for i, l := range lambda {
		f := math.Sqrt(l)
		if root != nil {
			f *= root[i]
		}
		to := row(scaled, i)
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

// restrict copies the features and 1/σ of some arms, reusing the storage given.
func (p *problem) restrict(arms []int, phi blas64.General, root []float64) (blas64.General, []float64) {
	phi = reshape(phi, len(arms), p.phi.Cols)
	for a, i := range arms {
		copy(row(phi, a), row(p.phi, i))
	}
	if p.root != nil {
		root = resize(root, len(arms))
		for a, i := range arms {
			root[a] = p.root[i]
		}
	}
	return phi, root
}

// scatter spreads the weights of some arms over a vector with one entry per arm.
func scatter(arms []int, lambda, to []float64) {
	clear(to)
	for a, i := range arms {
		to[i] = lambda[a]
	}
}

// whiten sets v = x L^{-T}, so that rows have the inner product of A⁻¹. A few
// rows advance together: within a row each entry waits for the ones before it.
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

// contrasted returns 1 for the arms of positive importance and those of contrasts, 0 for the
// others.
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

// contrasts returns the number of pairs, listed or within groups.
func (p *problem) contrasts() int {
	count := len(p.pairs)
	for _, g := range p.groups {
		count += len(g) * (len(g) - 1) / 2
	}
	return count
}
