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

// A boundary gives the critical values of the test statistic. The statistic of a best arm reaches its critical value at
// some look with probability at most α. The values are z_k for look k, or logarithms of a capital. at returns one value
// per element of times. horizon is the number of looks that walks are expected to need; 0 if unknown.
type boundary struct {
	kind canon.Kind // key of the boundary in the cache
	at   func(alpha float64, times []float64, horizon int) ([]float64, error)
}

var (
	// normalBoundary is for normal scores. Looks after the horizon share the part tieShare of α. Without a horizon, looks
	// from lateLooks on share lateShare.
	normalBoundary = boundary{canon.KindNormalHeights, func(alpha float64, times []float64, horizon int) ([]float64, error) {
		if horizon > 0 {
			return sequential.Heights(alpha, times, horizon, tieShare)
		}
		return sequential.Heights(alpha, times, lateLooks, lateShare)
	}}
	// subGaussianBoundary is for sub-Gaussian scores.
	subGaussianBoundary = boundary{canon.KindSubGaussianHeights, func(alpha float64, times []float64, horizon int) ([]float64, error) {
		return sequential.Mixture(alpha, times, cmp.Or(horizon, len(times)))
	}}
	// capitalBoundary is for e-processes. Its value at every look is log(1/α), plus a margin for rounding errors.
	capitalBoundary = boundary{canon.KindCapitalHeights, func(alpha float64, times []float64, _ int) ([]float64, error) {
		return slices.Repeat([]float64{math.Log(1/alpha) + 1e-9}, len(times)), nil
	}}
)

// Looks from lateLooks on share the part lateShare of α, because few walks are still open then. If an accuracy is
// requested, the late looks share tieShare instead. They begin when the information is tieAfter times what two tied arms
// need.
const (
	lateLooks = 50
	lateShare = 0.05
	tieShare  = 0.1
	tieAfter  = 3
)

// heights returns the boundary's values at the looks of the common clock. The result is cached.
func (b boundary) heights(ctx context.Context, m *canon.Memory, alpha float64, horizon int) ([]float64, error) {
	return canon.Remember(ctx, m, canon.Key{Kind: b.kind, Level: alpha, Sets: [][]int{{horizon}}}, func() ([]float64, error) {
		return b.at(alpha, sequential.Geometric(sequential.ClockGrowth, sequential.ClockLooks), horizon)
	})
}

// boundary returns the boundary for the distribution of the rewards.
func (a *decisions) boundary() boundary {
	switch {
	case a.limits != nil || a.opt.Law == engine.LawSymmetric:
		return capitalBoundary
	case a.opt.LawFor(a.Model.Problem) == engine.LawSubGaussian:
		return subGaussianBoundary
	}
	return normalBoundary
}

// heights returns the boundary at level alpha for walks that are expected to need the given number of looks.
func (a *decisions) heights(looks int) []float64 {
	return try.Of(a.boundary().heights(a.Model.Context(), a.Model.Memory, a.alpha, looks))
}

// setHorizon recomputes the boundary if an accuracy is requested. The accuracy bounds the information that tied arms need,
// so later looks get little of alpha and the boundary is lower. It must be called before the first bet.
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

// looksOfTies returns the number of looks after origin that suffice to decide between two tied arms.
func (a *decisions) looksOfTies(origin float64) int {
	return int(math.Ceil(a.clock.Looks(origin, a.ties())))
}

// ties returns tieAfter times the information that two tied arms need if an accuracy is requested.
func (a *decisions) ties() float64 {
	return tieAfter * math.Pow((a.clock.Z[0]+overshoot)/a.opt.Epsilon, 2)
}

// enough returns the information with which a round moves the clock of an arm at most, if an accuracy is requested: as much
// as the walk needs, or as tied arms need. An arm with nearly the features of its opponent gets thousands of times more.
// With all of it, the clock would be so far on that no other leader could exclude the arm.
func (a *coTest) enough(w *sequential.Walk, opponent, arm int) float64 {
	gap := a.optimisticGap(a.estimates, opponent, arm, a.variance(opponent, arm))
	if math.IsInf(gap, 1) {
		return a.ties()
	}
	return max(a.ties(), w.Need(a.clock, opponent, gap, a.opt.Epsilon, overshoot))
}
