package bayes

import (
	"context"
	"errors"
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/budget"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// budgetFB is CoBayesFB and CoUniformFB for kernels of large rank on the arms, or with a learned kernel. Package budget
// distributes the pulls. Round 1 takes different arms in different tasks; later rounds take the pulls that improve the
// decision most, with exact posterior covariances. The answers are the arms with the largest posterior means.
//
// No answer is decided: a least-squares test would need a pull for each dimension of the kernel.
type budgetFB struct {
	rounds.Candidates
	purse   *budget.Purse
	round   int
	planned engine.Plan
	knowledge
	learned *learned // nil if the stated kernel is used
	lost    bool     // some round had other pulls than planned
	uniform bool     // one round with equally many pulls of all arms of a task
}

var (
	_ engine.Detailed  = (*budgetFB)(nil)
	_ engine.Amender   = (*budgetFB)(nil)
	_ engine.DataAdder = (*budgetFB)(nil)
)

// TakesBudget reports whether CoBayesFB with these options uses NewBudgetFB: if the run learns the kernel, or if the
// kernel's rank is large.
func TakesBudget(m *model.Model, opt model.Terms) (bool, error) {
	if opt.Ridge.Kind != engine.RidgeGP && opt.Ridge.Kind != "" {
		return false, nil
	}
	if opt.LearnsKernel(m.Problem) {
		return true, nil
	}
	return m.Designs().RankAbove(model.MostTested)
}

// NewBudgetFB returns CoBayesFB for a model and options for which TakesBudget is true.
func NewBudgetFB(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	if opt.Misfit > 0 {
		return nil, engine.ErrNoMisfit
	}
	a, err := newBudgetFB(m, opt)
	if err == nil && opt.LearnsKernel(m.Problem) {
		a.learned, err = newLearned(m, opt)
	}
	return a, err
}

// NewUniformFB returns CoUniformFB for a model for which TakesBudget is true. It uses the whole budget in one round with
// equally many pulls of all arms of a task. If a task has more arms than pulls, different tasks pull different arms
// (budget.Order).
func NewUniformFB(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	opt.Rounds = 1
	a, err := newBudgetFB(m, opt)
	if err != nil {
		return nil, err
	}
	a.uniform = true
	return a, nil
}

// newBudgetFB returns the algorithm before any round.
func newBudgetFB(m *model.Model, opt model.Terms) (*budgetFB, error) {
	m = m.Own()
	k, err := newKnowledge(m, opt)
	k.belief = rounds.NewBelief(model.PriorOf(opt.Options).OnPulled())
	return &budgetFB{Candidates: rounds.NewCandidates(m), knowledge: k, purse: budget.NewPurse(m.Problem, opt.Options)}, err
}

// Plan returns the pulls of the next round.
func (a *budgetFB) Plan(ctx context.Context) (_ engine.Plan, err error) {
	defer try.Caught(&err)
	defer a.Model.During(ctx)()
	counts := make([]int, a.Model.Problem.N())
	n, room := a.purse.Next()
	if a.estimates == nil {
		each := 1
		if a.scales.Groups != nil && !a.uniform && a.learned == nil { // an unknown scale needs a replicate
			each = 2
		}
		budget.Explore(counts, a.Model.Problem, n, each, room)
	} else {
		if a.learned != nil {
			n = a.purse.Cover(counts, a.Counts, n, room)
		}
		try.To(budget.Fill(a.Model.Context(), counts, a.Model.Problem, a.believed(), a.Sets, n, room))
	}
	a.round++
	a.planned = engine.Plan{Round: a.round, Counts: counts, WantSquares: a.scales.Groups != nil}
	return a.planned, nil
}

// Learn computes the posterior from all data.
func (a *budgetFB) Learn(ctx context.Context, b engine.Batch) (err error) {
	defer try.Caught(&err)
	defer a.Model.During(ctx)()
	try.To(rounds.CheckBatch(a.planned, b))
	a.purse.Spend(a.planned.Counts)
	a.take(b)
	return nil
}

// take updates the posterior with a batch of a round or with added rewards.
func (a *budgetFB) take(b engine.Batch) {
	if !b.Empty() {
		a.learn(b)
	}
}

// Done reports whether the budget is spent. It is also true if every task has a single arm.
func (a *budgetFB) Done() bool { return a.purse.Empty() || a.Single() }

// State implements engine.Algorithm.
func (a *budgetFB) State() engine.State { return engine.StateOf(a) }

// Answers returns the arms with the largest posterior means.
func (a *budgetFB) Answers() []engine.Answer {
	out := leaders(&a.Candidates, a.estimates)
	for v := range out {
		if !out[v].Decided {
			out[v].Margin = math.Inf(1)
		}
	}
	return out
}

// Warnings returns a warning if the data are implausible under the prior. A learned kernel has no such warning.
func (a *budgetFB) Warnings() []engine.Warning { return a.belief.Doubts() }

// Amend replaces the counts of the planned round. Later rounds share the rest of the budget.
func (a *budgetFB) Amend(counts []int) error {
	if a.planned.Counts == nil {
		return errors.New(rounds.LearnedEarly)
	}
	a.planned.Counts, a.lost = counts, true
	a.purse.Amend(counts)
	return nil
}

// AddData adds rewards from outside the rounds to the posterior.
func (a *budgetFB) AddData(b engine.Batch) (err error) {
	defer try.Caught(&err)
	try.To(rounds.CheckInform(a.Model.Problem, b))
	a.take(b)
	return nil
}

// UsesAddedData reports that the posterior uses all rewards.
func (a *budgetFB) UsesAddedData() bool { return true }

// Unspent returns a message if the run is done and some pulls of its budget were not made; otherwise "".
func (a *budgetFB) Unspent() string {
	if a.lost && a.Done() && a.purse.Remaining() > 0 {
		return "the last round has fewer pulls than planned"
	}
	return ""
}

// Hardest returns the arm of task v whose gap to the leader is the fewest posterior standard deviations.
func (a *budgetFB) Hardest(v int) engine.Rival {
	set := a.Sets[v]
	if a.estimates == nil {
		return a.NoData(v, set[0])
	}
	rival, gap, sd := a.nearest(v)
	return a.Shown(rival, engine.Rival{Open: len(set), Gap: gap, Error: sd})
}

// nearest returns the arm of task v whose gap to the leader is the fewest posterior standard deviations, with the gap and
// its standard deviation, normalised.
func (a *budgetFB) nearest(v int) (rival int, gap, sd float64) {
	set := a.Sets[v]
	first, at, least := rounds.Leader(set, a.estimates), 0, math.Inf(1)
	variances := make([]float64, len(set))
	if err := a.believed().Posterior.VariancesFrom(variances, set, first); err != nil { // the context has ended: the run ends, too
		return set[0], 0, math.NaN()
	}
	for k, i := range set {
		d := math.Sqrt(variances[k])
		if t := rounds.MedianGap(a.estimates[first]-a.estimates[i], d) / d; i != first && (t < least || math.IsInf(least, 1)) {
			at, least = k, t
		}
	}
	return set[at], a.estimates[first] - a.estimates[set[at]], math.Sqrt(variances[at])
}

// Samples returns -1, because no number of samples decides a task. It returns NaN before any data.
func (a *budgetFB) Samples([]int) float64 {
	if a.estimates == nil {
		return math.NaN()
	}
	return -1
}
