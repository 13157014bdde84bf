package engine

// merge brings the candidates of a contest's tasks up to what is known before any
// data: arms that the kernel cannot tell from an earlier one go, in round 0.
func (a *coTest) merge(c *contest) {
	if len(a.alive[c.tasks[0]]) > len(c.arms) {
		kept := 0
		for _, i := range a.alive[c.tasks[0]] {
			if kept < len(c.arms) && c.arms[kept] == i {
				kept++
				continue
			}
			for _, j := range c.arms[:kept] {
				if a.model.same(i, j) {
					a.remove(0, c, i, j, 0, 0, RuleSame)
					break
				}
			}
		}
	}
	a.sync(c)
}

// record writes down which arms left a contest in this round, bet on with this leader,
// and brings its candidates up to date.
func (a *coTest) record(c *contest, leader int) {
	settled := map[int]bool{}
	for _, b := range a.bets {
		if b.walk.out {
			settled[b.arm] = true
		}
	}
	for k, i := range c.arms {
		switch w := c.walks[k]; {
		case settled[i]:
			gap, width := w.gap(a.clock)
			a.remove(a.round, c, i, leader, gap, width, RuleCombination)
		case c.closed && k != c.leader && !w.out:
			first := c.arms[c.leader]
			a.remove(a.round, c, i, first, a.estimates[first]-a.estimates[i], w.margin(a.clock, first), RuleEpsilon)
		}
	}
	a.sync(c)
}

// remove notes that arm i lost against its rival in every task of the contest.
func (a *coTest) remove(round int, c *contest, i, rival int, gap, width float64, rule Rule) {
	for _, v := range c.tasks {
		a.drop(round, a.in(v, c, i), a.in(v, c, rival), gap, width, rule)
	}
}

// sync sets the candidates of a contest's tasks.
func (a *coTest) sync(c *contest) {
	for _, v := range c.tasks {
		a.alive[v] = a.alive[v][:0]
		for k, i := range c.arms {
			if k == c.leader || !c.closed && !c.walks[k].out {
				a.alive[v] = append(a.alive[v], a.in(v, c, i))
			}
		}
	}
}

// in is the arm of task v that stands where arm i stands in the contest's first task.
func (a *coTest) in(v int, c *contest, i int) int {
	lo, _ := a.model.Problem.ArmsOf(v)
	return lo + i - c.first
}
