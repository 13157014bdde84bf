package enginetest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Paper returns a case of the paper with this gap.
func Paper(t testing.TB, number int, gap float64) *problem.Problem {
	t.Helper()
	p, err := problem.PaperCase(number, gap)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// table collects the tasks and arms of a problem.
type table struct {
	tasks, arms []string
	z, x        [][]float64
	taskOf      []int
	mean, noise []float64
}

// task adds a task. Later arms belong to it.
func (b *table) task(name string, z ...float64) { b.tasks, b.z = append(b.tasks, name), append(b.z, z) }

// arm adds an arm to the last task.
func (b *table) arm(name string, mean float64, x ...float64) {
	b.arms, b.x, b.mean = append(b.arms, name), append(b.x, x), append(b.mean, mean)
	b.taskOf = append(b.taskOf, len(b.tasks)-1)
}

// problem returns the problem of the table. ofTasks and ofArms are the names of the features.
func (b *table) problem(t testing.TB, name string, k kernels.Joint, ofTasks, ofArms []string) *problem.Problem {
	t.Helper()
	tasks, err := kernels.NewPoints(ofTasks, b.tasks, b.z)
	if err != nil {
		t.Fatal(err)
	}
	arms, err := kernels.NewPoints(ofArms, b.arms, b.x)
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.New(name, tasks, arms, b.taskOf, k, b.noise, b.mean)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Instances returns problems with linear task and arm kernels, for which φ = z ⊗ x.
func Instances(t *testing.T) []*problem.Problem {
	t.Helper()
	var out []*problem.Problem
	for number := 1; number <= 3; number++ {
		out = append(out, Paper(t, number, 0.3))
	}
	rng, b := rand.New(rand.NewPCG(7, 7)), new(table)
	theta := []float64{1, -1, .5, .3, .8, -.6}
	z := lists.Make(3, func(int) []float64 { return []float64{rng.NormFloat64(), rng.NormFloat64()} })
	for v, count := range []int{4, 5, 3} {
		b.task(string(rune('a'+v)), z[v]...)
		for range count {
			x, mean := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, 0.0
			for i, zi := range z[v] {
				for j, xj := range x {
					mean += zi * xj * theta[i*3+j]
				}
			}
			b.arm(fmt.Sprintf("arm %d", len(b.arms)), mean, x...)
			b.noise = append(b.noise, 0.5+rng.Float64())
		}
	}
	k := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Linear{}, Arm: kernels.Linear{}}}}
	return append(out, b.problem(t, "random, unequal n and noise", k, []string{"z_1", "z_2"}, []string{"x_1", "x_2", "x_3"}))
}

// Identity is the kernel under which all arms are unrelated.
var Identity = kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Identity{}}}}

// Small returns a problem with noise 1 and one task per list of means. Each arm has its mean as its only feature.
func Small(t *testing.T, k kernels.Joint, means ...[]float64) *problem.Problem {
	t.Helper()
	b := &table{noise: []float64{1}}
	for v, ms := range means {
		b.task(string(rune('a' + v)))
		for i, m := range ms {
			b.arm(string(rune('1'+i)), m, m)
		}
	}
	return b.problem(t, "small", k, nil, []string{"x_1"})
}

// Line returns a problem of one task with four arms at the points 0, 1, 2 and 3. Its kernel is 1 + xy, whose functions are
// straight lines. The noise is 2, and the means are unknown.
func Line(t testing.TB) *problem.Problem {
	t.Helper()
	b := &table{noise: []float64{2}}
	b.task("one")
	for i, name := range []string{"a", "b", "c", "d"} {
		b.arm(name, 0, float64(i))
	}
	b.mean = nil // not known
	joint := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Arm: kernels.Linear{}}, {Scale: 1}}}
	return b.problem(t, "line", joint, nil, []string{"x"})
}

// Linear returns a problem with noise 0.3. Rewards are a linear function of the arms' three features that all tasks share,
// plus a linear function of each task.
func Linear(t testing.TB, tasks, each int) *problem.Problem {
	t.Helper()
	rng, b := rand.New(rand.NewPCG(8, 1)), &table{noise: []float64{0.3}}
	for v := range tasks {
		b.task(fmt.Sprint("task ", v), float64(v))
		own := rng.NormFloat64() / 2
		for range each {
			x := []float64{rng.Float64(), rng.Float64(), rng.Float64()}
			b.arm(fmt.Sprint("arm ", len(b.arms)), x[0]-x[1]+own*x[2], x...)
		}
	}
	k := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.RBF{}, Arm: kernels.Linear{}}}}
	return b.problem(t, "linear", k, []string{"z_1"}, []string{"x_1", "x_2", "x_3"})
}

// Unrelated returns a problem whose tasks have arms with these expected rewards, with noise 1 and the kernel identity().
func Unrelated(t testing.TB, tasks int, means []float64) *problem.Problem {
	t.Helper()
	b := &table{noise: []float64{1}}
	for v := range tasks {
		b.task(fmt.Sprint("task ", v), float64(v))
		for i, mean := range means {
			b.arm(fmt.Sprint("arm ", i), mean, float64(i))
		}
	}
	return b.problem(t, "unrelated", Identity, []string{"z"}, []string{"x"})
}
