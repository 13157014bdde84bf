package design

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The largest variance of all pairs against explicit inverses: arms along a curve, random arms, clusters, and copies.
func TestMaxVarianceOfManyArms(t *testing.T) {
	const n, dim = 300, 4
	r := rand.New(rand.NewPCG(5, 6))
	for name, feature := range map[string]func(i, k int) float64{
		"curve":    func(i, k int) float64 { return math.Cos(float64(k+1) * float64(i) / n * math.Pi) },
		"random":   func(int, int) float64 { return r.NormFloat64() },
		"clusters": func(i, k int) float64 { return math.Sin(float64(i%7*(k+1))) + 1e-3*r.NormFloat64() },
		"copies":   func(i, k int) float64 { return math.Sin(float64(i % 40 * (k + 2))) },
	} {
		s := Space{Features: mat.NewDense(n, dim, nil), Ridge: 1e-3}
		for i := range n {
			for k := range dim {
				s.Features.Set(i, k, feature(i, k))
			}
		}
		c := Contrasts{Groups: [][]int{all(n)[:n/2], all(n)[n/3:]}}
		weights := make([]float64, n)
		for i := range weights {
			weights[i] = r.ExpFloat64()
		}
		scale(1/sum(weights), weights)
		v, at, err := MaxVariance(context.Background(), s, c, weights)
		want := slowValue(t, s, c, weights)
		own := slowValue(t, s, Contrasts{Pairs: []Pair{at}}, weights)
		if err != nil || math.Abs(v/want-1) > 1e-9 || math.Abs(own/want-1) > 1e-9 {
			t.Errorf("%s: %v at %v (%v), want %v; this pair has %v", name, v, at, err, want, own)
		}
	}
}

// A sample of arms and contrasts starts the search. Both bounds are recomputed over all of them.
func TestSample(t *testing.T) {
	s, groups := rbfArms(2, 300, 2, 8, 0.5, 3)
	s.Ridge = 1e-3
	r := rand.New(rand.NewPCG(1, 1))
	pairs := make([]Pair, 500)
	for k := range pairs {
		pairs[k] = Pair{k % 3, 3 + r.IntN(597), 0.5 + r.Float64()}
	}
	for name, c := range map[string]Contrasts{"groups": groups, "pairs": {Pairs: pairs}, "both": {Groups: groups.Groups, Pairs: pairs},
		"small groups": {Groups: slices.Collect(slices.Chunk(all(600), 6))}} {
		p, err := newProblem(stopper{}, s, c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if d, sample := p.sample(Options{}); len(sample) > 300 || d.Status != Optimal {
			t.Errorf("%s: sample of %d arms: %v", name, len(sample), d.Status)
		}
		d, err := Minimax(s, c, Options{Tolerance: 1e-5})
		if err != nil || d.Status != Optimal || d.DualityGap() > 1e-5 {
			t.Fatal(name, d.Status, d.DualityGap(), err)
		}
		recheck(t, s, c, d, 1e-7)
	}
}
