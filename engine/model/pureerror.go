package model

import (
	"math"
	"slices"
)

// fewDegrees is the most degrees of freedom with which an estimated variance is too uncertain for
// the moments of what is divided by it: the second is infinite.
const fewDegrees = 4

// tested fits the arms that the test for lack of fit goes by: those whose scale is known to more
// than fewDegrees, or where these leave nothing to test those whose scale can be told.
func (m *Model) tested(d Replicates, s scales) (l meanFit) {
	for _, degrees := range []float64{fewDegrees, 0} {
		known := d
		known.Counts = slices.Clone(d.Counts)
		for i := range known.Counts {
			if !s.beyond(degrees, i) {
				known.Counts[i] = 0
			}
		}
		if l = m.LeastSquares(known, s.Factor, 0); l.Freedom > 0 || s.group == nil {
			break
		}
	}
	return l
}

// law returns the distribution of the sum of squares of residuals over estimated scales when the
// kernel fits: multiple·f·F(f, pure) with f = l.freedom; pure is infinite where scales are known.
//
// With τ̂_g = τ_g·χ²/ν_g for the factor of group g, M the projection onto residuals and B_g its
// part by the arms of g, the sum is yᵀ(Σ_g (τ̂_g/τ_g) B_g)⁻¹y for y ~ N(0, 1) in the f dimensions
// of M, where Σ_g B_g = 1. Its mean and variance are
//
//	f + Σ_g 2 tr(B_g²)/(ν_g-2)
//	2f + Σ_g [2ν_g²(tr(B_g)² + (ν_g-2) tr(B_g²))/((ν_g-2)²(ν_g-4)) - 2 tr(B_g²)]
//
// to the first order in 1/ν, and exactly where the B_g are orthogonal projections: then the sum is
// one of independent multiples of F(tr B_g, ν_g). The multiple of F with this mean and variance is
// taken, as [Satterthwaite 1946] takes that of χ². To the first order it is the one of
// [Johansen 1980], for the mean of several groups of [Welch 1951]; with one group for all it is F
// exactly.
//
// Where a scale is known to fewDegrees or fewer, pure is the fewest degrees of all, which is
// cautious.
func (l meanFit) law(s scales) (multiple, pure float64) {
	if s.group == nil {
		return 1, math.Inf(1)
	}
	f, least := float64(l.Freedom), math.Inf(1)
	mean, variance := f, 2*f
	for g, members := range l.groups(s) {
		if len(members) == 0 {
			continue
		}
		v := s.freedom[g]
		least = min(least, v)
		trace, square := l.traces(members)
		mean += 2 * square / (v - 2)
		variance += 2*v*v*(trace*trace+(v-2)*square)/((v-2)*(v-2)*(v-4)) - 2*square
	}
	if least <= fewDegrees {
		return 1, least
	}
	// of the squared coefficient of variation to that of χ²
	ratio := f * variance / (2 * mean * mean)
	if ratio <= 1 { // by rounding, of scales that are as good as known
		return 1, math.Inf(1)
	}
	pure = (f - 2 + 4*ratio) / (ratio - 1)
	return mean / f * (1 - 2/pure), pure
}

// groups lists the positions of the measured arms by group.
func (l meanFit) groups(s scales) [][]int {
	out := make([][]int, len(s.freedom))
	for k, i := range l.arms {
		out[s.group[i]] = append(out[s.group[i]], k)
	}
	return out
}

// traces returns tr(B) and tr(B²) of the arms at these positions: for the projection M = 1 - QQᵀ
// onto residuals, the sums of m_kk and of m_kj² over them.
func (l meanFit) traces(members []int) (trace, square float64) {
	for _, k := range members {
		trace += 1 - l.leverage[k]
		square += 1 - 2*l.leverage[k]
	}
	for a, p := range l.basis {
		for b, q := range l.basis[:a+1] {
			sum := 0.0
			for _, k := range members {
				sum += p[k] * q[k]
			}
			square += sum * sum
			if b < a {
				square += sum * sum
			}
		}
	}
	return trace, square
}
