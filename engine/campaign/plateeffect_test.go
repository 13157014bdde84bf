package campaign

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Without plate effects the p-value is uniform, unbalanced rounds included; with an effect of half a
// standard deviation it is small.
func TestPlateTestLevelAndPower(t *testing.T) {
	counts, taskOf := []int{9, 4, 7, 12, 3, 5, 11, 8}, []int{0, 0, 0, 0, 1, 1, 1, 1}
	const runs = 4000
	for _, c := range []struct {
		effect   float64
		from, to float64 // of rejections at 5 %
	}{
		// 5 % with three standard errors of 4,000 runs, sqrt(.05·.95/4000) = 0.34 %
		{0, 0.05 - 0.0103, 0.05 + 0.0103},
		{1, 0.9, 1},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		rejected := 0
		for run := range uint64(runs) {
			var arms, plates []int
			var values []float64
			effects := map[int]float64{}
			// 59 pulls on five plates, the last one not full
			for _, s := range worklist(counts, taskOf, 12, run) {
				if _, ok := effects[s.Plate]; !ok {
					effects[s.Plate] = c.effect * rng.NormFloat64()
				}
				arms, plates = append(arms, s.Arm), append(plates, s.Plate-1)
				values = append(values, float64(s.Arm)+effects[s.Plate]+rng.NormFloat64())
			}
			p, ok := plateP(arms, plates, 5, values)
			if !ok || math.IsNaN(p) {
				t.Fatalf("no test of run %d", run)
			}
			if p < 0.05 {
				rejected++
			}
		}
		if rate := float64(rejected) / runs; rate < c.from || rate > c.to {
			t.Errorf("plate effect of %g: %.4f rejected, want %.4f to %.4f", c.effect, rate, c.from, c.to)
		}
	}
}

// Two arms on two plates, by hand: values 1, 3 (plate 1) and 2, 6 (plate 2), arms a and b once on each.
// Plates differ by (8 - 4)/2 = 2, so SS = 4; within arms 0.5 + 4.5 = 5, rest 5 - 4 = 1 on one degree of
// freedom: F = 4, P(F(1,1) > 4) = 1 - (2/π) atan(2) = 0.2952.
func TestPlateTestByHand(t *testing.T) {
	p, ok := plateP([]int{0, 1, 0, 1}, []int{0, 0, 1, 1}, 2, []float64{1, 3, 2, 6})
	if want := 1 - 2/math.Pi*math.Atan(2); !ok || math.Abs(p-want) > 1e-12 {
		t.Errorf("p = %g, %v, want %g", p, ok, want)
	}
	if _, ok := plateP([]int{0, 1}, []int{0, 1}, 2, []float64{1, 2}); ok {
		t.Error("one pull of each arm leaves nothing to test")
	}
}
