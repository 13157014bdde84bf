package sequential

import (
	"cmp"
	"math"
)

// A Walk is the test of one arm x of one task: of the hypothesis that x is a best arm
// (docs/theory/test.md). In every round it bets on a gap μ_opponent - μ_x, which under the hypothesis is
// at most 0 for every opponent. S is the inverse-normal combination of the rounds' results
// [LehmacherWassmer99], with weights fixed before their data.
type Walk struct {
	Sum  float64 // S = Σ √dT Z, less Allowed
	Look int     // the walk is at T_look; -1 before its first step
	// Offset is the number of looks by which this clock begins later than the common one; sooner is the number of looks
	// by which it begins earlier than that. Both are fixed before the first step.
	Offset, sooner int
	Horizon        int  // number of looks that the walk is expected to need, fixed before the first step; 0 if unknown
	Out            bool // S has reached z √T: x is not a best arm
	// bound on the bias of Σ √dT Z; it may be smaller than the sum of the bounds of single rounds
	Allowed float64
	Stakes  *Stakes // stakes of a walk that is a capital; nil for an inverse-normal sum
	steps   []step
}

// A statistic adds up the steps of a walk, and has its own scale: an inverse-normal sum on the clock, or a capital. loss is how far the
// leader is below x; it counts in the rounds in which that arm was the opponent.
type statistic interface {
	// next returns the look that the walk reaches after a round with this information. c is the walk's own clock.
	next(w *Walk, c Clock, info float64, round int) int
	// take adds a step, and reports whether the walk crosses its boundary at the step's look.
	take(w *Walk, c Clock, s step) (crossed bool)
	// raised returns the statistic after adding the loss.
	raised(w *Walk, leader int, loss float64) float64
	// excludes reports whether raised has reached the boundary at some look.
	excludes(w *Walk, c Clock, leader int, loss float64) bool
	// evidence returns raised and the boundary at the walk's current look, both growing as the root of the samples.
	evidence(w *Walk, c Clock, leader int, loss float64) (statistic, threshold float64)
	// gap returns the average of the estimated gaps, and a function of the gap from which on the walk crosses.
	gap(w *Walk, c Clock) (gap float64, width func() float64)
	// need returns the further information after which raised would be above the boundary by that much on average.
	need(w *Walk, c Clock, leader int, gap, slack, above float64) float64
}

// statistic returns how the walk adds up its steps.
func (w *Walk) statistic() statistic {
	if w.Stakes != nil {
		return w.Stakes
	}
	return sum{}
}

// A step is the evidence of one round about x.
type step struct {
	Score
	opponent int
	zero     float64 // Z(0)
	loss     float64 // the loss for which Z was computed last
	raised   float64 // Z at this loss; all looks of a run often need the same loss
	root     float64 // √dT
	look     int     // look that the step reached
	info     float64 // information of the bet
	allowed  float64 // bound on the bias of all steps so far, including this one
}

// A Bet is one step of a walk, fixed before the data of its round.
type Bet struct {
	Walk          *Walk
	Opponent, Arm int
	// variance of the round's estimate of the gap, normalised; a guess if noise scales are unknown
	Variance float64
	Worth    float64 // fraction of the information that moves the clock; 0 means all
	Bias     float64 // bound on the bias of the estimate, normalised
	Look     int     // the look that the step leads to
	Allowed  float64 // bound on the bias of the walk's sum after the step; used instead of Bias
	// the estimate is the difference of the two arms' own means, without the kernel
	Direct bool
}

// Info returns the information that moves the clock.
func (b Bet) Info() float64 { return cmp.Or(b.Worth, 1) / b.Variance }

// Settle takes in what the round says: S += √dT Z.
func (b Bet) Settle(c Clock, s Score) {
	b.Walk.take(c, step{Score: s, opponent: b.Opponent, look: b.Look, info: b.Info(), allowed: b.Allowed})
}

// take makes a step to its look.
func (w *Walk) take(c Clock, s step) {
	w.Out = w.statistic().take(w, c.Of(w), s) || w.Out
}

// Sooner lets the clock of a walk that has not begun begin with a round of that information if it would begin later and
// lose the round's data. A small round may bring less than was planned, as its pulls are whole numbers.
func (w *Walk) Sooner(c Clock, info float64) {
	if w.Look < 0 && w.Stakes == nil && c.Times == nil {
		w.sooner = 0
		w.sooner = min(max(-c.Of(w).looks(info), 0), c.soonest())
	}
}

// Next returns the look to which a round of that information takes the walk.
func (w *Walk) Next(c Clock, info float64, round int) int {
	return w.statistic().next(w, c.Of(w), info, round)
}

// Raised returns S, or the logarithm of the capital, if the leader were that much below x: what the walk would have been without the
// leader's loss.
func (w *Walk) Raised(leader int, loss float64) float64 { return w.statistic().raised(w, leader, loss) }

// Evidence returns S, raised by a loss of its leader's rounds, and its boundary at the walk's current look. For a
// capital they are the roots of logarithms, which grow as the root of the samples, too.
func (w *Walk) Evidence(c Clock, leader int, loss float64) (statistic, threshold float64) {
	return w.statistic().evidence(w, c.Of(w), leader, loss)
}

// Excludes reports whether the walk excludes that x is above the leader by more than a loss ≥ 0,
// normalised: whether S, raised by it, has crossed at some look.
func (w *Walk) Excludes(c Clock, leader int, loss float64) bool {
	return w.Out || loss > 0 && w.statistic().excludes(w, c.Of(w), leader, loss)
}

// Margin bounds how far x can be above the leader, normalised: the least loss that the
// walk excludes, by bisection. -Inf when x is not a best arm, +Inf when nothing is known.
func (w *Walk) Margin(c Clock, leader int) float64 {
	if w.Out {
		return math.Inf(-1)
	}
	lo, hi := 0.0, 0.0
	for _, s := range w.steps {
		if s.opponent == leader {
			hi = max(hi, s.Sd)
		}
	}
	if hi == 0 {
		return math.Inf(1)
	}
	for k := 0; !w.Excludes(c, leader, hi); k++ {
		if k == 60 { // this happens for a distribution with few degrees of freedom
			return math.Inf(1)
		}
		lo, hi = hi, 2*hi
	}
	for hi-lo > 1e-9*hi {
		if mid := (lo + hi) / 2; w.Excludes(c, leader, mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// Gap returns the average of the estimated gaps that S consists of, and width the value from which on S
// crosses at its current look, normalised. A width is slow to compute, so it is computed on request.
func (w *Walk) Gap(c Clock) (gap float64, width func() float64) { return w.statistic().gap(w, c.Of(w)) }

// Need returns the further information dT after which the walk, raised by slack for the leader's rounds, would be above its boundary by
// that much on average if the gap is that large. It is at least the information up to the walk's next look: less would be lost.
func (w *Walk) Need(c Clock, leader int, gap, slack, above float64) float64 {
	return w.statistic().need(w, c.Of(w), leader, gap, slack, above)
}

// NeedUnbiased works like Need as if nothing were allowed for bias: later rounds can make up for it.
func (w *Walk) NeedUnbiased(c Clock, leader int, gap, slack, above float64) float64 {
	return sum{}.lacks(w, c.Of(w), w.Raised(leader, slack)+w.Allowed, gap, above)
}
