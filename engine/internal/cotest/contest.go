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
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// contest is the test of CoTestFC for one task, or for several tasks with equal arms.
type contest struct {
	tasks     []int
	first     int         // the first arm of tasks[0]
	copyOf    map[int]int // for each omitted arm, the earlier arm with the same features
	closed    bool
	unlimited int // number of rounds whose size was not limited by stretchMost

	claim          // claim for which rounds are planned; at the end it is the answer
	others []claim // further claims; each has its own walks and level
}

// newContests groups the tasks of a model into contests. Tasks share a contest if their arms have the same features in the
// same order and thus the same expected rewards. Arms of one task with equal features count once. exact is false if
// features were cut at MaxRank or rewards may deviate from the kernel. Equal features then do not imply equal rewards, and
// every task and arm is kept.
func newContests(m *model.Model, exact bool) (out []*contest, err error) {
	defer try.Caught(&err)
	representatives := func(set []int) []int {
		if exact {
			return try.Of(m.Relations().Firsts(set))
		}
		return set
	}
	groups := m.Problem.Groups()
	begins := representatives(lists.Map(groups, func(set []int) int { return set[0] }))
	alike := map[int][]*contest{} // by representative of the first arm
	for v, set := range groups {
		near := alike[begins[v]]
		same := slices.IndexFunc(near, func(c *contest) bool {
			lo, hi := m.Problem.ArmsOf(c.tasks[0])
			return hi-lo == len(set) && !slices.ContainsFunc(set, func(i int) bool { return !m.Relations().Same(i, c.first+i-set[0]) })
		})
		if same >= 0 {
			near[same].tasks = append(near[same].tasks, v)
			continue
		}
		c := &contest{tasks: []int{v}, first: set[0], copyOf: map[int]int{}}
		firsts := representatives(set)
		for k, i := range set {
			if firsts[k] != i {
				c.copyOf[i] = firsts[k]
				continue
			}
			c.arms = append(c.arms, i)
			c.walks = append(c.walks, &sequential.Walk{Look: -1})
		}
		c.closed = len(c.arms) == 1
		out, alike[begins[v]] = append(out, c), append(near, c)
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

// conclude chooses the leader, and closes the contest if no other arm is open.
func (c *contest) conclude(estimates []float64, clock sequential.Clock, epsilon float64) {
	c.follow(estimates, clock, epsilon)
	c.decide(estimates, clock, epsilon)
}

// follow makes the arm with the largest estimate the leader of some claim, unless it leads one already. It takes a vacant
// claim if there is one. Otherwise it takes the claim that lacks the most information, unless that claim would lack even more
// with the new leader.
func (c *contest) follow(estimates []float64, clock sequential.Clock, epsilon float64) {
	best := c.largest(estimates)
	claims := c.claims()
	if slices.ContainsFunc(claims, func(l *claim) bool { return l.leader == best }) {
		return
	}
	at := slices.IndexFunc(claims, (*claim).vacant)
	if at == 1 && !slices.ContainsFunc(c.others, func(l claim) bool { return l.leader >= 0 }) {
		at = 0 // the first claim has only a default leader so far: replace that
	}
	if at < 0 {
		lacks := lists.Map(claims, func(l *claim) float64 { return l.lack(l.leader, estimates, clock, epsilon, c.power()) })
		at = floats.MaxIdx(lacks)
		// before gaps are known, lacks cannot be compared, and the arm with the larger estimate leads
		if lacks[at] < claims[at].lack(best, estimates, clock, epsilon, c.power()) {
			return
		}
	}
	claims[at].leader = best
}

// power returns the exponent with which lack combines needs. With several claims it is 2, because a plain sum would
// penalise claims with many open arms. Such arms share the information of a round (docs/adr/0036).
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

// decide selects the claim that lacks least for the next rounds, and closes the contest if this claim is settled.
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

// share applies every exclusion to all claims: an arm that one claim excludes is not a best arm, whichever arm leads. All
// claims then use the walk that excluded the arm. share returns the replaced walks.
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

// doubts holds the expected excess of each arm of a contest over one opponent, E max(0, μ_i - μ_opponent), normalised and
// from all data. It is 0 for arms that are out or have no estimate. The best arm exceeds the opponent by at most sum, in
// expectation.
type doubts struct {
	opponent int
	each     []float64
	sum      float64
}

// doubts returns the expected excess of each arm over the given opponent.
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

// worth returns the fraction of a round's information that moves the clock of the arm at position k. lead is the estimated
// gap by which this arm is below the opponent. The fraction is the square of (its expected gap to the opponent)/(its
// expected gap to the best arm). S/√T is largest in expectation if dT is proportional to the square of the expected Z
// (docs/adr/0030).
func (d doubts) worth(k int, lead float64) float64 {
	below := lead + d.each[k] // E max(0, x) = x + E max(0, -x)
	if part := below / (below + d.sum - d.each[k]); part > 0 && part < 1 {
		return part * part
	}
	return 1
}

// Constants that determine the sizes of rounds. The guarantee does not depend on them. They were chosen on the paper's
// cases at δ = 0.005; a change by a third changes the samples by 3 % or less.
const (
	roundOne     = 3    // pulls of round 1 per feature dimension
	optimism     = 1.5  // number of standard errors added to an estimated gap to make it optimistic
	overshoot    = 0.1  // intended distance of a walk above its boundary after the next look
	overshootTop = 0.4  // the largest value of this distance
	overshootArm = 4    // growth of this distance for rounds that take a large part of the samples; see above
	overshootAim = 0.13 // subtracted from the distance in the first two rounds that stretchMost does not limit; added once per later round
	stretchMost  = 1.99 // largest ratio of a round's new information to the information so far; below 2, so that rounding does not matter
	stretchLeast = 0.05 // smallest value of this ratio

	// For walks that are capitals, stakedMost replaces stretchMost and stakedRise replaces overshootAim. The smallest
	// ratio is multiplied by stakedRise after every round that is not limited, up to stretchTop. On the coupling data the
	// two constants save a tenth and a sixth of the samples.
	stakedMost = 1.2
	stakedRise = 1.2
	stretchTop = 3
)

// needs returns the pairs of the leader with the open arms, weighted by the information each needs in the next round. A
// weight is the information with which the walk crosses if the gap is as large as gap returns. If the largest weight is
// small against the information so far, all weights are scaled up by a common factor. Too large weights are then cut one
// by one, so that one hard arm does not dominate the design. share is the part of all pulls that rounds made.
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

// ahead describes what a contest still needs to be decided.
type ahead struct {
	// pairs of the leader and an open arm; Weight is the information that the walk still needs
	needs        []design.Pair
	rival        int  // arm whose walk needs the most further samples; -1 if no arm is open
	possible     bool // the clock has enough looks left
	engine.Rival      // in normalised units
}

// ahead returns what the contest still needs according to the walks of its open arms. Each gap is replaced by its median,
// given that the leader is best (rounds.MedianGap).
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
