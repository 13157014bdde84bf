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

// coTest is CoTestFC: the leader-directed combination test of docs/theory/test.md. Round 1 explores. Each later round has
// one bet for every arm x that may still be a best arm of its task. The bet is on the gap between the leader and x in the
// data of that round. The bets of the rounds are combined on an information clock [BauerKoehne94, LehmacherWassmer99]. Arm
// x is eliminated when the combination crosses a constant boundary [Pocock77].
//
// Leaders, gaps and round sizes come from all data so far, without any correction: the test is valid for any values that
// are fixed before the round.
type coTest struct {
	estimation
	planner planner // nil in coBayesFB, which has its own planning
	pricing pricing
	said    []engine.Warning // warnings about the kind of test
	against map[int]bool     // arms with which others were compared, as arms of the first task of their contest
}

var (
	_ engine.Detailed  = (*coTest)(nil)
	_ engine.Amender   = (*coTest)(nil)
	_ engine.DataAdder = (*coTest)(nil)

	_ engine.Withdrawer = (*coTest)(nil)
)

// NewCoTestFC returns the test on a model, which need not have exact features. Options.Schedule and Options.Ridge do not
// apply. With a bound on the norm of the reward function, see BoundOf, bets use ridge estimates minus their largest bias.
// Otherwise they use least squares. Each agent tests alone, see newAlone, if the ranks of the tasks add up, because a
// common allocation would only cost samples. The same holds if least squares are possible for each task but not for all
// tasks together.
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

// prepareCoTest returns the test before any round, without a clock. exact is documented at newContests.
func prepareCoTest(m *model.Model, opt model.Terms, u misfit, exact bool) *coTest {
	m = m.Own()
	a := &coTest{
		estimation: estimation{decisions: newDecisions(m, opt, exact), misfit: u}, pricing: pricing{relative: m.Problem.RelativeCost()},
		against: map[int]bool{},
	}
	a.rules, a.estimator = a, &features{coTest: a}
	return a
}

// Plan fixes the pulls of the next round and the bets on them.
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

// mostRaised is the largest number of times that needs are raised in a round. Together, the raises exceed what rounding
// can lose.
const mostRaised = 2

// raise raises the needs of contests for which the planned round has no bet against the leader, and reports whether there
// are any. Rounding to whole pulls gives some gaps less information than planned. If a gap gets less than its clock needs
// for the next look, the round is lost for its walk.
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

// commit makes st the stage of the next round, and fixes its bets. It returns a LimitError if no number of pulls separates
// the arms.
func (a *coTest) commit(st *rounds.Stage) engine.Plan {
	if !(st.Design.Value > 0) { // all contrasts are within rounding
		try.To(engine.LimitError{Samples: math.Inf(1)})
	}
	return a.decisions.commit(st, a.fix)
}

// fix fixes the bets on the next round. Before any data there are no bets, and it sets the origin of the clock.
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

// bet adds the bets of a contest: the leader against every arm that is not out, and the runner-up against the leader,
// which may be a wrong one. There is no bet if the round has no estimate of the gap or does not move the arm's clock. With
// fixed times there is no bet against the leader; its walk loses nothing by it.
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
		if a.opt.Epsilon == 0 { // with an accuracy, the leader may stay even if it is not best
			if d.opponent != against {
				d = c.doubts(against, guesses, a.variance)
			}
			b.Worth = d.worth(k, guesses[against]-guesses[i])
		} else if w.Stakes == nil {
			b.Worth = min(1, a.enough(w, against, i)*b.Variance)
		}
		w.Sooner(a.clock, 1/b.Variance)
		if b.Look = w.Next(a.clock, b.Info(), a.round); b.Look > w.Look {
			a.bets = append(a.bets, b)
		}
	}
}

// Learn settles the bets with the round's data, and chooses the leaders from all data.
func (a *coTest) Learn(ctx context.Context, b engine.Batch) (err error) {
	defer try.Caught(&err)
	defer a.Model.During(ctx)()
	a.update(b)
	a.conclude()
	return nil
}

// conclude chooses the leaders of the open contests, and closes decided contests.
func (a *coTest) conclude() {
	if a.estimates == nil {
		return
	}
	guesses, open := a.guesses(), a.open()
	for _, c := range open {
		c.conclude(guesses, a.clock, a.opt.Epsilon)
		c.startClocks(a.clock, a.estimates, a.roundVariance())
	}
	a.record(open)
}

// update settles the bets with the round's data, and then updates the estimates from all data.
func (a *coTest) update(b engine.Batch) {
	try.To(rounds.CheckBatch(a.stage.Plan(a.round), b))
	if b.Empty() { // Amend has set all counts to 0
		return
	}
	if len(a.bets) > 0 || a.stage.Sides != nil {
		a.estimator.take(b)
	}
	for _, bet := range a.bets {
		a.against[bet.Opponent] = true
		if s := a.estimator.score(bet, b); s.Sd > 0 {
			bet.Settle(a.clock, s)
		}
	}
	first := a.estimates == nil
	if a.learn(b); first {
		a.setHorizon()
	}
}

// learn updates the estimates from all data with a batch.
func (a *coTest) learn(b engine.Batch) { a.estimator.learn(b, a.Add(b)) }

// State implements engine.Algorithm.
func (a *coTest) State() engine.State { return engine.StateOf(a) }

// Answers returns one answer per task, decided if no other arm is open.
func (a *coTest) Answers() []engine.Answer {
	return a.answers(func(i int) bool { return a.pooled == nil || a.pooled.Spans(i) })
}

// Warnings returns warnings about rewards that the kernel cannot represent, rewards that are not normal, and undecided
// tasks whose walks have no looks left.
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

// stake turns the walks into capitals if rewards have bounds. The bounds then replace the scores of normal or sub-Gaussian
// rewards (docs/theory/bets.md), and noise scales are used only for planning.
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

// stake turns the walks of a contest into capitals. epsilon is the accuracy and span the largest possible gap, normalised.
func stake(c *contest, epsilon, span float64) {
	stakes := sequential.NewStakes(epsilon, span)
	for _, w := range c.walks {
		w.Stakes = stakes
	}
}

// centre returns the value with which the rewards of arm i are compared, from data before the round.
func (a *coTest) centre(i int) float64 { return a.limits.Centre(a.estimates[i], a.Counts[i]) }
