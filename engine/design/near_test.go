package design

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// Contrasts of few arms: solved near them, the bounds are those over all arms,
// recomputed by explicit inverses, and agree with a solve in the whole span.
func TestNearby(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	sizes := []int{2, 5, 12, 30}
	if testing.Short() {
		sizes = sizes[1:2]
	}
	for _, ridge := range []float64{1e-3, 0.1, 3} {
		for _, size := range sizes {
			t.Run(fmt.Sprintf("ridge=%g/size=%d", ridge, size), func(t *testing.T) {
				s, c := rbfArms(3, 40, 3, 60, 0.5, uint64(size))
				s.Ridge = ridge
				s.Precision = make([]float64, 120)
				for i := range s.Precision {
					s.Precision[i] = 0.5 + 3*r.Float64()
				}
				c.Groups = [][]int{c.Groups[0][:size/2+1], c.Groups[2][:(size+1)/2]}
				if nearby(s, c) == nil {
					t.Fatal("not restricted")
				}
				d, err := Minimax(s, c, Options{Tolerance: 1e-7})
				if err != nil || d.Status != Optimal || d.DualityGap() > 1e-7 {
					t.Fatal(d.Status, d.DualityGap(), err)
				}
				recheck(t, s, c, d, 1e-8)
				whole := wholeSpan(t, s, c, 1e-7)
				if math.Abs(d.Value/whole.Value-1) > 2e-7 {
					t.Errorf("value %v, in the whole span %v", d.Value, whole.Value)
				}
				for _, factor := range []float64{0.5, 0.99, 1.01, 2} {
					part, err := Minimax(s, c, Options{Tolerance: 1e-7, Threshold: factor * whole.Value})
					if err != nil || (part.Value > factor*whole.Value) != (factor < 1) || part.Lower > whole.Value {
						t.Errorf("threshold %g of the value: value %v, lower %v, %v", factor, part.Value/whole.Value, part.Lower/whole.Value, err)
					}
				}
			})
		}
	}
}

// wholeSpan solves without restriction: an explicit contrast of each arm with
// itself is one of all arms, and zero.
func wholeSpan(t *testing.T, s Space, c Contrasts, tolerance float64) Design {
	t.Helper()
	n, _ := s.Features.Dims()
	for i := range n {
		c.Pairs = append(c.Pairs, Pair{I: i, J: i, Weight: 1})
	}
	if near := nearby(s, c); near != nil {
		t.Fatal("restricted")
	}
	d, err := Minimax(s, c, Options{Tolerance: tolerance})
	if err != nil || d.Status != Optimal {
		t.Fatal(d.Status, err)
	}
	return d
}

// Arms that no contrast concerns can measure best: the one that measures the
// contrast of two noisy arms alone joins them.
func TestNearbyWidens(t *testing.T) {
	s, c := rbfArms(1, 100, 3, 60, 0.5, 9)
	s.Ridge = 1e-2
	s.Precision = make([]float64, 100)
	for i := range s.Precision {
		s.Precision[i] = 1
	}
	s.Precision[0], s.Precision[1] = 1e-3, 1e-3
	c.Groups = [][]int{{0, 1}}
	d, err := Minimax(s, c, Options{Tolerance: 1e-7})
	if err != nil || d.Status != Optimal {
		t.Fatal(d.Status, err)
	}
	recheck(t, s, c, d, 1e-8)
	if outside := 1 - d.Weights[0] - d.Weights[1]; outside < 0.5 {
		t.Errorf("arms that measure a thousand times better have weight %v", outside)
	}
}
