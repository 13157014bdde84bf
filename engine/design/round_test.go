package design

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

func total(counts []int) int {
	n := 0
	for _, k := range counts {
		n += k
	}
	return n
}

// Counts sum to n, follow the efficient rounding's bound (1-ℓ/n) n λ_i from below
// and stay within ℓ of n λ_i.
func TestApportion(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		lambda := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 40).Draw(rt, "weights")
		for i := range lambda {
			if lambda[i] < 0.2 {
				lambda[i] = 0
			}
		}
		lambda[0] += 1e-6
		scale(1/sum(lambda), lambda)
		n := rapid.OneOf(rapid.IntRange(1, 100), rapid.IntRange(1, 10_000_000)).Draw(rt, "n")
		counts := apportion(lambda, n)
		support := 0.0
		for _, l := range lambda {
			if l > 0 {
				support++
			}
		}
		if got := total(counts); got != n {
			rt.Fatalf("counts sum to %d, want %d", got, n)
		}
		for i, k := range counts {
			exact := float64(n) * lambda[i]
			if float64(k) < (1-support/float64(n))*exact-1e-6 || math.Abs(float64(k)-exact) > support || (lambda[i] == 0 && k > 0) {
				rt.Fatalf("arm %d: %d pulls for n λ = %v, ℓ = %v", i, k, exact, support)
			}
		}
	})
}

// Worked by hand. Weights 1/2, 1/3, 1/6 and n = 4: ν = 4 - 3/2 gives ⌈1.25⌉,
// ⌈0.83⌉, ⌈0.42⌉ = 2, 1, 1. Equal weights: ties to the lowest index.
func TestApportionByHand(t *testing.T) {
	for _, tc := range []struct {
		lambda []float64
		n      int
		want   []int
	}{
		{[]float64{1. / 2, 1. / 3, 1. / 6}, 4, []int{2, 1, 1}},
		{[]float64{0.25, 0.25, 0.25, 0.25}, 6, []int{2, 2, 1, 1}},
		{[]float64{0.25, 0.25, 0.25, 0.25}, 2, []int{1, 1, 0, 0}},
		{[]float64{0.2, 0, 0.8}, 1, []int{0, 0, 1}},
	} {
		if got := apportion(tc.lambda, tc.n); !slices.Equal(got, tc.want) {
			t.Errorf("apportion(%v, %d) = %v, want %v", tc.lambda, tc.n, got, tc.want)
		}
	}
}

// slowRatio recomputes the rounding ratio with explicit inverses.
func slowRatio(t *testing.T, s Space, c Contrasts, lambda []float64, counts []int) float64 {
	n := float64(total(counts))
	rounded := make([]float64, len(counts))
	for i, k := range counts {
		rounded[i] = float64(k) / n
	}
	return slowValue(t, s, c, rounded) / slowValue(t, s, c, lambda)
}

// From Samples(…) pulls on the bound is met, at 10⁷ pulls the ratio is 1 to six
// digits; the ratio reported is the true one at every n.
func TestRound(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 9))
		n := 6 + r.IntN(20)
		s := Space{Features: gaussianArms(n, 3, seed), Ridge: []float64{1e-6, 1e-2}[r.IntN(2)]}
		if seed%3 == 0 {
			s.Precision = make([]float64, n)
			for i := range s.Precision {
				s.Precision[i] = 0.5 + r.Float64()
			}
		}
		c := Contrasts{Groups: [][]int{all(n)}}
		d := try.Of(Minimax(s, c, Options{}))
		for _, pulls := range []int{Samples(d.Weights, 0.1), 100, 10_000_000} {
			a, err := Round(context.Background(), s, c, d.Weights, pulls, 0.1)
			if err != nil || total(a.Counts) != pulls || a.Ratio > 2.2 {
				t.Errorf("seed %d, n=%d: sum %d, ratio %v, %v", seed, pulls, total(a.Counts), a.Ratio, err)
			}
			if want := slowRatio(t, s, c, d.Weights, a.Counts); math.Abs(a.Ratio/want-1) > 1e-7 {
				t.Errorf("seed %d, n=%d: ratio %v, recomputed %v", seed, pulls, a.Ratio, want)
			}
			if pulls > 1e6 && math.Abs(a.Ratio-1) > 1e-5 {
				t.Errorf("seed %d: ratio %v at %d pulls", seed, a.Ratio, pulls)
			}
			if b, _ := Round(context.Background(), s, c, d.Weights, pulls, 0.1); !slices.Equal(a.Counts, b.Counts) {
				t.Errorf("seed %d: two roundings differ", seed)
			}
		}
	}
}

