package cotest

import (
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
)

// changed holds how the question of a test has changed while it ran (docs/theory/changes.md).
type changed struct {
	withdrawn []bool  // N
	most      float64 // the largest delta that was ever in force
	questions int     // changes of arms, by contest: k
	additions int     // times that arms or tasks were added
	among     int     // number of tests, this one included; 0 where it stands alone
}

var _ engine.Changer = (*coTest)(nil)

// Bound returns δ(1 + k/G): every change of a contest's arms may give it another best arm, whose walk
// may cross by chance as well. δ is the largest that was ever in force.
func (a *coTest) Bound() float64 {
	if a.tests == 0 {
		return a.most
	}
	return min(1, a.most*(1+float64(a.questions)/float64(a.tests)))
}

// SetEpsilon looks at the walks again: what they exclude does not depend on epsilon.
func (a *coTest) SetEpsilon(epsilon float64) error {
	a.opt.Epsilon, a.epsilon = epsilon, epsilon/a.Model.Unit
	a.review()
	return nil
}

// SetDelta replaces the heights. No look is ever judged by lower heights than the largest delta has.
func (a *coTest) SetDelta(delta float64) error {
	if err := a.raise(delta); err != nil {
		return err
	}
	a.review()
	return nil
}

// raise replaces the heights and looks at every walk again.
func (a *coTest) raise(delta float64) error {
	alpha, err := a.level(delta)
	if err != nil {
		return err
	}
	most := max(a.most, delta)
	if a.tests > 0 {
		top, err := a.level(most)
		if err != nil {
			return err
		}
		if a.clock.Z, err = a.highest(alpha, top); err != nil {
			return err
		}
		if a.clock.Strict != nil {
			n := a.choices()
			if a.clock.Strict, err = a.highest(alpha/n, top/n); err != nil {
				return err
			}
		}
	}
	a.opt.Delta, a.alpha, a.most = delta, alpha, most
	for _, c := range a.contests {
		for _, w := range c.walks {
			w.Recheck(a.clock)
		}
	}
	return nil
}

// highest returns the heights of the clock at the higher of two levels where they are above the heights
// at the lower.
func (a *coTest) highest(now, top float64) ([]float64, error) {
	z, err := heightsOf(a, now)
	if err != nil {
		return nil, err
	}
	least, err := heightsOf(a, top)
	if err != nil {
		return nil, err
	}
	z = slices.Clone(z)
	for k := range z {
		z[k] = max(z[k], least[k])
	}
	return z, nil
}

// choices returns among how many contests one to change may be chosen: no more than tasks, however
// they are split, or what Among said.
func (a *coTest) choices() float64 { return float64(max(a.tests, a.Model.Problem.V(), a.among)) }

// Among says that the test is one of so many, and that any of them may be changed.
func (a *coTest) Among(tests int) { a.among = tests }

// tighten sets the heights of walks without the steps of withdrawn arms.
func (a *coTest) tighten() (err error) {
	if a.tests > 0 {
		n := a.choices()
		a.clock.Strict, err = a.highest(a.alpha/n, a.alpha/n)
	}
	return err
}

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
		if c.closed && c.settled(a.clock, a.epsilon) {
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
		c.conclude(a.guesses(), a.clock, a.epsilon)
		c.startClocks(a.clock, a.estimates, a.variance)
		for k, i := range c.arms { // walks that crossed by a change and not by a bet
			if w := c.walks[k]; w.Out && slices.Contains(a.Sets[c.tasks[0]], a.in(c.tasks[0], c, i)) {
				gap, width := w.Gap(a.clock)
				a.remove(a.round, c, i, before, gap, width, engine.RuleCombination)
			}
		}
		a.record(c)
	}
}

// settled reports whether no arm but the leader may still be the answer.
func (c *contest) settled(clock sequential.Clock, epsilon float64) bool {
	for k := range c.arms {
		if c.open(k, clock, epsilon) {
			return false
		}
	}
	return true
}

// reopen takes back that arm i of a contest has left its tasks.
func (a *coTest) reopen(c *contest, i int) {
	for _, v := range c.tasks {
		a.Reopen(a.in(v, c, i))
	}
}

// Grown says that there are more tests beside this one now.
func (a *coTest) Grown() { a.additions++ }

// CanWithdraw reports arms that are not there, and the last one of a task.
func (a *coTest) CanWithdraw(arms []int) error { return a.CheckWithdraw(a.withdrawn, arms) }

// Withdraw takes arms out. Walks hold from then on with and without the steps that such an arm led;
// arms that are not out by both are open again.
func (a *coTest) Withdraw(arms []int) error {
	if err := a.CanWithdraw(arms); err != nil {
		return err
	}
	var err error
	if a.Model, err = a.Model.Without(arms); err != nil {
		return err
	}
	if a.scales.Model, err = a.scales.Model.Without(arms); err != nil {
		return err
	}
	if a.clock.Strict == nil {
		if err := a.tighten(); err != nil {
			return err
		}
	}
	for _, i := range arms {
		if !a.withdrawn[i] {
			a.withdrawn[i] = true
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
	if err := a.estimate(); err != nil {
		return err
	}
	a.review()
	return nil
}

// cohorts returns how many times arms came: those that came together have a best arm of their own
// once others are withdrawn.
func (a *coTest) cohorts() int { return 1 + a.additions }

// withdraw takes arm i out of its contest, which belongs to its task alone from then on. It reports
// whether that may change which arm is its best.
func (a *coTest) withdraw(i int) bool {
	v := a.Model.Problem.TaskOf[i]
	c := a.apart(v)
	k := slices.Index(c.arms, i)
	if k < 0 { // it was the same as another arm, which stands for both
		return false
	}
	lo, hi := a.Model.Problem.ArmsOf(v)
	for j := lo; j < hi; j++ {
		if j != i && !a.withdrawn[j] && !slices.Contains(c.arms, j) && a.Model.Relations().Same(i, j) {
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

// apart makes task v a contest of its own, with the walks that it had in common with others.
func (a *coTest) apart(v int) *contest {
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
func (a *coTest) copied(c *contest, tasks []int) *contest {
	out := &contest{tasks: tasks, first: a.in(tasks[0], c, c.first), leader: c.leader, closed: c.closed, unlimited: c.unlimited}
	to := func(arm int) int { return arm + out.first - c.first }
	for k, i := range c.arms {
		out.arms = append(out.arms, to(i))
		out.walks = append(out.walks, c.walks[k].Moved(to, 1))
	}
	return out
}

// estimate forms the estimates of all data again.
func (a *coTest) estimate() error {
	if a.estimates == nil || a.belief != nil || a.within != nil {
		return nil
	}
	means := a.Means()
	pooled, err := a.pool(means)
	if err != nil {
		return err
	}
	a.pooled, a.estimates = pooled, a.shrinkToMeans(pooled.Estimates(means))
	return nil
}
