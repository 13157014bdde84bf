package bayes

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/internal/budget"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/internal/sides"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// learned is the posterior in a run that learns its kernel.
type learned struct {
	*belief.Learner
	squares []float64 // N: squared deviations of an arm's rewards from their mean
}

// newLearned returns the posterior of a learned kernel before any data. Too many arms for Options.KernelIs "member" are an
// error.
func newLearned(m *model.Model, opt model.Terms) (*learned, error) {
	p := m.Problem
	var stated *mat.SymDense
	if opt.KernelIs == engine.KernelMember {
		if n := p.N(); n > model.MostLearned {
			return nil, fmt.Errorf(`problem %q has %d arms, but kernel_is=%q allows at most %d. Give kernel_is=%q`, p.Name, n, opt.KernelIs, model.MostLearned, engine.KernelFixed)
		}
		on, err := p.Kernel.On(m.Context(), p.Tasks, p.Arms, p.TaskOf)
		if err != nil {
			return nil, err
		}
		stated = kernels.Dense(on)
	}
	var noise []float64
	if p.Noise.UnknownBy == "" {
		noise = p.Noise.Likely()
	}
	return &learned{belief.NewLearner(p, noise, stated, m.Unit, model.MostLearned), make([]float64, p.N())}, nil
}

// learn adds the batch to the pool, and computes the posterior from all data.
func (l *learned) learn(m *model.Model, pool *model.Pool, b engine.Batch) {
	before := pool.Means()
	for i, c := range b.Counts {
		if c > 0 {
			n, d := float64(pool.Counts[i]), b.Means[i]-before[i]
			l.squares[i] += d * d * n * float64(c) / (n + float64(c))
			if b.Squares != nil {
				l.squares[i] += b.Squares[i]
			}
		}
	}
	try.To(l.Learn(m.Context(), pool.Counts, pool.Add(b), l.squares))
}

// learn adds a batch, and computes the posterior from all data.
func (a *budgetFB) learn(b engine.Batch) {
	if a.learned == nil {
		a.knowledge.learn(b)
		return
	}
	a.learned.learn(a.Model, &a.Pool, b)
	a.estimates = a.learned.Estimates()
}

// believed returns the current posterior, as package budget needs it.
func (a *budgetFB) believed() budget.Belief {
	if a.learned != nil {
		return budget.Belief{Posterior: a.learned, Means: a.estimates, Precision: a.learned.Precision()}
	}
	return budget.Belief{Posterior: a.belief.Estimator, Means: a.estimates, Precision: a.scales.Model.Precision}
}

// knowledge holds the data of a run and the posterior.
type knowledge struct {
	model.Pool
	scales    rounds.Scales
	belief    *rounds.Belief
	within    *sides.Data // data within blocks; nil without blocks
	estimates []float64   // posterior means, normalised; nil before any data
	by        [][]float64 // posterior means per member of a mixture
	// per task: posterior variances of its arms' gaps to the leader, normalised
	variances [][]float64
}

// newKnowledge returns the knowledge before any data.
func newKnowledge(m *model.Model, opt model.Terms) (knowledge, error) {
	scales, err := rounds.NewScales(m, opt.Options)
	return knowledge{
		Pool: model.NewPool(m.Problem.N()), scales: scales, belief: rounds.NewBelief(model.PriorOf(opt.Options)),
		variances: make([][]float64, m.Problem.V()),
	}, err
}

// learn adds a batch, and computes the posterior from all data.
func (k *knowledge) learn(b engine.Batch) {
	if k.within != nil {
		k.learnWithin(b)
	} else {
		try.To(k.scales.Learn(b))
	}
	k.believe(k.Add(b))
}

// believe computes the posterior from all data. means has the mean of each arm in reward units.
func (k *knowledge) believe(means []float64) {
	try.To(k.belief.Learn(k.scales.Model, k.Counts, means, k.scales.Freedom()))
	if k.belief.Mixture == nil {
		k.estimates = k.belief.Estimates(means)
		return
	}
	k.estimates, k.by = make([]float64, len(means)), k.by[:0]
	for _, of := range k.belief.Mixture.Members {
		k.by = append(k.by, of.Estimates(means))
		floats.AddScaled(k.estimates, of.Weight, k.by[len(k.by)-1])
	}
}
