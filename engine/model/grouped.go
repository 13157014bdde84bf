package model

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// grouped returns the prior covariances as the sum of a part of low rank that all tasks share and a part within groups. A
// group has the arms of a task, or a single arm. The rank of the shared part is at most half the number of tasks and at
// most mostShared. grouped returns nil if the kernel does not have this form, or if a group would have more than
// mostGrouped arms. Unrelated arms have no shared part, and each is a group. For related arms of a single task, grouped
// returns nil. The result is cached.
func (m *Model) grouped() (*gp.Blocked, error) {
	return m.source.grouped.get(m.Context(), func() (_ *gp.Blocked, err error) {
		defer try.Caught(&err)
		p, n := m.Problem, m.Problem.N()
		if m.Relations().Unrelated() { // arms of different tasks may share features
			return gp.NewBlocked(mat.NewDense(n, 1, nil), gp.Alone(m.Variances())), nil
		}
		shared, own, apart := kernels.Divide(p.Kernel)
		largest := 0
		for v, arms := range p.Groups() {
			lo, hi := p.ArmsOf(v)
			ids := slices.Sorted(slices.Values(p.Arms.ID[lo:hi]))
			apart = apart && len(slices.Compact(ids)) == len(arms)
			largest = max(largest, len(arms))
		}
		if largest > mostGrouped && !apart || p.V() == 1 {
			return nil, nil
		}
		features := mat.NewDense(n, 1, nil)
		if len(shared.Terms) > 0 {
			most := min(p.V()/2, mostShared)
			factor := try.Of(kernels.Grow(try.Of(shared.On(m.Context(), p.Tasks, p.Arms, p.TaskOf))))
			f := try.Of(factor.Factor(m.Context(), max(1, most), 0))
			if f.Residual > sameToFactor*m.Diagonal {
				return nil, nil
			}
			features = f.L
			floats.Scale(1/m.source.root, features.RawMatrix().Data)
		}
		gram := try.Of(own.On(m.Context(), p.Tasks, p.Arms, p.TaskOf))
		if apart {
			diagonal := make([]float64, n)
			gram.Diagonal(diagonal)
			floats.Scale(1/m.Scale, diagonal)
			return gp.NewBlocked(features, gp.Alone(diagonal)), nil
		}
		b := &gp.Blocks{Block: p.TaskOf, At: make([]int, n)}
		row := make([]float64, largest)
		for _, arms := range p.Groups() {
			within := mat.NewSymDense(len(arms), nil)
			for k, i := range arms {
				b.At[i] = k
				kernels.Part(gram, row[:len(arms)], i, arms[0])
				for l, v := range row[:k+1] {
					within.SetSym(k, l, v/m.Scale)
				}
			}
			b.Within = append(b.Within, within)
		}
		return gp.NewBlocked(features, b), nil
	})
}

// InGroups reports whether a Mixture is computed in groups. This is so if the kernel permits it, and if arms are many
// or unrelated, or if different arms have more than mostDecomposed features.
func (m Relations) InGroups() bool {
	g, err := m.grouped()
	if err != nil || g == nil {
		return false
	}
	return m.Features == nil || m.Problem.N() > mostOwn || m.Unrelated() ||
		m.Features.RawMatrix().Cols > mostDecomposed && slices.Equal(m.Layout.First, indices.All(m.Problem.N()))
}

// groupedMeans has the normalised data of a posterior in groups. A stated prior mean is subtracted.
type groupedMeans struct {
	scaling
	m            *Model
	prior        *gp.Blocked
	known        bool // whether the prior mean is stated
	level        float64
	total        []float64 // N: t
	observations gp.Observations
	scaled       mat.Dense // features of the posterior that is being computed
}

func newGroupedMeans(m *Model, prior *gp.Blocked, level engine.Level, counts []int, means []float64) *groupedMeans {
	d := &groupedMeans{
		scaling: scaling{natural: natural(m)}, m: m, prior: prior, known: level.Known, level: level.Value / m.Unit,
		total: make([]float64, len(counts)), observations: gp.Observations{Flat: !level.Known},
	}
	o := &d.observations
	for i, c := range counts {
		if d.total[i] = float64(c) * m.Precision[i]; d.total[i] > 0 {
			o.At, o.Y, o.Noise = append(o.At, i), append(o.Y, means[i]/m.Unit-d.level), append(o.Noise, 1/d.total[i])
		}
	}
	return d
}

// onGroups has the data for one scale and one variance of independent effects.
type onGroups struct {
	*groupedMeans
	*gp.Turned
	own, scale float64
}

// around transforms the data for independent effects of variance own. A scale of 0 means that the scale is fitted.
func (d *groupedMeans) around(own, scale float64) (_ *onGroups, err error) {
	c := &onGroups{d, d.prior.Turn(own, d.observations), own, scale}
	if scale == 0 {
		c.scale, err = d.least(c.Largest, c.Squares, c.Deviance)
	}
	return c, cmp.Or(err, d.m.Context().Err())
}

func (c *onGroups) likelihood() float64 { return c.Deviance(c.scale) }

func (c *onGroups) law() (log float64, scales, shares []float64) {
	return c.scaling.law(c.Largest, c.Squares, c.Deviance)
}

func (c *onGroups) posterior(scale float64) (*Posterior, float64, error) {
	of, err := c.Turned.Posterior(c.m.Context(), scale, &c.scaled)
	if err != nil {
		return nil, 0, err
	}
	f := fitted{own: c.own, scale: scale, precision: c.Precision, centre: c.level + c.Level}
	p := f.posterior(c.m, c.total, c.Count, !c.known, of.Quadratic)
	p.White, p.parts, p.groups = of.Features, of.Blocks, of.Blocked
	return p, c.Deviance(scale), nil
}

// Groups returns the posterior as a shared factor plus covariances within groups of arms of one task; nil if it has
// another form.
func (e *Estimator) Groups() *gp.Blocked { return e.groups }

// newGroupedPosterior returns the posterior in groups. If the prior requests independent effects and arms are related,
// they are fitted and tested as in pulledMeans.fit.
func newGroupedPosterior(m *Model, on *gp.Blocked, prior Prior, counts []int, means []float64) (_ *Posterior, err error) {
	defer try.Caught(&err)
	d := newGroupedMeans(m, on, prior.Level, counts, means)
	c := try.Of(fitTested(d.total, prior.FitsOwn() && !m.Relations().Unrelated(), func(own float64) (*onGroups, error) {
		return d.around(own, prior.Scale*d.natural)
	}))
	p, _, err := c.posterior(c.scale)
	return p, err
}

// differenceVariance returns the variance that the blocks b add to the difference of arms i and j; 0 if b is nil.
func differenceVariance(b *gp.Blocks, i, j int) float64 {
	if b == nil {
		return 0
	}
	return math.Max(0, b.Entry(i, i)+b.Entry(j, j)-2*b.Entry(i, j))
}
