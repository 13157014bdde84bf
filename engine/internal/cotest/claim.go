package cotest

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
)

// claim says of one arm of a contest, its leader, that no other is better by more than epsilon. It has walks of its own: in
// a step only its own leader may be epsilon below x, so that a claim whose leader changes loses what the steps before have
// proven. A contest may have several, whose levels add up (docs/theory/norm.md).
type claim struct {
	arms   []int              // arms of the contest's first task, without arms that equal an earlier one
	walks  []*sequential.Walk // for each arm, the test whether the arm is a best one
	leader int                // position in arms; -1 for a further claim without an arm

	// for each arm, the variance of the gap to the leader under the posterior, and under the prior variance S²; used
	// with a bound on the norm
	spread, certain []float64
}

// vacant reports whether an arm can take the claim without loss: the claim has no leader, or the leader is excluded.
func (c *claim) vacant() bool { return c.leader < 0 || c.walks[c.leader].Out }

// open reports whether the arm at position k may still be better than the leader by more than
// epsilon, normalised.
func (c *claim) open(k int, clock sequential.Clock, epsilon float64) bool {
	return k != c.leader && !c.walks[k].Excludes(clock, c.arms[c.leader], epsilon)
}

// opponent returns the arm that a round compares the one at position k with: the leader, and of the leader the
// runner-up; -1 if no other arm is left.
func (c *claim) opponent(k int, estimates []float64) int {
	if k != c.leader {
		return c.arms[c.leader]
	}
	out := -1
	for j, i := range c.arms {
		if j != k && !c.walks[j].Out && (out < 0 || estimates[i] > estimates[out]) {
			out = i
		}
	}
	return out
}

// lack returns the information that the walks of all open arms still need, if the arm at this position leads and gaps are as estimated:
// the norm of their information with that power. It is infinite where another arm is by epsilon above it.
func (c *claim) lack(leader int, estimates []float64, clock sequential.Clock, epsilon, power float64) float64 {
	sum, first := 0.0, c.arms[leader]
	for k, i := range c.arms {
		if k == leader || c.walks[k].Out {
			continue
		}
		gap := estimates[first] - estimates[i] + epsilon
		if gap <= 0 {
			return math.Inf(1)
		}
		if !c.walks[k].Excludes(clock, first, epsilon) {
			sum += math.Pow(c.walks[k].Need(clock, first, gap, epsilon, overshoot), power)
		}
	}
	return math.Pow(sum, 1/power)
}

// margin bounds how far the leader is below a best arm, normalised: the largest margin of a walk. A walk
// that excludes the largest so far is not looked at: a margin takes some forty times as long.
func (c *claim) margin(clock sequential.Clock) float64 {
	most, first := 0.0, c.arms[c.leader]
	for k, w := range c.walks {
		if k != c.leader && !w.Excludes(clock, first, most) {
			most = max(most, w.Margin(clock, first))
		}
	}
	return most
}

// startClocks sets the clocks of the walks that have not begun, by the variance of the estimates of
// their gaps.
func (c *claim) startClocks(common sequential.Clock, estimates []float64, variance func(i, j int) float64) {
	for k, w := range c.walks {
		if against := c.opponent(k, estimates); against >= 0 && w.Look < 0 {
			w.Offset = common.OffsetFor(1 / variance(against, c.arms[k]))
		}
	}
}

// exhausted reports whether the clock of some open arm has no looks left.
func (c *claim) exhausted(clock sequential.Clock, epsilon float64) bool {
	for k, w := range c.walks {
		if w.Look == clock.Last() && c.open(k, clock, epsilon) {
			return true
		}
	}
	return false
}

// settled reports whether all arms except the leader are excluded.
func (c *claim) settled(clock sequential.Clock, epsilon float64) bool {
	for k := range c.arms {
		if c.open(k, clock, epsilon) {
			return false
		}
	}
	return true
}

// candidates returns the arms that may still be best.
func (c *claim) candidates() []int {
	var out []int
	for k, i := range c.arms {
		if !c.walks[k].Out {
			out = append(out, i)
		}
	}
	return out
}
