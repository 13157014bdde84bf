package model

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
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

// unrelatedMeans holds what a posterior of unrelated arms is formed of, normalised.
type unrelatedMeans struct {
	m                           *Model
	natural                     float64 // the scale that leaves the kernel as it is
	known                       bool    // whether the level is stated
	variances, total, y         []float64
	centre                      float64   // the level that is stated, or the mean of all rewards
	precision, largest, squares float64   // Σ t, the largest t k(x̃, x̃), and Σ t (y - centre)²
	arms                        []int     // with pulls
	noise, weight               []float64 // by arm of arms: 1/t, and q at the scale that deviance looked at last
}

func newUnrelatedMeans(m *Model, level engine.Level, counts []int, means []float64) *unrelatedMeans {
	from := newPulledMeans(m, level, counts, means)
	d := &unrelatedMeans{
		m: m, natural: from.natural, known: from.known, centre: from.level, arms: from.arms, weight: make([]float64, len(from.arms)),
		variances: m.Variances(), total: make([]float64, len(counts)), y: make([]float64, len(counts)),
	}
	for k, i := range from.arms {
		d.total[i], d.y[i] = from.total[k], from.y[k]
		d.noise = append(d.noise, 1/from.total[k])
		d.precision += from.total[k]
		d.largest = max(d.largest, from.total[k]*d.variances[i])
	}
	if !d.known {
		d.centre = Dot(from.total, from.y) / d.precision
	}
	for k, t := range from.total {
		d.squares += t * (from.y[k] - d.centre) * (from.y[k] - d.centre)
	}
	return d
}

// at returns the posterior covariances at a scale.
func (d *unrelatedMeans) at(scale float64) *unrelated {
	u := newUnrelated(len(d.variances), !d.known)
	u.set(d.variances, d.total, scale)
	return u
}

// weigh sets the weights at a scale, and returns their sum and the sum of squares of the means around the level over their
// prior predictive variances.
func (d *unrelatedMeans) weigh(scale float64) (sum, squares float64) {
	level := 0.
	for k, i := range d.arms {
		d.weight[k] = 1 / (scale*d.variances[i] + d.noise[k])
		sum += d.weight[k]
		level += d.weight[k] * d.y[i]
	}
	if level /= sum; d.known {
		level = d.centre
	}
	for k, i := range d.arms {
		squares += d.weight[k] * (d.y[i] - level) * (d.y[i] - level)
	}
	return sum, squares
}

// deviance returns -2 times the log of the penalised restricted likelihood at a scale, up to a constant. A part of arms by
// themselves is no more than a larger scale here.
func (d *unrelatedMeans) deviance(scale float64) float64 {
	sum, out := d.weigh(scale)
	last, log := 1., 0.
	for _, q := range d.weight {
		if q != last { // many arms have as many pulls as the one before
			last, log = q, math.Log(q)
		}
		out -= log
	}
	if !d.known {
		out += math.Log(sum)
	}
	return out - math.Log(scale)
}

// fitted returns the scale of the least deviance.
func (d *unrelatedMeans) fitted() (float64, error) {
	if d.largest == 0 { // no data bear on the scale
		return d.natural, nil
	}
	scale := leastDeviance(d.largest, d.squares, d.deviance)
	if !(scale > 0) || math.IsInf(scale, 0) {
		return 0, errors.New("no scale of the kernel fits")
	}
	return scale, nil
}

// posterior returns what is known of all arms at a scale.
func (d *unrelatedMeans) posterior(scale float64) *Posterior {
	u := d.at(scale)
	_, surprise := d.weigh(scale)
	p := &Posterior{
		Scale: scale / d.natural, Level: d.centre * d.m.Unit, Surprise: surprise, Freedom: len(d.arms),
		Estimator: &Estimator{
			Total: d.total, precision: d.precision, unit: d.m.Unit, shrink: 1 / scale, root: math.Sqrt(d.m.Scale), level: d.centre, dual: u,
		},
	}
	p.SD = math.Sqrt(p.Scale * d.m.Diagonal)
	if !d.known {
		p.Freedom--
	}
	return p
}

// newUnrelatedPosterior forms it from the data, at a scale or, for 0, at the one of the least deviance.
func newUnrelatedPosterior(m *Model, level engine.Level, scale float64, counts []int, means []float64) (*Posterior, error) {
	d := newUnrelatedMeans(m, level, counts, means)
	if scale == 0 {
		var err error
		if scale, err = d.fitted(); err != nil {
			return nil, err
		}
	} else {
		scale *= d.natural
	}
	return d.posterior(scale), nil
}

// members returns the members of a mixture, over the scale alone.
func (d *unrelatedMeans) members(stated, negligible float64) []Member {
	if stated > 0 {
		return []Member{{Posterior: d.posterior(stated * d.natural)}}
	}
	_, scales, shares := scaleLaw(d.largest, d.natural, d.squares, d.deviance)
	points := make([]point, len(scales))
	for k, s := range scales {
		points[k] = point{scale: s, weight: math.Log(shares[k])}
	}
	points = heaviest(points, negligible)
	out := make([]Member, len(points))
	for k, p := range points {
		p.likelihood = d.deviance(p.scale)
		out[k] = Member{Posterior: d.posterior(p.scale), at: p}
	}
	return out
}

func newUnrelated(n int, flat bool) *unrelated {
	return &unrelated{prior: make([]float64, n), part: make([]float64, n), weight: make([]float64, n), flat: flat}
}

// set forms the covariances at a scale; arms without pulls keep a weight of 0.
func (u *unrelated) set(variances, total []float64, scale float64) {
	u.sum = 0
	for i, v := range variances {
		u.prior[i] = scale * v
		if total[i] > 0 {
			u.weight[i] = 1 / (u.prior[i] + 1/total[i])
			u.part[i] = u.prior[i] * u.weight[i]
			u.sum += u.weight[i]
		}
	}
}

// around returns the level, of means y or as it is stated.
func (u *unrelated) around(stated float64, y []float64) float64 {
	if !u.flat {
		return stated
	}
	return Dot(u.weight, y) / u.sum
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
	raw, level := out.RawSymmetric(), u.level()
	for k, i := range arms {
		row := raw.Data[k*raw.Stride : k*raw.Stride+raw.N]
		for l := k; l < len(arms); l++ {
			row[l] = (1 - u.part[i]) * (1 - u.part[arms[l]]) * level
		}
		row[k] = u.covariance(i, i)
	}
	return out
}
