package design

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Unrelated arms are solved in closed form: the value follows from the weights, and the certificate proves it by the formulas of
// Certificate.
func TestOrthogonal(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	n := sized(420, 220)
	m := n - 10 // ten arms have no feature, as beyond a cut
	for _, ridge := range []float64{0, 1e-3} {
		for _, groups := range [][][]int{{upTo(0, n)}, {upTo(0, n/2-10), upTo(n/2-10, n-20), {n - 20}}} {
			s := Space{Features: mat.NewDense(n, m, nil), Precision: make([]float64, n), Ridge: ridge}
			for i := range n {
				s.Precision[i] = math.Exp(rng.NormFloat64())
				if i < m {
					s.Features.Set(i, i, 1+rng.Float64())
				}
			}
			c := Contrasts{Groups: groups}
			d, err := Minimax(s, c, Options{})
			if err != nil || d.Iterations != 0 || d.Status != Optimal {
				t.Fatalf("ξ=%g: %d iterations, %s, %v", ridge, d.Iterations, d.Status, err)
			}
			if total := sum(d.Weights); math.Abs(total-1) > 1e-12 {
				t.Errorf("ξ=%g: the weights sum to %v", ridge, total)
			}
			value, _, err := MaxVariance(context.Background(), s, c, d.Weights)
			if err != nil || math.Abs(value/d.Value-1) > 1e-10 {
				t.Errorf("ξ=%g: value %v, computed %v, %v", ridge, d.Value, value, err)
			}
			if lower := provenBy(s, d.Certificate); math.Abs(lower/d.Value-1) > 1e-10 {
				t.Errorf("ξ=%g: value %v, its certificate proves %v", ridge, d.Value, lower)
			}
		}
	}
}

// An arm with more noise than all its rivals together uses the general method, which gives it a larger variance than theirs.
func TestOrthogonalUneven(t *testing.T) {
	const n = 402
	s := Space{Features: mat.NewDense(n, n, nil), Precision: make([]float64, n)}
	for i := range n {
		s.Features.Set(i, i, 1)
		s.Precision[i] = 1
	}
	s.Precision[0] = 1e-4
	if _, ok := orthogonal(s, Contrasts{Groups: [][]int{upTo(0, n)}}); ok {
		t.Error("solved in closed form")
	}
}

func upTo(from, to int) []int {
	out := make([]int, 0, to-from)
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out
}

// provenBy returns f²/(f - λ·g + G) for a diagonal A.
func provenBy(s Space, c Certificate) float64 {
	n, _ := s.Features.Dims()
	v, g := make([]float64, n), make([]float64, n)
	for i := range n {
		q := mat.Dot(s.Features.RowView(i), s.Features.RowView(i))
		if q > 0 {
			v[i] = q / (s.Ridge + c.Weights[i]*s.Precision[i]*q)
		}
	}
	f, total := 0.0, 0.0
	for k, q := range c.Pairs {
		f += c.Dual[k] * (v[q.I] + v[q.J])
		g[q.I] += c.Dual[k] * v[q.I] * v[q.I] * s.Precision[q.I]
		g[q.J] += c.Dual[k] * v[q.J] * v[q.J] * s.Precision[q.J]
		total += c.Dual[k]
	}
	most := 0.0
	for _, x := range g {
		most = max(most, x)
	}
	return f * f / (f - dot(c.Weights, g) + most) / total
}
