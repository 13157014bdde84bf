package cotest

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// setHeights sets what walks have to reach at the level alpha, and no less than at the level top.
func (a *decisions) setHeights(alpha, top float64) {
	within := map[int][]float64{}
	for looks := range a.clock.Within {
		within[looks] = a.highest(alpha, top, looks)
	}
	a.clock.Within = within
	a.clock.Z = a.highest(alpha, top, a.horizon)
}

// heights returns what walks have to reach at error probability alpha that are expected to need so many looks.
func (a *decisions) heights(alpha float64, looks int) []float64 {
	m := a.Model
	switch {
	case a.limits != nil || a.opt.Law == engine.LawSymmetric:
		return slices.Repeat([]float64{stakeHeight(alpha)}, sequential.ClockLooks)
	}
	return try.Of(heights(m.Context(), m.Memory, a.opt.LawFor(m.Problem), alpha, looks))
}

// The looks from which on walks are not expected to be open, and the part of alpha that these share. Where an
// accuracy is asked, they come after so many times the information that two tied arms need.
const (
	lateLooks = 50
	lateShare = 0.05
	tieShare  = 0.1
	tieAfter  = 3
)

// foresee lowers the heights where an accuracy is asked: then the information is known that a tie takes, and looks
// far beyond it get little of alpha. What has begun before any bet may do so.
func foresee(a *coTest) {
	if a.planner == nil || !(a.opt.Epsilon > 0) || a.limits != nil || a.alpha == 0 {
		return
	}
	if a.horizon = max(1, a.looksOfTies(a.clock.Origin)); a.horizon >= sequential.ClockLooks {
		a.horizon = 0
	}
	a.setHeights(a.alpha, a.alpha)
}

// looksOfTies returns how many looks from that time on are enough for two arms that are tied.
func (a *decisions) looksOfTies(origin float64) int {
	enough := tieAfter * math.Pow((a.clock.Z[0]+overshoot)/a.opt.Epsilon, 2)
	return int(math.Ceil(a.clock.Looks(origin, enough)))
}

// heights returns the z of the clock at error probability alpha, remembered. Walks are expected to be decided before
// the horizon, if there is one.
func heights(ctx context.Context, m *canon.Memory, law string, alpha float64, horizon int) ([]float64, error) {
	times := sequential.Geometric(sequential.ClockGrowth, sequential.ClockLooks)
	if law == engine.LawSubGaussian {
		return canon.Remember(ctx, m, canon.Key{Kind: canon.KindSubGaussianHeights, Level: alpha, Sets: [][]int{{horizon}}},
			func() ([]float64, error) { return sequential.Mixture(alpha, times, cmp.Or(horizon, len(times))) })
	}
	key := canon.Key{Kind: canon.KindNormalHeights, Level: alpha, Sets: [][]int{{horizon}}}
	return canon.Remember(ctx, m, key, func() ([]float64, error) {
		if horizon > 0 {
			return sequential.Heights(alpha, times, horizon, tieShare)
		}
		return sequential.Heights(alpha, times, lateLooks, lateShare)
	})
}
