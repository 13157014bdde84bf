package design

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// rbfArms returns tasks·n arms: random points of [0,1]^d per task and the rank-r
// pivoted Cholesky factor of exp(-‖x-y‖²/2ℓ²) over them, blocks of one factor per
// task similarity exp(-(v-w)²/2).
func rbfArms(tasks, n, d, rank int, lengthscale float64, seed uint64) (Space, Contrasts) {
	r := rand.New(rand.NewPCG(seed, 7))
	points := make([][]float64, tasks*n)
	for i := range points {
		points[i] = make([]float64, d)
		for j := range points[i] {
			points[i][j] = r.Float64()
		}
	}
	kernel := func(i, j int) float64 {
		s := 0.0
		for k, v := range points[i] {
			v -= points[j][k]
			s += v * v
		}
		dv := float64(i/n - j/n)
		return math.Exp(-s/(2*lengthscale*lengthscale)) * math.Exp(-dv*dv/2)
	}
	x := mat.NewDense(len(points), rank, nil)
	left := make([]float64, len(points))
	for i := range left {
		left[i] = 1
	}
	for k := range rank {
		p := 0
		for i, v := range left {
			if v > left[p] {
				p = i
			}
		}
		root := math.Sqrt(left[p])
		pivot := append([]float64(nil), x.RawRowView(p)[:k]...)
		for i := range points {
			c := (kernel(i, p) - dot(x.RawRowView(i)[:k], pivot)) / root
			x.Set(i, k, c)
			left[i] = max(left[i]-c*c, 0)
		}
	}
	c := Contrasts{}
	for v := range tasks {
		g := make([]int, n)
		for i := range g {
			g[i] = v*n + i
		}
		c.Groups = append(c.Groups, g)
	}
	return Space{Features: x, Ridge: 1e-6}, c
}

func benchMinimax(b *testing.B, s Space, c Contrasts, tol float64) {
	var d Design
	var err error
	b.ReportAllocs()
	for b.Loop() {
		if d, err = Minimax(s, c, Options{Tolerance: tol}); err != nil || d.Status != Optimal {
			b.Fatal(d.Status, d.DualityGap(), err)
		}
	}
	b.ReportMetric(d.DualityGap(), "gap")
	b.ReportMetric(float64(d.Iterations), "iterations")
}

func BenchmarkMinimax(b *testing.B) {
	b.Run("n=200", func(b *testing.B) {
		benchMinimax(b, Space{Features: gaussianArms(200, 20, 1)}, Contrasts{Groups: [][]int{all(200)}}, 1e-4)
	})
	for _, l := range []float64{0.3, 0.6, 1} {
		b.Run(fmt.Sprintf("n=10000/lengthscale=%v", l), func(b *testing.B) {
			s, c := rbfArms(5, 2000, 4, 64, l, 1)
			benchMinimax(b, s, c, 1e-3)
		})
	}
	for k, kinds := range paperKinds {
		s, c := paperCase(kinds, 1e-6)
		b.Run(fmt.Sprintf("n=30/case=%d/rho_1", k+1), func(b *testing.B) { benchMinimax(b, s, c, 1e-8) })
		b.Run(fmt.Sprintf("n=30/case=%d/rho_star", k+1), func(b *testing.B) { benchMinimax(b, s, paperRivals(s, 0.1), 1e-8) })
	}
}
