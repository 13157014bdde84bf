package model

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// meansOf has the data of a posterior, normalised. Arms with equal features share one independent effect, if there are any, and are one
// arm here.
type meansOf struct {
	m        *Model
	known    bool      // whether the prior mean is stated
	level    float64   // stated prior mean
	arms     []int     // arms with different features
	of       []int     // N: positions in arms
	total    []float64 // by arm: t
	y        []float64 // by arm
	each     []float64 // N: t_i
	observed int       // number of arms with pulls
	// for rewards within blocks, see turn; nil otherwise. Numbers per arm are then along eigenvectors
	within *Within
	turned *mat.Dense // the eigenvectors, in columns
	rows   *mat.Dense // features along them
}

func newMeans(m *Model, level engine.Level, merged bool, counts []int, means []float64) *meansOf {
	n := m.Problem.N()
	d := &meansOf{m: m, known: level.Known, level: level.Value / m.Unit, of: make([]int, n), each: make([]float64, n)}
	for i, first := range m.Layout.First {
		if first == i || !merged {
			d.of[i] = len(d.arms)
			d.arms = append(d.arms, i)
		} else {
			d.of[i] = d.of[first]
		}
	}
	d.total, d.y = make([]float64, len(d.arms)), make([]float64, len(d.arms))
	for i, c := range counts {
		if c > 0 {
			k := d.of[i]
			d.each[i] = float64(c) * m.Precision[i]
			d.total[k] += d.each[i]
			d.y[k] += d.each[i] / d.total[k] * (means[i]/m.Unit - d.y[k])
		}
	}
	d.observed = lists.Count(d.total, func(t float64) bool { return t > 0 })
	return d
}

// features returns the features of an arm or along an eigenvector.
func (d *meansOf) features(k int) []float64 {
	if d.within != nil {
		return d.rows.RawRowView(k)
	}
	return d.m.Features.RawRowView(d.arms[k])
}

// room returns an error if there is no memory for a posterior.
func (d *meansOf) room() error {
	n, dim := d.m.Features.Dims()
	return memlimit.Matrices(d.m.Context(), "the posterior", 3, n, dim+1)
}

// fit centres the data for a scale, fitted if 0, and for independent effects if requested, see withOwn.
func (d *meansOf) fit(scale float64, own bool) (*centred, error) {
	none, err := d.centred(0, scale)
	if err != nil || !own {
		return none, err
	}
	return withOwn(none, d.total, func(own float64) (*centred, error) { return d.centred(own, scale) })
}

// centred has the centred data of a posterior with the eigenvalues of their information; beyond mostDecomposed features with the
// information in tridiagonal form.
type centred struct {
	*meansOf
	levelled
	weighted *mat.VecDense // Σ t' (φ - φ̄)(ȳ_i - ȳ)
	reduced  *tridiagonal  // for fitting the scale beyond mostDecomposed features
	known    *mat.Cholesky // of τI + M; nil before factored
	values   []float64     // d_k, the eigenvalues of the matrix; nil before decompose
	vectors  mat.Dense     // eigenvectors, in columns
	along    []float64     // coordinates of weighted along the eigenvectors
}

// centred returns the centred data for independent effects of variance own and a scale, fitted if 0.
func (d *meansOf) centred(own, scale float64) (*centred, error) {
	c := d.around(own, scale)
	if err := d.m.Context().Err(); err != nil {
		return nil, err
	}
	if len(c.origin) > mostDecomposed {
		t := newTridiagonal(c.matrix, slices.Clone(c.weighted.RawVector().Data), nil)
		c.reduced = &t
	} else if err := c.decompose(); err != nil {
		return nil, err
	}
	if scale == 0 {
		var err error
		c.scale, err = (&scaling{natural: natural(d.m)}).least(c.largest(), c.squares, c.deviance)
		return c, err
	}
	return c, nil
}

// around returns the centred data without any decomposition.
func (d *meansOf) around(own, scale float64) *centred {
	_, dim := d.m.Features.Dims()
	levelled, along := newLevelled(!d.known, d.level, own, scale, d.total, d.y, dim, d.features)
	return &centred{meansOf: d, levelled: levelled, weighted: mat.NewVecDense(dim, along)}
}

// likelihood returns the likelihood of levelled.penalised.
func (c *centred) likelihood() float64 { return c.penalised(c.deviance(c.scale)) }

// factoredLikelihood returns the likelihood from the factor of the information, for data that have an estimator.
func (c *centred) factoredLikelihood() float64 {
	if c.known == nil {
		return c.likelihood()
	}
	return c.penalised(c.known.LogDet() + float64(len(c.origin)-1)*math.Log(c.scale) + c.surprise() - c.squares)
}

// addTo adds a·x to sum.
func addTo(sum []float64, a float64, x []float64) {
	for j, v := range x {
		sum[j] += a * v
	}
}

