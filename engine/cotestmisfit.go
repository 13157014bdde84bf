package engine

import (
	"math"
	"os"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine/design"
)

func envf(name string, def float64) float64 {
	if v, err := strconv.ParseFloat(os.Getenv(name), 64); err == nil {
		return v
	}
	return def
}

var (
	pGamma  = envf("R_GAMMA", 0.5)
	pQ      = envf("R_Q", 2)
	pSup    = envf("R_SUP", 0)
	pDirect = envf("R_DIRECT", 1)
	pHope   = envf("R_HOPE", 1.5)
	pSpread = envf("R_SPREAD", 1)
)

// misfit is what CoTestFC allows for in rewards that the kernel cannot represent: with
// μ_i = φ_iᵀθ + u_i, an estimate Σ_k w_k ȳ_k of the gap of arms i and j is off on average by
//
//	Σ_k c_k u_k,  c = w - e_i + e_j.
type misfit struct {
	most    float64 // |u_i| ≤ most, normalised: stated, or known of features that were cut
	typical float64 // estimated standard deviation of u, normalised: for leaders, sizes and the choice of estimates only
	allowed float64 // subtracted for every unit of ‖c‖₂, normalised; 0 unless robust
	data    *replicates
	fitted  []float64 // N: the kernel's estimates from all data, normalised
}

// any tells whether rewards may be off the kernel.
func (u *misfit) any() bool { return u.most > 0 || u.data != nil }

// bias bounds |Σ c_k u_k|: by most·‖c‖₁ where u is bounded, else by allowed·‖c‖₂.
func (u *misfit) bias(weights []float64, i, j int) float64 {
	var sum, square float64
	for k, w := range weights {
		switch k {
		case i:
			w--
		case j:
			w++
		}
		sum, square = sum+math.Abs(w), square+w*w
	}
	if pSup > 0 {
		return u.most*sum + u.allowed*sum
	}
	return u.most*sum + u.allowed*math.Sqrt(square)
}

// learn estimates the misfit from all data so far. The generalised sum of squares of the
// fit, taking u for independent with variance g, is χ² at the true g [Paule and Mandel 1982;
// Viechtbauer 2007].
func (u *misfit) learn(m *Model, b Batch, robust bool) {
	if u.data == nil {
		return
	}
	u.data.add(b)
	u.typical = u.sd(m, 0.5)
	if robust {
		u.allowed = pQ * u.sd(m, pGamma)
	}
}

