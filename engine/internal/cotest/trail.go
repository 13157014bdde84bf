package cotest

import "github.com/gonb-cope/gonb-cope/engine"

// merge brings the candidates of a contest's tasks up to what is known before any
// data: arms that the kernel cannot tell from an earlier one go, in round 0.
func (a *coTest) merge(c *contest) {
	for _, i := range a.Sets[c.tasks[0]] {
		if j, copied := c.copyOf[i]; copied {
			a.remove(0, c, i, j, 0, 0, engine.RuleSame)
		}
	}
	a.sync(c)
}

// record writes down which arms left a contest in this round, and brings its candidates up to date.
func (a *coTest) record(c *contest) {
	against := map[int]int{} // by arm that a bet excluded
	for _, b := range a.bets {
		if b.Walk.Out {
			against[b.Arm] = b.Leader
		}
	}
	for k, i := range c.arms {
		rival, excluded := against[i]
		switch w := c.walks[k]; {
		case excluded:
			gap, width := w.Gap(a.clock)
			a.remove(a.round, c, i, rival, gap, width, engine.RuleCombination)
		case c.closed && k != c.leader && !w.Out:
			first := c.arms[c.leader]
			a.remove(a.round, c, i, first, a.estimates[first]-a.estimates[i], w.Margin(a.clock, first), engine.RuleEpsilon)
		}
	}
	a.sync(c)
}

// remove notes that arm i lost against its rival in every task of the contest.
func (a *coTest) remove(round int, c *contest, i, rival int, gap, width float64, rule engine.Rule) {
	for _, v := range c.tasks {
		a.Drop(round, a.in(v, c, i), a.in(v, c, rival), gap, width, rule)
	}
}

// sync sets the candidates of a contest's tasks.
func (a *coTest) sync(c *contest) {
	for _, v := range c.tasks {
		a.Sets[v] = a.Sets[v][:0]
		for k, i := range c.arms {
			if k == c.leader || !c.closed && !c.walks[k].Out {
				a.Sets[v] = append(a.Sets[v], a.in(v, c, i))
			}
		}
	}
}

// in returns the arm of task v that stands where arm i stands in the contest's first task.
func (a *coTest) in(v int, c *contest, i int) int {
	lo, _ := a.Model.Problem.ArmsOf(v)
	return lo + i - c.first
}
