package cotest

import (
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// contest is the question that CoTestFC asks of one task, or of several that are the
// same: which of these arms is best.
type contest struct {
	tasks     []int
	first     int                // the first arm of tasks[0]
	arms      []int              // of tasks[0], without those that equal an earlier one
	walks     []*sequential.Walk // one per arm: whether it is a best one
	leader    int                // position in arms
	copyOf    map[int]int        // of the arms left out, the earlier one that each equals
	closed    bool
	unlimited int // rounds that were not held back by stretchMost
}

// newContests groups the tasks of a model. Tasks are the same when their arms have the same
// features in the same order, and so the same expected rewards; arms of one task that the kernel
// cannot tell apart count once. Where features are not exact, cut at MaxRank or with rewards off
// the kernel, equality says nothing, and every task and arm stands for itself.
func newContests(m *model.Model, exact bool) ([]*contest, error) {
	var out []*contest
	for v, set := range m.Problem.Groups() {
		same := slices.IndexFunc(out, func(c *contest) bool {
			lo, hi := m.Problem.ArmsOf(c.tasks[0])
			return hi-lo == len(set) && exact &&
				!slices.ContainsFunc(set, func(i int) bool { return !m.Relations().Same(i, c.first+i-set[0]) })
		})
		if same >= 0 {
			out[same].tasks = append(out[same].tasks, v)
			continue
		}
		c := &contest{tasks: []int{v}, first: set[0], copyOf: map[int]int{}}
		firsts := set
		if exact {
			var err error
			if firsts, err = m.Relations().Firsts(set); err != nil {
				return nil, err
			}
		}
		for k, i := range set {
			if firsts[k] != i {
				c.copyOf[i] = firsts[k]
				continue
			}
			c.arms = append(c.arms, i)
			c.walks = append(c.walks, &sequential.Walk{Look: -1})
		}
		c.closed = len(c.arms) == 1
		out = append(out, c)
	}
	return out, nil
}

// open reports whether the arm at position k may still be better than the leader by more than
// epsilon, normalised.
func (c *contest) open(k int, clock sequential.Clock, epsilon float64) bool {
	return k != c.leader && !c.walks[k].Excludes(clock, c.arms[c.leader], epsilon)
}

// conclude chooses the leader and closes the contest when no other arm is open. The leader stays while
// another arm with a larger estimate would have more to prove. In a step only its own leader may be
// epsilon below x, so that among near ties every change of leaders loses what the steps before have
// proven.
func (c *contest) conclude(estimates []float64, clock sequential.Clock, epsilon float64) {
	best := c.leader
	for k, i := range c.arms {
		if !c.walks[k].Out && (c.walks[best].Out || estimates[i] > estimates[c.arms[best]]) {
			best = k
		}
	}
	// where gaps are not known yet, lacks are none, and the larger estimate leads
	if stays := c.lack(c.leader, estimates, clock, epsilon) < c.lack(best, estimates, clock, epsilon); !stays || c.walks[c.leader].Out {
		c.leader = best
	}
	c.closed = true
	for k := range c.arms {
		c.closed = c.closed && !c.open(k, clock, epsilon)
	}
}

// opponent returns the arm that a round compares the one at position k with: the leader, and of the leader the
// runner-up; -1 where no other arm is left.
func (c *contest) opponent(k int, estimates []float64) int {
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

// doubts says by how much the arms of a contest may be above one of them, normalised: E max(0, μ_i - μ_opponent) from all
// data, by position, 0 of arms that are out or have no estimate. The best arm is above it by their sum at most.
type doubts struct {
	opponent int
	each     []float64
	sum      float64
}

// doubts returns them against an opponent.
func (c *contest) doubts(opponent int, estimates []float64, variance func(i, j int) float64) doubts {
	d := doubts{opponent: opponent, each: make([]float64, len(c.arms))}
	for k, i := range c.arms {
		if i == opponent || c.walks[k].Out {
			continue
		}
		gap, sd := estimates[i]-estimates[opponent], math.Sqrt(variance(opponent, i))
		if u := gap / sd; sd > 0 && !math.IsInf(sd, 1) {
			d.each[k] = gap*math.Erfc(-u/math.Sqrt2)/2 + sd*math.Exp(-u*u/2)/math.Sqrt(2*math.Pi)
			d.sum += d.each[k]
		}
	}
	return d
}

// worth returns the part of a round's information that moves the clock of the arm at position k, which is expected to be
// that lead below the opponent: the square of its gap to this opponent over its gap to the best arm. S/√T is expected to
// be largest for dT in proportion to the square of an expected Z (docs/adr/0030).
func (d doubts) worth(k int, lead float64) float64 {
	below := lead + d.each[k] // E max(0, x) = x + E max(0, -x)
	if part := below / (below + d.sum - d.each[k]); part > 0 && part < 1 {
		return part * part
	}
	return 1
}

// lack returns the information that the walks of all open arms lack, added up, if the arm at this
// position leads and gaps are as estimated. It is infinite where another arm is by epsilon above it.
func (c *contest) lack(leader int, estimates []float64, clock sequential.Clock, epsilon float64) float64 {
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
			sum += c.walks[k].Need(clock, first, gap, epsilon, overshoot)
		}
	}
	return sum
}

