package bayes

import (
	"math"
	"math/rand/v2"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// budgetFB is CoTestFB by the posterior where the arms are many and the rank of the kernel on them is
// large. Round 1 pulls arms that all follow from, as far as its share goes. In every later round each
// contrast (leader - x) counts by its posterior variance over its squared gap, and the pulls go one
// choice after another where they take most from the largest of these: on exact posterior covariances
// of all arms, at a cost that is linear in their number. The answers are the largest posterior means.
//
// Nothing is decided: a test by least squares would need a pull for each dimension of the kernel.
type budgetFB struct {
	rounds.Candidates
	opt     engine.Options
	shares  []int // pulls by round
	spent   int   // of the budget
	round   int
	planned engine.Plan
	knowledge
	lost    bool // whether a round had other pulls than were planned
	uniform bool // one round of equally many pulls of the arms of a task
}

var (
	_ engine.Algorithm  = (*budgetFB)(nil)
	_ engine.Explainer  = (*budgetFB)(nil)
	_ engine.Estimating = (*budgetFB)(nil)
	_ engine.Amender    = (*budgetFB)(nil)
	_ engine.Informer   = (*budgetFB)(nil)
)

// The shape of a run: round 1 has a fifth of the budget, and the later ones share the rest equally.
// Gaps are taken to be larger than estimated by their posterior variance times caution.
const (
	budgetRounds = 6
	budgetFirst  = 0.2
	caution      = 2
	// mostChoices limits how often pulls are chosen in a round.
	mostChoices = 96
)

// smallRank is the largest rank of a kernel on many arms that CoTestFB works with by features and least
// squares.
const smallRank = 100

// TakesBudget reports whether CoTestFB with these options goes by NewBudgetFB.
func TakesBudget(m *model.Model, opt engine.Options) (bool, error) {
	if opt.Ridge.Kind != engine.RidgeGP && opt.Ridge.Kind != "" || !m.Dual() {
		return false, nil
	}
	return m.RankAbove(smallRank)
}

// NewBudgetFB prepares the rule on a model.
func NewBudgetFB(m *model.Model, opt engine.Options) (engine.Algorithm, error) {
	opt, err := opt.Checked(engine.ModeFB)
	if err != nil {
		return nil, err
	}
	if opt.Misfit > 0 || opt.Robust {
		return nil, engine.ErrNoMisfit
	}
	a, err := newBudgetFB(m, opt)
	if err != nil {
		return nil, err
	}
	left := opt.Pulls(m.Problem.V())
	if most := opt.Parts(left, budgetRounds); most > 1 {
		a.shares = append(a.shares, opt.Part(max(1, int(budgetFirst*float64(left))), left, most-1))
		left -= a.shares[0]
		a.divide(left, most-1)
	} else {
		a.shares = []int{left}
	}
	return a, nil
}

// NewUniformFB prepares CoUniformFB by the posterior on a model for which TakesBudget: the budget in one
// round, equally many pulls of every arm of a task. Where they are fewer than its arms, the arms pulled
// are drawn at random, the same ones in every run: tables are often in the order of their features.
func NewUniformFB(m *model.Model, opt engine.Options) (engine.Algorithm, error) {
	opt, err := opt.Checked(engine.ModeFB)
	if err != nil {
		return nil, err
	}
	a, err := newBudgetFB(m, opt)
	if err != nil {
		return nil, err
	}
	a.uniform, a.shares = true, []int{opt.Pulls(m.Problem.V())}
	return a, nil
}

// newBudgetFB returns a run before any round, without shares.
func newBudgetFB(m *model.Model, opt engine.Options) (*budgetFB, error) {
	k, err := newKnowledge(m, opt)
	return &budgetFB{Candidates: rounds.NewCandidates(m), opt: opt, knowledge: k}, err
}

// divide plans the pulls of the given number of further rounds.
func (a *budgetFB) divide(left, among int) {
	for k := range among {
		n := a.opt.Part(left/(among-k), left, among-k-1)
		if left -= n; n > 0 {
			a.shares = append(a.shares, n)
		}
	}
}

// Plan fixes the pulls of the round.
func (a *budgetFB) Plan() (engine.Plan, error) {
	counts := make([]int, a.Model.Problem.N())
	next := a.fill
	switch {
	case a.uniform:
		next = a.spread
	case a.estimates == nil:
		next = a.explore
	}
	if err := next(counts, a.shares[a.round]); err != nil {
		return engine.Plan{}, err
	}
	a.round++
	a.planned = engine.Plan{Round: a.round, Counts: counts, WantSquares: a.scales.Groups != nil}
	return a.planned, nil
}

// explore adds n pulls of arms that all follow from, the first pivots where n is small. Where noise
// scales are unknown each has two at least.
func (a *budgetFB) explore(counts []int, n int) error {
	each := 1
	if a.scales.Groups != nil {
		each = 2
	}
	arms, err := a.Model.Spanning(model.Contrasting(a.Sets), max(1, n/each), model.SpanningRest)
	if err != nil {
		return err
	}
	if len(arms) == 0 { // one arm in every task
		arms = a.Sets[0]
	}
	for k, i := range arms {
		counts[i] += n / len(arms)
		if k < n%len(arms) {
			counts[i]++
		}
	}
	return nil
}

// spread adds the pulls of a uniform round.
func (a *budgetFB) spread(counts []int, _ int) error {
	rng := rand.New(rand.NewPCG(0, 0))
	for _, set := range a.Model.Problem.Groups() {
		for k, at := range rng.Perm(len(set)) {
			counts[set[at]] = a.opt.Budget / len(set)
			if k < a.opt.Budget%len(set) {
				counts[set[at]]++
			}
		}
	}
	return nil
}

// fill adds n pulls. A contrast's value never rises by pulls, so that a task whose value was below
// the largest when it was last worked out need not be looked at.
func (a *budgetFB) fill(counts []int, n int) error {
	f := newForesight(a.belief.Estimator, a.scales.Model.Precision)
	var open []*outlook
	var weights [][]float64
	var worst []float64 // values, or bounds on them from above
	for v, set := range a.Sets {
		if len(set) > 1 {
			leader := rounds.Leader(set, a.estimates)
			open = append(open, f.watch(set, leader, 0, math.Inf(1), a.apart[v]))
			weights = append(weights, a.weights(v, leader))
			worst = append(worst, math.Inf(1))
		}
	}
	if len(open) == 0 {
		return a.explore(counts, n)
	}
	for step := (n + mostChoices - 1) / mostChoices; n > 0; n -= step {
		if err := a.Model.Context().Err(); err != nil {
			return err
		}
		at, rival := -1, 0
		for {
			top := 0
			for k, value := range worst {
				if value > worst[top] {
					top = k
				}
			}
			if top == at {
				break
			}
			open[top].update()
			worst[top], rival = open[top].worst(weights[top])
			at = top
		}
		o := open[at]
		k := o.most(rival)
		pulls := min(step, n)
		counts[o.arms[k]] += pulls
		o.pull(k, pulls)
	}
	return nil
}

// weights returns for each arm of a task 1 over the squared gap to its leader, taken as large as it may
// well be: gaps that are all but 0 cannot be told anyway.
func (a *budgetFB) weights(v, leader int) []float64 {
	out := make([]float64, len(a.Sets[v]))
	for k, i := range a.Sets[v] {
		gap := a.estimates[leader] - a.estimates[i]
		if g := gap*gap + caution*a.apart[v][k]; g > 0 && i != leader {
			out[k] = 1 / g
		}
	}
	return out
}

// worst returns the largest weighted variance of a contrast with the leader, and the position of the arm.
func (o *outlook) worst(weights []float64) (value float64, rival int) {
	value, rival = -1, o.leader
	for k, w := range weights {
		if x := w * (o.own[k] + o.own[o.leader] - 2*o.lead[k]); k != o.leader && x > value {
			value, rival = x, k
		}
	}
	return value, rival
}

// Learn forms the posterior of all data.
func (a *budgetFB) Learn(b engine.Batch) error {
	if err := rounds.CheckBatch(a.planned, b); err != nil {
		return err
	}
	a.spent += a.planned.Pulls()
	return a.take(b)
}

// take takes rewards in, of a round or of none.
func (a *budgetFB) take(b engine.Batch) error {
	if b.Empty() {
		return nil
	}
	if err := a.learn(b); err != nil {
		return err
	}
	for v, set := range a.Sets {
		a.apart[v] = make([]float64, len(set))
		if len(set) < 2 {
			continue
		}
		if err := a.belief.VariancesFrom(a.apart[v], set, rounds.Leader(set, a.estimates)); err != nil {
			return err
		}
	}
	return nil
}

// Done reports whether the budget is spent, or there was never anything to choose.
func (a *budgetFB) Done() bool { return a.round == len(a.shares) || a.Single() }

// Answers returns the largest posterior means.
func (a *budgetFB) Answers() []engine.Answer {
	out := make([]engine.Answer, len(a.Sets))
	for v, set := range a.Sets {
		first, estimate := set[0], math.NaN()
		if a.estimates != nil {
			first = rounds.Leader(set, a.estimates)
			estimate = a.estimates[first]
		}
		out[v] = a.Answer(v, first, estimate)
		if out[v].Decided = len(set) == 1; out[v].Decided {
			out[v].Arm = out[v].Leader
		} else {
			out[v].Margin = math.Inf(1)
		}
	}
	return out
}

// Warnings reports data that the prior does not expect.
func (a *budgetFB) Warnings() []engine.Warning { return a.belief.Doubts() }
