package cotest

import (
	"errors"
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Amend fixes the round's estimator and every bet on it from the counts. An arm without pulls, or
// whose weights need a noise scale without replicates, sits out: its walks do not move.
func (a *coTest) Amend(counts []int) (err error) {
	defer try.Caught(&err)
	if a.stage == nil {
		return errors.New(rounds.LearnedEarly)
	}
	st := *a.stage
	st.Rounding.Counts, st.Estimate = counts, nil
	if engine.PullsOf(counts) > 0 {
		st.Estimate = try.Of(model.NewEstimator(a.scales.Model, 0, counts))
	}
	a.loose = true
	a.fix(&st)
	return nil
}

// AddData adds rewards, which change leaders, gaps and needs. No walk moves. Rewards from before the
// first round replace it if they separate all arms of open tasks.
func (a *coTest) AddData(b engine.Batch) (err error) {
	defer try.Caught(&err)
	try.To(rounds.CheckInform(a.Model.Problem, b))
	a.loose = true
	first := a.estimates == nil
	a.learn(b)
	a.aside += engine.PullsOf(b.Counts)
	if first {
		a.begin()
	}
	bets := a.bets
	a.bets = nil // bets belong to an open round, or to a recorded one
	a.conclude()
	a.bets = bets
	return nil
}

// UsesAddedData reports that rewards from outside the rounds influence leaders and sizes of rounds.
func (a *decisions) UsesAddedData() bool { return true }

// begin sets the clock by rewards that were there before the first round: by what the least certain gap would be known to from as many
// as a first round has, so that many do not make the first look late, and then its heights. Where some gap has none, round 1 explores as
// it does without.
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
	if a.clock.Origin = a.share() / widest; !(widest > 0) || math.IsInf(widest, 1) {
		a.pooled, a.estimates = nil, nil
		return
	}
	a.setHorizon()
}
