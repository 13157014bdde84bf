package cotest

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/individual"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// review looks at all contests again, after a change of the question: those that are not decided any
// more go on, with the arms that are open.
func (a *coTest) review() {
	bets := a.bets
	a.bets = nil
	defer func() { a.bets = bets }()
	for _, c := range a.contests {
		if len(c.arms) == 1 {
			c.leader, c.closed = 0, true
			a.sync(c)
			continue
		}
		if c.closed && c.settled(a.clock, a.opt.Epsilon) {
			a.sync(c)
			continue
		}
		before := c.arms[c.leader]
		for k, i := range c.arms {
			if !c.walks[k].Out {
				a.reopen(c, i)
			}
		}
		c.closed = false
		if a.estimates == nil {
			a.sync(c)
			continue
		}
		c.conclude(a.guesses(), a.clock, a.opt.Epsilon)
		c.startClocks(a.clock, a.estimates, a.roundVariance())
		for k, i := range c.arms { // walks that crossed by a change and not by a bet
			if w := c.walks[k]; w.Out && slices.Contains(a.Sets[c.tasks[0]], a.in(c.tasks[0], c, i)) {
				gap, width := w.Gap(a.clock)
				a.remove(a.round, c, i, before, gap, width, engine.RuleCombination)
			}
		}
		a.record(c)
	}
}

// Withdraw takes arms out. Walks hold from then on with and without the steps that such an arm led;
// arms that are not out by both are open again.
func (a *coTest) Withdraw(arms []int) (err error) {
	defer try.Caught(&err)
	try.To(a.CanWithdraw(arms))
	a.Model = try.Of(a.Model.Without(arms))
	a.scales.Model = try.Of(a.scales.Model.Without(arms))
	if a.clock.Strict == nil {
		a.tighten()
	}
	for _, i := range arms {
		if !a.Removed[i] {
			if a.withdraw(i) {
				a.questions += a.cohorts()
			}
			a.Withdrawn(a.round, i)
		}
	}
	a.loose = true
	if a.misfit.data != nil {
		for _, i := range arms {
			a.misfit.data.Counts[i] = 0
		}
	}
	a.estimate()
	a.review()
	return nil
}

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
	a.bets = nil // they belong to an open round, or to one that was recorded
	a.conclude()
	a.bets = bets
	return nil
}

// UsesAddedData reports that such rewards choose leaders and sizes of rounds.
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
	foresee(a)
}

// otherKind says that a test by least squares of all tasks together cannot go on from another algorithm.
func otherKind(from engine.Algorithm) error {
	was := "by another rule"
	switch from.(type) {
	case *normed:
		was = "by a bound on the norm"
	case interface{ Agents() *individual.Algorithm }, *individual.Algorithm:
		was = "each task separately, because the kernel did not relate them"
	}
	return fmt.Errorf("%w. With the added arms it would test all tasks together by least squares, but so far it tests %s. The two test "+
		"statistics cannot be combined. Start another campaign", engine.ErrFixedQuestion, was)
}

// Continue takes over the walks of a test on fewer arms. Tests of new tasks, and of new arms, begin
// with new data and have the level of the others.
func (a *coTest) Continue(from engine.Algorithm, at []int) (err error) {
	defer try.Caught(&err)
	old, same := from.(*coTest)
	if !same || len(at) != old.Model.Problem.N() {
		return otherKind(from)
	}
	unit := old.Model.Unit / a.Model.Unit
	a.Pool.Take(old.Pool, at)
	try.To(a.scales.Take(old.scales, at))
	if a.misfit.data != nil && old.misfit.data != nil {
		a.misfit.data.Take(old.misfit.data, at)
	}
	if old.tests > 0 {
		a.tests, a.alpha, a.most, a.questions, a.additions, a.clock = old.tests, old.alpha, old.most, old.questions, old.additions, old.clock
		a.horizon = old.horizon
		a.clock.Origin = old.clock.Origin / (unit * unit)
	}
	a.round, a.loose, a.aside = old.round, true, old.aside
	a.TakeTrail(&old.Candidates)
	taken, some := map[*contest]bool{}, false
	for _, c := range a.contests {
		isNew, was := a.adopt(c, &old.decisions, at, unit)
		some = some || isNew
		if isNew && old.tests > 0 {
			a.questions++
		}
		if taken[was] && len(c.arms) > 1 { // two contests go on from one
			a.questions++
		}
		taken[was] = was != nil
	}
	if some {
		a.additions++
	}
	if old.clock.Strict != nil {
		a.tighten()
	}
	var withdrawn []int
	for k, i := range at {
		if i >= 0 && old.Removed[k] {
			withdrawn = append(withdrawn, i)
		}
	}
	if old.estimates != nil && engine.PullsOf(a.Counts) > 0 {
		a.estimates = make([]float64, a.Model.Problem.N()) // to be formed
		a.estimate()
		if a.misfit.data != nil {
			a.misfit.learn(a.Model, engine.Batch{}, a.opt.Robust, a.alpha)
		}
	}
	k := a.questions
	if len(withdrawn) > 0 {
		try.To(a.Withdraw(withdrawn))
		a.questions = k
	}
	a.review()
	return nil
}
