package cotest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/budget"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// coBayesFB is CoBayesFB, the fixed-budget form of CoTestFC (docs/theory/budget.md, "The fixed-budget form"). By default
// it uses the posterior of a Gaussian process, and package budget distributes the pulls.
//
// With least squares, the first two rounds explore with the minimax design. In every later round, each pair (leader, x)
// has the weight variance over squared gap, estimated from all data so far. The round's pulls minimise the largest
// weighted variance, given all earlier pulls. No arm is eliminated: the answers are the arms with the largest estimates
// from all data.
//
// The walks of CoTestFC determine which answers are decided. The budget fixes their clock in advance: T is the number of
// pulls since round 1.
type coBayesFB struct {
	*coTest
	purse *budget.Purse
	first int // number of rounds that explore with a design
}

// Constants of a run with least squares. docs/adr/0021 compares other values.
const (
	exploring   = 2   // number of exploring rounds; later rounds share the rest of the budget equally
	budgetFirst = 0.2 // fraction of the budget that an exploring round uses
	budgetLeast = 2   // smallest number of pulls of an exploring round, per feature dimension
	testDivisor = 10  // with a posterior, 1/testDivisor of each round's pulls is spread over all arms, so that every test gets data
)

// NewCoBayesFB returns the fixed-budget algorithm. With Ridge.Kind RidgeGP, the default, leaders, gaps and pulls come from
// the posterior of a Gaussian process with Options.Level and Options.Scale. Other kinds use least squares, which need
// budgetLeast pulls per feature dimension; a smaller budget is an error. The tests that decide tasks always use least
// squares.
func NewCoBayesFB(m *model.Model, opt model.Terms) (_ engine.Algorithm, err error) {
	defer try.Caught(&err)
	gp := opt.Ridge.Kind == engine.RidgeGP || opt.Ridge.Kind == ""
	if !gp {
		m = try.Of(m.Designs().Decoupled())
	}
	misfit := misfitOf(m, opt)
	base := prepareCoTest(m, opt, misfit, !m.Cut() && !misfit.any())
	base.pricing.relative = nil // the budget is a number of pulls, whatever they cost
	a := &coBayesFB{coTest: base}
	total, least := opt.Pulls(m.Problem.V()), budgetLeast*m.Rank()
	switch {
	case gp:
		a.belief = rounds.NewBelief(model.PriorOf(opt.Options).OnPulled())
		a.purse = budget.NewPurse(m.Problem, opt.Options)
	case total < least && base.alpha > 0:
		return nil, fmt.Errorf(`a budget of %d pulls per agent, %d in all, is too small for least squares. It needs %d pulls for each of the %d dimensions of the kernel. Give at least %d per agent, or xi="gp"`,
			total/m.Problem.V(), total, budgetLeast, m.Rank(), (least+m.Problem.V()-1)/m.Problem.V())
	default:
		if a.first = exploring; opt.Rounds > 0 || opt.Batch > 0 {
			a.first = max(1, min(exploring, opt.Parts(total, budget.Rounds)-1)) // if there are few rounds, the last one uses the data of the others
		}
		n := max(int(budgetFirst*float64(total)), least)
		a.purse = budget.NewPurseOf(m.Problem, opt.Options, slices.Repeat([]int{n}, exploring)...)
	}
	a.setClock()
	return a, nil
}

// CanWithdraw returns an error: the budget is divided between all arms.
func (a *coBayesFB) CanWithdraw([]int) error { return engine.ErrFixedQuestion }

// setClock sets the clock of all walks and its boundary: look k is at the end of round k+2, and T is the number of pulls since round 1.
func (a *coBayesFB) setClock() {
	last := 0.0
	for _, n := range a.purse.Shares()[1:] {
		last += float64(n)
		a.clock.Times = append(a.clock.Times, last)
	}
	if a.alpha > 0 {
		a.clock.Z = a.budgetHeights(a.alpha)
	}
}

