package cotest

import (
	"cmp"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
)

// glanceFrom is the number of arms of a contest from which an interrupted run looks at few walks only.
// Results of interrupted runs on fewer arms say all that they can.
const glanceFrom = 2000

// ahead returns what the contest still has to decide; of many arms after an interrupt, see glance.
func (a *normed) ahead(c *contest) ahead {
	if len(c.arms) > glanceFrom && a.ctx().Err() != nil {
		return c.glance(a.clock, a.epsilon, a.gap, a.variance)
	}
	return c.ahead(a.clock, a.epsilon, a.gap, a.variance)
}

// glance is ahead by the look at few walks, because 10⁵ of them take more than half a second. Its rival is the open arm
// whose gap is the fewest standard errors, the only one with needs, and arms count as open unless they
// are out, so that open is an upper bound.
func (c *contest) glance(clock sequential.Clock, epsilon float64, gapOf, varianceOf func(i, j int) float64) ahead {
	type candidate struct {
		at     int
		errors float64
	}
	first := c.arms[c.leader]
	var near []candidate
	for k, i := range c.arms {
		if k == c.leader || c.walks[k].Out {
			continue
		}
		sd := math.Sqrt(varianceOf(first, i))
		near = append(near, candidate{k, (rounds.MedianGap(gapOf(first, i), sd) + epsilon) / sd})
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(a.errors, b.errors) })
	for _, q := range near {
		if c.open(q.at, clock, epsilon) {
			one := c.only(q.at).ahead(clock, epsilon, gapOf, varianceOf)
			one.open = len(near)
			return one
		}
	}
	return ahead{rival: -1, possible: true}
}

// only returns the contest of the leader and the arm at this position.
func (c *contest) only(k int) *contest {
	return &contest{
		tasks: c.tasks, first: c.first, arms: []int{c.arms[c.leader], c.arms[k]},
		walks: []*sequential.Walk{c.walks[c.leader], c.walks[k]}, copyOf: c.copyOf, unlimited: c.unlimited,
	}
}
