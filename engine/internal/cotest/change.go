package cotest

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
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

// CanWithdraw returns an error unless the arms cannot be measured: they have no reward, and no arm was compared with them.
// Tasks with equal arms are tested together, and so an arm must be withdrawn from all of them. Arms of a task with equal
// features are tested as one, and stay.
func (a *coTest) CanWithdraw(arms []int) error {
	if err := a.Candidates.CanWithdraw(arms); err != nil {
		return err
	}
	p := a.Model.Problem
	for _, i := range arms {
		c := a.contestOf(p.TaskOf[i])
		first := a.firstOf(c, i)
		for original, copied := range c.copyOf {
			if first == original || first == copied {
				return fmt.Errorf("%w: %s has the same features as another arm of its task", engine.ErrFixedQuestion, p.Where(i))
			}
		}
		for _, v := range c.tasks {
			switch j := a.in(v, c, first); {
			case a.Counts[j] > 0 || a.against[first] || slices.ContainsFunc(a.bets, func(b sequential.Bet) bool { return b.Opponent == first }):
				return fmt.Errorf("%w: %s has a measurement, or others were compared with it", engine.ErrFixedQuestion, p.Where(j))
			case !a.Removed[j] && !slices.Contains(arms, j):
				return fmt.Errorf("%w: the tasks %s are tested together, because their arms are equal. Withdraw the arm from all of them",
					engine.ErrFixedQuestion, sentence.List(indices.Of(p.Tasks.Names, c.tasks), 8))
			}
		}
	}
	return nil
}

// firstOf returns the arm of the contest's first task that corresponds to an arm of one of its tasks.
func (a *coTest) firstOf(c *contest, i int) int {
	lo, _ := a.Model.Problem.ArmsOf(a.Model.Problem.TaskOf[i])
	return c.first + i - lo
}

// Withdraw removes arms that CanWithdraw accepted. The guarantee then holds for the other arms, whose walks do not change. An
// arm stays if all others of its task are excluded.
func (a *coTest) Withdraw(arms []int) (err error) {
	defer try.Caught(&err)
	for _, i := range arms {
		c := a.contestOf(a.Model.Problem.TaskOf[i])
		k := slices.Index(c.arms, a.firstOf(c, i))
		if slices.Equal(c.candidates(), []int{c.arms[k]}) {
			continue
		}
		a.Withdrawn(a.round, i)
		if c.walks[k].Out = true; c.leader == k {
			c.leader = slices.IndexFunc(c.walks, func(w *sequential.Walk) bool { return !w.Out })
		}
		c.closed = len(c.candidates()) == 1
		a.sync(c)
	}
	a.bets = nil // they belong to a recorded round
	a.conclude()
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
