package model

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Posterior is a Gaussian process conditioned on the mean rewards of all pulls so far,
//
//	μ_i = β + f_i,  f ~ N(0, s·K),  ȳ_i ~ N(μ_i, σ_i²/n_i)
//
// All arms and tasks have the same prior mean β, which is stated or unknown. The kernel has a signal variance (scale)
// s, which is stated or fitted to the same data (see Prior). The Estimator has the posterior means and covariances of
// μ.
//
// An unknown prior mean has a flat prior, as in universal kriging [RW06, sec. 2.7]. Let t_i = n_i/σ_i² be the
// precisions, T their sum, and φ̄ = Σ t_i φ_i/T and ȳ = Σ t_i ȳ_i/T the weighted means. Integration over β gives
//
//	E μ_i = ȳ + (φ_i - φ̄)ᵀ A⁻¹ Σ_k t_k (φ_k - φ̄)(ȳ_k - ȳ),
//	Cov(μ_i, μ_j) = (φ_i - φ̄)ᵀ A⁻¹ (φ_j - φ̄) + 1/T,  A = τ I + Σ_k t_k (φ_k - φ̄)(φ_k - φ̄)ᵀ,
//
// where τ is 1/s in the units of the features. A constant in the kernel cancels in φ_i - φ̄, so it does not change the
// posterior.
type Posterior struct {
	*Estimator
	Scale float64 // s
	Level float64 // stated prior mean, or the weighted mean ȳ; reward units
	Own   float64 // variance g of the fitted part g*identity(); squared reward units
	SD    float64 // prior standard deviation of an arm, √(s·largest k(x̃,x̃) + g); reward units
	// squared distance of the means from their prior prediction: χ² with Freedom degrees if prior mean and scale are right
	Surprise float64
	Freedom  int
}

// Prior is a Gaussian-process prior: its mean level, its signal variance, and the form in which a posterior is computed.
type Prior struct {
	Level engine.Level
	// s, or 0 if it is to be fitted to the data together with a part g*identity(), which models deviations from the
	// kernel. g may remain 0: on the pulled arms, and with more than ownUntested arms, it is positive only if the data
	// support it
	Scale float64
	// whether the posterior uses exact features of all arms, whatever their number, for methods that use its White for
	// designs. With more than ownUntested arms it then has no independent effects
	InFeatures bool
	onPulled   bool // see OnPulled
}

// OnPulled returns the prior with the request that the posterior be computed on the pulled arms, even if there are few
// arms.
func (p Prior) OnPulled() Prior {
	p.onPulled = true
	return p
}

// PriorOf returns the prior of the options.
func PriorOf(opt engine.Options) Prior { return Prior{Level: opt.Level, Scale: opt.Scale} }

// FitsOwn reports whether posteriors fit a variance g of a part g*identity(). They do so if no scale is stated.
func (p Prior) FitsOwn() bool { return p.Scale == 0 }

// NewPosterior returns the posterior for counts and means (N each, reward units), with the precisions of the model. Means
// of arms with count 0 are ignored. It returns an error if there are no pulls or if the context ends.
func NewPosterior(m *Model, prior Prior, counts []int, means []float64) (*Posterior, error) {
	return FurtherPosterior(m, prior, nil, counts, means)
}

