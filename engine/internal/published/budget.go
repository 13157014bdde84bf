package published

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/budget"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// budgeted is a fixed-budget algorithm that chooses pulls from the posterior of a Gaussian process. In each round every
// agent pulls one arm of its task, or Options.Batch arms. All agents share all rewards. In round 1, before any data, they
// pull different arms. The recommendation is the arm with the largest posterior mean.
//
// The options state the scale of the kernel and the level of the prior. Without them, the posterior is averaged over both
// by their fit to the data (model.Mixture). With level=0 and scale=1 it is the prior of the papers.
//
// An answer is decided if the fixed-confidence test with ThresholdMixture separates it from its rivals. That test is valid
// for any sampling rule.
type budgeted struct {
	*sequential
	rule    choosing
	pool    model.Pool
	mixture *model.Mixture
}

// choosing is the sampling rule of a fixed-budget algorithm.
type choosing interface {
	// choose returns n arms of task v for the next round, from the posterior of a.
	choose(a *budgeted, v, n int) []int
}

var (
	_ engine.Detailed = (*budgeted)(nil)
	_ engine.Amender  = (*budgeted)(nil)
)

// negligible is the largest total weight of mixture members that may be dropped.
const negligible = 0.01

func newBudgeted(m *model.Model, opt model.Terms, rule choosing) (engine.Algorithm, error) {
	a, err := newSequential(m, opt)
	if err != nil {
		return nil, err
	}
	return &budgeted{sequential: a, rule: rule, pool: model.NewPool(m.Problem.N())}, nil
}

// Plan returns the pulls of one batch per agent.
func (a *budgeted) Plan(ctx context.Context) (_ engine.Plan, err error) {
	defer try.Caught(&err)
	defer a.Model.During(ctx)()
	p := a.Model.Problem
	counts := make([]int, p.N())
	each := a.each(a.round)
	if a.estimates == nil {
		for _, order := range a.order() {
			for n := range each {
				counts[order[n%len(order)]]++
			}
		}
	} else {
		for v := range p.V() {
			for _, i := range a.rule.choose(a, v, each) {
				counts[i]++
			}
		}
	}
	a.planned = engine.Plan{Round: a.round + 1, Counts: counts}
	return a.planned, nil
}

// order returns, for each task, its arms in the order of the first pulls.
func (a *budgeted) order() [][]int {
	p := a.Model.Problem
	return budget.Order(p, slices.Repeat([]int{a.each(0)}, p.V()))
}

// each returns the number of pulls of each agent in the next round, if this number of rounds is over. It is at most 0 if
// the budget is spent.
func (a *budgeted) each(rounds int) int {
	batch := max(1, a.opt.Batch)
	return min(batch, a.opt.Budget-rounds*batch)
}

// Learn computes the posterior from all data.
func (a *budgeted) Learn(ctx context.Context, b engine.Batch) (err error) {
	defer try.Caught(&err)
	defer a.Model.During(ctx)()
	try.To(a.receive(b))
	if b.Empty() {
		return nil
	}
	means := a.pool.Means()
	a.mixture = try.Of(model.ContinuedMixture(a.Model, model.PriorOf(a.opt.Options), a.mixture, a.pool.Counts, means, nil, negligible))
	a.estimates = make([]float64, len(means))
	for _, member := range a.mixture.Members {
		for i, x := range member.Estimates(means) {
			a.estimates[i] += member.Weight * x
		}
	}
	return nil
}

// receive checks a batch against the plan, and adds its rewards.
func (a *budgeted) receive(b engine.Batch) error {
	if err := rounds.CheckBatch(a.planned, b); err != nil {
		return err
	}
	a.planned = engine.Plan{}
	a.round++
	if !b.Empty() {
		a.learn(b)
		a.pool.Add(b)
	}
	return nil
}

// covariance returns the posterior covariances of arms, normalised, averaged over the members of the mixture.
func (a *budgeted) covariance(arms []int) *mat.SymDense {
	out, means := mat.NewSymDense(len(arms), nil), a.pool.Means()
	off := mat.NewVecDense(len(arms), nil)
	for _, member := range a.mixture.Members {
		c := member.CovarianceMatrix(arms)
		c.ScaleSym(member.Weight, c)
		out.AddSym(out, c)
		estimates := member.Estimates(means)
		for k, i := range arms {
			off.SetVec(k, estimates[i]-a.estimates[i])
		}
		out.SymRankOne(out, member.Weight, off)
	}
	return out
}

// Done reports whether the budget is spent.
func (a *budgeted) Done() bool { return a.each(a.round) <= 0 || a.over }

// State implements engine.Algorithm.
func (a *budgeted) State() engine.State { return engine.StateOf(a) }

// Answers returns the arms with the largest posterior means.
func (a *budgeted) Answers() []engine.Answer {
	out := a.sequential.Answers()
	for v := range out {
		if i := a.leaderOf(v); a.estimates != nil && !math.IsInf(a.estimates[i], -1) {
			out[v].Estimate = a.estimates[i] * a.Model.Unit
		}
	}
	return out
}
