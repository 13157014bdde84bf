package sequential

import (
	"cmp"
	"math"
)

// A Walk tests the hypothesis that one arm x of a task is a best arm (docs/theory/test.md). Every round has a bet on a gap
// μ_opponent - μ_x, which is at most 0 under the hypothesis, for every opponent. S is the inverse-normal combination of
// the rounds' results [LehmacherWassmer99], with weights that are fixed before their data.
type Walk struct {
	Sum  float64 // S = Σ √dT Z, less Allowed
	Look int     // the walk is at T_look; -1 before its first step
	// Offset is the number of looks by which the clock of this walk begins later than the common one. sooner is subtracted
	// from Offset. Both are fixed before the first step.
	Offset, sooner int
	Horizon        int  // number of looks that the walk is expected to need, fixed before the first step; 0 if unknown
	Out            bool // S has reached z √T: x is not a best arm
	// bound on the bias of Σ √dT Z; it may be smaller than the sum of the bounds of the rounds
	Allowed float64
	Stakes  *Stakes // stakes of a walk that is a capital; nil for a walk that is an inverse-normal sum
	steps   []step
}

// A statistic combines the steps of a walk. There are two kinds, with different scales: an inverse-normal sum on a clock,
// and a capital. loss is the amount by which the leader is assumed to be below x. It counts in the steps whose opponent
// was the leader.
type statistic interface {
	// next returns the look that the walk reaches after a round with this information. c is always the walk's own clock.
	next(w *Walk, c Clock, info float64, round int) int
	// take adds a step, and reports whether the walk crosses its boundary at the step's look.
	take(w *Walk, c Clock, s step) (crossed bool)
	// raised returns the statistic if the leader is below x by loss.
	raised(w *Walk, leader int, loss float64) float64
	// excludes reports whether the raised statistic has reached the boundary at some look.
	excludes(w *Walk, c Clock, leader int, loss float64) bool
	// evidence returns the raised statistic and the boundary at the current look, on a scale that grows as the square root
	// of the samples.
	evidence(w *Walk, c Clock, leader int, loss float64) (statistic, threshold float64)
	// gap returns the weighted mean of the estimated gaps. width returns the mean gap with which the walk would just reach
	// its boundary.
	gap(w *Walk, c Clock) (gap float64, width func() float64)
	// need returns the further information after which the raised statistic is expected to exceed the boundary by the
	// amount above, if the true gap is gap. slack is the loss of the leader.
	need(w *Walk, c Clock, leader int, gap, slack, above float64) float64
}

// statistic returns the statistic that combines the walk's steps.
func (w *Walk) statistic() statistic {
	if w.Stakes != nil {
		return w.Stakes
	}
	return sum{}
}

// A step is the evidence of one round about arm x.
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

// A Bet is one step of a walk, fixed before the round's data.
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

// Info returns the information that advances the clock.
func (b Bet) Info() float64 { return cmp.Or(b.Worth, 1) / b.Variance }

// Settle adds the round's score to the walk: S += √dT Z.
func (b Bet) Settle(c Clock, s Score) {
	b.Walk.take(c, step{Score: s, opponent: b.Opponent, look: b.Look, info: b.Info(), allowed: b.Allowed})
}

// take adds a step to the walk, and sets Out if the walk crosses its boundary.
func (w *Walk) take(c Clock, s step) {
	w.Out = w.statistic().take(w, c.Of(w), s) || w.Out
}

// Sooner moves the beginning of the clock of a walk without steps, so that a round with this information reaches its first
// look. Otherwise the data of a smaller round than planned would be lost. It does nothing for capitals and for clocks with
// fixed times.
func (w *Walk) Sooner(c Clock, info float64) {
	if w.Look < 0 && w.Stakes == nil && c.Times == nil {
		w.sooner = 0
		w.sooner = min(max(-c.Of(w).looks(info), 0), c.soonest())
	}
}

// Next returns the look that the walk reaches after a round with this information.
func (w *Walk) Next(c Clock, info float64, round int) int {
	return w.statistic().next(w, c.Of(w), info, round)
}

// Raised returns the statistic if the leader is below x by loss: S, or the log capital.
func (w *Walk) Raised(leader int, loss float64) float64 { return w.statistic().raised(w, leader, loss) }

// Evidence returns the statistic, raised by loss, and its boundary at the walk's current look. For a capital it returns
// square roots of log capitals, which grow as the square root of the samples, like S.
func (w *Walk) Evidence(c Clock, leader int, loss float64) (statistic, threshold float64) {
	return w.statistic().evidence(w, c.Of(w), leader, loss)
}

// Excludes reports whether the walk excludes that x is above the leader by more than loss ≥ 0, normalised: whether the
// raised statistic has crossed at some look.
func (w *Walk) Excludes(c Clock, leader int, loss float64) bool {
	return w.Out || loss > 0 && w.statistic().excludes(w, c.Of(w), leader, loss)
}

// Margin returns an upper bound on how far x is above the leader, normalised: the smallest loss that the walk excludes. It
// is -Inf if x is not a best arm, and +Inf if the data bound nothing.
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

// Gap returns the weighted mean of the gaps that the steps estimated. width returns the mean gap with which the statistic
// would just reach its boundary at the current look. Both are normalised. width is slow for capitals, so call it only if
// needed.
func (w *Walk) Gap(c Clock) (gap float64, width func() float64) { return w.statistic().gap(w, c.Of(w)) }

// Need returns the further information dT after which the walk is expected to exceed its boundary by the amount above,
// if the true gap is gap. slack raises the walk as loss does in Raised. The result is at least the information up to
// the walk's next look, because less would be lost.
func (w *Walk) Need(c Clock, leader int, gap, slack, above float64) float64 {
	return w.statistic().need(w, c.Of(w), leader, gap, slack, above)
}

// NeedUnbiased is Need without the allowance for bias, which later rounds can recover. The walk must be an inverse-normal
// sum.
func (w *Walk) NeedUnbiased(c Clock, leader int, gap, slack, above float64) float64 {
	return sum{}.lacks(w, c.Of(w), w.Raised(leader, slack)+w.Allowed, gap, above)
}
