package reference

import (
	"context"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/budget"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/internal/individual"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// uniformFB spends the whole budget in one round with counts that are fixed in advance. By default all arms of a task get
// the same number of pulls, up to rounding. The arms with an extra pull rotate from task to task. With fewer pulls than
// arms, the first arms of budget.Order get one pull. The answer is the arm with the largest estimate.
type uniformFB struct {
	rounds.Candidates
	rounds.Evidence
	opt       model.Terms
	ridge     float64
	estimator *model.Estimator
	counts    []int            // counts of the round, possibly amended
	planned   []int            // planned counts
	full      *model.Estimator // estimator for planned
	done      bool
	// returns the answer for task v; nil means the largest estimate
	answerOf func(v int, estimates []float64) int
}

var (
	_ engine.Detailed = (*uniformFB)(nil)
	_ engine.Amender  = (*uniformFB)(nil)
)

// NewCoUniformFB returns uniform sampling with the kernelised estimator. It shows what shared data achieve without an
// adaptive allocation.
func NewCoUniformFB(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	return newUniformFB(m, opt)
}

// NewIndUniformFB returns uniform sampling with sample means, each task alone [Du23, App. A, IndUniformFB]. Its kernel is
// identity() with ξ = 0, for which the kernelised estimator is the sample mean of each arm. The paper does not name the
// estimator; NewIndUniformLS uses the other one.
func NewIndUniformFB(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	alone, err := m.Independent()
	if err != nil {
		return nil, err
	}
	opt.Ridge = engine.Ridge{Kind: engine.RidgeValue}
	return newUniformFB(alone, opt)
}

// NewIndUniformLS returns uniform sampling with least squares (ξ = 0) under each agent's own kernel, each task alone. It
// is the uniform baseline in the code of the authors of [KJKJ20], in which all algorithms have the same estimator.
func NewIndUniformLS(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	opt.Ridge = engine.Ridge{Kind: engine.RidgeValue}
	return individual.NewFB(m, opt, func(m *model.Model, opt model.Terms) (engine.Algorithm, error) { return newUniformFB(m, opt) })
}

// NewBestElsewhere returns a baseline that answers with the arm that is best on average in the other tasks. It uses the
// sample means of a uniform round, matches arms by name, and ignores the data of the task itself. Collaboration must beat
// it.
func NewBestElsewhere(m *model.Model, opt model.Terms) (_ engine.Algorithm, err error) {
	defer try.Caught(&err)
	alone := try.Of(m.Independent())
	opt.Ridge = engine.Ridge{Kind: engine.RidgeValue}
	a := try.Of(newUniformFB(alone, opt))
	a.answerOf = a.bestElsewhere
	return a, nil
}

func newUniformFB(m *model.Model, opt model.Terms) (*uniformFB, error) {
	counts := make([]int, m.Problem.N())
	// position at which the pulls of a task begin: where the pulls of the previous task ended
	first, orders := 0, budget.Order(m.Problem, slices.Repeat([]int{opt.Budget}, m.Problem.V()))
	for v, set := range m.Problem.Groups() {
		if opt.Budget < len(set) {
			set, first = orders[v], 0
		}
		for k := range set {
			i := set[(first+k)%len(set)]
			counts[i] = opt.Budget / len(set)
			if k < opt.Budget%len(set) {
				counts[i]++
			}
		}
		first += opt.Budget % len(set)
	}
	return newOneRound(m, opt, canon.KindUniformEstimate, counts)
}

// newOneRound returns the algorithm that makes these pulls. With the budget, from identifies the counts in the cache.
func newOneRound(m *model.Model, opt model.Terms, from canon.Kind, counts []int) (_ *uniformFB, err error) {
	defer try.Caught(&err)
	m = m.Own()
	a := &uniformFB{Candidates: rounds.NewCandidates(m), opt: opt, counts: counts, planned: counts}
	a.ridge = try.Of(m.Designs().Ridge(engine.ModeFB, opt))
	if opt.Ridge.Kind == engine.RidgeGP {
		a.ridge = m.Designs().GpRidge(opt.Budget * m.Problem.V())
	}
	a.Evidence = try.Of(rounds.NewEvidence(&a.Candidates, opt, 1, a.ridge))
	k := canon.Key{Kind: from, Ridge: a.ridge, Level: opt.Epsilon, Pulls: opt.Budget}
	a.full = try.Of(model.Remembered(m, k, func() (*model.Estimator, error) { return model.NewEstimator(m, a.ridge, a.counts) }))
	a.estimator = a.full
	return a, nil
}

// State implements engine.Algorithm.
func (a *uniformFB) State() engine.State { return engine.StateOf(a) }

// Plan returns the only round.
func (a *uniformFB) Plan(_ context.Context) (engine.Plan, error) {
	a.counts, a.estimator = a.planned, a.full
	return engine.Plan{Round: 1, Counts: a.counts}, nil
}

// Learn estimates all rewards, and keeps one arm per task. An empty batch changes nothing.
func (a *uniformFB) Learn(ctx context.Context, b engine.Batch) error {
	defer a.Model.During(ctx)()
	if err := rounds.CheckBatch(engine.Plan{Round: 1, Counts: a.counts}, b); err != nil || b.Empty() {
		return err
	}
	_, estimates, err := a.Estimate(a.estimator, b)
	if err != nil {
		return err
	}
	for v, set := range a.Sets {
		first := rounds.Leader(set, estimates)
		if a.answerOf != nil {
			first = a.answerOf(v, estimates)
		}
		for _, i := range set {
			if i != first {
				a.Drop(1, i, first, estimates[first]-estimates[i], 0, engine.RuleLargest)
			}
		}
		a.Sets[v] = []int{first}
	}
	a.done = true
	return nil
}

// bestElsewhere returns the arm of task v with the largest mean estimate over the arms of the same name in other tasks. It
// returns the first arm if no other task has pulls of these names.
func (a *uniformFB) bestElsewhere(v int, estimates []float64) int {
	p := a.Model.Problem
	lo, hi := p.ArmsOf(v)
	best, highest := lo, math.Inf(-1)
	for i := lo; i < hi; i++ {
		sum, count := 0.0, 0
		for j := range estimates {
			if p.TaskOf[j] != v && p.Arms.ID[j] == p.Arms.ID[i] && a.counts[j] > 0 {
				sum += estimates[j]
				count++
			}
		}
		if count > 0 && sum/float64(count) > highest {
			best, highest = i, sum/float64(count)
		}
	}
	return best
}

// Done reports whether the round has been made.
func (a *uniformFB) Done() bool { return a.done }

// Warnings returns warnings about arms without pulls, and about rewards that the kernel cannot represent.
func (a *uniformFB) Warnings() []engine.Warning {
	out := model.MisfitWarnings(a.Model, a.opt)
	if slices.Contains(a.counts, 0) {
		out = append(out, engine.Warning{Kind: engine.WarnUnpulled, Numbers: []float64{float64(a.opt.Budget)}})
	}
	return append(out, a.Doubts()...)
}

// Amend replaces the counts of the round, and computes their estimator. A round with no pulls is planned again.
func (a *uniformFB) Amend(counts []int) error {
	if engine.PullsOf(counts) > 0 {
		e, err := model.NewEstimator(a.Model, a.ridge, counts)
		if err != nil {
			return err
		}
		a.estimator = e
	}
	a.counts = counts
	return nil
}
