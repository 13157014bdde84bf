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

// heights returns the boundary of walks that are expected to need so many looks.
func (a *decisions) heights(looks int) []float64 {
	if a.limits != nil || a.opt.Law == engine.LawSymmetric {
		return slices.Repeat([]float64{stakeHeight(a.alpha)}, sequential.ClockLooks)
	}
	m := a.Model
	return try.Of(heights(m.Context(), m.Memory, a.opt.LawFor(m.Problem), a.alpha, looks))
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
	horizon := max(1, a.looksOfTies(a.clock.Origin))
	if horizon >= sequential.ClockLooks {
		horizon = 0
	}
	a.clock.Z = a.heights(horizon)
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
