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

// meansOf holds what a posterior is formed of, normalised. Arms that are one to the kernel have one
// part by themselves, where arms have any, and so are one here.
type meansOf struct {
	m        *Model
	known    bool      // whether the level is stated
	level    float64   // the one stated
	arms     []int     // different arms
	of       []int     // N: positions in arms
	total    []float64 // by arm: t
	y        []float64 // by arm
	each     []float64 // N: t_i
	observed int       // arms with pulls
	// of rewards within blocks, see turn; nil of others. Numbers by arm are then along eigenvectors.
	within *Within
	turned *mat.Dense // the vectors, in columns
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

// features returns the features of an arm, or of an eigenvector.
func (d *meansOf) features(k int) []float64 {
	if d.within != nil {
		return d.rows.RawRowView(k)
	}
	return d.m.Features.RawRowView(d.arms[k])
}

// room is the error where there is no memory for a posterior.
func (d *meansOf) room() error {
	n, dim := d.m.Features.Dims()
	return memlimit.Matrices(d.m.Context(), "the posterior", 3, n, dim+1)
}

// fit returns the data around their level for a scale, fitted if it is 0, and for the part of
// arms by themselves where that is wanted, see withOwn.
func (d *meansOf) fit(scale float64, own bool) (*centred, error) {
	none, err := d.centred(0, scale)
	if err != nil || !own {
		return none, err
	}
	return withOwn(none, d.total, func(own float64) (*centred, error) { return d.centred(own, scale) })
}

// centred holds the data of a posterior around their level, with the eigenvalues of their
// information, or beyond mostDecomposed features with that as a tridiagonal matrix.
type centred struct {
	*meansOf
	levelled
	weighted *mat.VecDense // Σ t' (φ - φ̄)(ȳ_i - ȳ)
	reduced  *tridiagonal  // what a scale is fitted by, beyond mostDecomposed features
	known    *mat.Cholesky // of τI + M: nil before factored
	values   []float64     // d_k, the eigenvalues of the matrix; nil before decompose
	vectors  mat.Dense     // and their vectors, in columns
	along    []float64     // those times the weighted sum
}

// centred returns them for a part of arms by themselves and a scale, fitted if it is 0.
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

// around returns the data around their level without anything found of their information.
func (d *meansOf) around(own, scale float64) *centred {
	_, dim := d.m.Features.Dims()
	c := &centred{meansOf: d, levelled: newLevelled(!d.known, d.level, own, scale, d.total, d.y, dim, d.features)}
	rows, z := mat.NewDense(d.observed, dim, nil), mat.NewVecDense(d.observed, nil)
	k := 0
	for i, t := range c.with {
		if t == 0 {
			continue
		}
		root := math.Sqrt(t)
		for j, v := range d.features(i) {
			rows.Set(k, j, root*(v-c.origin[j]))
		}
		z.SetVec(k, root*(d.y[i]-c.centre))
		k++
	}
	c.squares = mat.Dot(z, z)
	c.matrix, c.weighted = mat.NewSymDense(dim, nil), new(mat.VecDense)
	c.matrix.SymOuterK(1, rows.T())
	c.weighted.MulVec(rows.T(), z)
	return c
}

// likelihood returns the likelihood of levelled.penalised.
func (c *centred) likelihood() float64 { return c.penalised(c.deviance(c.scale)) }

// factoredLikelihood returns the same of data that have an estimator, from the factor of their information.
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

// decompose computes the eigenvalues; what is rounding of 0 becomes 0.
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

// roundedEigenvalue is the size, relative to the largest, of eigenvalues that are rounding of 0.
const roundedEigenvalue = 1e-13

// surprise returns, of data that have an estimator, the sum of squares of the centred means over their
// prior predictive covariance,
// zᵀ(I + s XXᵀ)⁻¹z = zᵀz - Σ s c_k²/(1 + s d_k).
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

// deviance returns -2 times the log of the restricted likelihood of a scale [Patterson and Thompson
// 1971], the one in which a level without prior is integrated out, and of the penalty √s: up to a
// constant,
//
//	Σ log(1 + s d_k) - Σ s c_k²/(1 + s d_k) - log s.
//
// The penalty is from [Chung et al. 2013]: a gamma density of shape 2 and rate 0 of the standard
// deviation: without it the likelihood of few data is often largest at s = 0, where the posterior
// is sure that all arms are equal.
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

// largest returns the largest eigenvalue, or a bound on it.
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

// formed returns what is known of all arms. Rows of White are (φ_i - φ̄)ᵀ V (τ + D)^-½, or
// (φ_i - φ̄)ᵀL⁻ᵀ by factored, and 1/√T where the level is unknown. Where arms have a part by themselves, White is a factor of the
// covariance with it,
//
//	(1 - a_i)(1 - a_j) w_i·w_j + [i = j] (1 - a_i) g,  a_i = g t_i',
//
// or where that need not be factored rows are (1 - a_i) w_i, and the estimator has the rest beside them.
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

// factored computes the factor LLᵀ = τI + M, and reports whether it is more than rounding. Rows times L⁻ᵀ have
// the same products as those times V (τ + D)^-½ at a fraction of the cost.
func (c *centred) factored() bool {
	var known mat.Cholesky
	if !known.Factorize(ridged(c.matrix, 1/c.scale)) || !(known.Cond() < mostCondition) {
		return false
	}
	c.known = &known
	return true
}

// mostCondition is the condition of the information beyond which its small eigenvalues count, where
// rounding makes them 0.
const mostCondition = 1e10

// ownParts are the posterior variances of the parts of arms by themselves that White does not have.
type ownParts struct {
	of       []int     // N: arms that are one to the kernel have one part
	variance []float64 // by part: (1 - a) g
}

func (c *centred) parts() *ownParts {
	return &ownParts{of: c.of, variance: lists.Map(c.with, func(t float64) float64 { return (1 - c.own*t) * c.own })}
}

// differenceVariance returns the part of the variance of the difference of two arms.
func (p *ownParts) differenceVariance(i, j int) float64 {
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
	var chol mat.Cholesky
	if !chol.Factorize(symmetric.Add(covariance, func(k int) float64 { return (1 - c.own*c.with[k]) * c.own })) {
		return nil, errors.New("the posterior covariance is not positive definite")
	}
	var lower mat.TriDense
	chol.LTo(&lower)
	return mat.DenseCopyOf(&lower), nil
}