// budgetHeights returns the boundary z_k for the fixed times T_k of the clock, at level alpha. z_k √T_k is the same for
// all k. A Brownian motion reaches this height before the last T with probability alpha by the reflection principle. For
// sub-Gaussian increments the height follows from [Ville 1939].
func (a *coBayesFB) budgetHeights(alpha float64) (out []float64) {
	z := -mathext.NormalQuantile(alpha / 2)
	if a.opt.LawFor(a.Model.Problem) == engine.LawSubGaussian {
		z = math.Sqrt(-2 * math.Log(alpha))
	}
	for _, t := range a.clock.Times {
		out = append(out, z*(1+1e-9)*math.Sqrt(a.clock.Times[len(a.clock.Times)-1]/t)) // rounded up
	}
	return out
}

// Plan fixes the pulls of the next round and the bets on them.
func (a *coBayesFB) Plan(ctx context.Context) (_ engine.Plan, err error) {
	defer try.Caught(&err)
	defer a.Model.During(ctx)()
	if a.belief != nil {
		return a.share(), nil
	}
	n := a.purse.Take()
	space, contrasts, arms := a.designProblem(n)
	compute := func() *rounds.Stage { return a.solve(space, contrasts, arms, n) }
	if a.round < a.first && a.scales.Groups == nil && !a.loose { // the clock must be set before the first rewards
		k := canon.Key{Kind: canon.KindBudgetRound, Pulls: n, Sets: contrasts.Groups}
		return a.commit(try.Of(model.Remembered(a.Model, k, try.Returning(compute)))), nil
	}
	return a.commit(compute()), nil
}

// share plans the next round from the posterior.
func (a *coBayesFB) share() engine.Plan {
	st := newStage(a.Model)
	counts := st.Rounding.Counts
	n, room := a.purse.Next()
	if a.estimates == nil {
		each := 1
		if a.scales.Groups != nil { // an unknown scale needs a second pull
			each = 2
		}
		budget.Explore(counts, a.Model.Problem, n, each, room)
	} else if n -= a.keepTesting(counts, n, room); n > 0 {
		of := budget.Belief{Posterior: a.pooled, Means: a.estimates, Precision: a.scales.Model.Precision}
		try.To(budget.Fill(a.Model.Context(), counts, a.Model.Problem, of, a.Model.Problem.Groups(), n, room))
	}
	if a.alpha > 0 {
		st.Estimate = try.Of(model.NewEstimator(a.scales.Model, 0, counts))
	}
	return a.decisions.commit(st, a.fix)
}

// keepTesting adds equally many pulls to all arms of a task, together at most 1/testDivisor of the n pulls. It returns the number
// of added pulls and subtracts them from room. Without these pulls, clearly worse arms would have no new data and no walk
// could exclude them.
func (a *coBayesFB) keepTesting(counts []int, n int, room []int) int {
	sum := 0
	for v, set := range a.Model.Problem.Groups() {
		c := min(n/(testDivisor*len(counts)), room[v]/(2*len(set)))
		if a.alpha == 0 || len(set) < 2 {
			continue
		}
		for _, i := range set {
			counts[i] += c
		}
		room[v] -= c * len(set)
		sum += c * len(set)
	}
	return sum
}

// explores reports whether the next round is planned for all arms instead of the leaders and their rivals.
func (a *coBayesFB) explores() bool { return a.round < a.first || !a.oriented() }

