package model

import (
	"math"
	"testing"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// Arms that features cannot distinguish get the features of the first of them; arms farther apart are unchanged, bit for bit.
func TestSnap(t *testing.T) {
	smooth := kernels.Joint{Terms: []kernels.Term{{Scale: 7, Task: kernels.Constant{Value: 1}, Arm: kernels.RBF{}}}}
	// Under rbf(1) points at distance d are √(2 - 2exp(-d²/2)) ≈ d apart, in units of √7.
	rows := [][]float64{{0}, {1}, {2}, {1 + 3e-7}, {1 - 5e-7}, {2 + 1e-4}, {0}}
	m := model(t, onFeatures(t, smooth, rows, nil))
	for i, want := range []int{0, 1, 2, 1, 1, 5, 0} {
		for j := range rows {
			if same := m.Relations().Same(i, j); same != (want == []int{0, 1, 2, 1, 1, 5, 0}[j]) {
				t.Errorf("arms at %g and %g: same is %v", rows[i], rows[j], same)
			}
		}
	}
	for i := range rows {
		for j := range rows {
			got := m.Scale * Dot(m.Features.RawRowView(i), m.Features.RawRowView(j))
			d := rows[i][0] - rows[j][0]
			if want := 7 * math.Exp(-d*d/2); math.Abs(got-want) > 2e-6*7 {
				t.Errorf("k(%g, %g) is %g to the features, %g to the kernel", rows[i], rows[j], got, want)
			}
		}
	}
}
