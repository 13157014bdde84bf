package rounds

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Belief is the Gaussian process of a posterior method in the course of a run. After each round it
// is formed from all the data that the method judges by, its scale fitted again where none was
// stated, and tested: are the data credible under its prior?
type Belief struct {
	*model.Posterior // nil before any data; of a mixture the heaviest member
	// of a belief that is mixed: posteriors under all numbers that the data allow
	Mixture *model.Mixture
	Within  *model.Within // of a belief that is mixed: what Learn uses instead of means; nil without blocks

	prior      model.Prior
	negligible float64 // weight of members that may be left out; 0 of a belief that is not mixed
	round      int
	found      *engine.Warning // at the first round that rejects
}

// NewBelief returns the belief before any data.
func NewBelief(prior model.Prior) *Belief { return &Belief{prior: prior} }

// NewMixedBelief returns the belief before any data of a method that judges by all data so far and averages
// over what is not known of the prior; members of so little weight together are left out.
func NewMixedBelief(prior model.Prior, negligible float64) *Belief {
	return &Belief{prior: prior, negligible: negligible}
}

// Learn forms it from N counts and means, after one round more, under the precisions of the model.
// The noise scales have this many degrees of freedom, +Inf where they are known.
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

// leastShown is the least p-value that is shown: smaller ones are 0 by rounding.
const leastShown = 1e-300

// describe says how far rewards are from what the prior expects, in the direction of the data.
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

// Doubts returns a warning where the data were not credible under the prior, from the first round
// in which they were not.
func (b *Belief) Doubts() []engine.Warning {
	if b.found == nil {
		return nil
	}
	return []engine.Warning{*b.found}
}
