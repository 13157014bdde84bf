package kernels

import (
	"math"
	"testing"
)

// Own is what can be taken off the diagonal of a joint kernel: by hand, and so that the rest stays a kernel.
func TestOwn(t *testing.T) {
	smooth, own := RBF{Lengthscale: []float64{0.5}}, Identity{}
	for _, c := range []struct {
		name  string
		k     Joint
		tasks int
		want  float64
	}{
		{"identity of both", Joint{Terms: []Term{{Scale: 2, Task: own, Arm: own}}}, 3, 2},
		{"beside a smooth one", Joint{Terms: []Term{{Scale: 1, Arm: smooth}, {Scale: 0.5, Task: own, Arm: own}}}, 3, 0.5},
		{"of arms alone, several tasks", Joint{Terms: []Term{{Scale: 1, Arm: own}}}, 3, 0},
		{"of arms alone, one task", Joint{Terms: []Term{{Scale: 1, Arm: own}}}, 1, 1},
		{"sums in both", Joint{Terms: []Term{{Scale: 3, Task: Add(Constant{1}, own), Arm: Add(smooth, Scaled{2, own})}}}, 3, 6},
		{"a product that has it", Joint{Terms: []Term{{Scale: 1, Task: own, Arm: Product{[]Kernel{Add(Constant{2}, own), Add(Constant{3}, own)}}}}}, 3, 6},
		{"a product that has it by one factor", Joint{Terms: []Term{{Scale: 1, Task: own, Arm: Product{[]Kernel{Constant{2}, own}}}}}, 3, 2},
		{"a power", Joint{Terms: []Term{{Scale: 1, Task: own, Arm: Power{Add(Constant{1}, own), 2}}}}, 3, 3},
		{"smooth", Joint{Terms: []Term{{Scale: 1, Task: own, Arm: smooth}}}, 3, 0},
	} {
		if got := Own(c.k, c.tasks); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
