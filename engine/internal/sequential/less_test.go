package sequential

import (
	"fmt"
	"math"
	"testing"
)

// A walk whose increments have less variance than the clock says crosses no more often, however the
// variances are chosen from what went before, looks passed over included: noise scales may be upper
// bounds. By dynamic programming over S/√T on a grid; the full variance must be the best choice
// from every state.
func TestConstantHoldsForLessNoise(t *testing.T) {
	const growth, width, floor = 1.25, 0.04, -6.0
	looks := 60
	alphas := []float64{0.5, 0.1, 0.005}
	if testing.Short() {
		alphas, looks = alphas[1:2], 12
	}
	for _, alpha := range alphas {
		z, err := Constant(alpha, Geometric(growth, looks))
		if err != nil {
			t.Fatal(err)
		}
		nodes := int(math.Ceil((z - floor) / width))
		at := func(i int) float64 { return z - width*float64(nodes-i) }
		// value at the next state, given that S/√T is N(mean, sd²) there: crossing, or linear
		// between nodes.
		expect := func(mean, sd float64, value []float64) float64 {
			before := above((at(0) - mean) / sd)
			sum := (1 - before) * value[0]
			for i := range nodes {
				after := above((at(i+1) - mean) / sd)
				sum, before = sum+(before-after)*(value[i]+value[i+1])/2, after
			}
			return sum + before
		}
		values := [][]float64{make([]float64, nodes+1)} // by looks left
		gain, where := 0.0, ""
		for left := 1; left < looks; left++ {
			here := make([]float64, nodes+1)
			for i := range here {
				for _, jump := range []int{1, 3} {
					if jump > left {
						continue
					}
					ratio := math.Pow(growth, float64(jump))
					for _, share := range []float64{1, 0.7, 0.3, 0.05} {
						p := expect(at(i)/math.Sqrt(ratio), math.Sqrt(share*(1-1/ratio)), values[left-jump])
						if share == 1 && jump == 1 {
							here[i] = p
						} else if p-here[i] > gain {
							gain, where = p-here[i], fmt.Sprintf("%d looks left, S/√T = %.2f, %g of the variance", left, at(i), share)
						}
					}
				}
			}
			values = append(values, here)
		}
		if gain > 1e-12 {
			t.Errorf("alpha %g: less noise raises the probability by %g (%s)", alpha, gain, where)
		}
		if p := expect(0, 1, values[looks-1]); math.Abs(p/alpha-1) > 0.05 {
			t.Errorf("alpha %g: the grid has %g", alpha, p)
		}
	}
}