// ⌈ℓ · 2(1+ε)/(1+2ε)⌉ for ℓ = 30 and ε = 1/10: 30 · 2.2/1.2.
func TestSamples(t *testing.T) {
	weights := make([]float64, 40)
	for i := range 30 {
		weights[i] = 1. / 30
	}
	if got := Samples(weights, 0.1); got != 55 {
		t.Errorf("%d, want 55", got)
	}
}

func TestTooFewPulls(t *testing.T) {
	s, c := paperCase(paperKinds[2], 0)
	d, err := Minimax(s, c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	// rank 20 cannot be measured by 7 pulls
	r, err := Round(context.Background(), s, c, d.Weights, 7, 0.1)
	var few *RatioError
	if !errors.As(err, &few) || !math.IsInf(few.Ratio, 1) || few.Pulls != 7 || few.Limit != 2.2 {
		t.Errorf("error %v", err)
	}
	if total(r.Counts) != 7 {
		t.Errorf("no partial result: %v", r.Counts)
	}
}

// Nothing to decide: any rounding is as good as the allocation.
func TestRoundTrivial(t *testing.T) {
	s := Space{Features: mat.NewDense(2, 1, []float64{1, 1})}
	r, err := Round(context.Background(), s, Contrasts{Groups: [][]int{{0, 1}}}, []float64{0.5, 0.5}, 3, 0.1)
	if err != nil || r.Ratio != 1 || total(r.Counts) != 3 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Orthogonal arms of squared lengths 1, 2, 3 under uniform weights: eigenvalues
// 1/3, 2/3 and 1.
func TestEffectiveRank(t *testing.T) {
	x := mat.NewDense(3, 4, nil)
	for i := range 3 {
		x.Set(i, i, math.Sqrt(float64(i+1)))
	}
	for _, tc := range []struct {
		ridge float64
		want  int
	}{{0, 3}, {0.3, 3}, {0.5, 2}, {0.9, 1}, {2, 0}} {
		if got, err := EffectiveRank(context.Background(), Space{Features: x, Ridge: tc.ridge}, uniform(3)); err != nil || got != tc.want {
			t.Errorf("ξ=%v: %d, want %d", tc.ridge, got, tc.want)
		}
	}
}

// MaxVariance by hand: arms e_1, e_2, weights ¼ and ¾: ‖e_1-e_2‖² = 4 + 4/3. With
// arm 2 unmeasured the contrast is not estimable at ξ = 0, and 1/(1+ξ) + 1/ξ else.
func TestMaxVariance(t *testing.T) {
	s := Space{Features: mat.NewDense(2, 2, []float64{1, 0, 0, 1})}
	c := Contrasts{Groups: [][]int{{0, 1}}}
	if v, at, err := MaxVariance(context.Background(), s, c, []float64{0.25, 0.75}); err != nil || math.Abs(v-16./3) > 1e-12 || at.I+at.J != 1 {
		t.Errorf("%v at %v, %v; want 16/3", v, at, err)
	}
	if v, _, err := MaxVariance(context.Background(), s, c, []float64{1, 0}); !errors.Is(err, ErrUnestimable) || !math.IsInf(v, 1) {
		t.Errorf("unmeasured arm: %v, %v", v, err)
	}
	s.Ridge = 0.25
	if v, _, err := MaxVariance(context.Background(), s, c, []float64{1, 0}); err != nil || math.Abs(v-(0.8+4)) > 1e-12 {
		t.Errorf("unmeasured arm with a ridge: %v, %v; want 4.8", v, err)
	}
}
