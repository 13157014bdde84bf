package cotest

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
)

// heights returns what walks have to reach at error probability alpha.
func (a *decisions) heights(alpha float64) ([]float64, error) {
	if a.limits != nil || a.opt.Law == engine.LawSymmetric {
		return slices.Repeat([]float64{stakeHeight(alpha)}, sequential.ClockLooks), nil
	}
	return heights(a.Model.Context(), a.Model.Memory, a.opt.LawFor(a.Model.Problem), alpha, a.horizon)
}

// The looks from which on walks are not expected to be open, and the part of alpha that these share. Where an accuracy
// is asked, they come after so many times the information that two tied arms need.
const (
	lateLooks = 50
	lateShare = 0.05
	tieShare  = 0.1
	tieAfter  = 3
)

// foresee lowers the heights where an accuracy is asked: then the information is known that a tie takes, and looks
// far beyond it get little of alpha. What has begun before any bet may do so.
func foresee(a *coTest) (err error) {
	if a.planner == nil || !(a.opt.Epsilon > 0) || a.limits != nil || a.alpha == 0 {
		return nil
	}
	enough := tieAfter * math.Pow((a.clock.Z[0]+overshoot)/a.opt.Epsilon, 2)
	a.horizon = max(1, int(math.Ceil(math.Log(enough/a.clock.Origin)/math.Log(sequential.ClockGrowth))))
	if a.horizon >= sequential.ClockLooks {
		a.horizon = 0
	}
	a.clock.Z, err = a.heights(a.alpha)
	return err
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
