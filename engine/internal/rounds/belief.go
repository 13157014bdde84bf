package rounds

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Belief is the posterior of a Gaussian process during a run. Learn computes it from all data after each round, fits the
// scale again unless it is stated, and tests the data against the prior.
type Belief struct {
	*model.Posterior // nil before any data; for a mixture, its member with the largest weight
	// for a mixture: posteriors for all hyperparameters compatible with the data
	Mixture *model.Mixture
	Within  *model.Within // for a mixture: data within blocks, used by Learn instead of means; nil without blocks

	prior      model.Prior
	negligible float64 // total weight of members that may be dropped; 0 without a mixture
	round      int
	found      *engine.Warning // warning of the first round that rejects the prior; nil if none has
}

// NewBelief returns the belief before any data.
func NewBelief(prior model.Prior) *Belief { return &Belief{prior: prior} }

// NewMixedBelief returns a belief before any data that averages over unknown hyperparameters. negligible is the largest
// total weight of members that may be dropped.
func NewMixedBelief(prior model.Prior, negligible float64) *Belief {
	return &Belief{prior: prior, negligible: negligible}
}

// Learn computes the posterior after a further round. counts and means hold the number and the mean of all rewards of each
// of the N arms; m has the precisions. freedom is the number of degrees of freedom of the noise scales, +Inf if they are
// known.
func (b *Belief) Learn(m *model.Model, counts []int, means []float64, freedom float64) (err error) {
	if b.negligible > 0 {
		before := b.Mixture
		b.Mixture = nil // so that the memory of its members is free while the next ones are computed
		if b.Mixture, err = model.ContinuedMixture(m, b.prior, before, counts, means, b.Within, b.negligible); err != nil {
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

// describe returns the warning that the data reject the prior with this p-value. Its rewards have the sign of the data.
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

// Doubts returns the warning of the first round whose data were implausible under the prior, if any.
func (b *Belief) Doubts() []engine.Warning {
	if b.found == nil {
		return nil
	}
	return []engine.Warning{*b.found}
}
