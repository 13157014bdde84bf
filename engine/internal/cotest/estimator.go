package cotest

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// An estimator estimates the gaps between arms. Bets use estimates from one round's data; leaders and sizes of rounds use
// estimates from all data. docs/theory has a page for each implementation: features, own means and blocks. normed
// implements ridge estimates under a bound on the norm without this interface.
type estimator interface {
	// bet returns a bet on the gap between leader and arm in the planned round. ok is false if the round gives no
	// information about this gap.
	bet(w *sequential.Walk, leader, arm int) (b sequential.Bet, ok bool)
	// take reads the data of the round, which score then uses.
	take(b engine.Batch)
	// score returns the evidence of the data given to take on a bet.
	score(bet sequential.Bet, b engine.Batch) sequential.Score
	// learn updates the estimates from all data. b is the new batch; means are the arms' means over all data, b included.
	learn(b engine.Batch, means []float64)
	// variance returns the approximate variance of the estimated gap of arms i and j; +Inf if the data do not compare
	// them.
	variance(i, j int) float64
}

// A statistic computes a bet's score from a round's rewards. The score measures the evidence against an arm for any loss
// of its opponent (docs/theory/test.md, step 1). Each statistic needs its own boundary, see decisions.boundary.
type statistic interface {
	// direct returns the score of the difference of two arms' own means.
	direct(bet sequential.Bet, b engine.Batch) sequential.Score
	// fitted returns the score of a difference of two arms that is estimated from the rewards of many arms.
	fitted(bet sequential.Bet, e *model.Estimator, estimates []float64, b engine.Batch) sequential.Score
}

// scaled is the statistic for normal and sub-Gaussian rewards: standardised estimates, or Student's t if noise scales are
// unknown.
type scaled struct {
	*rounds.Scales
	unit float64
}

func (s scaled) direct(bet sequential.Bet, b engine.Batch) sequential.Score {
	i, j := bet.Opponent, bet.Arm
	return s.ScoreOf((b.Means[i]-b.Means[j])/s.unit, bet.Variance, []int{i, j}, []float64{1, -1}, b)
}

func (s scaled) fitted(bet sequential.Bet, e *model.Estimator, estimates []float64, b engine.Batch) sequential.Score {
	return s.Score(bet, e, estimates, b)
}

// capital is the statistic for bounded rewards: the growth of the stakes' capital (docs/theory/bets.md).
type capital struct {
	*rounds.Limits
	unit   float64
	centre func(arm int) float64
}

func (c capital) direct(bet sequential.Bet, b engine.Batch) sequential.Score {
	return c.StakeApart(bet, c.unit, c.centre, b)
}

func (c capital) fitted(bet sequential.Bet, e *model.Estimator, _ []float64, b engine.Batch) sequential.Score {
	return c.Stake(bet.Walk.Stakes.Gaps, bet, e, c.unit, c.centre, b)
}

// statistic returns the statistic for the distribution of the rewards.
func (a *coTest) statistic() statistic {
	if a.limits != nil {
		return capital{a.limits, a.Model.Unit, a.centre}
	}
	return scaled{&a.scales, a.Model.Unit}
}

// features estimates gaps by least squares in the features of the kernel, or with a posterior (docs/theory/features.md).
//
// If rewards may deviate from the kernel, a round has two estimates of a gap. The kernel's estimate uses all pulls, but
// its bias must be bounded. The difference of the two arms' own means has no bias. The choice between them, for the size
// of the round and for the bet, is made before the round's data.
type features struct {
	*coTest
	round []float64 // N: the estimates from the round's own data
}

