package cotest

import (
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
)

// withdraw takes arm i out of its contest, which belongs to its task alone from then on. It reports
// whether that may change which arm is its best.
func (a *decisions) withdraw(i int) bool {
	v := a.Model.Problem.TaskOf[i]
	c := a.separate(v)
	k := slices.Index(c.arms, i)
	if k < 0 { // it was the same as another arm, which represents both
		return false
	}
	lo, hi := a.Model.Problem.ArmsOf(v)
	for j := lo; j < hi; j++ {
		if j != i && !a.Removed[j] && !slices.Contains(c.arms, j) && a.Model.Relations().Same(i, j) {
			c.arms[k] = j
			to := func(arm int) int {
				if arm == i {
					return j
				}
				return arm
			}
			for n, w := range c.walks {
				c.walks[n] = w.Moved(to, 1)
			}
			a.Reopen(j)
			return false
		}
	}
	leader := c.arms[c.leader]
	c.arms, c.walks = slices.Delete(c.arms, k, k+1), slices.Delete(c.walks, k, k+1)
	for _, w := range c.walks {
		w.Withdraw(a.clock, i)
	}
	if c.leader = slices.Index(c.arms, leader); c.leader < 0 {
		c.leader = 0
		for n, w := range c.walks { // the leader must not be out
			if !w.Out && (c.walks[c.leader].Out || a.estimates != nil && a.estimates[c.arms[n]] > a.estimates[c.arms[c.leader]]) {
				c.leader = n
			}
		}
	}
	return true
}

// separate makes task v a contest of its own, with the walks that it had in common with others.
func (a *decisions) separate(v int) *contest {
	n := slices.IndexFunc(a.contests, func(c *contest) bool { return slices.Contains(c.tasks, v) })
	c := a.contests[n]
	if len(c.tasks) == 1 {
		return c
	}
	a.questions++ // the best arm of a contest that was split has two walks from here on
	rest := slices.DeleteFunc(slices.Clone(c.tasks), func(u int) bool { return u == v })
	a.contests[n] = a.copied(c, rest)
	a.contests = append(a.contests, a.copied(c, []int{v}))
	return a.contests[len(a.contests)-1]
}

// copied returns the contest of some tasks of a contest.
func (a *decisions) copied(c *contest, tasks []int) *contest {
	out := &contest{tasks: tasks, first: a.in(tasks[0], c, c.first), closed: c.closed, unlimited: c.unlimited}
	out.leader = c.leader
	to := func(arm int) int { return arm + out.first - c.first }
	for k, i := range c.arms {
		out.arms = append(out.arms, to(i))
		out.walks = append(out.walks, c.walks[k].Moved(to, 1))
	}
	return out
}

// adopt gives the arms of a contest the walks that they had; isNew reports whether some had none, so
// that one of them may be the contest's best arm, and was is the contest that the others come from.
func (a *decisions) adopt(c *contest, old *decisions, at []int, unit float64) (isNew bool, was *contest) {
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
			if !known || old.Removed[j] {
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
			isNew = isNew || !known || !old.Removed[j]
			continue
		}
		c.walks[k] = walk
	}
	c.closed = len(c.arms) == 1 || c.closed && !isNew
	c.leader = max(leader, 0)
	a.sync(c)
	return isNew && len(c.arms) > 1, was
}

// walkOf returns the walk of an arm with its contest, or the walk of the arm that represents it where the
// kernel cannot tell them apart; nil if it has none.
func (a *decisions) walkOf(arm int) (*sequential.Walk, *contest) {
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
