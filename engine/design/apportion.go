package design

import "math"

// apportion turns weights into whole counts that sum to n by the efficient rounding of Pukelsheim
// and Rieder [PR92] (Biometrika 79, 763-770): counts are ⌈νλ_i⌉ for one multiplier ν, found from ν
// = n - ℓ/2 by single corrections, where ℓ is the number of positive weights. Since Σ⌈νλ_i⌉ = n
// forces ν > n - ℓ,
//
//	counts_i ≥ (1 - ℓ/n) n λ_i,
//
// so the information matrix, ridge included, loses at most the factor 1 - ℓ/n and
// the variance of every contrast grows by at most n/(n - ℓ).
//
// Ties go to the larger weight, then to the lower index. The weights must sum to 1.
func apportion(weights []float64, n int) []int {
	counts := make([]int, len(weights))
	support := 0
	for _, w := range weights {
		if w > 0 {
			support++
		}
	}
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

// extreme returns the arm, among those whose count can change, with the largest
// sign·(counts_i + shift)/λ_i; ties prefer the larger weight when counting up
// (sign -1) and the smaller one when counting down.
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