// decompose computes the eigenvalues and sets rounding errors to 0.
func (c *centred) decompose() error {
	if err := c.m.Context().Err(); err != nil {
		return err
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(c.matrix, true) {
		return errors.New("its eigenvalues were not found")
	}
	c.values = eigen.Values(nil)
	eigen.VectorsTo(&c.vectors)
	var along mat.VecDense
	along.MulVec(c.vectors.T(), c.weighted)
	c.along = along.RawVector().Data
	largest := c.values[len(c.values)-1]
	for k, d := range c.values {
		if !(d > roundedEigenvalue*largest) {
			c.values[k], c.along[k] = 0, 0
		}
	}
	return nil
}

// roundedEigenvalue is the relative size below which an eigenvalue counts as a rounding error.
const roundedEigenvalue = 1e-13

// surprise returns, for data that have an estimator, the squared norm of the centred means in their prior predictive covariance,
//
//	zᵀ(I + s XXᵀ)⁻¹z = zᵀz - Σ s c_k²/(1 + s d_k).
func (c *centred) surprise() float64 {
	if c.known != nil {
		var solved mat.VecDense
		if err := c.known.SolveVecTo(&solved, c.weighted); err == nil {
			return max(c.squares-mat.Dot(c.weighted, &solved), 0)
		}
	}
	sum := c.squares
	for k, d := range c.values {
		sum -= c.scale * c.along[k] * c.along[k] / (1 + c.scale*d)
	}
	return max(sum, 0)
}

// deviance returns -2 times the log of the restricted likelihood of a scale [Patterson and Thompson 1971], with a flat-prior mean
// integrated out, times the penalty √s: up to a constant,
//
//	Σ log(1 + s d_k) - Σ s c_k²/(1 + s d_k) - log s.
//
// The penalty is from [Chung et al. 2013]: a gamma density of shape 2 and rate 0 for the standard deviation. Without it the likelihood of
// few data is often largest at s = 0, a posterior that is certain that all arms are equal.
func (c *centred) deviance(scale float64) float64 {
	if c.reduced != nil {
		return c.reduced.deviance(scale)
	}
	sum := -math.Log(scale)
	for k, d := range c.values {
		sum += math.Log1p(scale*d) - scale*c.along[k]*c.along[k]/(1+scale*d)
	}
	return sum
}

// largest returns the largest eigenvalue, or an upper bound on it.
func (c *centred) largest() float64 {
	if c.reduced != nil {
		return c.reduced.largest()
	}
	return c.values[len(c.values)-1]
}

func (c *centred) posterior(scale float64) (*Posterior, float64, error) {
	of := *c
	of.scale, of.known = scale, nil
	p, err := of.formed(false)
	return p, of.factoredLikelihood(), err
}

// formed returns the posterior of all arms. Rows of White are (φ_i - φ̄)ᵀ V (τ + D)^-½, or (φ_i - φ̄)ᵀL⁻ᵀ by factored, and 1/√T if the
// prior mean is unknown. With independent effects, White is a factor of the covariance including them,
//
//	(1 - a_i)(1 - a_j) w_i·w_j + [i = j] (1 - a_i) g,  a_i = g t_i',
//
// or, if that is not needed as a factor, rows are (1 - a_i) w_i and the estimator has the effects separately.
func (c *centred) formed(factored bool) (_ *Posterior, err error) {
	defer try.Caught(&err)
	n, dim := len(c.arms), len(c.origin)
	columns := dim
	if c.flat {
		columns++
	}
	rows := mat.NewDense(n, dim, nil)
	for k := range c.arms {
		row := rows.RawRowView(k)
		copy(row, c.features(k))
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
			try.To(c.decompose())
		}
		vectors := mat.DenseCopyOf(&c.vectors)
		for k, d := range c.values {
			f := 1 / math.Sqrt(1/c.scale+d)
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
	p := c.fitted.posterior(c.m, c.each, c.observed, c.flat, c.surprise())
	if c.own > 0 {
		for k := range c.arms {
			floats.Scale(1-c.own*c.with[k], white.RawRowView(k))
		}
		if !factored && c.within == nil {
			p.parts = c.parts()
		} else {
			white = try.Of(c.withOwn(white))
		}
	}
	if c.within != nil {
		p.White, p.within = c.back(white), c.within
		return p, nil
	}
	if p.White = white; n < len(c.of) {
		_, columns = white.Dims()
		p.White = mat.NewDense(len(c.of), columns, nil)
		for i, k := range c.of {
			p.White.SetRow(i, white.RawRowView(k))
		}
	}
	return p, nil
}

// factored computes the factor LLᵀ = τI + M, and reports whether it is accurate. Rows times L⁻ᵀ have the same products as those times V
// (τ + D)^-½ at a fraction of the cost.
func (c *centred) factored() bool {
	var known mat.Cholesky
	if !known.Factorize(ridged(c.matrix, 1/c.scale)) || !(known.Cond() < mostCondition) {
		return false
	}
	c.known = &known
	return true
}

// mostCondition is the condition number beyond which small eigenvalues matter that rounding would make 0.
const mostCondition = 1e10

// ownParts has the posterior variances of independent effects that White does not include.
type ownParts struct {
	of       []int     // N: arms with equal features share an effect
	variance []float64 // per effect: (1 - a) g
}

func (c *centred) parts() *ownParts {
	return &ownParts{of: c.of, variance: lists.Map(c.with, func(t float64) float64 { return (1 - c.own*t) * c.own })}
}

// differenceVariance returns the effects' contribution to the variance of a difference.
func (p *ownParts) differenceVariance(i, j int) float64 {
	if p == nil || p.of[i] == p.of[j] {
		return 0
	}
	return p.variance[p.of[i]] + p.variance[p.of[j]]
}

// between returns the effects' contribution to the covariance of two arms.
func (p *ownParts) between(i, j int) float64 {
	if p == nil || p.of[i] != p.of[j] {
		return 0
	}
	return p.variance[p.of[i]]
}

// withOwn returns a factor of the covariance including the independent effects.
func (c *centred) withOwn(white *mat.Dense) (*mat.Dense, error) {
	n := len(c.arms)
	covariance := mat.NewSymDense(n, nil)
	covariance.SymOuterK(1, white)
	var chol mat.Cholesky
	if !chol.Factorize(symmetric.Add(covariance, func(k int) float64 { return (1 - c.own*c.with[k]) * c.own })) {
		return nil, errors.New("the posterior covariance is not positive definite")
	}
	var lower mat.TriDense
	chol.LTo(&lower)
	return mat.DenseCopyOf(&lower), nil
}
