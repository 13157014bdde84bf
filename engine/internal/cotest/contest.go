package cotest

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// contest is the test of CoTestFC for one task, or for several equal tasks: which of the arms is the best.
type contest struct {
	tasks     []int
	first     int         // the first arm of tasks[0]
	copyOf    map[int]int // for each arm that is left out, the earlier arm with the same features
	closed    bool
	unlimited int // number of rounds whose size stretchMost did not limit

	claim          // claim for which rounds are planned; in the end, the answer
	others []claim // further claims; each holds at its own level
}

// newContests groups the tasks of a model. Tasks are the same when their arms have the same
// features in the same order, and so the same expected rewards; arms of one task that the kernel
// cannot tell apart count once. Where features are not exact, cut at MaxRank or with rewards off
// the kernel, equality says nothing, and every task and arm represents itself.
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

// claims returns all claims, beginning with the one for which rounds are planned.
func (c *contest) claims() []*claim {
	out := []*claim{&c.claim}
	for j := range c.others {
		out = append(out, &c.others[j])
	}
	return out
}

// conclude chooses the leader and closes the contest when no other arm is open.
func (c *contest) conclude(estimates []float64, clock sequential.Clock, epsilon float64) {
	c.follow(estimates, clock, epsilon)
	c.decide(estimates, clock, epsilon)
}

// follow sees that the arm with the largest estimate leads a claim: one that no arm has, or the claim that lacks most. There
// the leader stays while the other arm would have more to prove.
func (c *contest) follow(estimates []float64, clock sequential.Clock, epsilon float64) {
	best := c.largest(estimates)
	claims := c.claims()
	if slices.ContainsFunc(claims, func(l *claim) bool { return l.leader == best }) {
		return
	}
	at := slices.IndexFunc(claims, (*claim).vacant)
	if at == 1 && !slices.ContainsFunc(c.others, func(l claim) bool { return l.leader >= 0 }) {
		at = 0 // before this the first arm led, for want of data
	}
	if at < 0 {
		lacks := lists.Map(claims, func(l *claim) float64 { return l.lack(l.leader, estimates, clock, epsilon, c.power()) })
		at = floats.MaxIdx(lacks)
		// where gaps are not known yet, lacks are none, and the larger estimate leads
		if lacks[at] < claims[at].lack(best, estimates, clock, epsilon, c.power()) {
			return
		}
	}
	claims[at].leader = best
}

// power returns the power by which lacks are compared. Where claims have different numbers of open arms, sums would mislead: many arms
// share the information of a round (docs/adr/0036).
func (c *contest) power() float64 {
	if len(c.others) > 0 {
		return 2
	}
	return 1
}

// largest returns the position of the arm with the largest estimate among the arms that are not excluded.
func (c *contest) largest(estimates []float64) int {
	best := c.leader
	for k, i := range c.arms {
		if !c.walks[k].Out && (c.walks[best].Out || estimates[i] > estimates[c.arms[best]]) {
			best = k
		}
	}
	return best
}

// decide plans for the claim that lacks least, and closes the contest where that is settled.
func (c *contest) decide(estimates []float64, clock sequential.Clock, epsilon float64) {
	if len(c.others) > 0 {
		lacks := lists.Map(c.claims(), func(l *claim) float64 {
			switch {
			case l.vacant():
				return math.Inf(1)
			case l.settled(clock, epsilon):
				return 0
			}
			return l.lack(l.leader, estimates, clock, epsilon, c.power())
		})
		if j := floats.MinIdx(lacks); j > 0 {
			c.claim, c.others[j-1] = c.others[j-1], c.claim
		}
	}
	c.closed = c.settled(clock, epsilon)
}

// share lets an arm be out for every claim once it is for one: it is not a best arm then, whichever arm leads. It returns
// the walks that are no longer needed.
func (c *contest) share() (dropped []*sequential.Walk) {
	if len(c.others) == 0 {
		return nil
	}
	claims := c.claims()
	for k := range c.arms {
		at := slices.IndexFunc(claims, func(l *claim) bool { return l.walks[k].Out })
		if at < 0 {
			continue
		}
		for _, l := range claims {
			if w := l.walks[k]; w != claims[at].walks[k] {
				dropped, l.walks[k] = append(dropped, w), claims[at].walks[k]
			}
		}
	}
	return dropped
}

// doubts has the expected excess of the arms of a contest over one of them, normalised: E max(0, μ_i - μ_opponent) from all
// data, by position, 0 of arms that are out or have no estimate. The best arm is above it by their sum at most.
type doubts struct {
	opponent int
	each     []float64
	sum      float64
}

