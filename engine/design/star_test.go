package design

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// One heavy pair beside a star of light ones, orthonormal features, ξ = 0: for
// one pair alone min (1/a + 1/b) with a + b = w is 4/w; for a star of k pairs it is
// c(1 + √k)²/w; blocks add, so the optimum is 4 + c(1 + √k)².
func TestStar(t *testing.T) {
	const c = 0.01
	rivals := []int{1, 10, 29, 59, 200}
	if testing.Short() {
		rivals = rivals[:4]
	}
	for _, k := range rivals {
		features := mat.NewDense(k+3, k+3, nil)
		for i := range k + 3 {
			features.Set(i, i, 1)
		}
		pairs := []Pair{{0, 1, 1}}
		for i := range k {
			pairs = append(pairs, Pair{2, 3 + i, c})
		}
		d := try.Of(Minimax(Space{Features: features}, Contrasts{Pairs: pairs}, Options{}))
		want := 4 + c*math.Pow(1+math.Sqrt(float64(k)), 2)
		if d.Status != Optimal || math.Abs(d.Value/want-1) > 1e-6 || d.Lower > want*(1+1e-12) {
			t.Errorf("%d rivals: %s, value %.9g, lower %.9g; want %.9g", k, d.Status, d.Value, d.Lower, want)
		}
	}
}

// A star of more arms than the first working set on a smooth kernel: arms outside it are taken in though all contrasts are already there.
func TestStarOfManyArms(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of processor time")
	}
	const n, rank = 2000, 30
	features := mat.NewDense(n, rank, nil)
	var pairs []Pair
	for i := range n {
		for k := range rank {
			features.Set(i, k, math.Exp(-float64(k*k)/40)*math.Cos(float64(k)*math.Pi*float64(i)/n))
		}
		if i != n/3 {
			pairs = append(pairs, Pair{n / 3, i, 1})
		}
	}
	d := try.Of(Minimax(Space{Features: features}, Contrasts{Pairs: pairs}, Options{Tolerance: 1e-3}))
	if d.Status != Optimal || d.Value > d.Lower*1.001 {
		t.Errorf("%s after %d iterations: value %g, lower bound %g", d.Status, d.Iterations, d.Value, d.Lower)
	}
}
