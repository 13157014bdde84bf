package cotest

import (
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// decisions hold the contests of all tasks, with what their tests have in common: which arms are left, at which level,
// on which clock, and what changes of the question cost (docs/theory/changes.md).
type decisions struct {
	rounds.Candidates
	model.Pool
	scales   rounds.Scales
	rules    rules
	opt      model.Terms
	alpha    float64 // level of each test
	tests    int     // how many tests share delta: contests with several arms
	claims   int     // how many claims do, of all contests; 0 where each has one
	clock    sequential.Clock
	horizon  int            // looks that walks are expected to need; 0 if nothing is expected
	limits   *rounds.Limits // of rewards that are bet on; nil where scores are
	contests []*contest

	round     int
	removed   int           // arms so far
	stage     *rounds.Stage // of the coming round
	bets      []sequential.Bet
	estimates []float64 // of all data, normalised; nil before any

	most      float64 // the largest delta that was ever in force
	questions int     // changes of arms, by contest: k
	additions int     // times that arms or tasks were added
	among     int     // number of tests, this one included; 0 if it is alone
}

// rules hold what tests do in their own ways.
type rules interface {
	review()                           // looks at all contests again, after a change of the question
	variance(i, j int) float64         // about the variance of the guessed gap of two arms
	sized(needs []design.Pair) float64 // pulls that give every contrast the information it is weighted by
}

// The levels of a test that boundaries are computed for. At more than one half a coin would do.
const mostAlpha, leastAlpha = 0.5, 1e-10

// newDecisions returns the contests before any round, without a clock; alpha is 0 where there is
// nothing to test. Arms that are one to the kernel are one arm where exact.
func newDecisions(m *model.Model, opt model.Terms, exact bool) decisions {
	a := decisions{
		Candidates: rounds.NewCandidates(m), Pool: model.NewPool(m.Problem.N()), opt: opt,
		most: opt.Delta,
	}
	a.scales = try.Of(rounds.NewScales(m, opt.Options))
	a.contests = try.Of(newContests(m, exact))
	for _, c := range a.contests {
		if !c.closed {
			a.tests++
		}
		a.merge(c)
	}
	a.alpha = a.level(opt.Delta)
	return a
}

// level returns the level of each test at that delta; 0 where there is nothing to test.
func (a *decisions) level(delta float64) float64 {
	if a.tests == 0 {
		return 0
	}
	n := float64(max(a.tests, a.claims))
	if delta/n < leastAlpha {
		try.To(fmt.Errorf("delta must be at least %g here, %g for each of the %d different tasks, got %g", leastAlpha*n,
			leastAlpha*n/float64(a.tests), a.tests, delta))
	}
	return min(delta/n, mostAlpha)
}

// Bound returns δ(1 + k/G): every change of a contest's arms may give it another best arm, whose walk
// may cross by chance as well. δ is the largest that was ever in force.
func (a *decisions) Bound() float64 {
	if a.tests == 0 {
		return a.most
	}
	return min(1, a.most*(1+float64(a.questions)/float64(a.tests)))
}

// SetEpsilon looks at the walks again: what they exclude does not depend on epsilon.
func (a *decisions) SetEpsilon(epsilon float64) (err error) {
	defer try.Caught(&err)
	a.opt.SetEpsilon(epsilon)
	a.rules.review()
	return nil
}

// SetDelta replaces the heights. No look is ever judged by lower heights than the largest delta has.
func (a *decisions) SetDelta(delta float64) (err error) {
	defer try.Caught(&err)
	a.raise(delta)
	a.rules.review()
	return nil
}

// commit makes a stage the coming round and fixes the bets on it.
func (a *decisions) commit(st *rounds.Stage, fix func(*rounds.Stage)) engine.Plan {
	plan := st.Plan(a.round + 1)
	plan.WantSquares = a.scales.Groups != nil
	if n := plan.Pulls(); n > a.opt.MaxSamples {
		try.To(engine.LimitError{Samples: float64(n)})
	}
	a.round++
	fix(st)
	return plan
}

// raise replaces the heights and looks at every walk again.
func (a *decisions) raise(delta float64) {
	alpha := a.level(delta)
	most := max(a.most, delta)
	if a.tests > 0 {
		top := a.level(most)
		a.setHeights(alpha, top)
		if a.clock.Strict != nil {
			n := a.choices()
			a.clock.Strict = a.highest(alpha/n, top/n, a.horizon)
		}
	}
	a.opt.Delta, a.alpha, a.most = delta, alpha, most
	for _, c := range a.contests {
		for _, l := range c.claims() {
			for _, w := range l.walks {
				w.Recheck(a.clock)
			}
		}
	}
}

// highest returns the heights of walks that are expected to need so many looks at the higher of two levels, where they are above
// the heights at the lower.
func (a *decisions) highest(now, top float64, looks int) []float64 {
	z, least := slices.Clone(a.heights(now, looks)), a.heights(top, looks)
	for k := range z {
		z[k] = max(z[k], least[k])
	}
	return z
}

// choices returns among how many contests one to change may be chosen: no more than tasks, however
// they are split, or what Among said.
func (a *decisions) choices() float64 { return float64(max(a.tests, a.Model.Problem.V(), a.among)) }

// Among says that the test is one of so many, and that any of them may be changed.
func (a *decisions) Among(tests int) { a.among = tests }

// tighten sets the heights of walks without the steps of withdrawn arms.
func (a *decisions) tighten() {
	if a.tests > 0 {
		n := a.choices()
		a.clock.Strict = a.highest(a.alpha/n, a.alpha/n, a.horizon)
	}
}

// Grown says that there are more tests beside this one now.
func (a *decisions) Grown() { a.additions++ }

// cohorts returns how many times arms came: those that came together have a best arm of their own
// once others are withdrawn.
func (a *decisions) cohorts() int { return 1 + a.additions }

// merge removes, in round 0, candidates of a contest's tasks that the kernel cannot separate from
// an earlier arm.
func (a *decisions) merge(c *contest) {
	for _, i := range a.Sets[c.tasks[0]] {
		if j, copied := c.copyOf[i]; copied {
			a.remove(0, c, i, j, 0, known(0), engine.RuleSame)
		}
	}
	a.sync(c)
}

// record writes down which arms left a contest in this round, and brings its candidates up to date.
func (a *decisions) record(c *contest) {
	against := map[int]int{} // by arm that a bet excluded
	for _, b := range a.bets {
		if b.Walk.Out {
			against[b.Arm] = b.Leader
		}
	}
	for k, i := range c.arms {
		rival, excluded := against[i]
		switch w := c.walks[k]; {
		case excluded:
			gap, width := w.Gap(a.clock)
			a.remove(a.round, c, i, rival, gap, width, engine.RuleCombination)
		case c.closed && k != c.leader && !w.Out:
			first := c.arms[c.leader]
			a.remove(a.round, c, i, first, a.estimates[first]-a.estimates[i], known(w.Margin(a.clock, first)), engine.RuleEpsilon)
		}
	}
	a.sync(c)
}

// mostLater is the number of arms whose widths are computed on request; most runs never request them. An interrupt
// does, and must not wait long.
const mostLater = 100

// remove notes that arm i lost against its rival in every task of the contest.
func (a *decisions) remove(round int, c *contest, i, rival int, gap float64, width func() float64, rule engine.Rule) {
	if a.removed++; a.removed > mostLater {
		width = known(width())
	}
	for _, v := range c.tasks {
		a.DropLater(round, a.in(v, c, i), a.in(v, c, rival), gap, width, rule)
	}
}

// known returns the function of a width that is known.
func known(width float64) func() float64 { return func() float64 { return width } }

// sync sets the candidates of a contest's tasks.
func (a *decisions) sync(c *contest) {
	for _, v := range c.tasks {
		a.Sets[v] = a.Sets[v][:0]
		for k, i := range c.arms {
			if k == c.leader || !c.closed && !c.walks[k].Out {
				a.Sets[v] = append(a.Sets[v], a.in(v, c, i))
			}
		}
	}
}

// in returns the arm of task v with the position of arm i in the contest's first task.
func (a *decisions) in(v int, c *contest, i int) int {
	lo, _ := a.Model.Problem.ArmsOf(v)
	return lo + i - c.first
}

// reopen takes back that arm i of a contest has left its tasks.
func (a *decisions) reopen(c *contest, i int) {
	for _, v := range c.tasks {
		a.Reopen(a.in(v, c, i))
	}
}

// Done reports whether every task is decided.
func (a *decisions) Done() bool { return a.Single() }

// answers returns the leaders, decided if no other arm is open, with the estimates of arms that data span.
func (a *decisions) answers(spans func(arm int) bool) []engine.Answer {
	out := make([]engine.Answer, len(a.Sets))
	for _, c := range a.contests {
		margin, estimate := c.margin(a.clock), math.NaN()
		if a.estimates != nil && spans(c.arms[c.leader]) {
			estimate = a.estimates[c.arms[c.leader]]
		}
		for _, v := range c.tasks {
			ans := a.Answer(v, a.in(v, c, c.arms[c.leader]), estimate)
			ans.Margin = margin * a.Model.Unit
			if ans.Decided = c.closed; !c.closed { // of a fixed budget the leader may be out, too
				ans.Arm = ""
			}
			out[v] = ans
		}
	}
	return out
}

// everyArm holds for every arm.
func everyArm(int) bool { return true }

// warnings reports rewards that are not normal, and tasks whose test came to its end undecided.
func (a *decisions) warnings() []engine.Warning {
	var out []engine.Warning
	e := a.Model.Problem.Noise.Environment
	if a.opt.LawFor(a.Model.Problem) == engine.LawNormal && (e == problem.EnvironmentBernoulli || e == problem.EnvironmentResampled) {
		out = append(out, engine.Warning{Kind: engine.WarnNotNormal, Names: []string{e}})
	}
	var answers []engine.Answer
	for _, c := range a.contests {
		if c.closed || !c.exhausted(a.clock, a.opt.Epsilon) {
			continue
		}
		if answers == nil {
			answers = a.answers(everyArm)
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
func (a *decisions) FitCheck() engine.FitCheck {
	return model.NewFitCheck(a.Model, a.opt.Misfit, a.opt.Robust)
}

// NoiseCheck tests whether arms with one scale scatter alike, and whether stated scales are large enough. Bounds state the scale
// of rewards that lie between them, and the symmetric law has none.
func (a *decisions) NoiseCheck() engine.NoiseCheck {
	n := a.Model.Problem.Noise
	switch {
	case n.UnknownBy == problem.UnknownArm || n.Bounds != nil || a.opt.Law == engine.LawSymmetric:
		return nil
	case a.Model.Problem.Block != nil:
		return engine.NewBlockedNoiseCheck(a.Model.Problem)
	case n.Estimated():
		return nil
	}
	return engine.NewNoiseCheck(a.Model.Problem, n.Groups(a.Model.Problem.TaskOf))
}

// gap returns the estimate of the gap of arms i and j from all data.
func (a *decisions) gap(i, j int) float64 { return a.estimates[i] - a.estimates[j] }

// optimisticGap returns the gap between leader and arm as large as estimates allow.
func (a *decisions) optimisticGap(estimates []float64, leader, arm int, variance float64) float64 {
	return max(estimates[leader]-estimates[arm], 0) + optimism*math.Sqrt(variance) + a.opt.Epsilon
}

// Hardest returns the arm whose walk lacks most in samples, with how far that walk is.
func (a *decisions) Hardest(v int) engine.Rival {
	return a.rival(v, func(c *contest) ahead { return c.ahead(a.clock, a.opt.Epsilon, a.gap, a.rules.variance) })
}

// Samples returns the pulls that would bring all open walks of the tasks to their boundary.
func (a *decisions) Samples(tasks []int) float64 {
	if a.estimates == nil {
		return math.NaN()
	}
	var needs []design.Pair
	for _, c := range a.contests {
		if c.closed || !slices.ContainsFunc(c.tasks, func(v int) bool { return slices.Contains(tasks, v) }) {
			continue
		}
		g := c.ahead(a.clock, a.opt.Epsilon, a.gap, a.rules.variance)
		if !g.possible {
			return -1
		}
		needs = append(needs, g.needs...)
	}
	return a.rules.sized(needs)
}

// rival returns what decides task v, from what its contest still has to decide.
func (a *decisions) rival(v int, ahead func(*contest) ahead) engine.Rival {
	c := a.contestOf(v)
	if a.estimates == nil {
		return a.NoData(v, a.in(v, c, c.arms[c.leader]))
	}
	g := ahead(c)
	if g.rival < 0 {
		return g.Rival
	}
	return a.Shown(a.in(v, c, g.rival), g.Rival)
}

// contestOf returns the contest that task v is in.
func (a *decisions) contestOf(v int) *contest {
	return a.contests[slices.IndexFunc(a.contests, func(c *contest) bool { return slices.Contains(c.tasks, v) })]
}
