package answer

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// quantile equals the quantile of sorted numbers, also with ties.
func TestQuantile(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for _, n := range []int{1, 2, 3, 10, 39, 40, 41, 1000} {
		for _, ties := range []bool{false, true} {
			x := make([]float64, n)
			for i := range x {
				if x[i] = rng.NormFloat64(); ties {
					x[i] = float64(rng.IntN(3))
				}
			}
			sorted := slices.Sorted(slices.Values(x))
			for _, p := range []float64{0.025, 0.3, 0.5, 0.975, 1} {
				want := stat.Quantile(p, stat.LinInterp, sorted, nil)
				if got := quantile(x, p); got != want {
					t.Errorf("n=%d, p=%g: %g, want %g", n, p, got, want)
				}
			}
		}
	}
}
