package bounded

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// instance is a section of random points on a line in two tasks, with pulls of some.
type instance struct {
	*Section
	gram    *mat.Dense // of all arms of the section
	support []int
	noise   []float64
	rows    [][]float64
}

func newInstance(t *testing.T, seed uint64) instance {
	t.Helper()
	const n = 14
	rng := rand.New(rand.NewPCG(seed, 5))
	rows, names, taskOf := make([][]float64, n), make([]string, n), make([]int, n)
	for i := range n {
		rows[i], names[i], taskOf[i] = []float64{3 * rng.Float64()}, string(rune('a'+i)), i/(n/2)
	}
	arms := try.Of(kernels.NewPoints([]string{"x"}, names, rows))
	tasks := try.Of(kernels.NewPoints([]string{"z"}, []string{"one", "two"}, [][]float64{{0}, {0.7}}))
	k := kernels.Joint{Terms: []kernels.Term{{Scale: 2.5, Task: kernels.RBF{}, Arm: kernels.RBF{}}, {Scale: 0.3, Arm: kernels.Linear{}}}}
	p := try.Of(problem.New("line", tasks, arms, taskOf, k, []float64{1}, nil))
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	s := try.Of(NewSection(t.Context(), p, all))
	out := instance{Section: s, gram: mat.NewDense(n, n, nil)}
	for i := range n {
		row := make([]float64, n)
		s.gram.Row(row, i)
		out.gram.SetRow(i, row)
	}
	for i := range n {
		if rng.Float64() < 0.6 || i < 2 {
			out.support = append(out.support, i)
			out.noise = append(out.noise, 0.02+rng.Float64())
		}
	}
	out.rows = try.Of(s.Rows(t.Context(), out.support))
	return out
}

// among returns the kernel among some arms.
func (in instance) among(arms []int) *mat.Dense {
	out := mat.NewDense(len(arms), len(arms), nil)
	for a, i := range arms {
		for b, j := range arms {
			out.Set(a, b, in.gram.At(i, j))
		}
	}
	return out
}

// solve returns x of (K_ss + D/v) x = y, by elimination.
func (in instance) solve(t *testing.T, v float64, y []float64) []float64 {
	t.Helper()
	a := in.among(in.support)
	for j, d := range in.noise {
		a.Set(j, j, a.At(j, j)+d/v)
	}
	var x mat.VecDense
	try.To(x.SolveVec(a, mat.NewVecDense(len(y), y)))
	return x.RawVector().Data
}

// square returns ‖Σ c_i k_i‖².
func (in instance) square(c []float64) float64 {
	x := mat.NewVecDense(len(c), c)
	return mat.Inner(x, in.gram, x)
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*(1+math.Abs(b)) }
