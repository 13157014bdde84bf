package model

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
)

// unrelatedMeans has the data of a posterior of arms that the kernel does not relate, normalised. The covariance of the means is diagonal:
// an arm of variance v_i whose mean has the precision t_i has, with q_i = 1/(s v_i + 1/t_i) and Q = Σ q_i [RW06, eq. 2.45],
//
//	-2 log p = Σ q_i (ȳ_i - β̂)² - Σ log q_i + log Q,  β̂ = Σ q_i ȳ_i/Q.
//
// An independent effect of each arm is the same as a larger scale.
type unrelatedMeans struct {
	scaling
	fitted
	m        *Model
	flat     bool      // whether the prior mean is unknown
	variance []float64 // N: v
	all      []float64 // N: t
	arms     []int     // with pulls
	total    []float64 // by pulled arm: t
	off      []float64 // by pulled arm: ȳ - centre
	most     float64   // largest v t
	noise    float64   // -Σ log t
}

func newUnrelatedMeans(m *Model, level engine.Level, counts []int, means []float64) *unrelatedMeans {
	d := &unrelatedMeans{
		scaling: scaling{natural: natural(m)}, m: m, flat: !level.Known, variance: m.Variances(), all: make([]float64, len(counts)),
	}
	d.centre = level.Value / m.Unit
	sum := 0.0
	for i, c := range counts {
		if c == 0 {
			continue
		}
		t := float64(c) * m.Precision[i]
		d.arms, d.total, d.all[i] = append(d.arms, i), append(d.total, t), t
		d.precision += t
		d.noise -= math.Log(t)
		d.most = max(d.most, t*d.variance[i])
		sum += t * means[i] / m.Unit
	}
	if d.flat {
		d.centre = sum / d.precision
	}
	for k, i := range d.arms {
		d.off = append(d.off, means[i]/m.Unit-d.centre)
		d.squares += d.total[k] * d.off[k] * d.off[k]
	}
	return d
}

// sums returns Σ log(1 + s v t), and with z = ȳ - centre the sums of q z², q and q z.
func (d *unrelatedMeans) sums(scale float64) (out solved) {
	product := 1.0
	for k, t := range d.total {
		pivot := 1 + scale*d.variance[d.arms[k]]*t
		q, z := t/pivot, d.off[k]
		out.quadratic += q * z * z
		out.square += q
		out.cross += q * z
		if product *= pivot; product > manyPivots {
			out.logDet += math.Log(product)
			product = 1
		}
	}
	out.logDet += math.Log(product)
	return out
}

// around returns the squares around the prior mean.
func (d *unrelatedMeans) around(at solved) float64 {
	if !d.flat {
		return at.quadratic
	}
	return max(0, at.quadratic-at.cross*at.cross/at.square)
}

// deviance returns -2 times the log of the penalised restricted likelihood at a scale, up to a constant.
func (d *unrelatedMeans) deviance(scale float64) float64 { return d.devianceOf(scale, d.sums(scale)) }

func (d *unrelatedMeans) devianceOf(scale float64, at solved) float64 {
	out := at.logDet + d.noise + d.around(at) - math.Log(scale)
	if d.flat {
		out += math.Log(at.square)
	}
	return out
}

func (d *unrelatedMeans) law() (log float64, scales, shares []float64) {
	return d.scaling.law(d.most, d.squares, d.deviance)
}

func (d *unrelatedMeans) posterior(scale float64) (*Posterior, float64, error) {
	at, n := d.sums(scale), len(d.all)
	c := &unrelated{total: d.all, own: make([]float64, n), weight: make([]float64, n)}
	for i, v := range d.variance {
		pivot := 1 + scale*v*d.all[i]
		c.own[i] = scale * v / pivot
		if d.flat {
			c.weight[i], c.level = 1/pivot, 1/at.square
		}
	}
	of := d.fitted
	of.scale = scale
	p := of.posterior(d.m, d.all, len(d.arms), d.flat, d.around(at))
	p.dual = c
	return p, d.devianceOf(scale, at), nil
}

// newUnrelatedPosterior returns the posterior at a scale or, for 0, at the one with the smallest deviance.
func newUnrelatedPosterior(m *Model, prior Prior, counts []int, means []float64) (p *Posterior, err error) {
	d := newUnrelatedMeans(m, prior.Level, counts, means)
	scale := prior.Scale * d.natural
	if scale == 0 {
		if scale, err = d.least(d.most, d.squares, d.deviance); err != nil {
			return nil, err
		}
	}
	p, _, err = d.posterior(scale)
	return p, err
}

// conditioned is a posterior on the pulled arms, instead of features of all arms. variances sets dst[k] to the variance of the difference
// between arms[k] and arm from; with from = -1 to the variance of arms[k].
type conditioned interface {
	floats() int
	estimates(centre float64, y []float64) []float64
	variance(i, j int) float64
	armVariance(i int) float64
	variances(dst []float64, arms []int, from int) error
	covariances(dst []float64, arms []int, with int)
	matrix(arms []int) *mat.SymDense
}

var _, _ conditioned = (*dual)(nil), (*unrelated)(nil)

// unrelated is a posterior of arms that the kernel does not relate, at a cost linear in their number. With u_i = s v_i/(1 + s v_i t_i) and
// w_i = 1/(1 + s v_i t_i), or 0 if the prior mean is stated,
//
//	E μ_i = β̂ + u_i t_i (ȳ_i - β̂),  Cov(μ_i, μ_j) = w_i w_j/Q + [i = j] u_i.
type unrelated struct {
	total  []float64 // N: t, 0 for arms without pulls
	own    []float64 // N: u
	weight []float64 // N: w
	level  float64   // 1/Q; 0 if the prior mean is stated
}

func (d *unrelated) floats() int { return 3 * len(d.own) }

func (d *unrelated) estimates(centre float64, y []float64) []float64 {
	off := 0.0
	for i, t := range d.total {
		if t > 0 {
			off += t * d.weight[i] * (y[i] - centre)
		}
	}
	centre += off * d.level
	out := make([]float64, len(y))
	for i, t := range d.total {
		if out[i] = centre; t > 0 {
			out[i] += d.own[i] * t * (y[i] - centre)
		}
	}
	return out
}

func (d *unrelated) covariance(i, j int) float64 {
	v := d.weight[i] * d.weight[j] * d.level
	if i == j {
		v += d.own[i]
	}
	return v
}

func (d *unrelated) armVariance(i int) float64 { return d.covariance(i, i) }

func (d *unrelated) variance(i, j int) float64 {
	if i == j {
		return 0
	}
	off := d.weight[i] - d.weight[j]
	return off*off*d.level + d.own[i] + d.own[j]
}

func (d *unrelated) variances(dst []float64, arms []int, from int) error {
	for k, i := range arms {
		if from < 0 {
			dst[k] = d.armVariance(i)
		} else {
			dst[k] = d.variance(i, from)
		}
	}
	return nil
}

func (d *unrelated) covariances(dst []float64, arms []int, with int) {
	for k, i := range arms {
		dst[k] = d.covariance(i, with)
	}
}

func (d *unrelated) matrix(arms []int) *mat.SymDense {
	return symmetric.Make(len(arms), func(k, l int) float64 { return d.covariance(arms[k], arms[l]) })
}
