package model

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Posterior is a Gaussian process given the mean rewards of all pulls so far,
//
//	μ_i = β + f_i,  f ~ N(0, s·K),  ȳ_i ~ N(μ_i, σ_i²/n_i),
//
// with a level β that is one for all arms of all tasks, stated or unknown, and a scale s of the
// kernel, stated or fitted to the same data (see Prior). Its Estimator has the posterior means and
// covariances of μ.
//
// An unknown level has a flat prior, as in universal kriging [RW06, sec. 2.7]. With the precisions
// t_i = n_i/σ_i², their sum T and the weighted means φ̄ = Σ t_i φ_i/T and ȳ = Σ t_i ȳ_i/T, integrating
// it out leaves
//
//	E μ_i = ȳ + (φ_i - φ̄)ᵀ A⁻¹ Σ_k t_k (φ_k - φ̄)(ȳ_k - ȳ),
//	Cov(μ_i, μ_j) = (φ_i - φ̄)ᵀ A⁻¹ (φ_j - φ̄) + 1/T,  A = τ I + Σ_k t_k (φ_k - φ̄)(φ_k - φ̄)ᵀ,
//
// where τ is 1 over s in the units of the features. A constant that the kernel already holds is in
// no φ_i - φ̄, so that the posterior is the same with it and without.
type Posterior struct {
	*Estimator
	Scale float64 // s
	Level float64 // of the rewards: the one stated, or else the weighted mean ȳ; reward units
	Own   float64 // g of a fitted part g*identity(); squared reward units
	SD    float64 // of an arm before any data, √(s·largest k(x̃,x̃) + g); reward units
	// the prior predictive sum of squares of the means, which is χ² of Freedom degrees where level
	// and scale are right
	Surprise float64
	Freedom  int
}

// Prior says what a posterior takes for granted before data.
type Prior struct {
	Level engine.Level
	// s; 0 means that it is fitted to the data, and with it a part g*identity() of the kernel, for
	// rewards that the kernel cannot represent. On the arms pulled, and with more than ownUntested arms, there is one only
	// where the data speak for it.
	Scale float64
	// whether the posterior is formed in exact features of all arms, however many, for methods that
	// design in its White; of more than ownUntested arms none then has a part by itself
	InFeatures bool
	onPulled   bool // see OnPulled
}

// OnPulled returns the prior of a posterior that is formed on the arms that were pulled, however few there are.
func (p Prior) OnPulled() Prior {
	p.onPulled = true
	return p
}

// PriorOf returns what the options state.
func PriorOf(opt engine.Options) Prior { return Prior{Level: opt.Level, Scale: opt.Scale} }

// FitsOwn reports whether posteriors fit a part g*identity().
func (p Prior) FitsOwn() bool { return p.Scale == 0 }

// NewPosterior forms the posterior of counts and means (N each, reward units; means of arms with
// count 0 are ignored), under the precisions of the model.
func NewPosterior(m *Model, prior Prior, counts []int, means []float64) (*Posterior, error) {
	return FurtherPosterior(m, prior, nil, counts, means)
}

// FurtherPosterior works like NewPosterior where there is a posterior of part of the data, or of other
// data, under the same kernel: what it has of many arms is taken further.
func FurtherPosterior(m *Model, prior Prior, before *Posterior, counts []int, means []float64) (*Posterior, error) {
	if !slices.ContainsFunc(counts, func(c int) bool { return c > 0 }) {
		return nil, errors.New("no pulls, nothing to estimate from")
	}
	if many := m.Problem.N() > mostOwn; (many || prior.onPulled) && !prior.InFeatures {
		return newDualPosterior(m, prior, before, counts, means)
	}
	own := prior.FitsOwn() && m.Problem.N() <= ownUntested
	d := newMeans(m, prior.Level, own, counts, means)
	if err := d.room(); err != nil {
		return nil, err
	}
	c, err := d.fit(prior.Scale*natural(m), own)
	if err != nil {
		return nil, fmt.Errorf("the information matrix: %w", err)
	}
	return c.formed(true)
}

// newDualPosterior forms the posterior on the basis of the arms that were pulled.
func newDualPosterior(m *Model, prior Prior, before *Posterior, counts []int, means []float64) (_ *Posterior, err error) {
	defer try.Caught(&err)
	if t := try.Of(treesOf(m)); t != nil {
		return newTreePosterior(m, t, prior, counts, means)
	}
	d := newPulledMeans(m, prior.Level, counts, means)
	expected := 0.0
	if before != nil {
		expected = before.Scale
	}
	c := try.Of(throughBasis(d, before, prior.Scale, expected, func(scale float64) (*onBases, float64, error) {
		c, err := d.fit(scale, prior.FitsOwn())
		if err != nil {
			return nil, 0, fmt.Errorf("the information matrix: %w", err)
		}
		return c, c.scale, nil
	}))
	p, _, err := c.posterior(c.scale)
	return p, err
}

