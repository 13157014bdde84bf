package belief

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// curve is one task of 60 arms along a number, measured twice.
func curve(t testing.TB, truth func(x float64) float64) *problem.Problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 4))
	var names []string
	var rows [][]float64
	var means, sds, reps []float64
	for i := range 60 {
		x := float64(i) / 59
		names, rows = append(names, string(rune('A'+i))), append(rows, []float64{x})
		a, b := truth(x)+0.02*rng.NormFloat64(), truth(x)+0.02*rng.NormFloat64()
		means, sds, reps = append(means, (a+b)/2), append(sds, math.Abs(a-b)/math.Sqrt2), append(reps, 2)
	}
	z := try.Of(kernels.NewPoints(nil, []string{"only"}, nil))
	x := try.Of(kernels.NewPoints([]string{"x"}, names, rows))
	p := try.Of(problem.New("curve", z, x, make([]int, 60), kernels.Joint{}, []float64{1}, nil))
	p.Partial, p.Noise.SD, p.Reps, p.Noise.UnknownBy = means, sds, reps, problem.UnknownProblem
	return p
}

// TestAverage: most of the weight is on Gaussian kernels where the rewards are an analytic function of a number, and on
// Matérn kernels where their slope jumps.
func TestAverage(t *testing.T) {
	for _, x := range []struct {
		name     string
		truth    func(x float64) float64
		gaussian bool
	}{
		{"analytic", func(x float64) float64 { return math.Sin(9 * x) }, true},
		{"zigzag", func(x float64) float64 { return math.Abs(math.Mod(4*x, 1) - 0.5) }, false},
	} {
		s := try.Of(newSearch(t.Context(), prepared(t, curve(t, x.truth)), nil))
		best, found := try.Two(s.average(members))
		share, sum := 0.0, 0.0
		for _, w := range found {
			if sum += w.weight; w.gaussian == x.gaussian {
				share += w.weight
			}
		}
		if math.Abs(sum-1) > 1e-12 || share < 0.7 || best.gaussian != x.gaussian {
			t.Errorf("%s: weights add up to %g, %.2f of them are on the kernel of its kind; the most probable one is Gaussian: %v", x.name, sum, share, best.gaussian)
		}
	}
}
