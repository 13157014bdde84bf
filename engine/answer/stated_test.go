package answer_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// grouped is a kernel of n names that form groups: names of a group are nearly equal, others are independent.
func grouped(prefix string, n int, group func(i int) int) kernels.Kernel {
	return kernels.Table{Names: numbered(prefix, n), Values: lists.Make(n, func(i int) []float64 {
		return lists.Make(n, func(j int) float64 {
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

func numbered(prefix string, n int) []string {
	return lists.Make(n, func(i int) string { return fmt.Sprint(prefix, i) })
}

// drawnFrom draws a table whose expected rewards have this kernel.
func drawnFrom(t *testing.T, k kernels.Joint, tasks, arms, reps int, noise float64, rng *rand.Rand) known {
	t.Helper()
	d := draft{columns: []string{"x"}, tasks: numbered("t", tasks)}
	for v := range tasks {
		for i := range arms {
			d.arm(v, fmt.Sprint("o", i), []float64{float64(i) / float64(arms)}, 0, []float64{0})
		}
	}
	p := d.known(0, "").p
	on := try.Of(k.On(t.Context(), p.Tasks, p.Arms, p.TaskOf))
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

// The kernel that a truth is drawn from gains when it is stated, since best could not find it. A useless one costs little: options in
// groups that mean nothing. RUNS is the number of tables of each kind.
func TestStatedKernelGains(t *testing.T) {
	if testing.Short() {
		t.Skip("answers 168 tables")
	}
	wanted, _ := strconv.Atoi(os.Getenv("RUNS"))
	product := func(task, arm kernels.Kernel) kernels.Joint {
		return kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: task, Arm: arm}}}
	}
	ofTasks := product(grouped("t", 8, func(v int) int { return v % 3 }), kernels.Identity{})
	period := product(nil, kernels.Periodic{Period: []float64{0.21}, Lengthscale: []float64{1}})
	for _, k := range []struct {
		name   string
		tables int
		stated kernels.Joint
		most   float64 // loss with the kernel, over the loss without
		table  func(rng *rand.Rand) known
	}{
		{"groups of tasks", 12, ofTasks, 0.8, func(rng *rand.Rand) known { return drawnFrom(t, ofTasks, 8, 6, 2, 1, rng) }},
		{"period", 12, period, 0.8, func(rng *rand.Rand) known { return drawnFrom(t, period, 1, 24, 2, 1, rng) }},
		// 1.12 with 30 tables, 1.06 with 60
		{"useless", 60, product(nil, grouped("o", 8, func(i int) int { return i * i % 3 })), 1.1,
			effects(5, 8, 3, 0.5, func(rng *rand.Rand, _, _ int) float64 { return 0.5 * rng.NormFloat64() })},
	} {
		t.Run(k.name, func(t *testing.T) {
			var with, without record
			share, runs := 0.0, cmp.Or(wanted, k.tables)
			for seed := range runs {
				table := k.table(rand.New(rand.NewPCG(uint64(seed), 77)))
				without.add(table, answered(t, table.p, answer.Options{Epsilon: table.epsilon}))
				a := answered(t, table.p.WithKernel(k.stated), answer.Options{Epsilon: table.epsilon})
				with.add(table, a)
				share += a.Similar[0].Share / float64(runs)
				if a.Similar[0].Name != belief.StatedKernel || !strings.Contains(a.Basis, "The stated kernel explains ") {
					t.Errorf("%+v; %q", a.Similar, a.Basis)
				}
			}
			t.Logf("weight %.2f; with the kernel %v;\nwithout %v", share, &with, &without)
			if with.loss > k.most*without.loss {
				t.Error("the kernel gains too little or costs too much")
			}
		})
	}
}

// A kernel that was fitted to the same measurements is not used, and the answer says so. One that tells no options apart is not used.
func TestStatedKernelIsNotUsed(t *testing.T) {
	table := effects(3, 6, 2, 1, func(*rand.Rand, int, int) float64 { return 0 })(rand.New(rand.NewPCG(1, 1)))
	plain := answered(t, table.p, answer.Options{})
	fitted := kernels.LiftArm(kernels.Identity{})
	fitted.Fitted = table.p.Digests()
	for _, k := range []struct {
		kernel kernels.Joint
		want   string
	}{
		{fitted, "The kernel of the problem was fitted to these measurements, so it is not used. They would count twice."},
		{kernels.LiftTask(kernels.Identity{}), "The stated kernel relates all options of a task alike, so it does not help to choose."},
	} {
		a := answered(t, table.p.WithKernel(k.kernel), answer.Options{})
		if len(a.Similar) > 0 || a.Picks[0].Estimate != plain.Picks[0].Estimate || !strings.Contains(a.Basis, k.want) {
			t.Errorf("%s: %v, basis %q", k.kernel, a.Similar, a.Basis)
		}
	}
}
