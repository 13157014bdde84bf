package cotest

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/bounded"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// normed is CoTestFC where the norm of the reward function is bounded: the same walks on the same
// clock, bet on ridge estimates whose worst bias under that bound is subtracted (docs/theory/norm.md).
//
//	normed.go      the rounds
//	normbelief.go  the posterior that chooses leaders and sizes
//	normclaims.go  the claims of a contest, and when their clocks begin
//	normplan.go    what a round should bring each walk
//	normdesign.go  and the pulls for it
//	normbets.go    the bets of a round
//	normsettle.go  and what they leave behind
type normed struct {
	normBets
	bound Bound
	since []int // N: pulls since round 1
}

var (
	_ engine.Complete  = (*normed)(nil)
	_ engine.Recalling = (*normed)(nil)
)

// newNormed prepares the test under a bound on the norm.
func newNormed(m *model.Model, opt model.Terms, bound Bound) (*normed, error) {
	m = m.ByValues().Own()
	scales, err := rounds.NewScales(m, opt.Options)
	if err != nil {
		return nil, err
	}
	d, err := newDecisions(m, opt, opt.Misfit == 0)
	if err != nil {
		return nil, err
	}
	n := m.Problem.N()
	a := &normed{bound: bound, since: make([]int, n)}
	a.guess = guess{
		decisions: d, Pool: model.NewPool(n), scales: scales, norm: bound.Norm, misfit: bound.Misfit,
		spread: make([]float64, n),
	}
	a.sums = sums{at: map[int]int{}, walks: map[*sequential.Walk]*bounded.Combined{}}
	a.clock.Origin = 1 / (4 * m.Diagonal * a.norm * a.norm)
	if scales.Groups == nil {
		a.clock.Early = normEarly
	}
	if err := a.contend(); err != nil {
		return nil, err
	}
	if a.alpha > 0 {
		a.reclaim()
		err = a.setHeights(a.alpha, a.alpha)
	}
	return a, err
}

// Plan fixes the pulls of the round, and with them every bet on it.
func (a *normed) Plan(ctx context.Context) (engine.Plan, error) {
	defer a.Model.During(ctx)()
	plan, next := a.explorePivots, a.next
	if a.estimates != nil {
		plan = next
	}
	st, err := plan()
	if err != nil {
		return engine.Plan{}, err
	}
	return a.commit(st)
}

// commit makes a stage the coming round and fixes the bets on it.
func (a *normed) commit(st *rounds.Stage) (engine.Plan, error) {
	plan := st.Plan(a.round + 1)
	plan.WantSquares = a.scales.Groups != nil
	if n := plan.Pulls(); n > a.opt.MaxSamples {
		return engine.Plan{}, engine.LimitError{Samples: float64(n)}
	}
	if err := a.fix(st.Rounding.Counts); err != nil {
		return engine.Plan{}, err
	}
	a.round++
	a.stage = st
	return plan, nil
}

// Amend fixes every bet again from the counts.
func (a *normed) Amend(counts []int) error {
	if a.stage == nil {
		return errors.New(rounds.LearnedEarly)
	}
	st := *a.stage
	st.Rounding.Counts = counts
	a.stage = &st
	return a.fix(counts)
}

// Learn settles the bets with the round's own data, and chooses the next leaders from all data.
func (a *normed) Learn(ctx context.Context, b engine.Batch) error {
	defer a.Model.During(ctx)()
	if err := rounds.CheckBatch(a.stage.Plan(a.round), b); err != nil || b.Empty() {
		return err // nil where it was amended to no pulls
	}
	if a.fixed.system != nil {
		if err := a.settle(b); err != nil {
			return err
		}
		for i, c := range b.Counts {
			a.since[i] += c
		}
	}
	if err := a.learn(b); err != nil {
		return err
	}
	return a.conclude(a.contests)
}

// Inform takes rewards in by which leaders, gaps and needs go. Every walk stays where it is.
func (a *normed) Inform(b engine.Batch) error {
	if err := rounds.CheckInform(a.Model.Problem, b); err != nil {
		return err
	}
	if err := a.learn(b); err != nil {
		return err
	}
	bets := a.bets
	a.bets = nil
	err := a.conclude(a.contests)
	a.bets = bets
	return err
}

// learn takes rewards in that the posterior goes by.
func (a *normed) learn(b engine.Batch) error {
	means := a.Add(b)
	if err := a.scales.Learn(b); err != nil {
		return err
	}
	return a.believe(means, a.sums.arms)
}

// conclude chooses the leaders of the open contests and closes those that are decided.
func (a *normed) conclude(contests []*contest) error {
	var were []*contest
	for _, c := range contests {
		if !c.closed {
			were = append(were, c)
			if err := a.choose(c); err != nil {
				return err
			}
		}
	}
	if err := a.startClocks(); err != nil {
		return err
	}
	for _, c := range were {
		a.record(c)
	}
	return nil
}

