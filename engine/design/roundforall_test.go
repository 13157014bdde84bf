package design

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The ratio is the largest over all contrasts: no contrast has a larger one, and the best of many random
// ones nearly has it.
func TestRoundForAll(t *testing.T) {
	s := Space{Features: gaussianArms(30, 6, 5), Ridge: 1e-2, Precision: make([]float64, 30)}
	weights := make([]float64, 30)
	for i := range weights {
		s.Precision[i] = 1 + float64(i%3)
		if i%2 == 0 {
			weights[i] = float64(1 + i%5)
		}
	}
	scale(1/sum(weights), weights)
	for _, n := range []int{5, 20, 100, 1000} {
		r := try.Of(RoundForAll(t.Context(), s, weights, n))
		total := 0
		shares := make([]float64, len(weights))
		for i, c := range r.Counts {
			total += c
			shares[i] = float64(c) / float64(n)
		}
		if total != n {
			t.Errorf("%d pulls in place of %d", total, n)
		}
		before, after := inverseInformation(t, s, weights), inverseInformation(t, s, shares)
		y, next := mat.NewVecDense(6, []float64{1, 2, -1, 3, 0.5, 1}), new(mat.VecDense)
		for range 5000 { // power iteration for A(counts/n)⁻¹ relative to A(λ)⁻¹
			var inverse mat.Dense
			try.To(inverse.Inverse(before))
			next.MulVec(after, y)
			y.MulVec(&inverse, next)
			y.ScaleVec(1/mat.Norm(y, 2), y)
		}
		largest := mat.Inner(y, after, y) / mat.Inner(y, before, y)
		if want := max(1, largest); math.Abs(r.Ratio/want-1) > 1e-6 {
			t.Errorf("%d pulls: ratio %.9g, by power iteration %.9g", n, r.Ratio, want)
		}
	}
}