// sd is the square root of the largest g at which a sum of squares as large as that of the data
// has probability at least 1 - level.
func (u *misfit) sd(m *Model, level float64) float64 {
	factor, _ := u.data.scales(m)
	if factor == nil {
		return 0
	}
	l := m.leastSquares(*u.data, factor, 0)
	if l.freedom == 0 {
		return 0
	}
	limit := distuv.ChiSquared{K: float64(l.freedom)}.Quantile(level)
	if l.sum <= limit {
		return 0
	}
	mean := 0.0
	for _, w := range l.weights {
		mean += 1 / w / float64(len(l.weights))
	}
	lo, hi := 0.0, mean*(l.sum/limit)
	for m.leastSquares(*u.data, factor, hi).sum > limit {
		lo, hi = hi, 4*hi
	}
	for hi-lo > 0.05*hi {
		if mid := (lo + hi) / 2; m.leastSquares(*u.data, factor, mid).sum > limit {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Sqrt(hi)
}

// believed are the best guesses of all rewards: those of the kernel, moved towards the
// means of the arms themselves as far as the misfit is large beside their noise.
func (a *coTest) believed(estimates []float64) []float64 {
	a.misfit.fitted = estimates
	if a.misfit.typical == 0 {
		return estimates
	}
	estimates = slices.Clone(estimates)
	g := a.misfit.typical * a.misfit.typical
	for i, c := range a.counts {
		if c > 0 {
			v := 1 / (float64(c) * a.law.model.Precision[i])
			estimates[i] += g / (g + v) * (a.sums[i]/float64(c)/a.model.Unit - estimates[i])
		}
	}
	return estimates
}

// variance is that of the guessed difference of arms i and j.
func (a *coTest) variance(i, j int) float64 {
	out := a.pooled.Variance(i, j)
	if !a.misfit.any() {
		return out
	}
	if out <= unseen { // the same arm, to the kernel
		for _, k := range []int{i, j} {
			out += 1 / (float64(max(1, a.counts[k])) * a.law.model.Precision[k])
		}
		return out
	}
	if g := a.misfit.typical * a.misfit.typical; g > 0 {
		for _, k := range []int{i, j} {
			out += g / (1 + g*float64(a.counts[k])*a.law.model.Precision[k])
		}
	}
	return out
}

// direct tells whether the pairs had better be measured by their own means: where the bias
// to allow for takes more of some gap than sharing between arms saves. Otherwise it takes the bias
// off.
func (a *coTest) direct(first int, arms []int, gaps []float64) bool {
	if !a.misfit.any() {
		return false
	}
	left := make([]float64, len(gaps))
	share := math.Sqrt(float64(a.model.Rank()) / float64(a.model.Problem.N()))
	for k, i := range arms {
		left[k] = a.hoped(a.misfit.fitted, first, i, a.pooled.Variance(first, i)) - a.misfit.bias(a.pooled.weights(first, i), first, i)
		if a.pooled.Variance(first, i) <= unseen {
			return true
		}
		if left[k] < gaps[k]*share && pDirect > 0 {
			return true
		}
		if left[k] < gaps[k]/10 {
			left[k] = gaps[k] / 10
		}
	}
	copy(gaps, left)
	return false
}

// hoped is the gap between leader and arm as large as estimates allow, normalised.
func (a *coTest) hoped(estimates []float64, leader, arm int, variance float64) float64 {
	return max(estimates[leader]-estimates[arm], 0) + optimism*math.Sqrt(variance) + a.epsilon
}

// directly is the least pulls that bring the variance of each gap, between two means, to 1/need:
// n_x = v_x/(1/need_x - v_b/n_b) for the leader's n_b that makes the sum least, which is convex.
func (a *coTest) directly(pairs []design.Pair, st *stage) {
	counts := st.rounding.Counts
	if len(pairs) == 0 {
		return
	}
	p, b := a.law.model.Precision, pairs[0].I
	least := 0.0
	for _, q := range pairs {
		least = max(least, q.Weight/p[b])
	}
	total := func(n float64) float64 {
		sum := n
		for _, q := range pairs {
			sum += 1 / p[q.J] / (1/q.Weight - 1/p[b]/n)
		}
		return sum
	}
	lo, hi := math.Log(least), math.Log(least*float64(2+len(pairs)))
	for range 40 {
		x, y := lo+0.382*(hi-lo), lo+0.618*(hi-lo)
		if total(math.Exp(x)) < total(math.Exp(y)) {
			hi = y
		} else {
			lo = x
		}
	}
	n := math.Exp((lo + hi) / 2)
	st.design.Value, st.design.Lower = st.design.Value+total(n), st.design.Lower+total(n)
	counts[b] += int(math.Ceil(n))
	for _, q := range pairs {
		counts[q.J] += int(math.Ceil(1 / p[q.J] / (1/q.Weight - 1/p[b]/n)))
	}
}

// wager is the estimate of the gap between leader and arm that the round bets on: the kernel's,
// less the bias to allow for, or the difference of the two arms' own means, which has none;
// whichever brings the walk nearer to its boundary. ok is false where neither does, if the gap is
// as large as hoped, and where the round tells nothing of it.
func (a *coTest) wager(w *walk, leader, arm int) (b bet, ok bool) {
	e := a.stage.estimate
	b = bet{walk: w, leader: leader, arm: arm, variance: e.Variance(leader, arm)}
	ok = !math.IsInf(e.Bias(leader, arm, 0), 1) && b.variance > 0
	if !a.misfit.any() {
		return b, ok
	}
	t := a.clock.time(w.look)
	stand := math.Inf(-1)
	if t > 0 {
		stand = w.sum / math.Sqrt(t)
	}
	after := func(b bet, gap float64) float64 {
		return (w.sum + gap/b.variance) / math.Sqrt(t+1/b.variance)
	}
	shared := a.hoped(a.misfit.fitted, leader, arm, a.pooled.Variance(leader, arm))
	if ok {
		b.bias = a.misfit.bias(e.weights(leader, arm), leader, arm)
		shared -= b.bias
		ok = after(b, shared) > stand && shared > 0
	}
	if e.total[leader] == 0 || e.total[arm] == 0 {
		return b, ok
	}
	own := bet{walk: w, leader: leader, arm: arm, variance: 1/e.total[leader] + 1/e.total[arm], direct: true}
	if !ok || after(own, a.hoped(a.estimates, leader, arm, a.variance(leader, arm))) > after(b, shared) {
		return own, true
	}
	return b, ok
}

// judged are the estimates that a bet is on, normalised.
func (a *coTest) judged(b bet, estimates []float64, round Batch) []float64 {
	if !b.direct {
		return estimates
	}
	own := make([]float64, len(estimates))
	for _, i := range []int{b.leader, b.arm} {
		own[i] = round.Means[i] / a.model.Unit
	}
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
