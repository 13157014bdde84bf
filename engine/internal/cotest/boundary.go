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

// A boundary is what the statistic of a best arm reaches at some look with probability at most α: z_k by look, or the logarithm of a
// capital. Walks are expected to be decided before a horizon of looks, if there is one.
type boundary struct {
	kind canon.Kind // key of the boundary in the cache
	at   func(alpha float64, times []float64, horizon int) ([]float64, error)
}

var (
	// normalBoundary holds for normal scores: looks from late on share a part of α. With a horizon, which follows from an accuracy, these
	// are the looks after it.
	normalBoundary = boundary{canon.KindNormalHeights, func(alpha float64, times []float64, horizon int) ([]float64, error) {
		if horizon > 0 {
			return sequential.Heights(alpha, times, horizon, tieShare)
		}
		return sequential.Heights(alpha, times, lateLooks, lateShare)
	}}
	// subGaussianBoundary holds for sub-Gaussian scores.
	subGaussianBoundary = boundary{canon.KindSubGaussianHeights, func(alpha float64, times []float64, horizon int) ([]float64, error) {
		return sequential.Mixture(alpha, times, cmp.Or(horizon, len(times)))
	}}
	// capitalBoundary holds for e-processes: the logarithm of 1/α at every look, above what rounding hides.
	capitalBoundary = boundary{canon.KindCapitalHeights, func(alpha float64, times []float64, _ int) ([]float64, error) {
		return slices.Repeat([]float64{math.Log(1/alpha) + 1e-9}, len(times)), nil
	}}
)

// The looks from which on walks are not expected to be open, and the part of alpha that these share. Where an
// accuracy is asked, they come after so many times the information that two tied arms need.
const (
	lateLooks = 50
	lateShare = 0.05
	tieShare  = 0.1
	tieAfter  = 3
)

// heights returns the boundary for the clock of all tests; the result is cached.
func (b boundary) heights(ctx context.Context, m *canon.Memory, alpha float64, horizon int) ([]float64, error) {
	return canon.Remember(ctx, m, canon.Key{Kind: b.kind, Level: alpha, Sets: [][]int{{horizon}}}, func() ([]float64, error) {
		return b.at(alpha, sequential.Geometric(sequential.ClockGrowth, sequential.ClockLooks), horizon)
	})
}

// boundary returns the boundary that suits the reward distribution.
func (a *decisions) boundary() boundary {
	switch {
	case a.limits != nil || a.opt.Law == engine.LawSymmetric:
		return capitalBoundary
	case a.opt.LawFor(a.Model.Problem) == engine.LawSubGaussian:
		return subGaussianBoundary
	}
	return normalBoundary
}

// heights returns the boundary of walks that are expected to need at most this number of looks.
func (a *decisions) heights(looks int) []float64 {
	return try.Of(a.boundary().heights(a.Model.Context(), a.Model.Memory, a.alpha, looks))
}

// setHorizon lowers the boundary where an accuracy is asked: then the information is known that a tie takes, and looks
// far beyond it get little of alpha. It is called before any bet.
func (a *coTest) setHorizon() {
	if a.planner == nil || !(a.opt.Epsilon > 0) || a.limits != nil || a.alpha == 0 {
		return
	}
	horizon := max(1, a.looksOfTies(a.clock.Origin))
	if horizon >= sequential.ClockLooks {
		horizon = 0
	}
	a.clock.Z = a.heights(horizon)
}

// looksOfTies returns the number of looks, from time origin on, that suffice for two tied arms.
func (a *decisions) looksOfTies(origin float64) int {
	enough := tieAfter * math.Pow((a.clock.Z[0]+overshoot)/a.opt.Epsilon, 2)
	return int(math.Ceil(a.clock.Looks(origin, enough)))
}
