package cotest

import (
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// coTest is CoTestFC: the leader-directed combination test of docs/theory/test.md. Round 1
// explores. Every later round bets, for every arm x that may still be a best arm
// of its task, on the gap between the leader and x in that round's own data; the bets of the rounds
// are combined on an information clock [BauerKoehne94, LehmacherWassmer99], and x goes when
// the combination crosses a constant boundary [Pocock77].
//
// Leaders, gaps and round sizes come from all data so far, without any correction:
// the test is valid whatever they are, as long as they were fixed before the round.
type coTest struct {
	rounds.Candidates
	opt     engine.Options
	scales  rounds.Scales
	planner planner // nil in coTestFB, which plans by itself
	epsilon float64 // normalised
	alpha   float64 // level of each test
	tests   int     // how many tests share delta: contests with several arms
	changed
	pricing  pricing
	misfit   misfit
	belief   *rounds.Belief // by which all data are estimated; nil means least squares
	clock    sequential.Clock
	horizon  int              // looks that walks are expected to need; 0 where nothing is expected
	said     []engine.Warning // of how it tests
	own      bool             // whether arms are compared by their own means alone, see newApart
	limits   *rounds.Limits   // of rewards that are bet on; nil where scores are
	within   *within          // of arms measured side by side; nil of others
	contests []*contest

	round int
	stage *rounds.Stage // of the coming round, with its own estimator
	bets  []sequential.Bet
	model.Pool
	pooled    *model.Estimator // of all data: for leaders, gaps and needs
	estimates []float64        // of all data, normalised; nil before any
	loose     bool             // whether pulls were made that no plan foresaw
}

var _ engine.Algorithm = (*coTest)(nil)

// NewCoTestFC prepares the test on a model, which needs no exact features. Schedule and ξ do not apply.
// With a bound on the norm of the reward function, see BoundOf, bets are ridge estimates less their
// worst bias; without, they are least squares. Where the ranks of tasks add up each agent then
// tests alone, see fallback: a common allocation would only cost samples. So it does where least squares
// suit each task and not all of them together.
func NewCoTestFC(m *model.Model, opt engine.Options) (engine.Algorithm, error) {
	if _, err := opt.Checked(engine.ModeFC); err != nil {
		return nil, err
	}
	if m.Problem.Block != nil {
		return newSideBySide(m, opt)
	}
	form, bound, err := formOf(m, opt)
	if err != nil {
		return nil, err
	}
	numbers := []float64{model.MostLeastSquares, float64(m.Problem.N())}
	switch form {
	case formNorm:
		return newNormed(m, opt, bound)
	case formAloneMany:
		return newFallback(m, opt, engine.Warning{Kind: engine.WarnTestsAloneMany, Numbers: numbers})
	case formAlone:
		return newFallback(m, opt, engine.Warning{Kind: engine.WarnTestsAlone, Numbers: []float64{float64(m.Rank())}})
	case formMeans:
		return newApart(m, opt)
	}
	return newCoTest(m, opt, minimaxPlanner{})
}

func newCoTest(m *model.Model, opt engine.Options, p planner) (*coTest, error) {
	opt, err := opt.Checked(engine.ModeFC)
	if err != nil {
		return nil, err
	}
	if m, err = m.Designs().Decoupled(); err != nil {
		return nil, err
	}
	misfit, err := misfitOf(m, opt)
	if err != nil {
		return nil, err
	}
	a, err := prepareCoTest(m, opt, misfit, !m.Cut() && !misfit.any())
	if err != nil {
		return nil, err
	}
	a.planner = p
	_, a.own = p.(apartPlanner)
	a.stake()
	if a.alpha > 0 {
		a.clock.Z, err = heightsOf(a, a.alpha)
	}
	return a, err
}

// The levels of a test that boundaries are computed for. At more than one half a coin would do.
const mostAlpha, leastAlpha = 0.5, 1e-10

// prepareCoTest returns the test before any round, without a clock; alpha is 0 where there is
// nothing to test. Arms that are one to the kernel are one arm where exact.
func prepareCoTest(m *model.Model, opt engine.Options, u misfit, exact bool) (*coTest, error) {
	a := &coTest{Candidates: rounds.NewCandidates(m), opt: opt, epsilon: opt.Epsilon / m.Unit, misfit: u, Pool: model.NewPool(m.Problem.N())}
	var err error
	if a.scales, err = rounds.NewScales(m, opt); err != nil {
		return nil, err
	}
	if a.contests, err = newContests(m, exact); err != nil {
		return nil, err
	}
	for _, c := range a.contests {
		if !c.closed {
			a.tests++
		}
		a.merge(c)
	}
	a.pricing.relative = m.Problem.RelativeCost()
	a.withdrawn, a.most = make([]bool, m.Problem.N()), opt.Delta
	a.alpha, err = a.level(opt.Delta)
	return a, err
}

// level returns the level of each test at that delta; 0 where there is nothing to test.
func (a *coTest) level(delta float64) (float64, error) {
	if a.tests == 0 {
		return 0, nil
	}
	n := float64(a.tests)
	if delta/n < leastAlpha {
		return 0, fmt.Errorf("delta must be at least %g here, %g for each of the %d different tasks, got %g", leastAlpha*n, leastAlpha, a.tests, delta)
	}
	return min(delta/n, mostAlpha), nil
}

// Plan fixes the pulls of the round, and with them every bet on it.
func (a *coTest) Plan() (engine.Plan, error) {
	st, err := a.planner.next(a.ask())
	if err != nil {
		return engine.Plan{}, err
	}
	return a.commit(st)
}

// commit makes a stage the coming round and fixes the bets on it.
func (a *coTest) commit(st *rounds.Stage) (engine.Plan, error) {
	plan := st.Plan(a.round + 1)
	plan.WantSquares = a.scales.Groups != nil
	if !(st.Design.Value > 0) { // all contrasts are within rounding
		return engine.Plan{}, engine.LimitError{Samples: math.Inf(1)}
	}
	if n := plan.Pulls(); n > a.opt.MaxSamples {
		return engine.Plan{}, engine.LimitError{Samples: float64(n)}
	}
	a.round++
	a.fix(st)
	return plan, nil
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
// be a wrong one. An arm that the round does not tell from its opponent, or whose clock it does not move, sits out. With
// clocks that are fixed, rounds in which an arm sits out cost its walk nothing, and the leader does.
func (a *coTest) bet(c *contest, guesses []float64) {
	for k, i := range c.arms {
		w, against := c.walks[k], c.opponent(k, guesses)
		if w.Out || against < 0 || k == c.leader && a.clock.Times != nil {
			continue
		}
		if a.Model.Context().Err() != nil { // the run ends before its next round
			return
		}
		b, ok := a.chooseBet(w, against, i)
		if !ok {
			continue
		}
		if b.Look = w.Next(a.clock, 1/b.Variance, a.round); b.Look > w.Look {
			a.bets = append(a.bets, b)
		}
	}
}

// Learn settles the bets with the round's own data, and chooses the next leaders from all
// data.
func (a *coTest) Learn(b engine.Batch) error {
	if err := a.update(b); err != nil {
		return err
	}
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
			c.conclude(guesses, a.clock, a.epsilon)
			c.startClocks(a.clock, a.estimates, a.variance)
			a.record(c)
		}
	}
}

