package answer_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// grouped is a kernel of tasks that form groups: tasks of a group are nearly equal, others are independent.
func grouped(tasks int, group func(v int) int) kernels.Kernel {
	return kernels.Table{Names: taskNames(tasks), Values: lists.Make(tasks, func(i int) []float64 {
		return lists.Make(tasks, func(j int) float64 {
			switch {
			case i == j:
				return 1
			case group(i) == group(j):
				return 0.9
			}
			return 0
		})
	})}
}

func taskNames(tasks int) []string { return lists.Make(tasks, func(v int) string { return fmt.Sprint("t", v) }) }

// drawnFrom draws a table whose expected rewards have this kernel.
func drawnFrom(t *testing.T, k kernels.Joint, tasks, arms, reps int, noise float64, rng *rand.Rand) known {
	t.Helper()
	d := draft{columns: []string{"x"}, tasks: taskNames(tasks)}
	for v := range tasks {
		for i := range arms {
			d.arm(v, fmt.Sprint("o", i), []float64{float64(i) / float64(arms)}, 0, []float64{0})
		}
	}
	p := d.known(0, "").p
	on, err := k.On(t.Context(), p.Tasks, p.Arms, p.TaskOf)
	if err != nil {
		t.Fatal(err)
	}
	cov := kernels.Dense(on)
	for i := range p.N() {
		cov.SetSym(i, i, cov.At(i, i)+1e-6)
	}
	var chol mat.Cholesky
	if !chol.Factorize(cov) {
		t.Fatal("the kernel is not positive definite")
	}
	var lower mat.TriDense
	chol.LTo(&lower)
	var truth mat.VecDense
	truth.MulVec(&lower, mat.NewVecDense(p.N(), normals(rng, 0, 1, p.N())))
	d.truth = truth.RawVector().Data
	for i, m := range d.truth {
		d.rewards[i] = normals(rng, m, noise, reps)
	}
	return d.known(0, "")
}

// The kernel that a truth is drawn from, which best could not find, gains when it is stated. A wrong one costs little. RUNS=60 makes sixty
// tables of each kind.
func TestStatedKernelGains(t *testing.T) {
	runs := 8
	if text := os.Getenv("RUNS"); text != "" {
		runs, _ = strconv.Atoi(text)
	}
	product := func(task, arm kernels.Kernel) kernels.Joint {
		return kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: task, Arm: arm}}}
	}
	period := func(length float64) kernels.Joint {
		return product(nil, kernels.Periodic{Period: []float64{length}, Lengthscale: []float64{1}})
	}
	for _, k := range []struct {
		name              string
		true, wrong       kernels.Joint
		tasks, arms, reps int
		noise             float64
	}{
		{"groups of tasks", product(grouped(10, func(v int) int { return v % 3 }), kernels.Identity{}),
			product(grouped(10, func(v int) int { return v / 4 }), kernels.Identity{}), 10, 8, 2, 1.5},
		{"period", period(0.21), period(0.34), 1, 24, 2, 1.5},
	} {
		t.Run(k.name, func(t *testing.T) {
			var with, without, useless, weight, wrong, best, plain record
			_, _ = best, plain
			for seed := range runs {
				table := drawnFrom(t, k.true, k.tasks, k.arms, k.reps, k.noise, rand.New(rand.NewPCG(uint64(seed), 59)))
				ask := func(r *record, stated kernels.Joint) (share float64) {
					x := table
					x.p = table.p.WithKernel(stated)
					a, err := answer.Best(context.Background(), x.p, answer.Options{})
					if err != nil {
						t.Fatal(err)
					}
					r.add(x, a)
					if len(a.Similar) > 0 {
						share = a.Similar[0].Share
					}
					return share / float64(runs)
				}
				weight.loss += ask(&with, k.true)
				ask(&without, kernels.Joint{})
				wrong.loss += ask(&useless, k.wrong)
			}
			mean := func(r record) float64 { return r.loss / r.picks }
			t.Logf("loss %.3f with the kernel, %.3f without, %.3f with a wrong one; weights %.2f and %.2f", mean(with), mean(without), mean(useless),
				weight.loss, wrong.loss)
			t.Logf("with %v\nwithout %v\nwrong %v", &with, &without, &useless)
			if mean(with) > 0.95*mean(without) || mean(useless) > 1.05*mean(without) || math.IsNaN(weight.loss) {
				t.Error("the kernel gains too little, or a wrong one costs too much")
			}
		})
	}
}
