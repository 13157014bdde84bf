package cotest

import (
	"fmt"
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
)

// Hardest returns the arm that is hardest to tell from the leader.
func (a *coTestFB) Hardest(v int) engine.Rival {
	c := a.contestOf(v)
	if a.pooled == nil {
		return a.NoData(v, a.in(v, c, c.arms[c.leader]))
	}
	return a.rival(v, c, a.ahead(c))
}

// Samples returns the samples of a whole run of this kind in which the hardest arm of every task would be
// told: this run does not go beyond its budget. -1 where every arm of a task is out, which is an
// error of the tests.
func (a *coTestFB) Samples(tasks []int) float64 {
	if a.pooled == nil {
		return math.NaN()
	}
	height, pulls := a.clock.Z[len(a.clock.Z)-1], float64(engine.PullsOf(a.Counts))
	return rounds.Most(tasks, func(v int) float64 {
		g := a.ahead(a.contestOf(v))
		if g.rival < 0 {
			return -1
		}
		need := height / (rounds.MedianGap(g.gap, g.sd) / g.sd)
		return math.Ceil(pulls * need * need)
	})
}

// ahead looks for the open arm whose gap is the fewest standard errors; its rival is -1 before
// any data and without an open arm.
func (a *coTestFB) ahead(c *contest) ahead {
	out, first, least := ahead{rival: -1}, c.arms[c.leader], math.Inf(1)
	for k, i := range c.arms {
		if a.pooled == nil || !c.open(k, a.clock, 0) {
			continue
		}
		out.open++
		gap, sd := a.estimates[first]-a.estimates[i], math.Sqrt(a.variance(first, i))
		t := rounds.MedianGap(gap, sd) / sd
		if !(t < least) && out.rival >= 0 {
			continue
		}
		least, out.rival, out.gap, out.sd = t, i, gap, sd
		out.statistic, out.threshold = 0, 0
		if w := c.walks[k]; w.Look >= 0 {
			out.statistic, out.threshold = w.Sum, a.clock.Height(w.Look)
		}
	}
	return out
}

// errBudget says why nothing of a fixed budget changes: its clock and its shares were fixed by it.
var errBudget = fmt.Errorf("%w: the rounds of a fixed budget, and what they may decide, are fixed beforehand", engine.ErrFixedQuestion)

// SetEpsilon is an error, as all changes are.
func (a *coTestFB) SetEpsilon(float64) error { return errBudget }

// SetDelta is an error.
func (a *coTestFB) SetDelta(float64) error { return errBudget }

// CanWithdraw is an error.
func (a *coTestFB) CanWithdraw([]int) error { return errBudget }

// Withdraw is an error.
func (a *coTestFB) Withdraw([]int) error { return errBudget }

// Continue is an error.
func (a *coTestFB) Continue(engine.Algorithm, []int) error { return errBudget }

// Amend lets the later rounds share what the budget has left then, so that lost pulls are made later
// and added ones are taken off.
func (a *coTestFB) Amend(counts []int) error {
	if err := a.coTest.Amend(counts); err != nil {
		return err
	}
	if a.purse != nil {
		a.purse.Amend(counts)
		a.shares = a.purse.Shares()
		return nil
	}
	now := engine.PullsOf(counts)
	left, later := a.opt.Pulls(a.Model.Problem.V())-a.spent-now, a.shares[a.round:]
	a.shares = append(a.shares[:a.round-1:a.round-1], now)
	for k := range later {
		n := a.opt.Part(max(left, 0)/(len(later)-k), max(left, 0), len(later)-1-k)
		if left -= n; n > 0 {
			a.shares = append(a.shares, n)
		}
	}
	return nil
}

// Inform takes rewards in by which leaders and designs go, and the answers of tasks that no walk
// decides.
func (a *coTestFB) Inform(b engine.Batch) error {
	if err := rounds.CheckInform(a.Model.Problem, b); err != nil {
		return err
	}
	a.loose = true
	if err := a.learn(b); err != nil {
		return err
	}
	bets := a.bets
	a.bets = nil
	a.lead()
	a.bets = bets
	return nil
}

// Unspent says that pulls of the last round were not made.
func (a *coTestFB) Unspent() string {
	if a.loose && a.Done() && a.spent < a.opt.Pulls(a.Model.Problem.V()) {
		return "the last round has fewer pulls than were planned"
	}
	return ""
}
