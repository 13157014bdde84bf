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

// coBayesFB is CoBayesFB, the fixed-budget form of CoTestFC (docs/theory/budget.md, "The fixed-budget
// form"). By the posterior of a Gaussian process, the default, pulls are shared out by package budget. By least squares two
// rounds explore by the minimax design; in every later round each contrast (leader - x) counts by its variance over its
// squared gap, both from all data so far, and the round's pulls go where, on top of all pulls before, they bring the
// largest of these down. No arm is ever given up: the answers are the largest estimates from all data.
//
// Which answers are decided is the business of the walks of CoTestFC, on a clock that
// is fixed beforehand by the budget: T is the pulls since round 1.
type coBayesFB struct {
	*coTest
	purse *budget.Purse
	first int // number of rounds that explore by a design
}

// The shape of a run by least squares; what other shapes do is in docs/adr/0021.
const (
	exploring   = 2   // number of exploring rounds; later rounds share the rest of the budget equally
	budgetFirst = 0.2 // fraction of the budget that an exploring round uses
	budgetLeast = 2   // least pulls of an exploring round, per dimension of the features
	walking     = 10  // in runs by the posterior, one of this number of pulls is spread over all arms, so that all tests continue
)

// NewCoBayesFB prepares the fixed-budget form. With Ridge.Kind RidgeGP, the default here, leaders, gaps
// and pulls use the posterior of a Gaussian process with Options.Level and Options.Scale. With
// another kind they use least squares, which need a pull for every dimension of the features: a
// smaller budget is an error. The tests that decide tasks are by least squares always.
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

// setClock sets the clock: look k at the end of round k+2, T the pulls since round 1, and
// one height for all looks, which a Brownian motion reaches up to the last T with
// probability alpha: by the reflection principle, or as far as sub-Gaussian increments go
// by [Ville 1939].
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

// budgetHeights returns the z of a clock with fixed times at error probability alpha.
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

// Plan fixes the pulls of the round, and with them every bet on it.
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

// share fixes the pulls of a round by the posterior.
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

// keepTesting adds whole pulls of every arm, as many as a tenth of the n pulls of a round has, and returns how many it added:
// an arm that is clearly worse is measured nowhere else, and no walk decides it without data of rounds that
// know the leader.
func (a *coBayesFB) keepTesting(counts []int, n int, room []int) int {
	sum := 0
	for v, set := range a.Model.Problem.Groups() {
		c := min(n/(walking*len(counts)), room[v]/(2*len(set)))
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

// explores reports whether the next round is planned for all arms, instead of the leaders and their rivals.
func (a *coBayesFB) explores() bool { return a.round < a.first || !a.oriented() }

// designProblem returns the problem of the round's design, for arms without copies: the contrasts in all
// that is known. In the features that the estimator of all data has made white its
// information is I, which n pulls add to as to a ridge of 1/n.
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
	for k, i := range arms { // an arm off the measured span would bring its own unknown
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

// rivals returns the contrasts of the leader with other arms, weighted by budget.Weight.
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

// solve returns the stage of exactly n pulls.
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

// budgetTolerance is the relative duality gap of designs. A gap of 1e-3 changes no error rate significantly.
const budgetTolerance = 1e-2

// Learn settles the bets with the round's own data, and chooses leaders from all data.
func (a *coBayesFB) Learn(ctx context.Context, b engine.Batch) (err error) {
	defer try.Caught(&err)
	defer a.Model.During(ctx)()
	a.update(b)
	a.purse.Spend(b.Counts)
	a.lead()
	return nil
}

// lead chooses the leaders from all data, and closes the contests whose walks leave only theirs.
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
		// All may be out but one arm that all data put second: then nothing is decided.
		c.closed = !c.walks[c.leader].Out
		for k := range c.arms {
			c.closed = c.closed && !c.open(k, a.clock, 0)
		}
		a.record(c)
	}
}

// Done reports whether the budget is spent, or there was never anything to decide.
func (a *coBayesFB) Done() bool {
	if slices.ContainsFunc(a.contests, func(c *contest) bool { return len(c.arms) > 1 }) {
		return a.purse.Empty()
	}
	return true
}