// SetEpsilon looks at the walks again: what they exclude does not depend on epsilon.
func (a *normed) SetEpsilon(epsilon float64) error {
	a.opt.SetEpsilon(epsilon)
	return a.review()
}

// SetDelta replaces the heights. No look is ever judged by lower heights than the largest delta has.
func (a *normed) SetDelta(delta float64) error {
	if err := a.raise(delta); err != nil {
		return err
	}
	return a.review()
}

// review looks at all contests again: those that are not decided any more go on.
func (a *normed) review() error {
	for _, c := range a.contests {
		if len(c.arms) == 1 || c.closed && c.settled(a.clock, a.opt.Epsilon) {
			continue
		}
		for k, i := range c.arms {
			if !c.walks[k].Out {
				a.reopen(c, i)
			}
		}
		c.closed = false
		a.sync(c)
	}
	if a.estimates == nil {
		return nil
	}
	bets := a.bets
	a.bets = nil
	defer func() { a.bets = bets }()
	if err := a.believe(a.Means(), a.sums.arms); err != nil {
		return err
	}
	return a.conclude(a.contests)
}

// CanWithdraw reports that no arm can be: a walk allows for the bias of its steps together,
// and says nothing of some of them.
func (a *normed) CanWithdraw([]int) error {
	return fmt.Errorf("%w: with norm, no arm can be withdrawn, because a walk allows for the largest bias of all its steps together, "+
		"and nothing bounds the bias of steps which the arm did not lead", engine.ErrFixedQuestion)
}

// Withdraw is the error of CanWithdraw.
func (a *normed) Withdraw(arms []int) error { return a.CanWithdraw(arms) }

// Continue is an error, as Withdraw is.
func (a *normed) Continue(from engine.Algorithm, _ []int) error {
	if _, same := from.(*normed); !same {
		return fmt.Errorf("%w: with the added arms there are too many directions for least squares, and it would test by a bound on "+
			"the norm; walks of one kind are none of the other", engine.ErrFixedQuestion)
	}
	return fmt.Errorf("%w: with norm, no arm can be added, because the steps of a walk are bets by the kernel on the arms of then, "+
		"and their bias together is not worked out for others", engine.ErrFixedQuestion)
}

// Answers returns the leaders, decided where no other arm is open.
func (a *normed) Answers() []engine.Answer { return a.answers(everyArm) }

// Warnings reports what coTest warns of, and a bound on the norm that nobody stated.
func (a *normed) Warnings() []engine.Warning {
	out := a.warnings()
	if a.bound.Misfit == 0 && !a.Model.Truth().Witnessed(a.opt, a.pulledSince()) {
		out = append(model.MisfitWarnings(a.Model, a.opt), out...)
	}
	if a.Model.Problem.RelativeCost() != nil {
		out = append(out, engine.Warning{Kind: engine.WarnCostNorm})
	}
	switch numbers := []float64{a.norm * a.Model.Unit, a.norm}; {
	case a.bound.Known && a.bound.Misfit > a.opt.Misfit:
		out = append(out, engine.Warning{Kind: engine.WarnNormNear, Numbers: append(numbers, a.bound.Misfit*a.Model.Unit)})
	case a.bound.Known:
		out = append(out, engine.Warning{Kind: engine.WarnNormKnown, Numbers: numbers})
	}
	return out
}

// FitCheck tests the kernel where its features are few.
func (a *normed) FitCheck() engine.FitCheck {
	if a.Model.Features == nil {
		return nil
	}
	return a.decisions.FitCheck()
}

// Hardest returns the arm whose walk lacks most in samples, with how far that walk is.
func (a *normed) Hardest(v int) engine.Rival {
	c := a.contestOf(v)
	if a.estimates == nil {
		return a.NoData(v, a.in(v, c, c.arms[c.leader]))
	}
	return a.rival(v, c, c.ahead(a.clock, a.opt.Epsilon, a.gap, a.variance))
}

// Samples returns how many pulls in the proportions of the pulls so far would bring all open walks of the
// tasks to their boundary.
func (a *normed) Samples(tasks []int) float64 {
	if a.estimates == nil {
		return math.NaN()
	}
	needs, possible := a.lacking(tasks, a.variance)
	if !possible {
		return -1
	}
	return pulled{engine.PullsOf(a.Counts), a.variance}.more(needs)
}

// pulledSince returns the pulls since round 1, all agents together.
func (a *normed) pulledSince() float64 {
	n := lists.Total(a.since)
	return float64(n)
}
