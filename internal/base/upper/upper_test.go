package upper_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/base/upper"
)

// Factors, solutions and squares are Gonum's, of matrices that are parts of others, too.
func TestAgainstGonum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 7, 40, 100} {
		v := mat.NewDense(n+2, n+3, nil)
		v.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, v)
		b := v.Slice(1, n+1, 0, n+2).(*mat.Dense)
		var a mat.SymDense
		a.SymOuterK(1, v.T())
		part := a.SliceSym(1, n+1).(*mat.SymDense)
		for i := range n {
			part.SetSym(i, i, part.At(i, i)+1)
		}
		var chol mat.Cholesky
		if !chol.Factorize(part) {
			t.Fatal("not positive definite")
		}
		var want mat.TriDense
		chol.UTo(&want)
		var solved mat.Dense
		try.To(solved.Solve(want.T(), b))
		square := mat.NewSymDense(n+2, nil)
		square.SymOuterK(-1, b.T())

		u, ok := upper.Cholesky(part.RawSymmetric())
		if !ok {
			t.Fatal("not positive definite")
		}
		for i := range n {
			for j := i; j < n; j++ {
				near(t, u.Data[i*u.Stride+j], want.At(i, j))
			}
		}
		less := mat.NewSymDense(n+2, nil)
		upper.Less(less.RawSymmetric(), b.RawMatrix())
		for i := range n + 2 {
			for j := i; j < n+2; j++ {
				near(t, less.At(i, j), square.At(i, j))
			}
		}
		inverse, identity := mat.NewDense(n, n+1, nil), mat.NewDense(n, n, nil)
		upper.Inverse(inverse.Slice(0, n, 1, n+1).(*mat.Dense).RawMatrix(), u)
		identity.Mul(want.T(), inverse.Slice(0, n, 1, n+1))
		for i := range n {
			for j := range n {
				one := 0.0
				if i == j {
					one = 1
				}
				near(t, identity.At(i, j), one)
			}
		}
		upper.Solve(u, b.RawMatrix())
		for i := range n {
			for j := range n + 2 {
				near(t, b.At(i, j), solved.At(i, j))
			}
		}
	}
}

func near(t *testing.T, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
		t.Fatalf("%v, want %v", got, want)
	}
}

func TestNotPositiveDefinite(t *testing.T) {
	for _, x := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, ok := upper.Cholesky(mat.NewSymDense(2, []float64{1, 0, 0, x}).RawSymmetric()); ok {
			t.Errorf("a matrix with %v on its diagonal is not positive definite", x)
		}
	}
}
