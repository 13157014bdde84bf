package model

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// pulledMeans has the data of a posterior of many arms, normalised.
type pulledMeans struct {
	scaling
	m       *Model
	known   bool    // whether the prior mean is stated
	level   float64 // stated prior mean
	arms    []int
	total   []float64 // per arm of arms: t
	y       []float64 // per arm of arms
	related *related
	parts   []*pulledPart // per group of related arms, see throughBasis
}

// pulledPart has the pulled arms of one group of arms that the kernel relates to no others, by their positions in the group.
type pulledPart struct {
	life     *life
	basis    *basis
	arms     []int
	total, y []float64
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

// divide makes the groups, without bases.
func (d *pulledMeans) divide() (err error) {
	if d.related, err = relatedArms(d.m); err != nil {
		return err
	}
	d.parts = lists.Make(len(d.related.arms), func(int) *pulledPart { return &pulledPart{life: d.m.life} })
	for k, i := range d.arms {
		p := d.parts[d.related.of[i]]
		p.arms, p.total, p.y = append(p.arms, d.related.at[i]), append(p.total, d.total[k]), append(p.y, d.y[k])
	}
	return nil
}

// spread returns the mean square of the means around their level, at least the mean variance of a mean.
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

// fit centres the data for a scale, fitted if 0, and for independent effects of arms if requested, see withOwn. It adds independent
// effects only if the data support them at the level of other tests of the kernel: with them, every unpulled arm is uncertain by itself
// and, among many arms, each that may be best needs a pull. Without such effects, -2 log of the likelihood ratio is half of a χ²_1 [Self
// and Liang 1987, case 5].
func (d *pulledMeans) fit(scale float64, own bool) (*onBases, error) {
	return fitTested(d.total, own, func(own float64) (*onBases, error) { return d.around(own, scale) })
}

// fitTested is fit for any form of the centred data.
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

// onBases has the centred data by group. Groups share an unknown prior mean, see pooled.
type onBases struct {
	*pulledMeans
	fitted
	on []*onBasis
}

// onBasis has the centred data of a group, with their information in the features of a basis as a tridiagonal matrix.
type onBasis struct {
	*pulledPart
	levelled
	tridiagonal // with Qᵀ Σ t' (φ - φ̄)(ȳ_i - ȳ) along
}

// around returns the centred data for independent effects of variance own and a scale, fitted if 0.
func (d *pulledMeans) around(own, scale float64) (*onBases, error) {
	if err := d.m.Context().Err(); err != nil {
		return nil, err
	}
	c := &onBases{pulledMeans: d, fitted: fitted{own: own, scale: scale}}
	for _, p := range d.parts {
		part := p.around(!d.known && len(p.arms) > 0, len(d.parts) > 1, d.level, own, scale)
		c.on, c.precision, c.squares = append(c.on, part), c.precision+part.precision, c.squares+part.squares
		c.centre += part.precision * part.centre
	}
	if c.centre /= c.precision; len(c.on) == 1 {
		c.centre = c.on[0].centre
	}
	if scale > 0 {
		return c, nil
	}
	var err error
	c.scale, err = d.least(c.largest(), c.squares, c.deviance)
	return c, err
}

// around centres the data of the group at their level or the stated one; several is whether there are other groups.
func (d *pulledPart) around(flat, several bool, level, own, scale float64) *onBasis {
	b := d.basis
	levelled, along := newLevelled(flat, level, own, scale, d.total, d.y, b.dim, func(k int) []float64 { return b.row(d.arms[k]) })
	c := &onBasis{pulledPart: d, levelled: levelled}
	var middle []float64
	if flat && several {
		middle = slices.Clone(c.origin)
	}
	c.tridiagonal = newTridiagonal(c.matrix, along, middle)
	return c
}

// largest returns an upper bound on the largest eigenvalue of the information.
func (c *onBases) largest() float64 {
	return lists.Max(c.on, func(part *onBasis) float64 { return part.largest() })
}

// pooled returns the group's precision (0 without pulls) and estimate of an unknown common prior mean,
//
//	1/a_p = 1/T' + s φ̄ᵀ(I + sT)⁻¹φ̄,  β̂_p = ȳ - s φ̄ᵀ(I + sT)⁻¹c.
func (c *onBasis) pooled(scale float64, at solved) (a, level float64) {
	if c.middle == nil {
		return 0, 0
	}
	return 1 / (1/c.precision + scale*at.square), c.centre - scale*at.cross
}

// pooled has the precision a = Σ a_p of the prior mean at a scale, 0 for a single group, and its estimate β̂ = Σ a_p β̂_p/a. A common
// mean, instead of one per group, adds Σ a_p (β̂_p - β̂)² to the squares and log a - Σ log a_p to log det.
type pooled struct{ precision, level, logDet, squares float64 }

// pooled combines the groups. The squares are Σ t' (y - ȳ)² - s Σ cᵀ(I + sT)⁻¹c + Σ a_p (β̂_p - β̂)².
func (c *onBases) pooled(scale float64) pooled {
	out, spread := pooled{level: c.centre, squares: c.squares}, 0.0
	for _, part := range c.on {
		at := part.solved(scale)
		out.logDet += at.logDet
		out.squares -= scale * at.quadratic
		a, level := part.pooled(scale, at)
		if a == 0 {
			continue
		}
		// update the mean and the squares around it by one group at a time
		sum := out.precision + a
		if out.precision == 0 {
			out.level = level
		}
		off := level - out.level
		spread += off * off * out.precision * a / sum
		out.level += off * a / sum
		out.precision = sum
		out.logDet -= math.Log(a)
	}
	if out.squares += spread; out.precision > 0 {
		out.logDet += math.Log(out.precision)
	}
	return out
}

// deviance implements the formula of centred.deviance.
func (c *onBases) deviance(scale float64) float64 {
	at := c.pooled(scale)
	return at.logDet + at.squares - c.squares - math.Log(scale)
}

func (c *onBases) posterior(scale float64) (*Posterior, float64, error) {
	of := *c
	of.scale = scale
	p := of.fitted.posterior(c.m, indices.Spread(c.m.Problem.N(), c.total, c.arms), len(c.arms), !c.known, of.surprise())
	parts, err := lists.Try(len(c.on), func(k int) (*dual, error) { return newDual(c.on[k], scale) })
	if err != nil {
		return nil, 0, fmt.Errorf("the information matrix: %w", err)
	}
	if p.dual = parts[0]; len(parts) > 1 {
		p.dual, p.level = newDuals(&of, parts)
	}
	return p, of.likelihood(), nil
}

// surprise returns the sum of squares of the centred means in the metric of their prior predictive covariance.
func (c *onBases) surprise() float64 { return max(0, c.pooled(c.scale).squares) }

// penalised returns the sum of levelled.penalised of all parts.
func (c *onBases) penalised(deviance float64) float64 {
	for _, part := range c.on {
		deviance = part.penalised(deviance)
	}
	return deviance
}

// likelihood returns the likelihood of levelled.penalised.
func (c *onBases) likelihood() float64 { return c.penalised(c.deviance(c.scale)) }
