package cotest

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
)

// claim is the statement that no arm of a contest is better than the leader by more than epsilon. It has its own walks. A
// step counts the possible loss of the leader only if the leader was the step's opponent. A claim whose leader changes
// therefore loses the evidence of earlier steps. A contest may have several claims, whose levels add up
// (docs/theory/norm.md).
type claim struct {
	arms   []int              // arms of the contest's first task, without arms that equal an earlier one
	walks  []*sequential.Walk // for each arm, the test of the hypothesis that the arm is a best one
	leader int                // position in arms; -1 if a further claim has no leader yet

	// for each arm, the variance of its gap to the leader: under the posterior, and under the prior variance S². Used only
	// with a bound on the norm
	spread, certain []float64
}

// vacant reports whether the claim can get a new leader without loss of evidence: it has no leader, or its leader is
// excluded.
func (c *claim) vacant() bool { return c.leader < 0 || c.walks[c.leader].Out }

// open reports whether the arm at position k may still be better than the leader by more than
// epsilon, normalised.
func (c *claim) open(k int, clock sequential.Clock, epsilon float64) bool {
	return k != c.leader && !c.walks[k].Excludes(clock, c.arms[c.leader], epsilon)
}

// opponent returns the arm that the next bet compares with the arm at position k. It is the leader; for the leader itself
// it is the remaining arm with the largest estimate, or -1 if there is none.
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

// lack returns the information that the walks of all open arms still need if the arm at position leader leads and all gaps
// equal their estimates. The needs x are combined to (Σ x^power)^(1/power). The result is +Inf if some arm's estimate
// exceeds the leader's by epsilon or more.
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

// margin returns an upper bound on how far the leader is below a best arm, normalised: the largest margin of a walk. It
// skips a walk that already excludes the largest margin so far, because Margin is about forty times slower than Excludes.
func (c *claim) margin(clock sequential.Clock) float64 {
	most, first := 0.0, c.arms[c.leader]
	for k, w := range c.walks {
		if k != c.leader && !w.Excludes(clock, first, most) {
			most = max(most, w.Margin(clock, first))
		}
	}
	return most
}

// startClocks sets the offset of the clock of every walk without a step, from the variance of its estimated gap.
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

// settled reports whether no arm except the leader is open.
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
