package model

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
)

// pulledMeans holds what a posterior of many arms is formed of: the arms with pulls. All numbers are
// normalised.
type pulledMeans struct {
	ctx     context.Context
	basis   *basis
	natural float64 // the scale that leaves the kernel as it is
	known   bool    // whether the level is stated
	level   float64 // the one stated
	arms    []int
	total   []float64 // by arm of arms: t
	y       []float64 // by arm of arms
}

func newPulledMeans(m *Model, b *basis, level engine.Level, counts []int, means []float64) *pulledMeans {
	d := &pulledMeans{ctx: m.Context(), basis: b, natural: m.Scale / (m.Unit * m.Unit), known: level.Known, level: level.Value / m.Unit}
	for i, c := range counts {
		if c > 0 {
			d.arms = append(d.arms, i)
			d.total = append(d.total, float64(c)*m.Precision[i])
			d.y = append(d.y, means[i]/m.Unit)
		}
	}
	return d
}

// fit returns the data around their level for a scale, fitted where it is 0, and for the part of arms by
// themselves where that is wanted, see withOwn. But it is taken
// only where the data speak for it, at the level of other tests of the kernel: with the part, every arm
// that was not pulled is uncertain by itself, which of many arms costs a pull of each that may be best.
// Of the likelihood ratio, -2 log is half of a χ²_1 under no such part [Self and Liang 1987, case 5].
func (d *pulledMeans) fit(scale float64, own bool) (*onBasis, error) {
	none, err := d.around(0, scale)
	if err != nil || !own {
		return none, err
	}
	best, err := withOwn(none, d.total, len(d.arms), func(own float64) (*onBasis, error) { return d.around(own, scale) })
	if err != nil {
		return nil, err
	}
	if gain := none.likelihood() - best.likelihood(); !(distuv.ChiSquared{K: 1}.Survival(gain)/2 <= engine.LackLevel) {
		return none, nil
	}
	return best, nil
}

// onBasis holds the data around their level, with their information in the features of a basis as a
// tridiagonal matrix.
type onBasis struct {
	*pulledMeans
	levelled
	tridiagonal // with Qᵀ Σ t' (φ - φ̄)(ȳ_i - ȳ) along
}

// around returns them for a part of arms by themselves and a scale, fitted where it is 0.
func (d *pulledMeans) around(own, scale float64) (*onBasis, error) {
	if err := d.ctx.Err(); err != nil {
		return nil, err
	}
	b := d.basis
	features := func(k int) []float64 { return b.row(d.arms[k]) }
	c := &onBasis{pulledMeans: d, levelled: newLevelled(!d.known, d.level, own, scale, d.total, d.y, b.dim, features)}
	rows, z := mat.NewDense(len(d.arms), b.dim, nil), make([]float64, len(d.arms))
	for k, t := range c.with {
		root, row := math.Sqrt(t), rows.RawRowView(k)
		addTo(row, root, features(k))
		addTo(row, -root, c.origin)
		z[k] = root * (d.y[k] - c.centre)
		c.squares += z[k] * z[k]
	}
	c.matrix = mat.NewSymDense(b.dim, nil)
	c.matrix.SymOuterK(1, rows.T())
	along := make([]float64, b.dim)
	blas64.Gemv(blas.Trans, 1, rows.RawMatrix(), blas64.Vector{N: len(z), Inc: 1, Data: z}, 0, blas64.Vector{N: b.dim, Inc: 1, Data: along})
	c.tridiagonal = newTridiagonal(c.matrix, along)
	if scale > 0 {
		return c, nil
	}
	largest := c.largest()
	if largest == 0 { // no data bear on the scale
		c.scale = d.natural
		return c, nil
	}
	c.scale = leastDeviance(largest, c.squares, c.deviance)
	if !(c.scale > 0) || math.IsInf(c.scale, 0) {
		return nil, errors.New("no scale of the kernel fits")
	}
	return c, nil
}

// surprise returns the sum of squares of the centred means over their prior predictive covariance.
func (c *onBasis) surprise() float64 { return c.tridiagonal.surprise(c.squares, c.scale) }

// likelihood returns the likelihood of levelled.penalised.
func (c *onBasis) likelihood() float64 { return c.penalised(c.deviance(c.scale)) }