// designProblem returns the design problem of a round of n pulls: features, contrasts, and the arms of the rows. Arms with
// equal features appear once. If the round does not explore, earlier data count too. In the whitened features of the
// estimator from all data, their information is the identity, which acts as a ridge of 1/n.
func (a *coBayesFB) designProblem(n int) (design.Space, design.Contrasts, []int) {
	m, known, explores := a.scales.Model, a.pooled, a.explores()
	features, ridge := m.Features, 0.0
	if explores {
		known = nil
	}
	if known != nil {
		features, ridge = known.White, 1/float64(n)
	}
	var arms []int
	position := make([]int, m.Problem.N())
	for i, first := range m.Layout.First {
		if i == first {
			position[i] = len(arms)
			arms = append(arms, i)
		}
	}
	_, width := features.Dims()
	s := design.Space{Features: canon.Submatrix(features, arms, indices.All(width)), Ridge: ridge, Precision: make([]float64, len(arms))}
	for k, i := range arms { // an arm outside the span of the measured arms would add its own unknown
		if known == nil || known.Spans(i) {
			s.Precision[k] = m.Precision[i]
		}
	}
	at := func(i int) int { return position[m.Layout.First[i]] }
	var c design.Contrasts
	for _, contest := range a.contests {
		switch {
		case len(contest.arms) == 1:
		case explores:
			group := lists.Map(contest.arms, at)
			c.Groups = append(c.Groups, group)
		default:
			c.Pairs = append(c.Pairs, a.rivals(contest, at)...)
		}
	}
	return s, c, arms
}

// rivals returns the pairs of the leader with other arms, weighted by budget.Weight. at returns the row of an arm in the
// design problem.
func (a *coBayesFB) rivals(c *contest, at func(arm int) int) []design.Pair {
	var out []design.Pair
	first := c.arms[c.leader]
	for k, i := range c.arms {
		if k == c.leader {
			continue
		}
		if w := budget.Weight(a.estimates[first]-a.estimates[i], a.variance(first, i)); w > 0 {
			out = append(out, design.Pair{I: at(first), J: at(i), Weight: w})
		}
	}
	return out
}

// solve returns a stage of exactly n pulls from the minimax design.
func (a *coBayesFB) solve(s design.Space, c design.Contrasts, arms []int, n int) *rounds.Stage {
	st := newStage(a.Model)
	d := try.Of(design.Minimax(s, c, a.Model.Solver(budgetTolerance)))
	r, err := design.Round(a.Model.Context(), s, c, d.Weights, n, pullEpsilon)
	if few := (*design.RatioError)(nil); !errors.As(err, &few) {
		try.To(err)
	}
	st.Design.Value, st.Design.Lower, st.Rounding.Ratio = d.Value, d.Lower, r.Ratio
	a.terms().addCopies(arms, r.Counts, st.Rounding.Counts)
	st.Estimate = try.Of(model.NewEstimator(a.scales.Model, 0, st.Rounding.Counts))
	return st
}

// budgetTolerance is the relative duality gap of designs. A smaller gap of 1e-3 does not change error rates significantly.
const budgetTolerance = 1e-2

// Learn settles the bets with the round's data and chooses the leaders from all data.
func (a *coBayesFB) Learn(ctx context.Context, b engine.Batch) (err error) {
	defer try.Caught(&err)
	defer a.Model.During(ctx)()
	a.update(b)
	a.purse.Spend(b.Counts)
	a.lead()
	return nil
}

// lead chooses the leaders from all data. It closes a contest if its walks exclude all arms except the leader.
func (a *coBayesFB) lead() {
	if a.estimates == nil {
		return
	}
	guesses := a.guesses()
	for _, c := range a.contests {
		for k, i := range c.arms {
			if guesses[i] > guesses[c.arms[c.leader]] {
				c.leader = k
			}
		}
		// The walks may leave only an arm that is not the leader: then nothing is decided.
		c.closed = !c.walks[c.leader].Out
		for k := range c.arms {
			c.closed = c.closed && !c.open(k, a.clock, 0)
		}
	}
	a.record(a.contests)
}

// Done reports whether the budget is spent. It returns true if every task has a single arm.
func (a *coBayesFB) Done() bool {
	if slices.ContainsFunc(a.contests, func(c *contest) bool { return len(c.arms) > 1 }) {
		return a.purse.Empty()
	}
	return true
}
