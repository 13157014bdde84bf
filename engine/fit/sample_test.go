package fit

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// A problem with more arms than MostArms is fitted to a sample of them, in which every task has at least two arms. Rewards
// are a sine of period 2π/3 with noise 0.1; predictions from the sample must be nearly as good as the noise allows.
func TestSample(t *testing.T) {
	if testing.Short() {
		t.Skip("factors matrices of 600 rows")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var taskOf []int
	var names []string
	var x [][]float64
	var mean []float64
	for i := range 1500 {
		at := 10 * rng.Float64()
		taskOf, names, x = append(taskOf, i/750), append(names, strconv.Itoa(i)), append(x, []float64{at})
		mean = append(mean, math.Sin(3*at)+0.1*rng.NormFloat64())
	}
	tasks, err := kernels.NewPoints(nil, []string{"u", "v"}, [][]float64{{}, {}})
	if err != nil {
		t.Fatal(err)
	}
	arms, err := kernels.NewPoints([]string{"x"}, names, x)
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.New("sine", tasks, arms, taskOf, kernels.Joint{}, []float64{0.1}, mean)
	if err != nil {
		t.Fatal(err)
	}
	scale := kernels.Free{Value: 1, Min: 0.1, Max: 10}
	rbf, err := kernels.Catalogue()[2].Build(kernels.Args{"lengthscale": scale})
	if err != nil {
		t.Fatal(err)
	}
	f, err := Of(t.Context(), p, Options{Kernel: kernels.LiftArm(rbf), Starts: 1})
	if err != nil {
		t.Fatal(err)
	}
	if f.Arms != MostArms || f.SampledFrom != 1500 || f.Tasks != 2 {
		t.Errorf("%d arms of %d in %d tasks", f.Arms, f.SampledFrom, f.Tasks)
	}
	if l := f.Parameters[0]; !(l.CI95[0] < l.Value && l.Value < l.CI95[1]) || f.CrossValidation.Error > 0.12 {
		t.Errorf("length scale %+v, errors of predictions %g with noise of 0.1", l, f.CrossValidation.Error)
	}
	// of 400 tasks of three arms, tasks are sampled too
	many, _ := kernels.NewPoints(nil, lists.Make(400, func(i int) string { return names[i] }), lists.Make(400, func(int) []float64 { return []float64{} }))
	q, err := problem.New("many", many, arms.Subset(lists.Make(1200, func(i int) int { return i })),
		lists.Make(1200, func(i int) int { return i / 3 }), kernels.LiftArm(kernels.Linear{}), []float64{1}, mean[:1200])
	if err != nil {
		t.Fatal(err)
	}
	if s := sampled(q); s.N() > MostArms || s.V() != MostArms/2 {
		t.Errorf("%d arms in %d tasks", s.N(), s.V())
	}
}
