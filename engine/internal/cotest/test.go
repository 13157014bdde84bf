package cotest

import (
	"context"
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// coTest is CoTestFC: the leader-directed combination test of docs/theory/test.md. Round 1
// explores. Every later round bets, for every arm x that may still be a best arm
// of its task, on the gap between the leader and x in that round's own data; the bets of the rounds
// are combined on an information clock [BauerKoehne94, LehmacherWassmer99], and x goes when
// the combination crosses a constant boundary [Pocock77].
//
// Leaders, gaps and round sizes come from all data so far, without any correction:
// the test is valid for any values that are fixed before the round.
type coTest struct {
	estimation
	planner planner // nil in coBayesFB, which plans alone
	pricing pricing
	said    []engine.Warning // of how it tests
}

var (
	_ engine.Detailed  = (*coTest)(nil)
	_ engine.Amender   = (*coTest)(nil)
	_ engine.DataAdder = (*coTest)(nil)
)

// NewCoTestFC prepares the test on a model, which needs no exact features. Schedule and ξ do not apply.
// With a bound on the norm of the reward function, see BoundOf, bets are ridge estimates less their
// worst bias; without, they are least squares. Where the ranks of tasks add up each agent then
// tests alone, see newAlone: a common allocation would only cost samples. So it does where least squares
// suit each task and not all of them together.
func NewCoTestFC(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	form, bound, err := formOf(m, opt)
	if err != nil {
		return nil, err
	}
	return modes[form].make(m, opt, bound)
}

func newCoTest(m *model.Model, opt model.Terms, p planner) (_ *coTest, err error) {
	defer try.Caught(&err)
	m = try.Of(m.Designs().Decoupled())
	misfit := misfitOf(m, opt)
	a := prepareCoTest(m, opt, misfit, !m.Cut() && !misfit.any())
	a.planner = p
	a.stake()
	if a.alpha > 0 {
		a.clock.Z = a.heights(0)
	}
	return a, nil
}

// prepareCoTest returns the test before any round, without a clock.
func prepareCoTest(m *model.Model, opt model.Terms, u misfit, exact bool) *coTest {
	m = m.Own()
	a := &coTest{
		estimation: estimation{decisions: newDecisions(m, opt, exact), misfit: u}, pricing: pricing{relative: m.Problem.RelativeCost()},
	}
	a.rules, a.estimator = a, &features{coTest: a}
	return a
}

// Plan fixes the pulls of the round, and with them every bet on it.
func (a *coTest) Plan(ctx context.Context) (_ engine.Plan, err error) {
	defer try.Caught(&err)
	defer a.Model.During(ctx)()
	q := a.ask()
	plan := a.commit(a.planner.next(q))
	for range mostRaised {
		if !a.raise(q) {
			break
		}
		a.round-- // the same round is planned again
		plan = a.commit(a.planner.next(q))
	}
	return plan, nil
}

// mostRaised is the number of times that needs are raised in a round. Together they exceed what rounding can lose.
const mostRaised = 2

// raise raises the needs of contests of which the planned round moves no open walk, and reports whether there are any. Whole pulls bring
// some gaps less information than they need. If that is less than the clock needs for its next look, the round is lost.
func (a *coTest) raise(q ask) bool {
	if !q.oriented {
		return false
	}
	moved := map[int]bool{}
	for _, b := range a.bets {
		moved[b.Opponent] = true
	}
	raised := false
	for k, c := range a.contests {
		if needs := q.wants[k].needs; !moved[c.arms[c.leader]] {
			for n := range needs {
				needs[n].Weight *= sequential.ClockGrowth
				raised = true
			}
		}
	}
	return raised
}

// commit makes a stage the coming round.
func (a *coTest) commit(st *rounds.Stage) engine.Plan {
	if !(st.Design.Value > 0) { // all contrasts are within rounding
		try.To(engine.LimitError{Samples: math.Inf(1)})
	}
	return a.decisions.commit(st, a.fix)
}

// fix fixes the bets on the coming round, and before any data the clock.
func (a *coTest) fix(st *rounds.Stage) {
	a.stage, a.bets = st, a.bets[:0]
	if a.estimates == nil {
		a.clock.Origin = float64(st.Plan(a.round).Pulls()) / st.Design.Value
		return
	}
	guesses := a.guesses()
	for _, c := range a.contests {
		if !c.closed && (st.Estimate != nil || st.Sides != nil) {
			a.bet(c, guesses)
		}
	}
}

// bet adds the bets of a contest: its leader against every arm not out, and the runner-up against the leader, which may
// be a wrong one. An arm that the round does not separate from its opponent, or whose clock it does not move, sits out.
// With clocks that are fixed, rounds in which an arm sits out cost its walk nothing, and the leader does.
func (a *coTest) bet(c *contest, guesses []float64) {
	d := doubts{opponent: -1}
	for k, i := range c.arms {
		w, against := c.walks[k], c.opponent(k, guesses)
		if w.Out || against < 0 || k == c.leader && a.clock.Times != nil {
			continue
		}
		if a.Model.Context().Err() != nil { // the run ends before its next round
			return
		}
		b, ok := a.estimator.bet(w, against, i)
		if !ok {
			continue
		}
		if a.opt.Epsilon == 0 { // else the leader may stay, best or not
			if d.opponent != against {
				d = c.doubts(against, guesses, a.variance)
			}
			b.Worth = d.worth(k, guesses[against]-guesses[i])
		}
		w.Sooner(a.clock, 1/b.Variance)
		if b.Look = w.Next(a.clock, b.Info(), a.round); b.Look > w.Look {
			a.bets = append(a.bets, b)
		}
	}
}

// Learn settles the bets with the round's own data, and chooses the next leaders from all
// data.
func (a *coTest) Learn(ctx context.Context, b engine.Batch) (err error) {
	defer try.Caught(&err)
	defer a.Model.During(ctx)()
	a.update(b)
	a.conclude()
	return nil
}

// conclude chooses the leaders of the open contests and closes those that are decided.
func (a *coTest) conclude() {
	if a.estimates == nil {
		return
	}
	guesses := a.guesses()
	for _, c := range a.contests {
		if !c.closed {
			c.conclude(guesses, a.clock, a.opt.Epsilon)
			c.startClocks(a.clock, a.estimates, a.roundVariance())
			a.record(c)
		}
	}
}

// update takes the round in: its own data for the bets, and all data for estimates.
func (a *coTest) update(b engine.Batch) {
	try.To(rounds.CheckBatch(a.stage.Plan(a.round), b))
	if b.Empty() { // it was amended to no pulls
		return
	}
	if len(a.bets) > 0 || a.stage.Sides != nil {
		a.estimator.take(b)
	}
	for _, bet := range a.bets {
		if s := a.estimator.score(bet, b); s.Sd > 0 {
			bet.Settle(a.clock, s)
		}
	}
	first := a.estimates == nil
	if a.learn(b); first {
		a.setHorizon()
	}
}

// learn takes rewards in that estimates use.
func (a *coTest) learn(b engine.Batch) { a.estimator.learn(b, a.Add(b)) }

// State implements engine.Algorithm.
func (a *coTest) State() engine.State { return engine.StateOf(a) }

// Answers returns the leaders, decided if no other arm is open.
func (a *coTest) Answers() []engine.Answer {
	return a.answers(func(i int) bool { return a.pooled == nil || a.pooled.Spans(i) })
}

// Warnings reports a kernel that cannot represent the rewards, rewards that are not normal, and
// tasks whose test came to its end undecided.
func (a *coTest) Warnings() []engine.Warning {
	var out []engine.Warning
	if !a.misfit.stated() {
		out = model.MisfitWarnings(a.Model, a.opt)
	}
	out = append(out, a.said...)
	if a.belief != nil {
		out = append(out, a.belief.Doubts()...)
	}
	return append(out, a.warnings()...)
}

// stake makes the walks capitals where the rewards have bounds: then they are bet on instead of scores of normal or
// sub-Gaussian laws (docs/theory/bets.md), and noise scales only guide pulls.
func (a *coTest) stake() {
	limits, bounded := rounds.LimitsOf(a.Model)
	if !bounded || !a.opt.Bets(a.Model.Problem) {
		return
	}
	a.limits = &limits
	a.scales.Guide()
	for _, c := range a.contests {
		stake(c, a.opt.Epsilon, limits.Hi-limits.Lo)
	}
}

// stake makes the walks of a contest capitals, for gaps up to a span.
func stake(c *contest, epsilon, span float64) {
	stakes := sequential.NewStakes(epsilon, span)
	for _, w := range c.walks {
		w.Stakes = stakes
	}
}

// centre returns the number that the rewards of an arm are compared with, from data before the round.
func (a *coTest) centre(i int) float64 { return a.limits.Centre(a.estimates[i], a.Counts[i]) }
