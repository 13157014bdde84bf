package bayes

import (
	"gonum.org/v1/gonum/floats"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// knowledge holds the data of a run and what they say under the prior.
type knowledge struct {
	model.Pool
	scales    rounds.Scales
	belief    *rounds.Belief
	estimates []float64   // posterior means, normalised; nil before any data
	by        [][]float64 // the same by member of a belief that is mixed
	// by task: posterior variances of its arms' rewards less that of the leader, normalised
	apart [][]float64
}

// newKnowledge returns what is known before any data.
func newKnowledge(m *model.Model, opt engine.Options) (knowledge, error) {
	scales, err := rounds.NewScales(m, opt)
	return knowledge{
		Pool: model.NewPool(m.Problem.N()), scales: scales, belief: rounds.NewBelief(model.PriorOf(opt)), apart: make([][]float64, m.Problem.V()),
	}, err
}

// learn takes rewards in, and forms the posterior of all.
func (k *knowledge) learn(b engine.Batch) error {
	if err := k.scales.Learn(b); err != nil {
		return err
	}
	return k.believe(k.Add(b))
}

// believe forms the posterior of all rewards, whose means are given.
func (k *knowledge) believe(means []float64) error {
	if err := k.belief.Learn(k.scales.Model, k.Counts, means, k.scales.Freedom()); err != nil {
		return err
	}
	if k.belief.Mixture == nil {
		k.estimates = k.belief.Estimates(means)
		return nil
	}
	k.estimates, k.by = make([]float64, len(means)), k.by[:0]
	for _, of := range k.belief.Mixture.Members {
		k.by = append(k.by, of.Estimates(means))
		floats.AddScaled(k.estimates, of.Weight, k.by[len(k.by)-1])
	}
	return nil
}
