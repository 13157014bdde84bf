package cotest

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// sized returns the planner's prediction of the pulls that the needs require.
func (a *coTest) sized(needs []design.Pair) float64 {
	return a.planner.pulls(a.terms(), needs, a.sofar())
}

// pulls predicts the pulls of minimax designs. Where the allocation is too large for a forecast, or
// cannot be computed, as after an interrupt, it is what more of the same pulls as so far would
// take. NaN before any data.
func (minimaxPlanner) pulls(t terms, needs []design.Pair, sofar pulled) float64 {
	if len(needs) == 0 {
		return 0
	}
	m, total := t.scales.Model, 0.0
	var shared []design.Pair
	for _, q := range needs {
		if m.Relations().Same(q.I, q.J) { // only the arms' own means distinguish them
			total += 2 * q.Weight * (1/m.Precision[q.I] + 1/m.Precision[q.J])
		} else {
			shared = append(shared, q)
		}
	}
	priced, err := t.priced(m)
	if err != nil {
		return sofar.more(needs)
	}
	parts := priced.Layout.Parts(shared)
	for _, part := range parts {
		if design.StepWork(len(part.Arms), len(part.Columns), len(part.Pairs)) > explainWork {
			return sofar.more(needs)
		}
	}
	for _, part := range parts {
		d, err := design.Minimax(part.Space(priced.Space(0)), design.Contrasts{Pairs: part.Pairs}, m.Solver(explainTolerance))
		if err != nil {
			return sofar.more(needs)
		}
		total += t.inPulls(part.Arms, d).Value
	}
	return math.Ceil(total)
}

// explainTolerance is the relative gap of designs that only predict samples.
const explainTolerance = 0.02

// explainWork is the size of designs, in products a step, up to which a forecast solves them: the size
// for 464 independent arms.
const explainWork = 1e8

// Hardest returns the arm that is hardest to separate from the leader.
func (a *coBayesFB) Hardest(v int) engine.Rival {
	return a.rival(v, a.ahead)
}

// Samples returns the samples of a whole run of this kind that would separate the hardest arm of every
// task from its leader; this run does not exceed its budget. It is -1 if every arm of a task is out,
// which is an error of the tests.
func (a *coBayesFB) Samples(tasks []int) float64 {
	if a.pooled == nil {
		return math.NaN()
	}
	height, pulls := a.clock.Z[len(a.clock.Z)-1], float64(engine.PullsOf(a.Counts))
	return rounds.Most(tasks, func(v int) float64 {
		g := a.ahead(a.contestOf(v))
		if g.rival < 0 {
			return -1
		}
		need := height / (rounds.MedianGap(g.Gap, g.Error) / g.Error)
		return math.Ceil(pulls * need * need)
	})
}

// ahead looks for the open arm whose gap is the fewest standard errors; its rival is -1 before
// any data and without an open arm.
func (a *coBayesFB) ahead(c *contest) ahead {
	out := ahead{rival: -1, Rival: engine.Rival{Open: 1, Tasks: c.tasks}}
	first, least := c.arms[c.leader], math.Inf(1)
	for k, i := range c.arms {
		if a.pooled == nil || !c.open(k, a.clock, 0) {
			continue
		}
		out.Open++
		gap, sd := a.estimates[first]-a.estimates[i], math.Sqrt(a.variance(first, i))
		t := rounds.MedianGap(gap, sd) / sd
		if !(t < least) && out.rival >= 0 {
			continue
		}
		least, out.rival, out.Gap, out.Error = t, i, gap, sd
		out.Statistic, out.Threshold = 0, 0
		if w := c.walks[k]; w.Look >= 0 {
			out.Statistic, out.Threshold = w.Sum, a.clock.Height(w.Look)
		}
	}
	return out
}

// Amend lets the later rounds share what the budget has left then, so that lost pulls are made later
// and added ones are taken off.
func (a *coBayesFB) Amend(counts []int) error {
	if err := a.coTest.Amend(counts); err != nil {
		return err
	}
	a.purse.Amend(counts)
	return nil
}

// AddData adds rewards, which change leaders and designs, and the answers of tasks that no walk
// decides.
func (a *coBayesFB) AddData(b engine.Batch) (err error) {
	defer try.Caught(&err)
	try.To(rounds.CheckInform(a.Model.Problem, b))
	a.loose = true
	a.learn(b)
	bets := a.bets
	a.bets = nil
	a.lead()
	a.bets = bets
	return nil
}

// Unspent states that pulls of the last round were not made.
func (a *coBayesFB) Unspent() string {
	if a.loose && a.Done() && a.purse.Remaining() > 0 {
		return "the last round has fewer pulls than planned"
	}
	return ""
}