// bet returns the bet whose estimate brings the walk nearer to its boundary if the gap equals its optimistic estimate.
func (f *features) bet(w *sequential.Walk, leader, arm int) (b sequential.Bet, ok bool) {
	a, e := f.coTest, f.stage.Estimate
	b = sequential.Bet{Walk: w, Opponent: leader, Arm: arm, Variance: e.Variance(leader, arm)}
	ok = !math.IsInf(e.Bias(leader, arm, model.Bound{}), 1) && b.Variance > 0
	if !a.misfit.any() {
		return b, ok
	}
	t := max(a.clock.Of(w).Time(w.Look), math.SmallestNonzeroFloat64)
	now := w.Sum / math.Sqrt(t)
	after := func(b sequential.Bet, gap float64) float64 {
		return (w.Sum + gap/b.Variance) / math.Sqrt(t+1/b.Variance)
	}
	if a.limits != nil { // with bounded rewards each round multiplies the capital, so the present sum does not affect the choice
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
	own := sequential.Bet{Walk: w, Opponent: leader, Arm: arm, Variance: 1/e.Total[leader] + 1/e.Total[arm], Direct: true}
	if !ok || after(own, a.optimisticGap(a.estimates, leader, arm, a.variance(leader, arm))) > promise {
		return own, true
	}
	return b, true
}

func (f *features) take(b engine.Batch) {
	f.scales.Replicated(b)
	f.round = f.stage.Estimate.Estimates(b.Means)
}

func (f *features) score(bet sequential.Bet, b engine.Batch) sequential.Score {
	if bet.Direct {
		return f.statistic().direct(bet, b)
	}
	return f.statistic().fitted(bet, f.stage.Estimate, f.round, b)
}

func (f *features) learn(b engine.Batch, means []float64) {
	a := f.coTest
	try.To(a.scales.Learn(b))
	if a.estimates == nil {
		a.clock.Origin *= a.scales.Change(a.Model)
	}
	pooled := a.pool(means)
	a.pooled, a.estimates = pooled, a.shrinkToMeans(pooled.Estimates(means))
}

// variance returns the variance of the estimated gap between arms i and j. It is the variance of the kernel's estimate
// plus, for each arm, the posterior variance of its misfit given its own mean. Arms with equal features differ only by
// their misfits: for these it adds the variance 1/known of each arm's own mean.
func (f *features) variance(i, j int) float64 {
	a := f.coTest
	if a.loose && a.belief == nil && a.pooled != nil && math.IsInf(a.pooled.Bias(i, j, model.Bound{}), 1) {
		return math.Inf(1)
	}
	out, g := a.pooled.Variance(i, j), a.misfit.typical*a.misfit.typical
	same := a.misfit.any() && a.Model.Relations().Same(i, j)
	if g == 0 && !same {
		return out
	}
	for _, k := range []int{i, j} {
		known := float64(max(1, a.Counts[k])) * a.scales.Model.Precision[k]
		if same {
			out += 1 / known
		} else {
			out += g / (1 + g*known)
		}
	}
	return out
}

// ownMeans estimates each arm by its own mean, without the kernel (docs/theory/means.md).
type ownMeans struct{ features }

func (m *ownMeans) bet(w *sequential.Walk, leader, arm int) (b sequential.Bet, ok bool) {
	e := m.stage.Estimate
	b = sequential.Bet{Walk: w, Opponent: leader, Arm: arm, Variance: e.Variance(leader, arm), Direct: true}
	return b, e.Total[leader] > 0 && e.Total[arm] > 0
}

func (m *ownMeans) take(b engine.Batch) { m.scales.Replicated(b) }

// inBlocks estimates gaps from differences within blocks, in which the block effects cancel (docs/theory/blocks.md).
type inBlocks struct {
	*coTest
	*within
}

func (n inBlocks) bet(w *sequential.Walk, leader, arm int) (b sequential.Bet, ok bool) {
	b = sequential.Bet{Walk: w, Opponent: leader, Arm: arm, Variance: n.coming(leader, arm)}
	return b, !math.IsInf(b.Variance, 1)
}

func (n inBlocks) take(b engine.Batch) { try.To(n.Take(b)) }

func (n inBlocks) score(bet sequential.Bet, b engine.Batch) sequential.Score {
	return n.within.score(bet, n.estimates, b)
}

func (n inBlocks) learn(b engine.Batch, means []float64) {
	a := n.coTest
	first := a.estimates == nil
	a.estimates = try.Of(n.within.Learn(b))
	if first {
		a.clock.Origin = n.origin()
		if n.fair {
			for _, c := range a.contests {
				stake(c, a.opt.Epsilon, widestFair*math.Sqrt(2*n.within.Scale(c.tasks[0])))
			}
		}
	}
	a.pooled = a.pool(means)
}

func (n inBlocks) variance(i, j int) float64 { return n.within.Variance(i, j) }
