package design

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/eigen"
)

// Rounding is a whole number of pulls for every arm.
type Rounding struct {
	Counts []int // one per arm, ≥ 0, summing to the n asked for
	// Ratio divides the largest variance by that for the weights themselves, computed from Counts;
	// it can be below 1.
	Ratio  float64
	Method string // "apportionment" or "regret minimisation"
}

// Round turns weights λ into n whole pulls, ROUND of [Du23, Alg. 1, l. 6], such that
//
//	max_p ‖y_p‖²_{(nξI + Σ counts_i φ_iφ_iᵀ/σ_i²)⁻¹} ≤ 2(1+ε) · max_p ‖y_p‖²_{A(ξ,λ)⁻¹} / n
//
// [Du23, eq. (rounding_procedure)]. The ratio of the two sides is computed for the
// counts returned, whatever the theory promises; above 2(1+ε) the error is a
// *RatioError and the Rounding still holds the best counts found.
//
// Apportionment is tried first. It meets the bound from Samples(…) pulls on. Only while its ratio
// exceeds 1+ε, that is while n is small against the support, regret minimisation is tried as well
// and the better ratio wins; not above a rank of 256, where an eigenvalue decomposition takes tenths
// of a second. The cost does not grow with n. Weights need not sum to one
// exactly; they must not all be zero. n < 1 is an error, and so is the end of the context; other
// errors and panics are as in MaxVariance.
func Round(ctx context.Context, s Space, c Contrasts, weights []float64, n int, eps float64) (r Rounding, err error) {
	defer caught(&err)
	stop := stopper{ctx}
	if n >= 1 && !(eps > 0) {
		return Rounding{}, fmt.Errorf("design: the rounding parameter ε must be positive, but is %v", eps)
	}
	lambda, err := shares(s, weights, n)
	if err != nil {
		return Rounding{}, err
	}
	p, err := weighted(stop, s, c, lambda)
	if err != nil {
		return Rounding{}, err
	}
	base, _, err := p.variance(lambda)
	if err != nil {
		return Rounding{}, err
	}
	ratio := func(counts []int) float64 { return p.ratio(s, c, lambda, counts, base) }
	best := Rounding{Counts: apportion(lambda, n), Method: "apportionment"}
	best.Ratio = ratio(best.Counts)
	if _, dim := s.Features.Dims(); best.Ratio > 1+eps && dim <= regretRank {
		other := Rounding{Counts: minimiseRegret(stop, s, lambda, n, eps), Method: "regret minimisation"}
		if other.Ratio = ratio(other.Counts); other.Ratio < best.Ratio {
			best = other
		}
	}
	if limit := 2 * (1 + eps); best.Ratio > limit {
		return best, &RatioError{Ratio: best.Ratio, Limit: limit, Pulls: n}
	}
	return best, nil
}

// regretRank is the largest number of features with which regret minimisation is tried.
const regretRank = 256

// ratio verifies counts, all of them on arms of positive weight, against the value
// of the allocation, whose problem p is.
func (p *problem) ratio(s Space, c Contrasts, lambda []float64, counts []int, base float64) float64 {
	if base == 0 {
		return 1 // nothing to decide
	}
	n := 0
	for _, k := range counts {
		n += k
	}
	shares, all := make([]float64, len(counts)), true
	for i, k := range counts {
		shares[i] = float64(k) / float64(n)
		all = all && (k > 0 || lambda[i] == 0)
	}
	if s.Ridge == 0 && !all { // the arms left span less than p
		var err error
		if p, err = weighted(p.stop, s, c, shares); err != nil {
			return math.Inf(1) // not estimable from these pulls
		}
	}
	value, _, err := p.variance(shares)
	if err != nil {
		return math.Inf(1)
	}
	return value / base
}

func normalised(weights []float64) ([]float64, error) {
	total := sum(weights)
	if !(total > 0) || math.IsInf(total, 1) {
		return nil, fmt.Errorf("design: the weights must have a positive finite sum, but it is %v", total)
	}
	lambda := make([]float64, len(weights))
	for i, w := range weights {
		lambda[i] = w / total
	}
	return lambda, nil
}

// Samples returns τ(ξ, λ, ε) [Du23, Alg. 1, l. 5]: a number of pulls from which on Round provably
// meets its bound,
//
//	⌈ℓ · 2(1+ε)/(1+2ε)⌉,  ℓ the number of positive weights,
//
// which apportionment needs for n/(n-ℓ) ≤ 2(1+ε). It is below 2ℓ. The bound for
// regret minimisation, of order d̃/ε² with d̃ the EffectiveRank, has constants
// that make it larger for any support up to a thousand times the rank, so it is
// not what a run should wait for. Fewer pulls than τ often suffice: Round verifies
// its ratio at any n, and the ratio is not monotone in n, so no smaller number
// could be promised without trying.
func Samples(s Space, weights []float64, eps float64) int {
	if n, _ := s.Features.Dims(); len(weights) != n {
		panic("design: one weight per arm is needed")
	}
	return SamplesOf(weights, eps)
}

// SamplesOf returns Samples, which only depends on the weights.
func SamplesOf(weights []float64, eps float64) int {
	support := 0
	for _, w := range weights {
		if w > 0 {
			support++
		}
	}
	return int(math.Ceil(float64(support) * 2 * (1 + eps) / (1 + 2*eps)))
}

// EffectiveRank returns d̃(ξ, λ): the number of eigenvalues of Σ_i λ_i φ_i φ_iᵀ/σ_i² greater than ξ
// [Du23, App. "Rounding Procedure"]. At ξ = 0 rounding errors (1e-14 of the largest eigenvalue) are
// not counted.
func EffectiveRank(ctx context.Context, s Space, weights []float64) (int, error) {
	if err := checkWeights(s, weights); err != nil {
		panic(err.Error())
	}
	values, err := spectrum(ctx, s, weights)
	if err != nil {
		return 0, err
	}
	floor := s.Ridge
	for _, v := range values {
		floor = max(floor, 1e-14*v)
	}
	rank := 0
	for _, v := range values {
		if v > floor {
			rank++
		}
	}
	return rank, nil
}

// spectrum returns the eigenvalues of Σ_i λ_i φ_i φ_iᵀ/σ_i².
func spectrum(ctx context.Context, s Space, weights []float64) (values []float64, err error) {
	defer caught(&err)
	n, m := s.Features.Dims()
	x, gram := reshape(blas64.General{}, n, m), reshape(blas64.General{}, m, m)
	for i, w := range weights {
		if s.Precision != nil {
			w *= s.Precision[i]
		}
		axpy(math.Sqrt(w), s.Features.RawRowView(i), row(x, i))
	}
	addOuter(stopper{ctx}, x, gram)
	mirror(gram)
	return eigen.Values(ctx, mat.NewSymDense(m, gram.Data))
}

// shares returns the weights that n pulls are to have, as a distribution, and reports what cannot be
// rounded.
func shares(s Space, weights []float64, n int) ([]float64, error) {
	if n < 1 {
		return nil, fmt.Errorf("design: the number of pulls must be at least 1, but is %d", n)
	}
	if err := checkWeights(s, weights); err != nil {
		return nil, err
	}
	return normalised(weights)
}
