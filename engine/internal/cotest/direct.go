package cotest

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// Where rewards may be off the kernel, a round has two estimates of a gap: the kernel's, from all
// pulls and with a bias to allow for, and the difference of the two arms' own means, which has
// none. Which of them a round is sized for, and which it bets on, is fixed before its data.

// prefersDirect reports whether the arms had better be measured by their own means: where the bias
// to allow for takes more of some gap than sharing saves. Otherwise it takes the bias off the gaps.
func (a *coTest) prefersDirect(leader int, arms []int, gaps []float64) bool {
	if !a.misfit.any() {
		return false
	}
	left := make([]float64, len(gaps))
	shared := math.Sqrt(float64(a.Model.Rank()) / float64(a.Model.Problem.N()))
	for k, i := range arms {
		variance := a.pooled.Variance(leader, i)
		left[k] = a.optimisticGap(a.misfit.fitted, leader, i, variance) - a.misfit.bias(a.pooled.Weights(leader, i), leader, i)
		if a.Model.Relations().Same(leader, i) || left[k] < gaps[k]*shared {
			return true
		}
	}
	copy(gaps, left)
	return false
}

// between is the least pulls that bring the variance of every gap to a leader, between two means, to 1/need: n_x =
// v_x/(1/need_x - v_b/n_b) for the leader's n_b that makes the sum of their costs least, which is convex in it.
type between struct {
	leader float64
	rivals []float64 // of the pairs, in order
	total  float64
}

// fewestBetween returns them for the needs of one contest; without needs there are none.
func fewestBetween(t terms, pairs []design.Pair) (d between) {
	if len(pairs) == 0 {
		return d
	}
	precision, leader := t.scales.Model.Precision, pairs[0].I
	cost := func(i int) float64 {
		if t.pricing.relative == nil {
			return 1
		}
		return t.pricing.relative[i]
	}
	rival := func(q design.Pair, n float64) float64 {
		return 1 / precision[q.J] / (1/q.Weight - 1/precision[leader]/n)
	}
	spent := func(n float64) float64 {
		sum := n * cost(leader)
		for _, q := range pairs {
			sum += rival(q, n) * cost(q.J)
		}
		return sum
	}
	least := 0.0
	for _, q := range pairs {
		least = max(least, q.Weight/precision[leader])
	}
	const golden = 0.381966
	lo, hi := math.Log(least), math.Log(least*float64(2+len(pairs)))
	for range 40 {
		x, y := lo+golden*(hi-lo), hi-golden*(hi-lo)
		if spent(math.Exp(x)) < spent(math.Exp(y)) {
			hi = y
		} else {
			lo = x
		}
	}
	d.leader = math.Exp(hi)
	d.total = d.leader
	for _, q := range pairs {
		d.rivals = append(d.rivals, rival(q, d.leader))
		d.total += d.rivals[len(d.rivals)-1]
	}
	return d
}

// addDirect adds the pulls that the needs of a contest take between means.
func (t terms) addDirect(pairs []design.Pair, st *rounds.Stage) {
	d := fewestBetween(t, pairs)
	st.Design.Value, st.Design.Lower = st.Design.Value+d.total, st.Design.Lower+d.total
	if len(pairs) == 0 || !(d.total <= float64(t.most)) {
		return // more than whole numbers hold, and than the run may take: the planner says so
	}
	st.Rounding.Counts[pairs[0].I] += int(math.Ceil(d.leader))
	for k, q := range pairs {
		st.Rounding.Counts[q.J] += int(math.Ceil(d.rivals[k]))
	}
}

// chooseBet returns the bet on the gap between leader and arm: on the estimate that brings the walk
// nearer to its boundary if the gap is as large as hoped. ok is false where neither does, and where
// the round tells nothing of the gap.
func (a *coTest) chooseBet(w *sequential.Walk, leader, arm int) (b sequential.Bet, ok bool) {
	if a.within != nil {
		b = sequential.Bet{Walk: w, Leader: leader, Arm: arm, Variance: a.within.coming(leader, arm)}
		return b, !math.IsInf(b.Variance, 1)
	}
	e := a.stage.Estimate
	b = sequential.Bet{Walk: w, Leader: leader, Arm: arm, Variance: e.Variance(leader, arm)}
	if a.own {
		b.Direct = true
		return b, e.Total[leader] > 0 && e.Total[arm] > 0
	}
	ok = !math.IsInf(e.Bias(leader, arm, model.Bound{}), 1) && b.Variance > 0
	if !a.misfit.any() {
		return b, ok
	}
	t := max(a.clock.Of(w).Time(w.Look), math.SmallestNonzeroFloat64)
	now := w.Sum / math.Sqrt(t)
	after := func(b sequential.Bet, gap float64) float64 {
		return (w.Sum + gap/b.Variance) / math.Sqrt(t+1/b.Variance)
	}
	if a.limits != nil { // rounds multiply, so that each is chosen by itself
		now = 0
		after = func(b sequential.Bet, gap float64) float64 { return gap / math.Sqrt(b.Variance) }
	}
	promise := math.Inf(-1)
	if ok {
		b.Bias = a.misfit.bias(e.Weights(leader, arm), leader, arm)
		gap := a.optimisticGap(a.misfit.fitted, leader, arm, a.pooled.Variance(leader, arm)) - b.Bias
		promise = after(b, gap)
		ok = gap > 0 && promise > now
	}
	if e.Total[leader] == 0 || e.Total[arm] == 0 {
		return b, ok
	}
	own := sequential.Bet{Walk: w, Leader: leader, Arm: arm, Variance: 1/e.Total[leader] + 1/e.Total[arm], Direct: true}
	if !ok || after(own, a.optimisticGap(a.estimates, leader, arm, a.variance(leader, arm))) > promise {
		return own, true
	}
	return b, true
}

// judged returns the estimates that the bet is on, given the kernel's estimates and the round's own
// means, normalised.
func judged(b sequential.Bet, estimates []float64, round engine.Batch, unit float64) []float64 {
	if !b.Direct {
		return estimates
	}
	own := make([]float64, len(estimates))
	own[b.Leader], own[b.Arm] = round.Means[b.Leader]/unit, round.Means[b.Arm]/unit
	return own
}
