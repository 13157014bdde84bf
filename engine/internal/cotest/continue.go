package cotest

import (
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/individual"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

var _ engine.Continuer = (*coTest)(nil)

// otherKind says that a test by least squares of all tasks together cannot go on from another algorithm.
func otherKind(from engine.Algorithm) error {
	was := "by another rule"
	switch from.(type) {
	case *normed:
		was = "by a bound on the norm"
	case interface{ Agents() *individual.Algorithm }, *individual.Algorithm:
		was = "each task by itself, because the kernel said nothing across them"
	}
	return fmt.Errorf("%w: with the added arms it would test all tasks together by least squares, and so far it tests %s; walks "+
		"of one kind are none of the other", engine.ErrFixedQuestion, was)
}

// Continue takes over the walks of a test on fewer arms. Tests of new tasks, and of new arms, begin
// with new data and have the level of the others.
func (a *coTest) Continue(from engine.Algorithm, at []int) error {
	old, same := from.(*coTest)
	if !same || len(at) != old.Model.Problem.N() {
		return otherKind(from)
	}
	unit := old.Model.Unit / a.Model.Unit
	a.Pool.Take(old.Pool, at)
	if err := a.scales.Take(old.scales, at); err != nil {
		return err
	}
	if a.misfit.data != nil && old.misfit.data != nil {
		a.misfit.data.Take(old.misfit.data, at)
	}
	if old.tests > 0 {
		a.tests, a.alpha, a.most, a.questions, a.additions, a.clock = old.tests, old.alpha, old.most, old.questions, old.additions, old.clock
		a.clock.Origin = old.clock.Origin / (unit * unit)
	}
	a.round, a.loose = old.round, true
	a.TakeTrail(&old.Candidates)
	taken, some := map[*contest]bool{}, false
	for _, c := range a.contests {
		isNew, was := a.adopt(c, old, at, unit)
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
		if err := a.tighten(); err != nil {
			return err
		}
	}
	var gone []int
	for k, i := range at {
		if i >= 0 && old.withdrawn[k] {
			gone = append(gone, i)
		}
	}
	if old.estimates != nil && engine.PullsOf(a.Counts) > 0 {
		a.estimates = make([]float64, a.Model.Problem.N()) // to be formed
		if err := a.estimate(); err != nil {
			return err
		}
		if a.misfit.data != nil {
			a.misfit.learn(a.Model, engine.Batch{}, a.opt.Robust, a.alpha)
		}
	}
	k := a.questions
	if len(gone) > 0 {
		if err := a.Withdraw(gone); err != nil {
			return err
		}
		a.questions = k
	}
	a.review()
	return nil
}

// adopt gives the arms of a contest the walks that they had; isNew reports whether some had none, so
// that one of them may be the contest's best arm, and was is the contest that the others come from.
func (a *coTest) adopt(c *contest, old *coTest, at []int, unit float64) (isNew bool, was *contest) {
	place := map[int]int{} // by number now, number then
	for k, i := range at {
		if i >= 0 {
			place[i] = k
		}
	}
	leader := -1
	for k, i := range c.arms {
		walk := (*sequential.Walk)(nil)
		for _, v := range c.tasks {
			j, known := place[a.in(v, c, i)]
			if !known || old.withdrawn[j] {
				continue
			}
			if w, oc := old.walkOf(j); w != nil {
				u := old.Model.Problem.TaskOf[j]
				walk = w.Moved(func(leader int) int {
					then := old.in(u, oc, leader)
					if then < 0 || then >= len(at) || at[then] < 0 {
						return math.MinInt + leader // of an arm that is no more
					}
					return at[then] - a.in(v, c, c.first) + c.first
				}, unit)
				c.unlimited, c.closed, was = oc.unlimited, oc.closed, oc
				if oc.walks[oc.leader] == w {
					leader = k
				}
				break
			}
		}
		if walk == nil {
			j, known := place[i]
			isNew = isNew || !known || !old.withdrawn[j]
			continue
		}
		c.walks[k] = walk
	}
	c.closed = len(c.arms) == 1 || c.closed && !isNew
	c.leader = max(leader, 0)
	a.sync(c)
	return isNew && len(c.arms) > 1, was
}

// walkOf returns the walk of an arm with its contest, or the walk of the arm that stands for it where the
// kernel cannot tell them apart; nil where it has none.
func (a *coTest) walkOf(arm int) (*sequential.Walk, *contest) {
	v := a.Model.Problem.TaskOf[arm]
	for _, c := range a.contests {
		if !slices.Contains(c.tasks, v) {
			continue
		}
		for k, i := range c.arms {
			if j := a.in(v, c, i); j == arm || a.Model.Relations().Same(j, arm) {
				return c.walks[k], c
			}
		}
	}
	return nil, nil
}

// fallback is CoTestFC under a kernel whose rank is the sum of its ranks on the tasks: the test of each agent alone, since
// no agent's data exclude anything about the arms of another, or one with too many dimensions to tell all
// tasks together.
type fallback struct {
	*individual.Algorithm
	why engine.Warning
}

var (
	_ engine.Algorithm = (*fallback)(nil)
	_ engine.Explainer = (*fallback)(nil)
	_ engine.Loner     = (*fallback)(nil)
)

func newFallback(m *model.Model, opt engine.Options, why engine.Warning) (engine.Algorithm, error) {
	alone, err := newIndTest(m, opt)
	if err != nil { // said of all tasks, not of one with its part of delta
		return newCoTest(m, opt, minimaxPlanner{})
	}
	return &fallback{alone, why}, nil
}

// Alone reports that the agents exchange nothing.
func (a *fallback) Alone() bool { return true }

// Warnings says that each agent tests alone, besides the warnings of the agents; how they do would say it twice.
func (a *fallback) Warnings() []engine.Warning {
	others := slices.DeleteFunc(a.Algorithm.Warnings(), func(w engine.Warning) bool { return w.Kind == engine.WarnTestsMeans })
	return append(others, a.why)
}
