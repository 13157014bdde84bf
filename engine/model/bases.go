package model

import (
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
)

// pulledMeans has the normalised data of a posterior for many arms, and a basis of the pulled arms, see throughBasis.
type pulledMeans struct {
	scaling
	m     *Model
	known bool    // whether the prior mean is stated
	level float64 // stated prior mean
	arms  []int
	total []float64 // for each pulled arm: t, the precision of its mean
	y     []float64 // for each pulled arm: the mean of its rewards
	basis *basis
}

func newPulledMeans(m *Model, level engine.Level, counts []int, means []float64) *pulledMeans {
	d := &pulledMeans{scaling: scaling{natural: natural(m)}, m: m, known: level.Known, level: level.Value / m.Unit}
	for i, c := range counts {
		if c > 0 {
			d.arms = append(d.arms, i)
			d.total = append(d.total, float64(c)*m.Precision[i])
			d.y = append(d.y, means[i]/m.Unit)
		}
	}
	return d
}

// spread returns the mean squared deviation of the arms' means from their level. It is at least the average variance of
// these means.
func (d *pulledMeans) spread() float64 {
	level := d.level
	if !d.known {
		level = stat.Mean(d.y, nil)
	}
	squares, noise := 0.0, 0.0
	for k, t := range d.total {
		squares += (d.y[k] - level) * (d.y[k] - level)
		noise += 1 / t
	}
	return max(squares, noise) / float64(len(d.arms))
}

// fit centres the data and returns them with their information. A scale of 0 means that the scale is fitted. With own, it
// also fits independent effects of arms, see withOwn, and keeps them only if a likelihood-ratio test at engine.LackLevel
// rejects their absence. Without this test, every unpulled arm has its own uncertainty, so among many arms each one that
// may be best needs a pull. If there are no such effects, -2 log of the likelihood ratio is distributed as half of a χ²_1
// [Self and Liang 1987, case 5].
func (d *pulledMeans) fit(scale float64, own bool) (*onBasis, error) {
	return fitTested(d.total, own, func(own float64) (*onBasis, error) { return d.around(own, scale) })
}

// fitTested implements fit for any form of the centred data; `around` returns the data for independent effects of variance
// own.
func fitTested[T interface{ likelihood() float64 }](total []float64, own bool, around func(own float64) (T, error)) (T, error) {
	none, err := around(0)
	if err != nil || !own {
		return none, err
	}
	best, err := withOwn(none, total, around)
	if err != nil {
		return none, err
	}
	if gain := none.likelihood() - best.likelihood(); !(distuv.ChiSquared{K: 1}.Survival(gain)/2 <= engine.LackLevel) {
		return none, nil
	}
	return best, nil
}

// onBasis has the centred data, and their information on the features of the basis.
type onBasis struct {
	*pulledMeans
	levelled
}

// around returns the data centred for independent effects of variance own. A scale of 0 means that the scale is fitted.
func (d *pulledMeans) around(own, scale float64) (_ *onBasis, err error) {
	if err := d.m.Context().Err(); err != nil {
		return nil, err
	}
	features := func(k int) []float64 { return d.basis.row(d.arms[k]) }
	c := &onBasis{d, newLevelled(!d.known, d.level, own, scale, d.total, d.y, d.basis.dim, features)}
	if scale == 0 {
		c.scale, err = d.least(c.largest(), c.squares, c.deviance)
	}
	return c, err
}

func (c *onBasis) law() (log float64, scales, shares []float64) { return c.levelled.law(&c.scaling) }

func (c *onBasis) posterior(scale float64) (*Posterior, float64, error) {
	of := *c
	of.scale = scale
	p := of.fitted.posterior(c.m, indices.Spread(c.m.Problem.N(), c.total, c.arms), len(c.arms), !c.known, of.surprise())
	var err error
	if p.dual, err = newDual(&of, scale); err != nil {
		return nil, 0, err
	}
	return p, of.likelihood(), nil
}
