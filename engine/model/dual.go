package model

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// dual is a posterior of many arms that uses a basis of the pulled arms, see throughBasis. With features φ and
// residuals r_ij = k(x̃_i, x̃_j) - φ_iᵀφ_j, the reward of arm i is β + φ_iᵀθ + u_i + v_i. The data determine the prior
// mean β and θ. The residuals u ~ N(0, s·r) are treated as 0 on the pulled arms, and v_i ~ N(0, g) is the arm's
// independent effect. With the symbols of Posterior and a_i = g t_i',
//
//	Cov(μ_i, μ_j) = (1 - a_i)(1 - a_j)((φ_i - φ̄)ᵀA⁻¹(φ_j - φ̄) + 1/T' + s r_ij) + [i = j](1 - a_i) g
//
// This is exact if the span of the basis contains every pulled arm. With m arms in the basis, the means of all arms
// take N m operations and their variances N m². It equals the textbook form k_ij - k_iS (K_SS + N)⁻¹ k_Sj, but avoids
// cancellation in small variances.
type dual struct {
	life      *life
	basis     *basis
	scale     float64 // s
	own       float64 // g
	flat      bool
	arms      []int             // pulled arms
	with      []float64         // N: t', 0 for arms without pulls
	precision float64           // T'
	origin    []float64         // m: φ̄, or 0
	lower     blas64.Triangular // L, LLᵀ = A
	looked    sync.Map          // by arm: A⁻¹(φ_i - φ̄), m numbers
}

// newDual computes the factor of A for the centred data. It returns an error if A is not positive definite.
func newDual(c *onBasis, scale float64) (*dual, error) {
	b := c.basis
	d := &dual{
		life: c.m.life, basis: b, scale: scale, own: c.own, flat: c.flat, arms: c.arms, with: indices.Spread(len(b.rest), c.with, c.arms),
		precision: c.precision, origin: c.origin,
	}
	var factor mat.Cholesky
	if !factor.Factorize(ridged(c.matrix, 1/scale)) {
		return nil, errors.New("the matrix is not positive definite")
	}
	var lower mat.TriDense
	factor.LTo(&lower)
	d.lower = lower.RawTriangular()
	return d, nil
}

// ridged returns a copy of the matrix with ridge added to its diagonal.
func ridged(matrix *mat.SymDense, ridge float64) *mat.SymDense {
	out := mat.NewSymDense(matrix.SymmetricDim(), nil)
	out.CopySym(matrix)
	return symmetric.Add(out, func(int) float64 { return ridge })
}

// retained returns 1 - a_i, the factor of arm i in its covariances with other arms, see dual.
func (d *dual) retained(i int) float64 { return 1 - d.own*d.with[i] }

// level returns the posterior variance of the prior mean: 1/T' if it is unknown, and 0 if it is stated.
func (d *dual) level() float64 {
	if d.flat {
		return 1 / d.precision
	}
	return 0
}

// solve replaces x by A⁻¹x.
func (d *dual) solve(x []float64) {
	v := blas64.Vector{N: len(x), Inc: 1, Data: x}
	blas64.Trsv(blas.NoTrans, d.lower, v)
	blas64.Trsv(blas.Trans, d.lower, v)
}

// estimates returns the posterior means of all arms, N values, normalised. centre is the prior mean, and y has the mean
// rewards of all arms, normalised.
func (d *dual) estimates(centre float64, y []float64) []float64 {
	b := d.basis
	theta := make([]float64, b.dim)
	for _, i := range d.arms {
		addTo(theta, d.with[i]*(y[i]-centre), b.row(i))
		addTo(theta, -d.with[i]*(y[i]-centre), d.origin)
	}
	d.solve(theta)
	level := centre - Dot(d.origin, theta)
	out := make([]float64, len(b.rest))
	// ignore the context here, since partial means are useless; later computations check it
	_ = cores.Do(context.WithoutCancel(d.life.Context()), len(out), basisRows, func(from, to int) {
		for i := from; i < to; i++ {
			out[i] = level + Dot(b.row(i), theta)
		}
	})
	for _, i := range d.arms {
		out[i] += d.own * d.with[i] * (y[i] - out[i])
	}
	return out
}

// whitened returns L⁻¹(φ_i - o); o is φ̄ or the features of another arm.
func (d *dual) whitened(i int, o []float64) []float64 {
	x := slices.Clone(d.basis.row(i))
	addTo(x, -1, o)
	blas64.Trsv(blas.NoTrans, d.lower, blas64.Vector{N: len(x), Inc: 1, Data: x})
	return x
}

// variance returns the posterior variance of the difference of arms i and j.
func (d *dual) variance(i, j int) float64 {
	if i == j {
		return 0
	}
	origin, other := d.against(j)
	return d.difference(i, j, d.whitened(i, origin), other, d.basis.outside(i, j))
}

// against returns the vectors for differences with arm j: the origin to subtract from the features of other arms, and
// L⁻¹(φ_j - φ̄). Without independent effects the origin is φ_j and the second result nil; with them the origin is φ̄.
func (d *dual) against(j int) (origin, other []float64) {
	if d.own == 0 {
		return d.basis.row(j), nil
	}
	return d.origin, d.whitened(j, d.origin)
}