// margin bounds how far the leader is below a best arm, normalised: the largest margin of a walk. A walk
// that excludes the largest so far is not looked at: a margin takes some forty times as long.
func (c *contest) margin(clock sequential.Clock) float64 {
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
func (c *contest) startClocks(common sequential.Clock, estimates []float64, variance func(i, j int) float64) {
	for k, w := range c.walks {
		if against := c.opponent(k, estimates); against >= 0 && w.Look < 0 {
			w.Offset = common.OffsetFor(1 / variance(against, c.arms[k]))
		}
	}
}

// The sizes of rounds. None of them touches the guarantee; they were chosen on the
// paper's cases at δ = 0.005, where a change by a third moves the samples by 3 % or less.
const (
	roundOne     = 3    // pulls of round 1 for each dimension of the features
	optimism     = 1.5  // standard errors by which gaps are taken to be larger than estimated
	overshoot    = 0.1  // how far above z the next look is meant to find a walk,
	overshootTop = 0.4  // up to here
	overshootArm = 4    // where a round takes a large part of the samples, see above;
	overshootAim = 0.13 // lower in the first two rounds that stretchMost does not hold back, and higher by this with every further one
	stretchMost  = 1.99 // new information of a round over that so far, at most; 2 pulls for 1 would be a matter of rounding
	stretchLeast = 0.05 // and at least

	overshootFine = 0.12 // in place of overshootAim where looks that are passed over count, and lower by as much again

	// of walks that are capitals, in place of stretchMost and overshootAim: the least rises by a factor in every such
	// round. On the coupling data they save a tenth and a sixth of the samples.
	stakedMost = 1.2
	stakedRise = 1.2
	stretchTop = 3
)

// needs returns the contrasts of the open arms with the leader, each weighted by the information it
// should gain in the coming round: what its walk needs to cross if the gap is that large, all
// scaled up by one factor where the largest gain is too small over what rounds told (by the variance and their share of all pulls),
// and each cut down by itself where it is too large: one hard arm must not starve the others.
func (c *contest) needs(clock sequential.Clock, epsilon, above, share float64, gap, variance func(i, j int) float64) []design.Pair {
	var out []design.Pair
	stretch, first, least, most := 0.0, c.arms[c.leader], stretchLeast, stretchMost
	if c.walks[c.leader].Stakes != nil {
		least, most = min(stretchTop, stretchLeast*math.Pow(stakedRise, float64(c.unlimited))), stakedMost
	} else if unlimited := float64(max(c.unlimited, 1)); clock.Conditional != nil {
		above += overshootFine * (unlimited - 3)
	} else {
		above += overshootAim * (unlimited - 2)
	}
	for k, i := range c.arms {
		if c.open(k, clock, epsilon) {
			need := c.walks[k].Need(clock, first, gap(first, i), epsilon, above)
			out = append(out, design.Pair{I: first, J: i, Weight: need})
			stretch = max(stretch, need*variance(first, i))
		}
	}
	if stretch <= most {
		c.unlimited++
	}
	scale := max(stretch, share*least) / stretch
	for k, q := range out {
		out[k].Weight = min(scale*q.Weight, most/variance(q.I, q.J))
	}
	return out
}

// exhausted reports whether the clock of some open arm has run out.
func (c *contest) exhausted(clock sequential.Clock, epsilon float64) bool {
	for k, w := range c.walks {
		if w.Look == clock.Last() && c.open(k, clock, epsilon) {
			return true
		}
	}
	return false
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

// left returns the arms that may be best.
func (c *contest) left() []int {
	var out []int
	for k, i := range c.arms {
		if !c.walks[k].Out {
			out = append(out, i)
		}
	}
	return out
}

// ahead holds what a contest still has to decide.
type ahead struct {
	// the open arms against the leader, weighted by the information that their walks lack
	needs    []design.Pair
	rival    int     // the arm that lacks most in samples; -1 where none is open
	open     int     // arms open besides the leader
	gap, sd  float64 // of the leader over the rival in all data, normalised
	possible bool    // whether the clock lasts
	// of the rival's walk; 0 before its first look
	statistic, threshold float64
}

// ahead looks at the walks of the open arms. Gaps are taken for what they are on average
// if the leader is best (MedianGap).
func (c *contest) ahead(clock sequential.Clock, epsilon float64, gapOf, varianceOf func(i, j int) float64) ahead {
	out := ahead{rival: -1, possible: !c.exhausted(clock, epsilon)}
	first, most := c.arms[c.leader], math.Inf(-1)
	out.needs = make([]design.Pair, 0, len(c.arms))
	for k, i := range c.arms {
		if !c.open(k, clock, epsilon) {
			continue
		}
		out.open++
		w, gap, variance := c.walks[k], gapOf(first, i), varianceOf(first, i)
		sd := math.Sqrt(variance)
		need := w.Need(clock, first, rounds.MedianGap(gap, sd)+epsilon, epsilon, overshoot/2)
		own := clock.Of(w)
		out.possible = out.possible && (w.Stakes != nil || own.Time(w.Look)+need <= own.Time(own.Last()))
		out.needs = append(out.needs, design.Pair{I: first, J: i, Weight: need})
		if lack := need * variance; lack > most || out.rival < 0 {
			most, out.rival, out.gap, out.sd = lack, i, gap, sd
			out.statistic, out.threshold = 0, 0
			if w.Look >= 0 {
				out.statistic, out.threshold = w.Evidence(clock, first, epsilon)
			}
		}
	}
	return out
}
