package engine

import "math"

// The clock of the tests. Its growth is a compromise: looks that are farther apart
// waste part of a round whose information falls between two of them, looks that are
// closer make the boundary higher. The last time is 5·10^5 times the first, enough for
// a gap of about 1/150 of what round 1 can see.
const (
	clockGrowth = 1.25
	clockLooks  = 60
)

// clockEarly is how much earlier than what is known when a walk begins its clock may begin: after
// that a clock has three quarters of its looks left. Noise scales may differ by orders of magnitude, and what round 1 tells of
// gaps with them.
const clockEarly = 64

// clock is the information clock of a walk, and but for later beginnings that of all walks of a run: a
// walk can be judged at the times origin·clockGrowth^k, k = 0, …, clockLooks-1, and nowhere else.
type clock struct {
	origin float64   // T_0 > 0, normalised: 1/variance of a gap
	z      []float64 // by look: a walk S has crossed when S ≥ z_k √T_k
	times  []float64 // by look, where they are fixed beforehand: round r ends at look r-2; nil otherwise
}

// of is the clock of a walk.
func (c clock) of(w *walk) clock {
	if w.offset > 0 {
		c.origin *= math.Pow(clockGrowth, float64(w.offset))
	}
	return c
}

// within is the least time from which T_k is nearest, with a little to spare for rounding.
func (c clock) within(k int) float64 {
	return 1.01 * c.time(min(k, clockLooks-1)) / math.Sqrt(clockGrowth)
}

// offsetFor returns by how many looks the clock of a walk begins later than the common one when so much is known of its gap.
func (c clock) offsetFor(info float64) int {
	return int(max(0, math.Floor(math.Log(info/(clockEarly*c.origin))/math.Log(clockGrowth))))
}

// time is T_k, and 0 for k = -1, before the first look.
func (c clock) time(k int) float64 {
	if k < 0 {
		return 0
	}
	if c.times != nil {
		return c.times[k]
	}
	return c.origin * math.Pow(clockGrowth, float64(k))
}

// next is the look to which a round of that information takes a walk.
func (c clock) next(look int, info float64, round int) int {
	if c.times != nil {
		return round - 2
	}
	return c.nearest(c.time(look) + info)
}

// height is z_k √T_k.
func (c clock) height(k int) float64 { return c.z[k] * math.Sqrt(c.time(k)) }

// nearest is the look whose time is nearest to t on a logarithmic scale, at most the
// last; -1 when that would be before the first.
func (c clock) nearest(t float64) int {
	k := math.Round(math.Log(t/c.origin) / math.Log(clockGrowth))
	return int(min(max(k, -1), clockLooks-1))
}

// A walk is the test of one arm x of one task: of the hypothesis that x is a best arm
// (docs/theory.md). In every round it bets on a gap μ_leader - μ_x, which under the hypothesis is
// at most 0 whoever the leader is. S is the inverse-normal combination of the rounds'
// results [LehmacherWassmer99], with weights fixed before their data.
type walk struct {
	sum    float64 // S = Σ √dT Z
	look   int     // the walk stands at T_look; -1 before its first step
	offset int     // looks by which its clock begins later than the common one, fixed before its first step
	out    bool    // S has reached z √T: x is not a best arm
	steps  []step
}

// A step is what one round told about x.
type step struct {
	score
	leader int
	root   float64 // √dT
	look   int     // where it led
}

// A bet is one step of a walk, fixed before the data of its round.
type bet struct {
	walk        *walk
	leader, arm int
	variance    float64 // of the round's own estimate of the gap, normalised; a guess where noise scales are not known
	bias        float64 // bound on that estimate's bias, normalised
	look        int     // the look that the step leads to
	direct      bool    // whether the estimate is the difference of the two arms' own means, in place of the kernel's
}

// settle takes in what the round says: S += √dT Z.
func (b bet) settle(c clock, s score) {
	w := b.walk
	c = c.of(w)
	root := math.Sqrt(c.time(b.look) - c.time(w.look))
	w.steps = append(w.steps, step{score: s, leader: b.leader, root: root, look: b.look})
	w.sum += root * s.z(0)
	w.look = b.look
	w.out = w.sum >= c.height(w.look)
}

// raised is S if the leader were that much below x: what the walk would have been
// without the leader's loss.
func (w *walk) raised(leader int, loss float64) float64 {
	sum := 0.0
	for _, s := range w.steps {
		sum += s.root * s.against(leader, loss)
	}
	return sum
}

// against is Z with the loss of that leader made up for.
func (s step) against(leader int, loss float64) float64 {
	if s.leader != leader {
		loss = 0
	}
	return s.z(loss)
}

// excludes tells whether the walk excludes that x is above the leader by more than a
// loss ≥ 0, normalised: whether S, raised by it, has crossed at some look.
func (w *walk) excludes(c clock, leader int, loss float64) bool {
	c = c.of(w)
	if w.out {
		return true
	}
	sum := 0.0
	for _, s := range w.steps {
		if sum += s.root * s.against(leader, loss); sum >= c.height(s.look) {
			return true
		}
	}
	return false
}

// margin bounds how far x can be above the leader, normalised: the least loss that the
// walk excludes, by bisection. -Inf when x is not a best arm, +Inf when nothing is known.
func (w *walk) margin(c clock, leader int) float64 {
	if w.out {
		return math.Inf(-1)
	}
	lo, hi := 0.0, 0.0
	for _, s := range w.steps {
		if s.leader == leader {
			hi = max(hi, s.sd)
		}
	}
	if hi == 0 {
		return math.Inf(1)
	}
	for k := 0; !w.excludes(c, leader, hi); k++ {
		if k == 60 { // a law with few degrees of freedom
			return math.Inf(1)
		}
		lo, hi = hi, 2*hi
	}
	for hi-lo > 1e-9*hi {
		if mid := (lo + hi) / 2; w.excludes(c, leader, mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// gap is the average of the estimated gaps that S consists of, and width the value at
// which S crosses, normalised.
func (w *walk) gap(c clock) (gap, width float64) {
	c = c.of(w)
	var weight float64
	for _, s := range w.steps {
		weight += s.root / s.sd
	}
	return w.sum / weight, c.height(w.look) / weight
}

// need is the further information dT after which S, raised by slack for the leader's
// rounds, would stand so far above z on average if the gap is that large:
//
//	S + gap dT = (z + above) √(T + dT).
//
// It is at least what brings the walk to its next look: less would be lost.
func (w *walk) need(c clock, leader int, gap, slack, above float64) float64 {
	c = c.of(w)
	t, height := c.time(w.look), c.z[max(w.look, 0)]+above
	rest := w.raised(leader, slack) - gap*t
	root := (height + math.Sqrt(max(0, height*height-4*gap*rest))) / (2 * gap)
	return max(root*root-t, c.within(w.look+1)-t)
}
