package design

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
)

// hardInstance draws instances that broke solvers of this problem: subsets of pairs, duplicates, decided tasks with a singular block at
// the optimum, weights of 2500:1, unequal precisions.
func hardInstance(r *rand.Rand) (s Space, c Contrasts) {
	ridge := []float64{0, 1e-9, 1e-4, 1e-2}[r.IntN(4)]
	s, c = paperCase(paperKinds[r.IntN(3)], ridge)
	switch r.IntN(4) {
	case 0:
		c = Contrasts{}
		for range 1 + r.IntN(20) {
			v := 6 * r.IntN(5)
			c.Pairs = append(c.Pairs, Pair{I: v + r.IntN(6), J: v + r.IntN(6), Weight: 1})
		}
	case 1:
		n, m := s.Features.Dims()
		x := mat.NewDense(n+15, m, nil)
		for i := range n + 15 {
			from := i
			if i >= n {
				from = r.IntN(n)
			}
			x.SetRow(i, s.Features.RawRowView(from))
		}
		s.Features, c = x, Contrasts{}
		for range 3 {
			c.Groups = append(c.Groups, r.Perm(n + 15)[:2+r.IntN(10)])
		}
	case 2:
		c.Groups = c.Groups[:1+r.IntN(4)]
		for k, g := range c.Groups {
			c.Groups[k] = g[:1+r.IntN(6)]
		}
		s.Precision = make([]float64, 30)
		for i := range s.Precision {
			s.Precision[i] = math.Exp(4*r.Float64() - 2)
		}
	case 3:
		n, d := 6+r.IntN(25), 2+r.IntN(6)
		s = Space{Features: gaussianArms(n, d, r.Uint64()), Ridge: ridge}
		c = Contrasts{}
		for i := 1; i < n; i++ {
			gap := max(0.02, math.Abs(r.NormFloat64()))
			c.Pairs = append(c.Pairs, Pair{I: 0, J: i, Weight: 1 / (gap * gap)})
		}
	}
	return s, c
}

// Hard instances reach 1e-8, and the value equals MaxVariance, which uses only the support of the weights.
func TestHardInstances(t *testing.T) {
	seeds := uint64(enginetest.Number(1000, 200))
	for seed := range seeds {
		s, c := hardInstance(rand.New(rand.NewPCG(seed, 5)))
		d, err := Minimax(s, c, Options{Tolerance: 1e-8})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if d.Status == Trivial {
			continue
		}
		if d.Status != Optimal || d.DualityGap() > 1e-8 {
			t.Errorf("seed %d: %v after %d iterations, gap %.2g", seed, d.Status, d.Iterations, d.DualityGap())
		}
		if v, _, err := MaxVariance(context.Background(), s, c, d.Weights); err != nil || math.Abs(v/d.Value-1) > 1e-8 {
			t.Errorf("seed %d: value %v, of the weights %v (%v)", seed, d.Value, v, err)
		}
	}
}
