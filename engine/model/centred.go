package model

import (
	"errors"
	"math"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// meansOf has the normalised data of a posterior. If arms with equal features share one independent effect, they are one
// arm here.
type meansOf struct {
	m        *Model
	known    bool      // whether the prior mean is stated
	level    float64   // stated prior mean
	arms     []int     // arms with different features
	of       []int     // N: the position of each original arm in arms
	total    []float64 // per arm of arms: t, the precision of its mean
	y        []float64 // per arm of arms: the mean of its rewards
	each     []float64 // N: t_i of each original arm
	observed int       // number of arms with pulls
	// set for rewards within blocks, see turn; nil otherwise. Values per arm are then along eigenvectors
	within *Within
	turned *mat.Dense // the eigenvectors, in columns
	rows   *mat.Dense // features along the eigenvectors
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

// features returns the features of arm k of d.arms or, for rewards within blocks, those along eigenvector k.
func (d *meansOf) features(k int) []float64 {
	if d.within != nil {
		return d.rows.RawRowView(k)
	}
	return d.m.Features.RawRowView(d.arms[k])
}

// room returns an error if the memory limit does not allow a posterior.
func (d *meansOf) room() error {
	n, dim := d.m.Features.Dims()
	return memlimit.Matrices(d.m.Context(), "the posterior", 3, n, dim+1)
}

// fit centres the data. A scale of 0 means that the scale is fitted. With own, it also fits independent effects, see
// withOwn.
func (d *meansOf) fit(scale float64, own bool) (*centred, error) {
	none, err := d.centred(0, scale)
	if err != nil || !own {
		return none, err
	}
	return withOwn(none, d.total, func(own float64) (*centred, error) { return d.centred(own, scale) })
}

// centred has the centred data of a posterior, with features of all arms.
type centred struct {
	*meansOf
	levelled
	eigen func() (*spectrum, error) // of the information matrix, computed once for all scales
}

// centred returns the data centred for independent effects of variance own. A scale of 0 means that the scale is fitted.
func (d *meansOf) centred(own, scale float64) (*centred, error) {
	if err := d.m.Context().Err(); err != nil {
		return nil, err
	}
	_, dim := d.m.Features.Dims()
	c := &centred{meansOf: d, levelled: newLevelled(!d.known, d.level, own, scale, d.total, d.y, dim, d.features)}
	c.eigen = sync.OnceValues(c.decompose)
	if scale == 0 {
		var err error
		c.scale, err = (&scaling{natural: natural(d.m)}).least(c.largest(), c.squares, c.deviance)
		return c, err
	}
	return c, nil
}

func (c *centred) law() (log float64, scales, shares []float64) {
	return c.levelled.law(&scaling{natural: natural(c.m)})
}

// addTo adds a·x to sum, in place.
func addTo(sum []float64, a float64, x []float64) {
	for j, v := range x {
		sum[j] += a * v
	}
}

// roundedEigenvalue is the size, relative to the largest eigenvalue, up to which an eigenvalue counts as a rounding error.
const roundedEigenvalue = 1e-13

func (c *centred) posterior(scale float64) (*Posterior, float64, error) {
	of := *c
	of.scale = scale
	p, err := of.formed(false)
	return p, of.likelihood(), err
}

// formed returns the posterior of all arms. White has the rows w_i of whiten, with the further entry 1/√T' if the prior
// mean is unknown. With independent effects and factored set, White is a factor of the covariance that includes the
// effects,
//
//	(1 - a_i)(1 - a_j) w_i·w_j + [i = j] (1 - a_i) g,  a_i = g t_i'
//
// If factored is false, White has the rows (1 - a_i) w_i, and the estimator stores the effects separately.
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
	first := white.Slice(0, n, 0, dim).(*mat.Dense)
	first.Copy(rows)
	try.To(c.whiten(first))
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

// whiten replaces each row x by xV(τ + D)^-½, where the information matrix is M = VDVᵀ. If there are many features and
// rounding is harmless, it uses xL⁻ᵀ with LLᵀ = τI + M, which is faster.
func (c *centred) whiten(rows *mat.Dense) error {
	var known mat.Cholesky
	if len(c.origin) > mostDecomposed && known.Factorize(ridged(c.matrix, 1/c.scale)) && known.Cond() < mostCondition {
		var lower mat.TriDense
		known.LTo(&lower)
		blas64.Trsm(blas.Right, blas.Trans, 1, lower.RawTriangular(), rows.RawMatrix())
		return nil
	}
	of, err := c.eigen()
	if err != nil {
		return err
	}
	turned, values := mat.DenseCopyOf(&of.vectors), of.values
	for k, d := range values {
		if !(d > roundedEigenvalue*values[len(values)-1]) {
			d = 0
		}
		f := 1 / math.Sqrt(1/c.scale+d)
		for j := range values {
			turned.Set(j, k, f*turned.At(j, k))
		}
	}
	rows.Mul(mat.DenseCopyOf(rows), turned)
	return nil
}

// spectrum has the eigenvalues and the eigenvectors (columns) of a symmetric matrix.
type spectrum struct {
	values  []float64
	vectors mat.Dense
}

func (c *centred) decompose() (*spectrum, error) {
	if err := c.m.Context().Err(); err != nil {
		return nil, err
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(c.matrix, true) {
		return nil, errors.New("the eigenvalues were not found")
	}
	out := &spectrum{values: eigen.Values(nil)}
	eigen.VectorsTo(&out.vectors)
	return out, nil
}

// mostCondition is the largest condition number at which whiten uses a Cholesky factor. Beyond it, small eigenvalues
// matter and rounding would make them 0.
const mostCondition = 1e10

// parts returns the posterior variances of the independent effects, as blocks. Arms with equal features are in one block.
func (c *centred) parts() *gp.Blocks {
	return &gp.Blocks{Block: c.of, At: make([]int, len(c.of)), Within: lists.Map(c.with, func(t float64) *mat.SymDense {
		return mat.NewSymDense(1, []float64{(1 - c.own*t) * c.own})
	})}
}

// withOwn returns a factor of the covariance that includes the independent effects; white is a factor of the covariance
// without them.
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
