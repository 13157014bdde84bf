package model

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// conditioned is a posterior that goes by the arms that were pulled, in place of features of all arms.
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

// unrelated is a posterior of arms between which the kernel is 0: nothing relates them but the level β. With the prior
// variance p_i = s k(x̃_i, x̃_i), q_i = 1/(p_i + 1/t_i) of arms with pulls and their sum Q, arm i has the part w_i = p_i q_i of its own
// mean,
//
//	E μ_i = β̂ + w_i (ȳ_i - β̂),  β̂ = Σ q_i ȳ_i/Q,  Cov(μ_i, μ_j) = (1 - w_i)(1 - w_j)/Q + [i = j](1 - w_i) p_i,
//
// which is dual at a cost that is linear in the number of arms. Where the level is stated it stands for β̂, and 1/Q is 0.
type unrelated struct {
	prior, part, weight []float64 // N: p, w and q; the last two are 0 for arms without pulls
	sum                 float64   // Q
	flat                bool      // whether the level is unknown
}

// newUnrelatedPosterior forms it from the data, at a scale or, for 0, at the one of the largest restricted likelihood as
// levelled.penalised has it. A part of arms by themselves is no more than a larger scale here.
func newUnrelatedPosterior(m *Model, d *pulledMeans, scale float64) (*Posterior, error) {
	variances := m.Variances()
	total, y := make([]float64, len(variances)), make([]float64, len(variances))
	p := &Posterior{Freedom: len(d.arms)}
	centre, precision, largest, squares := d.level, 0.0, 0.0, 0.0
	for k, i := range d.arms {
		total[i], y[i] = d.total[k], d.y[k]
		precision += d.total[k]
		largest = max(largest, d.total[k]*variances[i])
	}
	if !d.known {
		centre = Dot(d.total, d.y) / precision
		p.Freedom--
	}
	for k := range d.arms {
		squares += d.total[k] * (d.y[k] - centre) * (d.y[k] - centre)
	}
	at := func(scale float64) *unrelated { return newUnrelated(variances, total, scale, !d.known) }
	switch {
	case scale > 0:
	case largest == 0: // no data bear on the scale
		scale = d.natural
	default:
		scale = leastDeviance(largest, squares, func(s float64) float64 { return at(s).deviance(centre, y) - math.Log(s) })
		if !(scale > 0) || math.IsInf(scale, 0) {
			return nil, errors.New("no scale of the kernel fits")
		}
	}
	u := at(scale)
	p.Scale, p.Level, p.Surprise = scale/d.natural, centre*m.Unit, u.squares(centre, y)
	p.SD = math.Sqrt(p.Scale * m.Diagonal)
	p.Estimator = &Estimator{
		Total: total, precision: precision, unit: m.Unit, shrink: 1 / scale, root: math.Sqrt(m.Scale), level: centre, dual: u,
	}
	return p, nil
}

func newUnrelated(variances, total []float64, scale float64, flat bool) *unrelated {
	n := len(variances)
	u := &unrelated{prior: make([]float64, n), part: make([]float64, n), weight: make([]float64, n), flat: flat}
	for i, v := range variances {
		u.prior[i] = scale * v
		if total[i] > 0 {
			u.weight[i] = 1 / (u.prior[i] + 1/total[i])
			u.part[i] = u.prior[i] * u.weight[i]
			u.sum += u.weight[i]
		}
	}
	return u
}

// around returns the level, of means y or as it is stated.
func (u *unrelated) around(stated float64, y []float64) float64 {
	if !u.flat {
		return stated
	}
	return Dot(u.weight, y) / u.sum
}

// squares returns the sum of squares of the means around the level, over their prior predictive variances.
func (u *unrelated) squares(stated float64, y []float64) (sum float64) {
	level := u.around(stated, y)
	for i, q := range u.weight {
		sum += q * (y[i] - level) * (y[i] - level)
	}
	return sum
}

// deviance returns -2 log of the restricted likelihood, up to a constant.
func (u *unrelated) deviance(stated float64, y []float64) float64 {
	out := u.squares(stated, y)
	for _, q := range u.weight {
		if q > 0 {
			out -= math.Log(q)
		}
	}
	if u.flat {
		out += math.Log(u.sum)
	}
	return out
}

func (u *unrelated) floats() int { return 3 * len(u.prior) }

func (u *unrelated) estimates(stated float64, y []float64) []float64 {
	level, out := u.around(stated, y), make([]float64, len(y))
	for i, w := range u.part {
		if out[i] = level; w > 0 {
			out[i] += w * (y[i] - level)
		}
	}
	return out
}

// level returns the variance of the level.
func (u *unrelated) level() float64 {
	if u.flat {
		return 1 / u.sum
	}
	return 0
}

// own returns what is left of an arm's variance.
func (u *unrelated) own(i int) float64 { return (1 - u.part[i]) * u.prior[i] }

func (u *unrelated) variance(i, j int) float64 {
	if i == j {
		return 0
	}
	d := u.part[i] - u.part[j]
	return d*d*u.level() + u.own(i) + u.own(j)
}

func (u *unrelated) armVariance(i int) float64 { return u.covariance(i, i) }

func (u *unrelated) covariance(i, j int) float64 {
	v := (1 - u.part[i]) * (1 - u.part[j]) * u.level()
	if i == j {
		v += u.own(i)
	}
	return v
}

func (u *unrelated) variances(dst []float64, arms []int, from int) error {
	for k, i := range arms {
		if dst[k] = u.armVariance(i); from >= 0 {
			dst[k] = u.variance(i, from)
		}
	}
	return nil
}

func (u *unrelated) covariances(dst []float64, arms []int, with int) {
	for k, i := range arms {
		dst[k] = u.covariance(i, with)
	}
}

func (u *unrelated) matrix(arms []int) *mat.SymDense {
	out := mat.NewSymDense(len(arms), nil)
	for k, i := range arms {
		for l, j := range arms[:k+1] {
			out.SetSym(k, l, u.covariance(i, j))
		}
	}
	return out
}