// update takes the round in: its own data for the bets, and all data for estimates.
func (a *coTest) update(b engine.Batch) error {
	if err := rounds.CheckBatch(a.stage.Plan(a.round), b); err != nil {
		return err
	}
	if b.Empty() { // amended to no pulls
		return nil
	}
	estimates := a.estimates
	if a.within != nil {
		if err := a.within.Take(b); err != nil {
			return err
		}
	}
	if len(a.bets) > 0 {
		if a.own {
			a.scales.Replicated(b)
		}
		if a.within == nil && !a.own {
			estimates = a.stage.Estimate.Estimates(b.Means)
		}
		for _, bet := range a.bets {
			if s := a.score(bet, estimates, b); s.Sd > 0 {
				bet.Settle(a.clock, s)
			}
		}
	}
	return a.learn(b)
}

// score returns the evidence of the round's data on a bet, given the kernel's estimates.
func (a *coTest) score(bet sequential.Bet, estimates []float64, b engine.Batch) sequential.Score {
	switch {
	case a.within != nil:
		return a.within.score(bet, a.estimates, b)
	case a.own:
		return scoreApart(a, bet, b)
	case a.limits != nil:
		return a.limits.Stake(bet.Walk.Stakes.Gaps, bet, a.stage.Estimate, a.Model.Unit, a.centre, b)
	}
	return a.scales.Score(bet, a.stage.Estimate, judged(bet, estimates, b, a.Model.Unit), b)
}

