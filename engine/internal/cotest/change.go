package cotest

import (
	"errors"
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Amend replaces the counts of the planned round, and fixes its estimator and bets again. It must be called after Plan and
// before the data. A walk does not move in this round if its arm has no pulls. The same holds if its estimate needs an
// unknown noise scale without replicates.
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

// AddData adds rewards from outside the rounds. They change leaders, gaps and needs, but no walk moves. Added before the
// first round, they replace round 1 if they give estimates of all gaps.
func (a *coTest) AddData(b engine.Batch) (err error) {
	defer try.Caught(&err)
	try.To(rounds.CheckInform(a.Model.Problem, b))
	a.loose = true
	first := a.estimates == nil
	a.scales.Aside()
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

// UsesAddedData reports that added rewards influence leaders and the sizes of rounds.
func (a *decisions) UsesAddedData() bool { return true }

// begin sets the origin and the boundary of the clock from rewards that were added before the first round. The origin is
// the information about the least certain gap, scaled down to the pulls of a usual first round. Without the scaling, many
// added rewards would make the first look late. If some gap has no estimate, begin discards the estimates and round 1
// explores as usual.
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
