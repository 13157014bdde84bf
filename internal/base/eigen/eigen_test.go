package eigen_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/eigen"
	"github.com/gonb-cope/gonb-cope/internal/base/ending"
)

// random returns a symmetric matrix of rank at most r, with entries of the order of scale.
func random(n, r int, scale float64) *mat.SymDense {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(r)))
	x := mat.NewDense(n, r, nil)
	for i := range n {
		for j := range r {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	a := mat.NewSymDense(n, nil)
	a.SymOuterK(scale, x)
	return a
}

// The decomposition is one: A V = V Λ, VᵀV = I, Λ ascending and the values alone the same, to
// rounding; small orders and large, full rank and low, entries from 1e-300 to 1e300.
func TestDecompose(t *testing.T) {
	sizes := []int{1, 2, 40, 257}
	if !testing.Short() {
		sizes = append(sizes, 256, 400)
	}
	for _, n := range sizes {
		for _, r := range []int{n, (n + 2) / 3} {
			for _, scale := range []float64{1, 1e-150, 1e-290, 1e290} {
				if n > 40 && scale != 1 && r == n {
					continue
				}
				if testing.Short() && n > 40 && scale != 1 && scale != 1e-290 {
					continue
				}
				check(t, n, random(n, r, scale))
			}
		}
	}
}

func check(t *testing.T, n int, a *mat.SymDense) {
	t.Helper()
	values, v, err := eigen.Decompose(context.Background(), a)
	if err != nil {
		t.Fatalf("n=%d: %v", n, err)
	}
	alone, err := eigen.Values(context.Background(), a)
	if err != nil {
		t.Fatalf("n=%d: %v", n, err)
	}
	largest := max(math.Abs(values[0]), math.Abs(values[n-1]))
	tol := 1e-13 * float64(n) // relative to the largest eigenvalue: rounding of n operations
	var av, vv mat.Dense
	av.Mul(a, v)
	vv.Mul(v.T(), v)
	for k, lambda := range values {
		if k > 0 && values[k-1] > lambda {
			t.Fatalf("n=%d: eigenvalues %g and %g are not in order", n, values[k-1], lambda)
		}
		if math.Abs(lambda-alone[k]) > tol*largest {
			t.Errorf("n=%d: eigenvalue %d is %g with vectors and %g without", n, k, lambda, alone[k])
		}
		for i := range n {
			if d := math.Abs(av.At(i, k) - lambda*v.At(i, k)); !(d <= tol*largest) {
				t.Fatalf("n=%d: A v - λ v is %g at %d, %d", n, d, i, k)
			}
			want := 0.0
			if i == k {
				want = 1
			}
			if d := math.Abs(vv.At(i, k) - want); !(d <= tol) {
				t.Fatalf("n=%d: VᵀV is off by %g at %d, %d", n, d, i, k)
			}
		}
	}
}

// Whenever the context ends, nothing is asked of it any more, and its error comes back.
func TestDecomposeStops(t *testing.T) {
	a := random(300, 300, 1)
	for _, vectors := range []bool{false, true} {
		asked := ending.Check(t, fmt.Sprintf("vectors %v", vectors), 1, func(ctx context.Context) error {
			if vectors {
				_, _, err := eigen.Decompose(ctx, a)
				return err
			}
			_, err := eigen.Values(ctx, a)
			return err
		})
		if asked < 10 {
			t.Errorf("vectors %v: asked %d times", vectors, asked)
		}
	}
}

// A matrix that is not finite is an error.
func TestNotFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		a := mat.NewSymDense(2, []float64{1, bad, bad, 1})
		if _, err := eigen.Values(context.Background(), a); err == nil {
			t.Errorf("%g: no error", bad)
		}
	}
}
