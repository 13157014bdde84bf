package engine

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine/design"
)

// Where rewards may be off the kernel, a round has two estimates of a gap: the kernel's, from all
// pulls and with a bias to allow for, and the difference of the two arms' own means, which has
// none. Which of them a round is sized for, and which it bets on, is fixed before its data.

// prefersDirect reports whether the arms had better be measured by their own means: where the bias to
// allow for takes more of some gap than sharing saves. Otherwise it takes the bias off the gaps.
func (a *coTest) prefersDirect(leader int, arms []int, gaps []float64) bool {
	if !a.misfit.any() {
		return false
	}
	left := make([]float64, len(gaps))
	shared := math.Sqrt(float64(a.model.Rank()) / float64(a.model.Problem.N()))
	for k, i := range arms {
		variance := a.pooled.Variance(leader, i)
		left[k] = a.optimisticGap(a.misfit.fitted, leader, i, variance) - a.misfit.bias(a.pooled.weights(leader, i), leader, i)
		if a.model.same(leader, i) || left[k] < gaps[k]*shared {
			return true
		}
	}
	copy(gaps, left)
	return false
}

// addDirect adds the least pulls that bring the variance of every gap, between two means, to
// 1/need: n_x = v_x/(1/need_x - v_b/n_b) for the leader's n_b that makes the sum least, which is
// convex in it.
func (a *coTest) addDirect(pairs []design.Pair, st *stage) {
	if len(pairs) == 0 {
		return
	}
	precision, leader := a.law.model.Precision, pairs[0].I
	rival := func(q design.Pair, n float64) float64 {
		return 1 / precision[q.J] / (1/q.Weight - 1/precision[leader]/n)
	}
	total := func(n float64) float64 {
		sum := n
		for _, q := range pairs {
			sum += rival(q, n)
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
		if total(math.Exp(x)) < total(math.Exp(y)) {
			hi = y
		} else {
			lo = x
		}
	}
	n := math.Exp(hi)
	st.design.Value, st.design.Lower = st.design.Value+total(n), st.design.Lower+total(n)
	if !(total(n) <= float64(a.opt.MaxSamples)) {
		return // more than whole numbers hold, and than the run may take: the planner says so
	}
	st.rounding.Counts[leader] += int(math.Ceil(n))
	for _, q := range pairs {
		st.rounding.Counts[q.J] += int(math.Ceil(rival(q, n)))
	}
}

// chooseBet returns the bet on the gap between leader and arm: on the estimate that brings the walk
// nearer to its boundary if the gap is as large as hoped. ok is false where neither does, and where the
// round tells nothing of the gap.
func (a *coTest) chooseBet(w *walk, leader, arm int) (b bet, ok bool) {
	e := a.stage.estimate
	b = bet{walk: w, leader: leader, arm: arm, variance: e.Variance(leader, arm)}
	ok = !math.IsInf(e.Bias(leader, arm, 0), 1) && b.variance > 0
	if !a.misfit.any() {
		return b, ok
	}
	t := max(a.clock.of(w).time(w.look), math.SmallestNonzeroFloat64)
	after := func(b bet, gap float64) float64 {
		return (w.sum + gap/b.variance) / math.Sqrt(t+1/b.variance)
	}
	promise := math.Inf(-1)
	if ok {
		b.bias = a.misfit.bias(e.weights(leader, arm), leader, arm)
		gap := a.optimisticGap(a.misfit.fitted, leader, arm, a.pooled.Variance(leader, arm)) - b.bias
		promise = after(b, gap)
		ok = gap > 0 && promise > w.sum/math.Sqrt(t)
	}
	if e.total[leader] == 0 || e.total[arm] == 0 {
		return b, ok
	}
	own := bet{walk: w, leader: leader, arm: arm, variance: 1/e.total[leader] + 1/e.total[arm], direct: true}
	if !ok || after(own, a.optimisticGap(a.estimates, leader, arm, a.variance(leader, arm))) > promise {
		return own, true
	}
	return b, true
}

// judged are the estimates that the bet is on, given those of the kernel and the round's own
// means, normalised.
func (b bet) judged(estimates []float64, round Batch, unit float64) []float64 {
	if !b.direct {
		return estimates
	}
	own := make([]float64, len(estimates))
	own[b.leader], own[b.arm] = round.Means[b.leader]/unit, round.Means[b.arm]/unit
	return own
}

// weights are N numbers w with Σ_k w_k ȳ_k the estimate that the bet is on.
func (b bet) weights(e *Estimator) []float64 {
	if !b.direct {
		return e.weights(b.leader, b.arm)
	}
	out := make([]float64, len(e.total))
	out[b.leader], out[b.arm] = 1, -1
	return out
}
