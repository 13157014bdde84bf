package design

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/eigen"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Rounding has a whole number of pulls for each arm.
type Rounding struct {
	Counts []int // one per arm, ≥ 0; their sum is n
	// Ratio is the largest variance with Counts divided by that with the weights. It may be below 1.
	Ratio  float64
	Method string // "apportionment" or "regret minimisation"
}

// Round turns weights λ into n whole pulls, ROUND of [Du23, Alg. 1, l. 6], such that
//
//	max_p ‖y_p‖²_{(nξI + Σ counts_i φ_iφ_iᵀ/σ_i²)⁻¹} ≤ 2(1+ε) · max_p ‖y_p‖²_{A(ξ,λ)⁻¹} / n
//
// [Du23, eq. (rounding_procedure)]. The ratio of the two sides is computed for the returned counts. If it exceeds
// 2(1+ε), the error is a *RatioError, and the Rounding has the best counts found.
//
// It first tries apportionment, which meets the bound for at least Samples(…) pulls. If the ratio exceeds 1+ε, which
// happens if n is small compared with the number of arms with weight, it also tries regret minimisation. It returns the
// result with the smaller ratio. Regret minimisation is not tried for more than 256 features, because an eigenvalue
// decomposition then takes tenths of a second. The cost does not increase with n.
//
// Weights need not sum to one, but one must be positive. It returns an error for n < 1 and if the context ends. Other
// errors and panics are the same as in MaxVariance.
func Round(ctx context.Context, s Space, c Contrasts, weights []float64, n int, eps float64) (r Rounding, err error) {
	defer try.Caught(&err)
	stop := stopper{ctx}
	if n >= 1 && !(eps > 0) {
		return Rounding{}, fmt.Errorf("design: the rounding parameter ε must be positive, but is %v", eps)
	}
	lambda := try.Of(shares(s, weights, n))
	p := try.Of(weighted(stop, s, c, lambda))
	base, _, err := p.variance(lambda)
	try.To(err)
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

// regretRank is the largest number of features for which Round tries regret minimisation.
const regretRank = 256

// ratio returns the Ratio of counts, which must be 0 for arms without weight. p is the problem at the weights lambda, and
// base its value.
func (p *problem) ratio(s Space, c Contrasts, lambda []float64, counts []int, base float64) float64 {
	if base == 0 {
		return 1 // all contrasts are zero
	}
	n := lists.Total(counts)
	shares, all := make([]float64, len(counts)), true
	for i, k := range counts {
		shares[i] = float64(k) / float64(n)
		all = all && (k > 0 || lambda[i] == 0)
	}
	if s.Ridge == 0 && !all { // the arms with pulls may span less than p
		var err error
		if p, err = weighted(p.stop, s, c, shares); err != nil {
			return math.Inf(1) // these pulls do not measure every contrast
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
	return lists.Map(weights, func(w float64) float64 { return w / total }), nil
}

// Samples returns τ(ξ, λ, ε) [Du23, Alg. 1, l. 5]: a number of pulls for which, and for all larger numbers, Round
// provably meets its bound,
//
//	⌈ℓ · 2(1+ε)/(1+2ε)⌉,  ℓ the number of positive weights
//
// For so many pulls, apportionment has n/(n-ℓ) ≤ 2(1+ε). The result is below 2ℓ. The bound for regret minimisation is
// of order d̃/ε² with d̃ the EffectiveRank. Its constants make it larger for any support up to a thousand times the
// rank, so runs do not use it. Fewer pulls than τ often suffice: Round computes its ratio for any n. But the ratio is
// not monotone in n, so no smaller number can be guaranteed without a computation.
func Samples(weights []float64, eps float64) int {
	support := lists.Count(weights, func(w float64) bool { return w > 0 })
	return int(math.Ceil(float64(support) * 2 * (1 + eps) / (1 + 2*eps)))
}

// EffectiveRank returns d̃(ξ, λ): the number of eigenvalues of Σ_i λ_i φ_i φ_iᵀ/σ_i² greater than ξ [Du23, App. "Rounding
// Procedure"]. At ξ = 0 it does not count eigenvalues up to 1e-14 of the largest, which are rounding errors.
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
	return lists.Count(values, func(v float64) bool { return v > floor }), nil
}

// spectrum returns the m eigenvalues of Σ_i λ_i φ_i φ_iᵀ/σ_i², where λ are the weights.
func spectrum(ctx context.Context, s Space, weights []float64) (values []float64, err error) {
	defer try.Caught(&err)
	n, m := s.Features.Dims()
	x, gram := reshape(blas64.General{}, n, m), reshape(blas64.General{}, m, m)
	for i, w := range weights {
		axpy(math.Sqrt(w*s.precision(i)), s.Features.RawRowView(i), row(x, i))
	}
	addOuter(stopper{ctx}, x, gram)
	mirror(gram)
	return eigen.Values(ctx, mat.NewSymDense(m, gram.Data))
}

// shares returns the weights divided by their sum. It returns an error if they are invalid or n < 1.
func shares(s Space, weights []float64, n int) ([]float64, error) {
	if n < 1 {
		return nil, fmt.Errorf("design: the number of pulls must be at least 1, but is %d", n)
	}
	if err := checkWeights(s, weights); err != nil {
		return nil, err
	}
	return normalised(weights)
}

// RoundForAll turns weights λ into n whole pulls by apportionment. Its Ratio holds for every contrast y, also for those
// with parts outside the span of the arms. It is the largest ratio of yᵀA(counts/n)⁻¹y to yᵀA(λ)⁻¹y over all y,
//
//	1 / λ_min(L⁻¹ A(counts/n) L⁻ᵀ),  A(λ) = LLᵀ.
//
// but at least 1. It is computed without a pass over contrasts. Round, which uses the given contrasts, may find a
// smaller ratio. The ridge must be positive. Errors and panics are the same as in Round.
func RoundForAll(ctx context.Context, s Space, weights []float64, n int) (r Rounding, err error) {
	defer try.Caught(&err)
	lambda := try.Of(shares(s, weights, n))
	r = Rounding{Counts: apportion(lambda, n), Method: "apportionment"}
	stop, x := stopper{ctx}, s.Features.RawMatrix()
	parts := lists.Make(len(lambda), func(i int) float64 { return float64(r.Counts[i]) / float64(n) })
	scaled, l, a := reshape(blas64.General{}, x.Rows, x.Cols), reshape(blas64.General{}, x.Cols, x.Cols),
		reshape(blas64.General{}, x.Cols, x.Cols)
	if !information(stop, x, s.roots(), lambda, s.Ridge, scaled, l) {
		return Rounding{}, errSingular
	}
	for i, w := range parts { // B = A(counts/n) - ξI as the rows of scaled
		f := w * s.precision(i)
		to := row(scaled, i)
		clear(to)
		if f > 0 {
			axpy(math.Sqrt(f), row(x, i), to)
		}
	}
	addOuter(stop, scaled, a)
	for k := range a.Rows {
		a.Data[k*a.Stride+k] += s.Ridge
	}
	mirror(a)
	blas64.Trsm(blas.Left, blas.NoTrans, 1, factor(l), a)
	blas64.Trsm(blas.Right, blas.Trans, 1, factor(l), a)
	values := try.Of(eigen.Values(ctx, symmetric.Make(a.Rows, func(i, j int) float64 { return (row(a, i)[j] + row(a, j)[i]) / 2 })))
	if values[0] <= 0 {
		return Rounding{}, errSingular
	}
	r.Ratio = max(1, 1/values[0])
	return r, nil
}

// apportion turns weights into whole counts that sum to n, by the efficient rounding of Pukelsheim and Rieder [PR92]
// (Biometrika 79, 763-770). Counts are ⌈νλ_i⌉ for one multiplier ν. It starts with ν = n - ℓ/2, where ℓ is the number
// of positive weights, and corrects single counts. Since Σ⌈νλ_i⌉ = n implies ν > n - ℓ,
//
//	counts_i ≥ (1 - ℓ/n) n λ_i
//
// So the information matrix, with the ridge, decreases by at most the factor 1 - ℓ/n, and the variance of every
// contrast increases by at most the factor n/(n - ℓ).
//
// Ties are decided by the larger weight, then by the lower index. The weights must sum to 1.
func apportion(weights []float64, n int) []int {
	counts := make([]int, len(weights))
	support := lists.Count(weights, func(w float64) bool { return w > 0 })
	total := 0
	for i, w := range weights {
		counts[i] = max(0, int(math.Ceil((float64(n)-float64(support)/2)*w)))
		total += counts[i]
	}
	for ; total < n; total++ {
		counts[extreme(weights, counts, 0, -1)]++
	}
	for ; total > n; total-- {
		counts[extreme(weights, counts, -1, 1)]--
	}
	return counts
}

// extreme returns the arm with the largest sign·(counts_i + shift)/λ_i among those whose count can change. Ties prefer the
// larger weight when counts increase (sign -1) and the smaller weight when they decrease.
func extreme(weights []float64, counts []int, shift int, sign float64) int {
	at, best := -1, math.Inf(-1)
	for i, w := range weights {
		if w <= 0 || counts[i]+shift < 0 {
			continue
		}
		v := sign * float64(counts[i]+shift) / w
		if v > best || (v == best && sign*(weights[at]-w) > 0) {
			at, best = i, v
		}
	}
	return at
}
