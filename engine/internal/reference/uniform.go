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

// uniformFB spends the whole budget in one round with counts fixed beforehand, by
// default the same number of pulls on every arm of a task up to rounding, whose
// remainders go round from task to task, and answers with the largest estimate. Below one pull an arm the arms
// pulled are the first ones of budget.Order.
type uniformFB struct {
	rounds.Candidates
	rounds.Evidence
	opt       model.Terms
	ridge     float64
	estimator *model.Estimator
	counts    []int            // counts of the round, amended or not
	planned   []int            // counts of the plan,
	full      *model.Estimator // with their estimator
	done      bool
	// chooses the answer; nil means the largest estimate
	answerOf func(v int, estimates []float64) int
}

var (
	_ engine.Detailed = (*uniformFB)(nil)
	_ engine.Amender  = (*uniformFB)(nil)
)

// NewCoUniformFB returns uniform sampling with the kernelised estimator: what sharing alone brings,
// without an adaptive allocation.
func NewCoUniformFB(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	return newUniformFB(m, opt)
}

// NewIndUniformFB returns uniform sampling with sample means, each task on its own
// [Du23, App. A, IndUniformFB]: the kernel identity() with ξ = 0, under which the kernelised
// estimator is the sample mean of each arm. The paper does not name the estimator; NewIndUniformLS
// has the other one.
func NewIndUniformFB(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	alone, err := m.Independent()
	if err != nil {
		return nil, err
	}
	opt.Ridge = engine.Ridge{Kind: engine.RidgeValue}
	return newUniformFB(alone, opt)
}

// NewIndUniformLS returns uniform sampling with least squares (ξ = 0) under each agent's own
// kernel, each task on its own: the uniform baseline in the code of the authors of [KJKJ20], where
// the estimator is the same for all algorithms.
func NewIndUniformLS(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	opt.Ridge = engine.Ridge{Kind: engine.RidgeValue}
	return individual.NewFB(m, opt, func(m *model.Model, opt model.Terms) (engine.Algorithm, error) { return newUniformFB(m, opt) })
}

// NewBestElsewhere answers with the arm that is best on average in the other
// tasks, by the sample means of a uniform round; arms are matched by name. It
// uses no data of the task itself: a baseline that collaboration must beat.
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
	// arm at which a task begins: where the last one ended
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

// newOneRound spends the counts. The kind of estimator names, with the budget, where they come
// from.
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

// Plan returns the one round.
func (a *uniformFB) Plan(_ context.Context) (engine.Plan, error) {
	a.counts, a.estimator = a.planned, a.full
	return engine.Plan{Round: 1, Counts: a.counts}, nil
}

// Learn estimates all rewards and keeps one arm of each task.
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

// bestElsewhere averages, for each arm of task v, the estimates of the arms of
// the same name in the other tasks; arms found nowhere else count last.
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

// Done reports whether the round was made.
func (a *uniformFB) Done() bool { return a.done }

// Warnings names arms that were never pulled and a kernel that cannot represent the rewards.
func (a *uniformFB) Warnings() []engine.Warning {
	out := model.MisfitWarnings(a.Model, a.opt)
	if slices.Contains(a.counts, 0) {
		out = append(out, engine.Warning{Kind: engine.WarnUnpulled, Numbers: []float64{float64(a.opt.Budget)}})
	}
	return append(out, a.Doubts()...)
}

// Amend fixes the estimator from the counts. A round without any is made again.
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
