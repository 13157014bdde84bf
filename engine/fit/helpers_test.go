package fit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// free returns a number without a name.
func free(value, least, most float64) kernels.Free {
	return kernels.Free{Value: value, Min: least, Max: most}
}

// rbf returns the kernel with a length scale that is free, from a hundredth to a hundred times its
// value.
func rbf(lengthscale float64) kernels.Kernel {
	return kernels.Open{
		Kernel: kernels.RBF{Lengthscale: []float64{lengthscale}},
		Slots:  []kernels.Slot{{Param: "lengthscale", Free: free(lengthscale, lengthscale/100, lengthscale*100)}},
	}
}

func joint(t testing.TB, task, arm kernels.Kernel) kernels.Joint {
	t.Helper()
	return try.Of(kernels.MulJoint(kernels.LiftTask(task), kernels.LiftArm(arm)))
}

// nugget returns g*identity() with g free.
func nugget(t testing.TB, g float64) kernels.Joint {
	t.Helper()
	return try.Of(kernels.LiftBoth(kernels.Mul(free(g, g/1e4, g*1e4), kernels.Identity{})))
}

// world is a grid of tasks and arms on the line, the same arms in every task.
type world struct {
	tasks, arms int
	reps        int
	noise       float64
}

// draw makes a problem whose expected rewards are a draw of a Gaussian process, plus a
// level, and whose rewards are Gaussian replicates around them.
func (w world) draw(t testing.TB, k kernels.Joint, level float64, rng *rand.Rand) *problem.Problem {
	t.Helper()
	var taskNames, armNames []string
	var z, x [][]float64
	var taskOf []int
	for v := range w.tasks {
		taskNames, z = append(taskNames, fmt.Sprintf("t%d", v)), append(z, []float64{float64(v)})
		for a := range w.arms {
			armNames, x = append(armNames, fmt.Sprintf("a%d", a)), append(x, []float64{float64(a) / 2})
			taskOf = append(taskOf, v)
		}
	}
	tasks := try.Of(kernels.NewPoints([]string{"z"}, taskNames, z))
	arms := try.Of(kernels.NewPoints([]string{"x"}, armNames, x))
	m := try.Of(k.On(context.Background(), tasks, arms, taskOf))
	factor := try.Of(kernels.PivotedCholesky(context.Background(), m, model.MaxRank, 0))
	normal := mat.NewVecDense(factor.L.RawMatrix().Cols, nil)
	for i := range normal.Len() {
		normal.SetVec(i, rng.NormFloat64())
	}
	var truth mat.VecDense
	truth.MulVec(factor.L, normal)
	n := len(taskOf)
	p := try.Of(problem.New("drawn", tasks, arms, taskOf, k, []float64{w.noise}, make([]float64, n)))
	p.Reps, p.Rewards = make([]float64, n), make([][]float64, n)
	for i := range n {
		p.Reps[i] = float64(w.reps)
		for range w.reps {
			r := level + truth.AtVec(i) + w.noise*rng.NormFloat64()
			p.Rewards[i] = append(p.Rewards[i], r)
			p.Mean[i] += r / float64(w.reps)
		}
	}
	return p
}

func fitted(t testing.TB, p *problem.Problem, opt Options) Fit {
	t.Helper()
	if testing.Short() && opt.Starts == 0 { // of these problems one search finds as much as the default
		opt.Starts = 1
	}
	return try.Of(Of(t.Context(), p, opt))
}
