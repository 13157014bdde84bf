package rounds

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Belief is the Gaussian process of a posterior method during a run. After each round it is computed from all data of the method, with
// the scale fitted again unless stated, and tested against its prior.
type Belief struct {
	*model.Posterior // nil before any data; for a mixture its member with the largest weight
	// for a mixture: posteriors for all hyperparameters compatible with the data
	Mixture *model.Mixture
	Within  *model.Within // for a mixture: data within blocks, used by Learn instead of means; nil without blocks

	prior      model.Prior
	negligible float64 // total weight of members that may be dropped; 0 without a mixture
	round      int
	found      *engine.Warning // from the first round that rejects
}

// NewBelief returns the belief before any data.
func NewBelief(prior model.Prior) *Belief { return &Belief{prior: prior} }

// NewMixedBelief returns a belief before any data that averages over unknown hyperparameters; members with at most this total weight are
// dropped.
func NewMixedBelief(prior model.Prior, negligible float64) *Belief {
	return &Belief{prior: prior, negligible: negligible}
}

// Learn computes the posterior of N counts and means after a further round, with the precisions of the model. The noise scales have this
// many degrees of freedom, +Inf if known.
func (b *Belief) Learn(m *model.Model, counts []int, means []float64, freedom float64) (err error) {
	if b.negligible > 0 {
		if b.Mixture, err = model.ContinuedMixture(m, b.prior, b.Mixture, counts, means, b.Within, b.negligible); err != nil {
			return err
		}
		b.Posterior = b.Mixture.Members[0].Posterior
	} else if b.Posterior, err = model.FurtherPosterior(m, b.prior, b.Posterior, counts, means); err != nil {
		return err
	}
	b.round++
	level := engine.LackLevel / float64(b.round*(b.round+1))
	if p := b.PValue(freedom); p <= level && b.found == nil {
		b.found = b.describe(m.Problem, math.Max(p, leastShown), counts, means)
	}
	return nil
}

// leastShown is the smallest displayed p-value: smaller ones round to 0.
const leastShown = 1e-300

// describe returns a warning with the distance of the rewards from the prior, with the sign of the data.
func (b *Belief) describe(of *problem.Problem, p float64, counts []int, means []float64) *engine.Warning {
	var sum, squares, n float64
	for i, c := range counts {
		if c > 0 {
			n++
			sum += means[i]
		}
	}
	mean := sum / n
	for i, c := range counts {
		if c > 0 {
			squares += (means[i] - mean) * (means[i] - mean)
		}
	}
	w := engine.Warning{Kind: engine.WarnPriorKernel,
		Numbers: []float64{of.Turned(mean), math.Sqrt(squares / math.Max(n-1, 1)), b.SD, float64(b.round), p}}
	switch {
	case b.prior.Level.Known:
		w.Kind, w.Numbers = engine.WarnPriorLevel, []float64{of.Turned(mean), of.Turned(b.prior.Level.Value), b.SD, float64(b.round), p}
	case b.prior.Scale > 0:
		w.Kind = engine.WarnPriorScale
	}
	return &w
}

// Doubts returns a warning if the data were implausible under the prior, from the first such round.
func (b *Belief) Doubts() []engine.Warning {
	if b.found == nil {
		return nil
	}
	return []engine.Warning{*b.found}
}