// difference returns the posterior variance of the difference of arms i and j. w is L⁻¹(φ_i - o), o and other are the
// results of against(j), and product is the residual covariance of i and j.
func (d *dual) difference(i, j int, w, other []float64, product float64) (v float64) {
	ki, kj := d.retained(i), d.retained(j)
	if d.own > 0 {
		v = (ki-kj)*(ki-kj)*d.level() + (ki+kj)*d.own
		for k, x := range w {
			y := ki*x - kj*other[k]
			v += y * y
		}
	} else {
		v = Dot(w, w)
	}
	return v + d.scale*math.Max(0, ki*ki*d.basis.rest[i]+kj*kj*d.basis.rest[j]-2*ki*kj*product)
}

// of returns the posterior variance of arm i; w is L⁻¹(φ_i - φ̄).
func (d *dual) of(i int, w []float64) float64 {
	k := d.retained(i)
	return k*k*(Dot(w, w)+d.level()+d.scale*d.basis.rest[i]) + k*d.own
}

func (d *dual) armVariance(i int) float64 { return d.of(i, d.whitened(i, d.origin)) }

// solved returns A⁻¹(φ_i - φ̄). It is cached because each task requests covariances with the same arm. Callers must not
// modify the result.
func (d *dual) solved(i int) []float64 {
	if h, ok := d.looked.Load(i); ok {
		return h.([]float64)
	}
	h := d.whitened(i, d.origin)
	blas64.Trsv(blas.Trans, d.lower, blas64.Vector{N: len(h), Inc: 1, Data: h})
	d.looked.Store(i, h)
	return h
}

// covariances sets dst[k] to the posterior covariance of arms[k] and arm `with`.
func (d *dual) covariances(dst []float64, arms []int, with int) {
	b := d.basis
	h := d.solved(with)
	level := d.level() - Dot(d.origin, h)
	var row []float64
	first := 0
	if !b.inside[with] {
		h = slices.Clone(h)
		addTo(h, -d.scale, b.row(with))
		row, first = b.stretch(arms, with)
	}
	for k, i := range arms {
		v := level + Dot(h, b.row(i))
		if row != nil && !b.inside[i] {
			v += d.scale * row[i-first]
		} else if row != nil {
			v += d.scale * Dot(b.row(with), b.row(i)) // for an arm in the span, restore the product subtracted in h, from the same features
		}
		dst[k] = d.retained(i) * d.retained(with) * v
		if i == with {
			dst[k] += d.retained(i) * d.own
		}
	}
}

func (d *dual) matrix(arms []int) *mat.SymDense {
	b, n := d.basis, len(arms)
	white := mat.NewDense(n, b.dim, nil)
	for k, i := range arms {
		copy(white.RawRowView(k), b.row(i))
		addTo(white.RawRowView(k), -1, d.origin)
	}
	blas64.Trsm(blas.Right, blas.Trans, 1, d.lower, white.RawMatrix())
	out := mat.NewSymDense(n, nil)
	out.SymOuterK(1, white)
	level := d.level()
	for k, i := range arms {
		row := out.RawSymmetric().Data[k*n : (k+1)*n]
		for l := k; l < n; l++ {
			row[l] = d.retained(i) * d.retained(arms[l]) * (row[l] + level + d.scale*b.outside(i, arms[l]))
		}
		row[k] += d.retained(i) * d.own
	}
	return out
}

// stretch returns the kernel values of arm `with` and all arms from the smallest to the largest index in arms. `first` is that
// smallest index.
func (b *basis) stretch(arms []int, with int) (row []float64, first int) {
	first, last := arms[0], arms[0]
	for _, i := range arms {
		first, last = min(first, i), max(last, i)
	}
	row = make([]float64, last-first+1)
	kernels.Part(b.gram, row, with, first)
	return row, first
}

// variances sets dst[k] to the variance of the difference between arms[k] and arm `from`. With from = -1 it sets dst[k] to
// the variance of arms[k].
func (d *dual) variances(dst []float64, arms []int, from int) error {
	b := d.basis
	var row, other []float64
	first, origin := 0, d.origin
	if from >= 0 && len(arms) > 0 {
		origin, other = d.against(from)
		if !b.inside[from] {
			row, first = b.stretch(arms, from)
		}
	}
	return cores.Do(d.life.Context(), len(arms), basisRows, func(begin, end int) {
		part := blas64.General{Rows: end - begin, Cols: b.dim, Stride: b.dim, Data: make([]float64, (end-begin)*b.dim)}
		for k, i := range arms[begin:end] {
			to := part.Data[k*b.dim : (k+1)*b.dim]
			copy(to, b.row(i))
			addTo(to, -1, origin)
		}
		blas64.Trsm(blas.Right, blas.Trans, 1, d.lower, part)
		for k, i := range arms[begin:end] {
			w, product := part.Data[k*b.dim:(k+1)*b.dim], 0.0
			if row != nil && !b.inside[i] {
				product = row[i-first] - Dot(b.row(i), b.row(from))
			}
			switch {
			case from < 0:
				dst[begin+k] = d.of(i, w)
			case i == from:
				dst[begin+k] = 0
			default:
				dst[begin+k] = d.difference(i, from, w, other, product)
			}
		}
	})
}

// floats returns how many numbers are stored.
func (d *dual) floats() int { return len(d.basis.data) + 3*len(d.basis.rest) + d.lower.N*d.lower.N }

// conditioned is a posterior that uses only the pulled arms, without features of all arms. variances sets dst[k] to the
// variance of the difference between arms[k] and arm `from`. With from = -1 it sets dst[k] to the variance of arms[k].
type conditioned interface {
	floats() int
	estimates(centre float64, y []float64) []float64
	variance(i, j int) float64
	armVariance(i int) float64
	variances(dst []float64, arms []int, from int) error
	covariances(dst []float64, arms []int, with int)
	matrix(arms []int) *mat.SymDense
}
