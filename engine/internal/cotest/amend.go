package cotest

import (
	"errors"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

var (
	_ engine.Amender  = (*coTest)(nil)
	_ engine.Informer = (*coTest)(nil)
	_ engine.Amender  = (*coTestFB)(nil)
	_ engine.Saver    = (*coTestFB)(nil)
)

// Amend fixes the round's estimator and every bet on it from the counts. An arm without pulls, and one
// whose weights need a noise scale that no replicate tells, sits out: its walks stand still.
func (a *coTest) Amend(counts []int) error {
	if a.stage == nil {
		return errors.New(rounds.LearnedEarly)
	}
	st := *a.stage
	st.Rounding.Counts, st.Estimate = counts, nil
	if engine.PullsOf(counts) > 0 {
		var err error
		if st.Estimate, err = model.NewEstimator(a.scales.Model, 0, counts); err != nil {
			return err
		}
	}
	a.loose = true
	a.fix(&st)
	return nil
}

// oriented reports whether the data tell the open arms from their leaders, so that a round can be
// sized for what the walks need. Planned rounds see to that from the first on.
func (a *coTest) oriented() bool {
	if a.estimates == nil {
		return false
	}
	for _, c := range a.contests {
		for k, i := range c.arms {
			if !c.closed && !c.walks[k].Out && a.unmeasured(c.arms[c.leader], i) {
				return false
			}
		}
	}
	return true
}

// unmeasured reports whether pulls that no plan foresaw have left the gap of arms i and j without an
// estimate. A Gaussian process has one of every gap.
func (a *coTest) unmeasured(i, j int) bool {
	if a.within != nil {
		return math.IsInf(a.variance(i, j), 1)
	}
	return a.loose && a.belief == nil && a.pooled != nil && math.IsInf(a.pooled.Bias(i, j, model.Bound{}), 1)
}

// guesses returns the estimates that leaders are chosen by: an arm that no pull measured leads only
// where no other may.
func (a *coTest) guesses() []float64 {
	if !a.loose || a.belief != nil || a.pooled == nil {
		return a.estimates
	}
	out := slices.Clone(a.estimates)
	for i := range out {
		if !a.pooled.Spans(i) {
			out[i] = math.Inf(-1)
		}
	}
	return out
}

// left returns the arms that may be best.
func (c *contest) left() []int {
	var out []int
	for k, i := range c.arms {
		if !c.walks[k].Out {
			out = append(out, i)
		}
	}
	return out
}

// Inform takes rewards in by which leaders, gaps and needs go. Every walk stays where it is. Rewards
// from before the first round stand for it, if they tell all arms of open tasks apart.
func (a *coTest) Inform(b engine.Batch) error {
	if err := rounds.CheckInform(a.Model.Problem, b); err != nil {
		return err
	}
	a.loose = true
	first := a.estimates == nil
	if err := a.learn(b); err != nil {
		return err
	}
	if first {
		a.begin()
	}
	bets := a.bets
	a.bets = nil // they belong to an open round, or to one that was recorded
	a.conclude()
	a.bets = bets
	return nil
}

// Guided reports that such rewards choose leaders and sizes of rounds.
func (a *coTest) Guided() bool { return true }

// begin sets the clock by rewards that were there before the first round, whose least certain gap it
// begins with; where some gap has none, round 1 explores as it does without.
func (a *coTest) begin() {
	if !a.oriented() {
		a.pooled, a.estimates = nil, nil
		return
	}
	widest := 0.0
	for _, c := range a.contests {
		for _, i := range c.arms {
			for _, j := range c.arms {
				if !c.closed {
					widest = max(widest, a.variance(i, j))
				}
			}
		}
	}
	if a.clock.Origin = 1 / widest; !(widest > 0) || math.IsInf(widest, 1) {
		a.pooled, a.estimates = nil, nil
	}
}

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