// learn takes rewards in that estimates go by.
func (a *coTest) learn(b engine.Batch) error {
	means := a.Add(b)
	if a.within != nil {
		return learnWithin(a, b, means)
	}
	if err := a.scales.Learn(b); err != nil {
		return err
	}
	first := a.estimates == nil
	if first {
		a.clock.Origin *= a.scales.Change(a.Model)
	}
	pooled, err := a.pool(means)
	if err != nil {
		return err
	}
	// scales by their guesses: it estimates the factors itself
	a.misfit.learn(a.Model, b, a.opt.Robust, a.alpha)
	a.pooled, a.estimates = pooled, a.shrinkToMeans(pooled.Estimates(means))
	if first {
		return foresee(a)
	}
	return nil
}

// pool returns the estimator of all data.
func (a *coTest) pool(means []float64) (*model.Estimator, error) {
	if a.belief == nil {
		return model.NewEstimator(a.scales.Model, 0, a.Counts)
	}
	if err := a.belief.Learn(a.scales.Model, a.Counts, means, a.scales.Freedom()); err != nil {
		return nil, err
	}
	return a.belief.Estimator, nil
}

// Done reports whether every task is decided.
func (a *coTest) Done() bool { return a.Single() }

// Answers returns the leaders, decided where no other arm is open.
func (a *coTest) Answers() []engine.Answer {
	out := make([]engine.Answer, len(a.Sets))
	for _, c := range a.contests {
		margin, estimate := c.margin(a.clock), math.NaN()
		if a.estimates != nil && (a.pooled == nil || a.pooled.Spans(c.arms[c.leader])) {
			estimate = a.estimates[c.arms[c.leader]]
		}
		for _, v := range c.tasks {
			ans := a.Answer(v, a.in(v, c, c.arms[c.leader]), estimate)
			ans.Margin = margin * a.Model.Unit
			if ans.Decided = c.closed; c.closed {
				ans.Arm = ans.Leader
			}
			out[v] = ans
		}
	}
	return out
}

// Warnings reports a kernel that cannot represent the rewards, rewards that are not normal, and
// tasks whose test came to its end undecided.
func (a *coTest) Warnings() []engine.Warning {
	if a.misfit.data != nil {
		return a.warnings()
	}
	return append(model.MisfitWarnings(a.Model, a.opt), a.warnings()...)
}

// warnings returns those that do not concern the kernel.
func (a *coTest) warnings() []engine.Warning {
	out := slices.Clone(a.said)
	if a.belief != nil {
		out = append(out, a.belief.Doubts()...)
	}
	e := a.Model.Problem.Noise.Environment
	if a.opt.LawFor(a.Model.Problem) == engine.LawNormal && (e == problem.EnvironmentBernoulli || e == problem.EnvironmentResampled) {
		out = append(out, engine.Warning{Kind: engine.WarnNotNormal, Names: []string{e}})
	}
	var answers []engine.Answer
	for _, c := range a.contests {
		if c.closed || !c.exhausted(a.clock, a.epsilon) {
			continue
		}
		if answers == nil {
			answers = a.Answers()
		}
		for _, v := range c.tasks {
			w := engine.Warning{Kind: engine.WarnTooClose, Names: []string{answers[v].Task}}
			if margin := answers[v].Margin; !math.IsInf(margin, 1) {
				w = engine.Warning{Kind: engine.WarnTooCloseWithin, Names: []string{answers[v].Task, answers[v].Leader}, Numbers: []float64{margin}}
			}
			out = append(out, w)
		}
	}
	return out
}

// FitCheck tests the kernel, beyond what its user allows rewards to be off it.
func (a *coTest) FitCheck() engine.FitCheck {
	return model.NewFitCheck(a.Model, a.opt.Misfit/a.Model.Unit, a.opt.Robust)
}
