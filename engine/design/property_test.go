package design

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// drawInstance draws a small problem whose explicit inverses are accurate.
func drawInstance(t *rapid.T) (Space, Contrasts) {
	n, d := rapid.IntRange(2, 12).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "d")
	s := Space{Features: gaussianArms(n, d, rapid.Uint64().Draw(t, "seed"))}
	s.Ridge = rapid.SampledFrom([]float64{1e-6, 1e-3, 1}).Draw(t, "ridge")
	if rapid.Bool().Draw(t, "unequal") {
		s.Precision = rapid.SliceOfN(rapid.Float64Range(0.1, 10), n, n).Draw(t, "precision")
	}
	c := Contrasts{}
	half := 1 + n/2
	c.Groups = append(c.Groups, all(n)[:half])
	for i := half; i < n; i++ {
		c.Pairs = append(c.Pairs, Pair{I: i, J: i - 1, Weight: rapid.Float64Range(0.1, 100).Draw(t, "weight")})
	}
	return s, c
}

func solved(t *rapid.T, s Space, c Contrasts) Design {
	d, err := Minimax(s, c, Options{Tolerance: 1e-8})
	if err != nil || (d.Status != Optimal && d.Status != Trivial) {
		t.Fatal(d.Status, d.DualityGap(), err)
	}
	return d
}

// below reports a < b by more than rounding: if every allocation is optimal, values and bounds agree to the last digits.
func below(a, b float64) bool { return a < b*(1-1e-12) }

func near(t *rapid.T, what string, got, want float64) {
	if math.Abs(got-want) > 2e-8*math.Abs(want) { // both carry a gap of 1e-8
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
}

// No allocation is below the lower bound, and certificates have their stated value.
func TestLowerBoundHolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, c := drawInstance(rt)
		d := solved(rt, s, c)
		if d.Status == Trivial {
			return
		}
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "weights"), 0))
		lambda := make([]float64, len(d.Weights))
		for i := range lambda {
			// A random point between the optimum and a random allocation.
			lambda[i] = d.Weights[i] + math.Pow(r.Float64(), 4)*r.ExpFloat64()
		}
		scale(1/sum(lambda), lambda)
		if v, _, err := MaxVariance(context.Background(), s, c, lambda); err != nil || below(v, d.Lower) {
			rt.Fatalf("value %v (%v) below the lower bound %v", v, err, d.Lower)
		}
		recheck(t, s, c, d, 1e-6)
	})
}

// Laws of the optimal value under scaling of features, weights and precision.
func TestScalingLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, c := drawInstance(rt)
		d := solved(rt, s, c)
		f := rapid.Float64Range(0.01, 100).Draw(rt, "factor")

		features := mat.DenseCopyOf(s.Features)
		features.Scale(f, features)
		near(rt, "features × f, ridge × f²", solved(rt, Space{features, s.Precision, s.Ridge * f * f}, c).Value, d.Value)

		precision := make([]float64, len(d.Weights))
		for i := range precision {
			precision[i] = f
			if s.Precision != nil {
				precision[i] *= s.Precision[i]
			}
		}
		near(rt, "precision and ridge × f", solved(rt, Space{s.Features, precision, s.Ridge * f}, c).Value, d.Value/f)

		heavier := Contrasts{}
		for _, p := range allPairs(c) {
			p.Weight *= f
			heavier.Pairs = append(heavier.Pairs, p)
		}
		near(rt, "weights × f, groups spelled out", solved(rt, s, heavier).Value, f*d.Value)
	})
}

// Renaming or duplicating arms changes no value.
func TestPermutationAndDuplicates(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, c := drawInstance(rt)
		d := solved(rt, s, c)
		n, m := s.Features.Dims()
		to := rapid.Permutation(all(n)).Draw(rt, "to")
		p := Space{Features: mat.NewDense(n+1, m, nil), Ridge: s.Ridge}
		if s.Precision != nil {
			p.Precision = make([]float64, n+1)
		}
		place := func(from, at int) {
			p.Features.SetRow(at, s.Features.RawRowView(from))
			if s.Precision != nil {
				p.Precision[at] = s.Precision[from]
			}
		}
		for i := range n {
			place(i, to[i])
		}
		twin := rapid.IntRange(0, n-1).Draw(rt, "twin")
		place(twin, n)
		var q Contrasts
		for _, g := range c.Groups {
			renamed := []int{}
			for _, i := range g {
				renamed = append(renamed, to[i])
				if i == twin {
					renamed = append(renamed, n)
				}
			}
			q.Groups = append(q.Groups, renamed)
		}
		for _, pair := range c.Pairs {
			q.Pairs = append(q.Pairs, Pair{I: to[pair.I], J: to[pair.J], Weight: pair.Weight})
		}
		near(rt, "renamed", solved(rt, p, q).Value, d.Value)
	})
}

// Fewer contrasts, or a larger ridge, never increase the value.
func TestMonotone(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, c := drawInstance(rt)
		d := solved(rt, s, c)
		fewer := Contrasts{Groups: [][]int{c.Groups[0][:len(c.Groups[0])-1]}, Pairs: c.Pairs}
		if e := solved(rt, s, fewer); below(d.Value, e.Lower) {
			rt.Fatalf("without an arm in the group: %v, with it %v", e.Lower, d.Value)
		}
		s.Ridge *= 2
		if e := solved(rt, s, c); below(d.Value, e.Lower) {
			rt.Fatalf("twice the ridge: %v, before %v", e.Lower, d.Value)
		}
	})
}