// doubts returns the doubts about the arms against the given opponent.
func (c *contest) doubts(opponent int, estimates []float64, variance func(i, j int) float64) doubts {
	d := doubts{opponent: opponent, each: make([]float64, len(c.arms))}
	for k, i := range c.arms {
		if i == opponent || c.walks[k].Out {
			continue
		}
		if v := variance(opponent, i); v > 0 && !math.IsInf(v, 1) {
			d.each[k] = excess(estimates[i]-estimates[opponent], v)
			d.sum += d.each[k]
		}
	}
	return d
}

// excess returns E max(0, x) for a normal x with this mean and variance.
func excess(mean, variance float64) float64 {
	sd := math.Sqrt(variance)
	u := mean / sd
	return mean*math.Erfc(-u/math.Sqrt2)/2 + sd*math.Exp(-u*u/2)/math.Sqrt(2*math.Pi)
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

// The sizes of rounds. None of them touches the guarantee; they were chosen on the
// paper's cases at δ = 0.005, where a change by a third moves the samples by 3 % or less.
const (
	roundOne     = 3    // pulls of round 1 per dimension of the features
	optimism     = 1.5  // standard errors that are added to an estimated gap to get an optimistic one
	overshoot    = 0.1  // intended distance of a walk above its boundary after the next look
	overshootTop = 0.4  // the largest value of this distance
	overshootArm = 4    // the distance grows if a round takes a large part of the samples; see above
	overshootAim = 0.13 // the distance is lower by this in the first two rounds that stretchMost does not limit, then rises by this
	stretchMost  = 1.99 // largest ratio of a round's new information to the information so far; below 2, so that rounding does not matter
	stretchLeast = 0.05 // smallest value of this ratio

	// used for walks that are capitals: stakedMost instead of stretchMost, and stakedRise instead of overshootAim. The
	// smallest ratio is multiplied by stakedRise in every such round. On the coupling data these two save a tenth and
	// a sixth of the samples.
	stakedMost = 1.2
	stakedRise = 1.2
	stretchTop = 3
)

// needs returns the contrasts of the open arms with the leader, each weighted by the information it
// should gain in the coming round: what its walk needs to cross if the gap is that large, all scaled up by one factor if the
// largest gain is too small against the information of past rounds (by the variance and their share of all pulls), and each cut
// down by itself if it is too large: one hard arm must not starve the others.
func (c *contest) needs(clock sequential.Clock, epsilon, above, share float64, gap, variance func(i, j int) float64) []design.Pair {
	var out []design.Pair
	stretch, first, least, most := 0.0, c.arms[c.leader], stretchLeast, stretchMost
	if c.walks[c.leader].Stakes != nil {
		least, most = min(stretchTop, stretchLeast*math.Pow(stakedRise, float64(c.unlimited))), stakedMost
	} else {
		above += overshootAim * (float64(max(c.unlimited, 1)) - 2)
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

// ahead describes what a contest has not decided yet.
type ahead struct {
	// contrasts of the open arms with the leader; a weight is the information that the walk still needs
	needs        []design.Pair
	rival        int  // arm whose walk needs the most further samples; -1 if no arm is open
	possible     bool // the clock has enough looks left
	engine.Rival      // in normalised units
}

// ahead looks at the walks of the open arms. Gaps are treated as what they are on average
// if the leader is best (MedianGap).
func (c *contest) ahead(clock sequential.Clock, epsilon float64, gapOf, varianceOf func(i, j int) float64) ahead {
	out := ahead{rival: -1, possible: !c.exhausted(clock, epsilon), Rival: engine.Rival{Open: 1, Tasks: c.tasks}}
	first, most := c.arms[c.leader], math.Inf(-1)
	var hardest *sequential.Walk
	out.needs = make([]design.Pair, 0, len(c.arms))
	for k, i := range c.arms {
		if !c.open(k, clock, epsilon) {
			continue
		}
		out.Open++
		w, gap, variance := c.walks[k], gapOf(first, i), varianceOf(first, i)
		sd := math.Sqrt(variance)
		need := w.Need(clock, first, rounds.MedianGap(gap, sd)+epsilon, epsilon, overshoot/2)
		own := clock.Of(w)
		out.possible = out.possible && (w.Stakes != nil || own.Time(w.Look)+need <= own.Time(own.Last()))
		out.needs = append(out.needs, design.Pair{I: first, J: i, Weight: need})
		if lack := need * variance; lack > most || out.rival < 0 {
			most, out.rival, out.Gap, out.Error, hardest = lack, i, gap, sd, w
		}
	}
	if hardest != nil && hardest.Look >= 0 {
		out.Statistic, out.Threshold = hardest.Evidence(clock, first, epsilon)
	}
	return out
}
