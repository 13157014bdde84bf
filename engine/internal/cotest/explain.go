package cotest

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// sized returns the number of pulls that the planner predicts for the needs.
func (a *coTest) sized(needs []design.Pair) float64 {
	return a.planner.pulls(a.terms(), needs, a.sofar())
}

// pulls predicts the pulls of minimax designs that give each pair of needs its information. If the design is too large or
// cannot be computed, for example after an interrupt, it extrapolates the proportions of the pulls so far. The result is
// NaN before any data.
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

// explainTolerance is the relative duality gap of designs that are used only to predict samples.
const explainTolerance = 0.02

// explainWork is the largest size of a design that a forecast solves, in multiplications per step. A problem with 464
// independent arms has this size.
const explainWork = 1e8

// Hardest returns the open arm of task v whose gap to the leader is the fewest standard errors.
func (a *coBayesFB) Hardest(v int) engine.Rival {
	return a.rival(v, a.ahead)
}

// Samples returns the size of a whole run that would separate the hardest arm of each of these tasks from its leader. This
// run itself does not exceed its budget. The result is NaN before any data. It is -1 if a task has no open arm, for
// example because its tests excluded every arm.
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

// ahead returns the state of the open arm whose gap to the leader is the fewest standard errors. rival is -1 before any
// data and if no arm is open.
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

// Amend replaces the counts of the planned round. Later rounds share the remaining budget, so they make up for lost pulls
// and are smaller after added ones.
func (a *coBayesFB) Amend(counts []int) error {
	if err := a.coTest.Amend(counts); err != nil {
		return err
	}
	a.purse.Amend(counts)
	return nil
}

// AddData adds rewards from outside the rounds. They change leaders, designs and answers that no walk has decided; no walk
// moves.
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

// Unspent returns a message if the run is done and some pulls of its budget were not made; otherwise "".
func (a *coBayesFB) Unspent() string {
	if a.loose && a.Done() && a.purse.Remaining() > 0 {
		return "the last round has fewer pulls than planned"
	}
	return ""
}
