package sequential

import (
	"fmt"
	"math"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A walk whose increments have less variance than the clock says crosses no more often, however the
// variances are chosen from what went before, and however long the steps are: noise scales may be upper
// bounds. By dynamic programming over S/√T on a grid; the full variance must be the best choice
// from every state. Heights are as in CoTestFC.
func TestHeightsHoldForLessNoise(t *testing.T) {
	const growth, width, floor = 1.25, 0.04, -6.0
	looks, late := 60, 50
	alphas := []float64{0.5, 0.1, 0.005}
	if testing.Short() {
		alphas, looks, late = alphas[1:2], 12, 9
	}
	for _, alpha := range alphas {
		z := try.Of(Heights(alpha, Geometric(growth, looks), late, 0.05))
		nodes := func(k int) int { return int(math.Ceil((z[k] - floor) / width)) }
		at := func(k, i int) float64 { return z[k] - width*float64(nodes(k)-i) }
		values := make([][]float64, looks)
		// value at look k, given that S/√T is N(mean, sd²) there: crossing, or linear between nodes.
		expect := func(k int, mean, sd float64) float64 {
			value, before := values[k], above((at(k, 0)-mean)/sd)
			sum := (1 - before) * value[0]
			for i := range nodes(k) {
				after := above((at(k, i+1) - mean) / sd)
				sum, before = sum+(before-after)*(value[i]+value[i+1])/2, after
			}
			return sum + before
		}
		gain, where := 0.0, ""
		for k := looks - 1; k >= 0; k-- {
			here := make([]float64, nodes(k)+1)
			for i := range here {
				for _, jump := range []int{1, 3} {
					if k+jump >= looks {
						continue
					}
					ratio := math.Pow(growth, float64(jump))
					for _, share := range []float64{1, 0.7, 0.3, 0.05} {
						p := expect(k+jump, at(k, i)/math.Sqrt(ratio), math.Sqrt(share*(1-1/ratio)))
						if share == 1 && jump == 1 {
							here[i] = p
						} else if p-here[i] > gain {
							gain, where = p-here[i], fmt.Sprintf("after look %d, S/√T = %.2f, %g of the variance", k, at(k, i), share)
						}
					}
				}
			}
			values[k] = here
		}
		if gain > 1e-12 {
			t.Errorf("alpha %g: less noise raises the probability by %g (%s)", alpha, gain, where)
		}
		if p := expect(0, 0, 1); p > 1.05*alpha || p < 0.85*alpha {
			t.Errorf("alpha %g: the grid has %g", alpha, p)
		}
	}
}
