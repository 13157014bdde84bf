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
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// decisions hold the contests of all tasks with their common state: candidates, level, clock and the planned round.
type decisions struct {
	rounds.Candidates
	model.Pool
	scales   rounds.Scales
	rules    rules
	opt      model.Terms
	alpha    float64 // level of each test
	tests    int     // number of contests with several arms
	claims   int     // number of claims of all contests, which share delta; 0 if every contest has one claim
	clock    sequential.Clock
	limits   *rounds.Limits // limits of the rewards, if bets use these; nil if bets use scores
	contests []*contest

	round     int
	removed   int           // number of arms removed so far
	stage     *rounds.Stage // stage of the next round
	bets      []sequential.Bet
	estimates []float64 // estimates from all data, normalised; nil before the first rewards
}

// rules are the computations that differ between the kinds of tests.
type rules interface {
	variance(i, j int) float64         // approximate variance of the estimated gap of two arms
	sized(needs []design.Pair) float64 // number of pulls that give every contrast the information in its weight
}

// Largest and smallest level of a test for which boundaries are computed. A level above one half needs no data.
const mostAlpha, leastAlpha = 0.5, 1e-10

// newDecisions returns the contests before any round. The clock is not set; alpha is 0 if no task has several arms. If
// exact, arms with equal features count as one arm.
func newDecisions(m *model.Model, opt model.Terms, exact bool) decisions {
	a := decisions{
		Candidates: rounds.NewCandidates(m), Pool: model.NewPool(m.Problem.N()), opt: opt,
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

// level returns the level of each test for the total error probability delta; 0 if there is nothing to test. A delta that
// is too small for the boundaries is an error.
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

// commit makes st the stage of the next round, calls fix to fix the bets on it, and returns its plan. It fails with a
// LimitError if the plan exceeds MaxSamples.
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

// merge eliminates, in round 0, all arms of a contest's tasks whose features equal those of an earlier arm.
func (a *decisions) merge(c *contest) {
	for _, i := range a.Sets[c.tasks[0]] {
		if j, copied := c.copyOf[i]; copied {
			a.remove(0, c, i, j, 0, known(0), engine.RuleSame)
		}
	}
	a.sync(c)
}

// open returns the contests that are not closed.
func (a *decisions) open() []*contest {
	return lists.Where(a.contests, func(c *contest) bool { return !c.closed })
}

// record adds the arms that left these contests in this round to the audit trail, and updates the candidates.
func (a *decisions) record(contests []*contest) {
	against := map[int]int{} // for each arm that a bet excluded, its opponent
	for _, b := range a.bets {
		if b.Walk.Out {
			against[b.Arm] = b.Opponent
		}
	}
	for _, c := range contests {
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
}

// mostLater is the number of eliminated arms whose widths are computed only on request. Most runs never request them. An
// interrupt does, and it must not wait long.
const mostLater = 100

// remove records the elimination of arm i by arm rival for every task of the contest. Both are arms of the first task;
// other tasks use their arms at the same positions.
func (a *decisions) remove(round int, c *contest, i, rival int, gap float64, width func() float64, rule engine.Rule) {
	if a.removed++; a.removed > mostLater {
		width = known(width())
	}
	for _, v := range c.tasks {
		a.DropLater(round, a.in(v, c, i), a.in(v, c, rival), gap, width, rule)
	}
}

// known returns a function that returns the given width.
func known(width float64) func() float64 { return func() float64 { return width } }

// sync recomputes the candidates of a contest's tasks from its walks.
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

// in returns the arm of task v that corresponds to arm i of the contest's first task.
func (a *decisions) in(v int, c *contest, i int) int {
	lo, _ := a.Model.Problem.ArmsOf(v)
	return lo + i - c.first
}

// Done reports whether every task has one candidate left.
func (a *decisions) Done() bool { return a.Single() }

// answers returns one answer per task, decided if its contest is closed. Estimates are NaN for leaders for which spans
// returns false.
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
			if ans.Decided = c.closed; !c.closed { // with a fixed budget the leader itself may be excluded
				ans.Arm = ""
			}
			out[v] = ans
		}
	}
	return out
}

// everyArm returns true for every arm.
func everyArm(int) bool { return true }

// warnings reports rewards that are not normal, and undecided tasks whose walks have no looks left.
func (a *decisions) warnings() []engine.Warning {
	var out []engine.Warning
	e := a.Model.Problem.Noise.Environment
	if a.opt.LawFor(a.Model.Problem) == engine.LawNormal && (e == problem.EnvironmentBernoulli || e == problem.EnvironmentResampled) {
		out = append(out, engine.Warning{Kind: engine.WarnNotNormal, Names: []string{e}})
	}
	out = append(out, a.scales.Grouped()...)
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

// FitCheck returns a test of the kernel that allows deviations up to Options.Misfit.
func (a *decisions) FitCheck() engine.FitCheck {
	return model.NewFitCheck(a.Model, a.opt.Misfit)
}

// NoiseCheck returns a test that arms with one common scale have equal variances and that stated scales are large enough.
// It is nil if bounds or the symmetric law make scales unnecessary, or if the data choose which arms share a scale.
func (a *decisions) NoiseCheck() engine.NoiseCheck {
	n := a.Model.Problem.Noise
	switch {
	case n.UnknownBy == problem.UnknownArm || n.Bounds != nil || a.opt.Law == engine.LawSymmetric:
		return nil
	case a.Model.Problem.Block != nil:
		return engine.NewBlockedNoiseCheck(a.Model.Problem)
	case n.Estimated() || a.scales.Tested():
		return nil
	}
	return engine.NewNoiseCheck(a.Model.Problem, n.Groups(a.Model.Problem.TaskOf))
}

// gap returns the estimate of the gap of arms i and j from all data.
func (a *decisions) gap(i, j int) float64 { return a.estimates[i] - a.estimates[j] }

// optimisticGap returns an upper estimate of the gap between leader and arm: the estimated gap, at least 0, plus 1.5
// standard errors plus epsilon.
func (a *decisions) optimisticGap(estimates []float64, leader, arm int, variance float64) float64 {
	return max(estimates[leader]-estimates[arm], 0) + optimism*math.Sqrt(variance) + a.opt.Epsilon
}

// Hardest returns the arm of task v whose walk needs the most further samples, with the state of this walk.
func (a *decisions) Hardest(v int) engine.Rival {
	return a.rival(v, func(c *contest) ahead { return c.ahead(a.clock, a.opt.Epsilon, a.gap, a.rules.variance) })
}

// Samples returns the number of pulls after which all open walks of the tasks are expected to reach their boundaries. It
// is NaN before any data and -1 if the remaining looks do not suffice.
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

// rival returns the comparison that keeps task v undecided. ahead computes it for a contest.
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

// contestOf returns the contest of task v.
func (a *decisions) contestOf(v int) *contest {
	return a.contests[slices.IndexFunc(a.contests, func(c *contest) bool { return slices.Contains(c.tasks, v) })]
}