// FurtherPosterior is NewPosterior, but reuses computations of the posterior before. That posterior must have the same
// kernel; its data may differ.
func FurtherPosterior(m *Model, prior Prior, before *Posterior, counts []int, means []float64) (*Posterior, error) {
	if !slices.ContainsFunc(counts, func(c int) bool { return c > 0 }) {
		return nil, errors.New("nothing was measured, so no arm can be estimated")
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

// newDualPosterior returns the posterior in groups if the kernel permits it, and otherwise on a basis of the pulled arms.
func newDualPosterior(m *Model, prior Prior, before *Posterior, counts []int, means []float64) (_ *Posterior, err error) {
	defer try.Caught(&err)
	if g := try.Of(m.grouped()); g != nil {
		return newGroupedPosterior(m, g, prior, counts, means)
	}
	d := newPulledMeans(m, prior.Level, counts, means)
	expected := 0.0
	if before != nil {
		expected = before.Scale
	}
	c := try.Of(throughBasis(d, before, prior.Scale, expected, func(scale float64) (*onBasis, float64, error) {
		c, err := d.fit(scale, prior.FitsOwn())
		if err != nil {
			return nil, 0, fmt.Errorf("the information matrix: %w", err)
		}
		return c, c.scale, nil
	}))
	p, _, err := c.posterior(c.scale)
	return p, err
}

// throughBasis extends the basis of the posterior before by the pulled arms, and calls form with it. If form returns a
// scale more than mostScaleOff times the assumed one, more arms have a non-negligible residual, and it repeats with that
// scale. `stated` is the stated scale, or 0; `expected` is the scale for earlier data, or 0. The first scale is the largest of
// expected, the kernel's own, and one from the spread of the means. `form` takes and returns scales in units of the
// features.
func throughBasis[T any](
	d *pulledMeans, before *Posterior, stated, expected float64, form func(stated float64) (T, float64, error),
) (out T, err error) {
	defer try.Caught(&err)
	b := newBasis(d.m.Gram(), d.m.Variances())
	if before != nil {
		if of, pulled := before.dual.(*dual); pulled {
			b = of.basis.whole
		}
	}
	stated *= d.natural
	scale := stated
	if stated == 0 { // so that a small scale from few data does not exclude further arms
		scale = max(d.natural*max(1, expected), d.spread()/b.largest)
	}
	for {
		weights := lists.Make(len(d.arms), func(k int) float64 { return scale * d.total[k] })
		dim := b.dim
		b = try.Of(b.extended(d.m.Context(), d.arms, weights))
		if d.basis != nil && b.dim == dim {
			return out, nil
		}
		d.basis = b.knowing(d.arms)
		found := 0.0
		if out, found, err = form(stated); err != nil || found <= mostScaleOff*scale {
			return out, err
		}
		scale = found
	}
}

// mostScaleOff is the largest ratio of a fitted scale to the assumed one for which throughBasis does not repeat.
const mostScaleOff = 4

// fitted has the sums of the data, centred for a variance g of independent effects, and a scale; normalised.
type fitted struct {
	own       float64 // g
	scale     float64 // s in units of the features
	precision float64 // T', the sum of t' = 1/(1/t + g) over arms with pulls
	centre    float64 // ȳ, or the stated prior mean
	squares   float64 // Σ t' (y - ȳ)²
}

// posterior returns a posterior without covariances. `total` has the N precisions t_i, and pulled is the number of pulled
// arms.
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

// natural returns the scale, in units of the features, for which the prior covariance is the kernel in squared reward
// units.
func natural(m *Model) float64 { return m.Scale / (m.Unit * m.Unit) }

// PValue returns the probability, under the prior, of means at least as far from their prior prediction. freedom is the
// number of degrees of freedom of estimated noise scales, and +Inf if these are known. It returns 1 if the data permit no
// test.
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

// levelled has the data, centred for independent effects of variance g, normalised.
type levelled struct {
	fitted
	flat        bool          // whether the prior mean is unknown
	with        []float64     // per arm: t'; 0 without pulls
	noise       float64       // -Σ log t'
	origin      []float64     // m: φ̄, or 0
	matrix      *mat.SymDense // Σ t' (φ - φ̄)(φ - φ̄)ᵀ
	tridiagonal               // the matrix in tridiagonal form, and the vector Σ t' (φ - φ̄)(y - ȳ)
}

// newLevelled centres the data. total and y have t and the mean reward of each arm, and features returns the dim features
// of arm k.
func newLevelled(flat bool, level, own, scale float64, total, y []float64, dim int, features func(k int) []float64) levelled {
	c := levelled{
		fitted: fitted{own: own, scale: scale, centre: level}, flat: flat, with: make([]float64, len(total)), origin: make([]float64, dim),
		matrix: mat.NewSymDense(dim, nil),
	}
	pulled := indices.Where(len(total), func(k int) bool { return total[k] > 0 })
	for _, k := range pulled {
		t := total[k]
		c.with[k] = t / (1 + own*t)
		c.precision += c.with[k]
		c.noise -= math.Log(c.with[k])
	}
	if flat {
		c.centre = Dot(c.with, y) / c.precision
		for _, k := range pulled {
			addTo(c.origin, c.with[k]/c.precision, features(k))
		}
	}
	rows, z := mat.NewDense(len(pulled), dim, nil), mat.NewVecDense(len(pulled), nil)
	for row, k := range pulled {
		root := math.Sqrt(c.with[k])
		for j, v := range features(k) {
			rows.Set(row, j, root*(v-c.origin[j]))
		}
		z.SetVec(row, root*(y[k]-c.centre))
	}
	c.squares = mat.Dot(z, z)
	c.matrix.SymOuterK(1, rows.T())
	along := mat.NewVecDense(dim, nil)
	along.MulVec(rows.T(), z)
	c.tridiagonal = newTridiagonal(c.matrix, along.RawVector().Data)
	return c
}

// law integrates the evidence over scales, see scaling.law.
func (c *levelled) law(s *scaling) (log float64, scales, shares []float64) {
	return s.law(c.largest(), c.squares, func(scale float64) float64 { return c.penalised(c.deviance(scale)) })
}

// likelihood returns the result of penalised at the scale of c.
func (c *levelled) likelihood() float64 { return c.penalised(c.deviance(c.scale)) }

// surprise returns the squared norm of the centred means in the metric of their prior predictive covariance.
func (c *levelled) surprise() float64 {
	_, quadratic := c.solved(c.scale)
	return max(0, c.squares-c.scale*quadratic)
}

// penalised returns -2 times the log of the penalised restricted likelihood, up to a constant. deviance is the deviance at
// the scale.
func (c *levelled) penalised(deviance float64) float64 {
	out := deviance + c.squares + c.noise
	if c.flat {
		out += math.Log(c.precision)
	}
	return out
}

// ownPatience is a number of consecutive values of g without improvement: after so many, withOwn stops.
const ownPatience = 4

// meanVariance returns the average of 1/t over the arms with pulls.
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

// withOwn returns the fit with the largest likelihood among none, which has g = 0, and those of a grid. The grid starts at
// g = (average noise variance of a pulled arm's mean)/16, in steps of a factor of 4. It stops after ownPatience values
// without improvement. `at` returns the fit for a g > 0.
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