// throughBasis extends the bases of a posterior by the arms that were pulled and forms something in their features, and again where
// the scale that comes out is so much larger than the one expected that more of the arms counts. stated is the scale of a prior where
// it is stated, else expected is the one of earlier data, or 0; more is expected where the kernel as it is or the spread of the means
// says so. form takes and returns scales in units of the features.
func throughBasis[T any](
	d *pulledMeans, before *Posterior, stated, expected float64, form func(stated float64) (T, float64, error),
) (out T, err error) {
	defer try.Caught(&err)
	try.To(d.divide())
	bases := d.related.basesOf(before)
	stated *= d.natural
	scale := stated
	if stated == 0 { // a scale that few data find small must not hide what further arms say
		scale = d.natural * max(1, expected)
		largest := lists.Max(bases, func(b *basis) float64 { return b.largest })
		if largest > 0 {
			scale = max(scale, d.spread()/largest)
		}
	}
	for {
		grown := false
		for p, part := range d.parts {
			weights := lists.Make(len(part.arms), func(k int) float64 { return scale * part.total[k] })
			dim := bases[p].dim
			bases[p] = try.Of(bases[p].extended(d.m.Context(), part.arms, weights))
			if part.basis == nil || bases[p].dim > dim {
				part.basis, grown = bases[p].knowing(part.arms), true
			}
		}
		if !grown {
			return out, nil
		}
		found := 0.0
		if out, found, err = form(stated); err != nil || found <= mostScaleOff*scale {
			return out, err
		}
		scale = found
	}
}

// mostScaleOff is how many times as large as expected a scale may be.
const mostScaleOff = 4

// fitted is what data around their level say beside it, for a part of arms by themselves and a scale. All numbers are normalised.
type fitted struct {
	own       float64 // g
	scale     float64 // s in units of the features
	precision float64 // T', the sum of t' = 1/(1/t + g) over arms with pulls
	centre    float64 // ȳ, or the level that was stated
	squares   float64 // Σ t' (y - ȳ)²
}

// posterior returns a posterior that has no covariances yet, of as many arms with pulls.
func (f fitted) posterior(m *Model, total []float64, pulled int, flat bool, surprise float64) *Posterior {
	p := &Posterior{
		Scale: f.scale / natural(m), Level: f.centre * m.Unit, Own: f.own * m.Unit * m.Unit, Surprise: surprise, Freedom: pulled,
		Estimator: &Estimator{
			Total: total, precision: f.precision, unit: m.Unit, shrink: 1 / f.scale, root: math.Sqrt(m.Scale), level: f.centre,
		},
	}
	p.SD = math.Sqrt(p.Scale*m.Diagonal + p.Own)
	if flat {
		p.Freedom--
	}
	return p
}

// natural returns the scale that leaves the kernel unchanged: the variance of a feature's coefficient.
func natural(m *Model) float64 { return m.Scale / (m.Unit * m.Unit) }

// PValue returns the probability, before any data, of means at least as far from what the prior
// expects, the noise's scales being known (freedom +Inf) or estimated with that many degrees of
// freedom; 1 where the data leave nothing to judge by.
func (p *Posterior) PValue(freedom float64) float64 {
	switch {
	case p.Freedom == 0 || !(p.Surprise > 0):
		return 1
	case math.IsInf(freedom, 1):
		return distuv.ChiSquared{K: float64(p.Freedom)}.Survival(p.Surprise)
	case !(freedom > 0):
		return 1
	}
	return distuv.F{D1: float64(p.Freedom), D2: freedom}.Survival(p.Surprise / float64(p.Freedom))
}

// levelled holds data around their level, where each arm has a part of variance g by itself. All numbers are normalised.
type levelled struct {
	fitted
	flat   bool          // whether the level is unknown
	with   []float64     // by arm: t'; 0 without pulls
	noise  float64       // -Σ log t'
	origin []float64     // m: φ̄, or 0
	matrix *mat.SymDense // Σ t' (φ - φ̄)(φ - φ̄)ᵀ
}

// newLevelled returns precisions and level of data: total and y have t and the mean of each arm, features
// returns the features of an arm, dim many. The matrix and the squares are still to be set.
func newLevelled(flat bool, level, own, scale float64, total, y []float64, dim int, features func(k int) []float64) levelled {
	c := levelled{
		fitted: fitted{own: own, scale: scale, centre: level}, flat: flat, with: make([]float64, len(total)), origin: make([]float64, dim),
	}
	for k, t := range total {
		if t > 0 {
			c.with[k] = t / (1 + own*t)
			c.precision += c.with[k]
			c.noise -= math.Log(c.with[k])
		}
	}
	if !flat {
		return c
	}
	c.centre = Dot(c.with, y) / c.precision
	for k, t := range c.with {
		if t > 0 {
			addTo(c.origin, t/c.precision, features(k))
		}
	}
	return c
}

// penalised returns -2 times the log of the penalised restricted likelihood, up to a constant, from
// the deviance at the scale.
func (c *levelled) penalised(deviance float64) float64 {
	out := deviance + c.squares + c.noise
	if c.flat {
		out += math.Log(c.precision)
	}
	return out
}

// ownPatience is how many larger parts in a row may be worse before the search for one ends.
const ownPatience = 4

// meanVariance returns the mean of 1/t of arms with pulls.
func meanVariance(total []float64) float64 {
	sum, pulled := 0.0, 0
	for _, t := range total {
		if t > 0 {
			sum += 1 / t
			pulled++
		}
	}
	return sum / float64(pulled)
}

// withOwn looks for the part of arms by themselves of the largest likelihood, from small to large: from a
// sixteenth of the noise, the mean variance of an arm with pulls, in steps of four as long as the
// likelihood rises. none is the fit without such a part, at returns one with it.
func withOwn[T interface{ likelihood() float64 }](none T, total []float64, at func(own float64) (T, error)) (best T, err error) {
	noise := meanVariance(total)
	best, least, worse := none, none.likelihood(), 0
	for g := noise / 16; worse < ownPatience && g < scaleMost*noise; g *= 4 {
		c, err := at(g)
		if err != nil {
			return best, err
		}
		worse++
		if l := c.likelihood(); l < least {
			best, least, worse = c, l, 0
		}
	}
	return best, nil
}
