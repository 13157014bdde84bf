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

// clock is the information clock of all tests of a run: a walk can be judged at the
// times origin·clockGrowth^k, k = 0, …, clockLooks-1, and nowhere else.
type clock struct {
	origin float64 // T_0 > 0, normalised: 1/variance of a gap
	z      float64 // a walk S has crossed when S ≥ z √T
}

// time is T_k, and 0 for k = -1, before the first look.
func (c clock) time(k int) float64 {
	if k < 0 {
		return 0
	}
	return c.origin * math.Pow(clockGrowth, float64(k))
}

// nearest is the look whose time is nearest to t on a logarithmic scale, at most the
// last; -1 when that would be before the first.
func (c clock) nearest(t float64) int {
	k := math.Round(math.Log(t/c.origin) / math.Log(clockGrowth))
	return int(min(max(k, -1), clockLooks-1))
}

// A walk is the test of one arm x of one task: of the hypothesis that x is a best arm
// (docs/theory.md). In every round it bets on a gap μ_leader - μ_x, which under the hypothesis is
// at most 0 whoever the leader is. S is the inverse-normal combination of the rounds'
// estimates [LehmacherWassmer99], with weights fixed before their data.
type walk struct {
	sum     float64  // S = Σ √dT Z
	look    int      // the walk stands at T_look; -1 before its first step
	out     bool     // S has reached z √T: x is not a best arm
	credits []credit // one per leader that it was bet on
}

// A credit is what a walk can say of one leader. If the leader were L below x, S would
// have lost L·weight on average in its rounds.
type credit struct {
	leader int
	weight float64 // Σ √dT √I over the rounds of this leader
	margin float64 // (z √T - S)/weight, the least over all looks: bounds μ_x - μ_leader, normalised
}

// A bet is one step of a walk, fixed before the data of its round.
type bet struct {
	walk        *walk
	leader, arm int
	info        float64 // I = 1/variance of the round's own estimate of the gap, normalised
	bias        float64 // bound on that estimate's bias, normalised
	look        int     // the look that the step leads to
}

// settle takes in the round's own estimates: S += √dT Z with Z ~ N(√I gap, 1).
func (b bet) settle(c clock, estimates []float64) {
	w := b.walk
	step := math.Sqrt(c.time(b.look) - c.time(w.look))
	root := math.Sqrt(b.info)
	w.sum += step * root * (estimates[b.leader] - estimates[b.arm] - b.bias)
	w.look = b.look
	w.of(b.leader).weight += step * root
	height := c.z * math.Sqrt(c.time(w.look))
	for k := range w.credits {
		if of := &w.credits[k]; of.weight > 0 {
			of.margin = min(of.margin, (height-w.sum)/of.weight)
		}
	}
	w.out = w.sum >= height
}

// of is the credit for a leader; a new one is without weight.
func (w *walk) of(leader int) *credit {
	for k := range w.credits {
		if w.credits[k].leader == leader {
			return &w.credits[k]
		}
	}
	w.credits = append(w.credits, credit{leader: leader, margin: math.Inf(1)})
	return &w.credits[len(w.credits)-1]
}

// margin bounds how far x can be above the leader, normalised: -Inf when x is not a
// best arm, +Inf when nothing is known.
func (w *walk) margin(leader int) float64 {
	if w.out {
		return math.Inf(-1)
	}
	return w.of(leader).margin
}

// gap is the average of the estimated gaps that S consists of, and width the value at
// which S crosses, normalised.
func (w *walk) gap(c clock) (gap, width float64) {
	var weight float64
	for _, of := range w.credits {
		weight += of.weight
	}
	return w.sum / weight, c.z * math.Sqrt(c.time(w.look)) / weight
}

// need is the further information dT after which S, raised by slack for every unit
// of the leader's credit, would stand at height √T on average if the gap is that large:
//
//	S + gap dT = height √(T + dT).
//
// It is at least a fiftieth of T, also where S needs nothing but to be looked at.
func (w *walk) need(c clock, leader int, gap, slack, height float64) float64 {
	t := c.time(w.look)
	rest := w.sum + slack*w.of(leader).weight - gap*t
	root := (height + math.Sqrt(max(0, height*height-4*gap*rest))) / (2 * gap)
	return max(root*root-t, t/50)
}
