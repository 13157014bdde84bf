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

// setHeights sets what walks have to reach at the level alpha, and no less than at the level top.
func (a *decisions) setHeights(alpha, top float64) (err error) {
	a.clock.Conditional = nil
	within := map[int][]float64{}
	for looks := range a.clock.Within {
		if within[looks], err = a.highest(alpha, top, looks); err != nil {
			return err
		}
	}
	a.clock.Within = within
	if a.clock.Z, err = a.highest(alpha, top, a.horizon); err != nil || !a.reclaims || alpha > mostReclaimed {
		return err
	}
	if alpha == top {
		a.clock.Conditional, err = conditional(a.Model.Context(), a.Model.Memory, alpha)
	} else {
		a.clock.Conditional, err = sequential.NewConditionalError(a.clock.Z, fine())
	}
	return err
}

// heights returns what walks have to reach at error probability alpha that are expected to need so many looks.
func (a *decisions) heights(alpha float64, looks int) ([]float64, error) {
	m := a.Model
	if a.limits != nil || a.opt.Law == engine.LawSymmetric {
		return slices.Repeat([]float64{stakeHeight(alpha)}, sequential.ClockLooks), nil
	}
	if a.reclaims {
		c, err := conditional(m.Context(), m.Memory, alpha)
		if err != nil {
			return nil, err
		}
		return c.Heights(), nil
	}
	return heights(m.Context(), m.Memory, a.opt.LawFor(m.Problem), alpha, looks)
}

// The looks from which on walks are not expected to be open, and the part of alpha that these share: the latter on the
// fine clock. Where an accuracy is asked, they come after so many times the information that two tied arms need.
const (
	lateLooks     = 50
	lateShare     = 0.05
	fineLateLooks = 114
	fineLateShare = 0.03
	tieShare      = 0.1
	tieAfter      = 3
)

// mostReclaimed is the level up to which looks that are passed over count. At 0.05 a walk near its boundary would cross more
// often with less noise than stated (sequential.TestConditionalHoldsForLessNoise).
const mostReclaimed = 0.03

// reclaim lets looks that are passed over count, before any data: for normal laws. Where an accuracy is asked this saves 2 % at
// most, and margins take their time (docs/adr/0031).
func (a *decisions) reclaim() {
	if a.opt.Epsilon == 0 && a.limits == nil && a.opt.LawFor(a.Model.Problem) == engine.LawNormal && a.alpha <= mostReclaimed {
		a.reclaims, a.clock.Growth = true, sequential.FineGrowth
	}
}

// fine returns the times of the clock of such walks.
func fine() []float64 { return sequential.Geometric(sequential.FineGrowth, sequential.FineLooks) }

// conditional returns the conditional error function of the heights of that clock at error probability alpha, remembered.
func conditional(ctx context.Context, m *canon.Memory, alpha float64) (*sequential.ConditionalError, error) {
	return canon.Remember(ctx, m, canon.Key{Kind: canon.KindConditionalError, Level: alpha}, func() (*sequential.ConditionalError, error) {
		z, err := sequential.Heights(alpha, fine(), fineLateLooks, fineLateShare)
		if err != nil {
			return nil, err
		}
		return sequential.NewConditionalError(z, fine())
	})
}

// foresee lowers the heights where an accuracy is asked: then the information is known that a tie takes, and looks
// far beyond it get little of alpha. What has begun before any bet may do so.
func foresee(a *coTest) error {
	if a.planner == nil || !(a.opt.Epsilon > 0) || a.limits != nil || a.alpha == 0 || a.reclaims {
		return nil
	}
	if a.horizon = max(1, a.looksOfTies(a.clock.Origin)); a.horizon >= sequential.ClockLooks {
		a.horizon = 0
	}
	return a.setHeights(a.alpha, a.alpha)
}

// looksOfTies returns how many looks from that time on are enough for two arms that are tied.
func (a *decisions) looksOfTies(origin float64) int {
	enough := tieAfter * math.Pow((a.clock.Z[0]+overshoot)/a.opt.Epsilon, 2)
	return int(math.Ceil(math.Log(enough/origin) / math.Log(sequential.ClockGrowth)))
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
