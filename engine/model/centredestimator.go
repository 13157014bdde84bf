package model

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// estimator returns the estimator of all arms: rows of White are (φ_i - φ̄)ᵀ V (τ + D)^-½, or
// (φ_i - φ̄)ᵀL⁻ᵀ by factored, and 1/√T where the level is unknown. Where arms have a part by themselves, White is a factor of the
// covariance with it,
//
//	(1 - a_i)(1 - a_j) w_i·w_j + [i = j] (1 - a_i) g,  a_i = g t_i',
//
// or where that need not be factored rows are (1 - a_i) w_i, and the estimator has the rest beside them.
func (c *centred) estimator(factored bool) (*Estimator, error) {
	n, dim := len(c.arms), len(c.origin)
	shrink := 1 / c.scale
	e := &Estimator{Total: c.each, precision: c.precision, unit: c.m.Unit, shrink: shrink, root: math.Sqrt(c.m.Scale), level: c.centre}
	columns := dim
	if c.flat {
		columns++
	}
	rows := mat.NewDense(n, dim, nil)
	for k, i := range c.arms {
		row := rows.RawRowView(k)
		copy(row, c.m.Features.RawRowView(i))
		addTo(row, -1, c.origin)
	}
	white := mat.NewDense(n, columns, nil)
	if first := white.Slice(0, n, 0, dim).(*mat.Dense); c.values == nil && c.factored() {
		var lower mat.TriDense
		c.known.LTo(&lower)
		first.Copy(rows)
		blas64.Trsm(blas.Right, blas.Trans, 1, lower.RawTriangular(), first.RawMatrix())
	} else {
		if c.values == nil {
			if err := c.decompose(); err != nil {
				return nil, err
			}
		}
		vectors := mat.DenseCopyOf(&c.vectors)
		for k, d := range c.values {
			f := 1 / math.Sqrt(shrink+d)
			for j := range dim {
				vectors.Set(j, k, f*vectors.At(j, k))
			}
		}
		first.Mul(rows, vectors)
	}
	if c.flat {
		last := 1 / math.Sqrt(c.precision)
		for k := range n {
			white.Set(k, dim, last)
		}
	}
	if c.own > 0 {
		c.keep(white)
		if !factored {
			e.parts = c.parts()
		} else {
			var err error
			if white, err = c.withOwn(white); err != nil {
				return nil, err
			}
		}
	}
	if e.White = white; n < len(c.of) {
		_, columns = white.Dims()
		e.White = mat.NewDense(len(c.of), columns, nil)
		for i, k := range c.of {
			e.White.SetRow(i, white.RawRowView(k))
		}
	}
	return e, nil
}

// factored computes the factor LLᵀ = τI + M, and reports whether it is more than rounding. Rows times L⁻ᵀ have
// the same products as those times V (τ + D)^-½ at a fraction of the cost.
func (c *centred) factored() bool {
	information := mat.NewSymDense(len(c.origin), nil)
	information.CopySym(c.matrix)
	for j := range c.origin {
		information.SetSym(j, j, information.At(j, j)+1/c.scale)
	}
	var known mat.Cholesky
	if !known.Factorize(information) || !(known.Cond() < mostCondition) {
		return false
	}
	c.known = &known
	return true
}

// mostCondition is the condition of the information beyond which its small eigenvalues count, of which
// rounding makes 0.
const mostCondition = 1e10

// keep multiplies rows by 1 - a_i.
func (c *centred) keep(white *mat.Dense) {
	for k := range c.arms {
		row := white.RawRowView(k)
		for j := range row {
			row[j] *= 1 - c.own*c.with[k]
		}
	}
}

// ownParts are the posterior variances of the parts of arms by themselves that White does not have.
type ownParts struct {
	of       []int     // N: arms that are one to the kernel have one part
	variance []float64 // by part: (1 - a) g
}

func (c *centred) parts() *ownParts {
	p := &ownParts{of: c.of, variance: make([]float64, len(c.arms))}
	for k := range p.variance {
		p.variance[k] = (1 - c.own*c.with[k]) * c.own
	}
	return p
}

// apart returns the part of the variance of the difference of two arms.
func (p *ownParts) apart(i, j int) float64 {
	if p == nil || p.of[i] == p.of[j] {
		return 0
	}
	return p.variance[p.of[i]] + p.variance[p.of[j]]
}

// between returns the part of the covariance of two arms.
func (p *ownParts) between(i, j int) float64 {
	if p == nil || p.of[i] != p.of[j] {
		return 0
	}
	return p.variance[p.of[i]]
}

// withOwn returns a factor of the covariance with the parts of arms by themselves.
func (c *centred) withOwn(white *mat.Dense) (*mat.Dense, error) {
	n := len(c.arms)
	covariance := mat.NewSymDense(n, nil)
	covariance.SymOuterK(1, white)
	for k := range n {
		covariance.SetSym(k, k, covariance.At(k, k)+(1-c.own*c.with[k])*c.own)
	}
	var chol mat.Cholesky
	if !chol.Factorize(covariance) {
		return nil, errors.New("the posterior covariance is not positive definite")
	}
	var lower mat.TriDense
	chol.LTo(&lower)
	return mat.DenseCopyOf(&lower), nil
}
