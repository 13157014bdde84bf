package enginetest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Paper returns a case of the paper.
func Paper(t testing.TB, number int, gap float64) *problem.Problem {
	t.Helper()
	p, err := problem.PaperCase(number, gap)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func pointsOf(t testing.TB, columns, names []string, rows [][]float64) *kernels.Points {
	t.Helper()
	p, err := kernels.NewPoints(columns, names, rows)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func made(t testing.TB, name string, tasks, arms *kernels.Points, taskOf []int, k kernels.Joint, noise, mean []float64) *problem.Problem {
	t.Helper()
	p, err := problem.New(name, tasks, arms, taskOf, k, noise, mean)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Instances returns problems with linear task and arm kernels, so that φ = z ⊗ x.
func Instances(t *testing.T) []*problem.Problem {
	t.Helper()
	var out []*problem.Problem
	for number := 1; number <= 3; number++ {
		out = append(out, Paper(t, number, 0.3))
	}
	rng := rand.New(rand.NewPCG(7, 7))
	taskOf := []int{0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2}
	z, x := make([][]float64, 3), make([][]float64, len(taskOf))
	theta := []float64{1, -1, .5, .3, .8, -.6}
	var mean, noise []float64
	for v := range z {
		z[v] = []float64{rng.NormFloat64(), rng.NormFloat64()}
	}
	for i, v := range taskOf {
		x[i] = []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		m := 0.0
		for a := range z[v] {
			for b := range x[i] {
				m += z[v][a] * x[i][b] * theta[a*3+b]
			}
		}
		mean, noise = append(mean, m), append(noise, 0.5+rng.Float64())
	}
	tasks := pointsOf(t, []string{"z_1", "z_2"}, []string{"a", "b", "c"}, z)
	names := lists.Make(len(taskOf), func(i int) string { return fmt.Sprintf("arm %d", i) })
	arms := pointsOf(t, []string{"x_1", "x_2", "x_3"}, names, x)
	return append(out, made(t, "random, unequal n and noise", tasks, arms, taskOf,
		kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Linear{}, Arm: kernels.Linear{}}}}, noise, mean))
}

// Identity is the kernel of arms that say nothing of each other.
var Identity = kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Identity{}}}}

// Small builds a problem with independent arms from means per task.
func Small(t *testing.T, k kernels.Joint, means ...[]float64) *problem.Problem {
	t.Helper()
	var names, armNames []string
	var none, x [][]float64
	var taskOf []int
	var mean []float64
	for v, ms := range means {
		names = append(names, string(rune('a'+v)))
		none = append(none, nil)
		for i, m := range ms {
			armNames = append(armNames, string(rune('1'+i)))
			x = append(x, []float64{m})
			taskOf = append(taskOf, v)
			mean = append(mean, m)
		}
	}
	tasks := pointsOf(t, nil, names, none)
	arms := pointsOf(t, []string{"x_1"}, armNames, x)
	return made(t, "small", tasks, arms, taskOf, k, []float64{1}, mean)
}

// Line returns the problem of one task whose four arms are the points 0, 1, 2 and 3 under the
// kernel 1 + xy: the straight lines. Noise is 2.
func Line(t testing.TB) *problem.Problem {
	t.Helper()
	arms := pointsOf(t, []string{"x"}, []string{"a", "b", "c", "d"}, [][]float64{{0}, {1}, {2}, {3}})
	tasks := pointsOf(t, nil, []string{"one"}, [][]float64{{}})
	joint := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Arm: kernels.Linear{}}, {Scale: 1}}}
	return made(t, "line", tasks, arms, []int{0, 0, 0, 0}, joint, []float64{2}, nil)
}

// Linear returns a problem of tasks that share a linear function of three features of their own arms,
// plus a linear one of each task, with noise of 0.3.
func Linear(t testing.TB, tasks, each int) *problem.Problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(8, 1))
	var names, taskNames []string
	var x, z [][]float64
	var taskOf []int
	var mean, noise []float64
	for v := range tasks {
		taskNames, z = append(taskNames, fmt.Sprint("task ", v)), append(z, []float64{float64(v)})
		own := rng.NormFloat64() / 2
		for range each {
			row := []float64{rng.Float64(), rng.Float64(), rng.Float64()}
			names, x, taskOf = append(names, fmt.Sprint("arm ", len(x))), append(x, row), append(taskOf, v)
			mean, noise = append(mean, row[0]-row[1]+own*row[2]), append(noise, 0.3)
		}
	}
	arms := pointsOf(t, []string{"x_1", "x_2", "x_3"}, names, x)
	at := pointsOf(t, []string{"z_1"}, taskNames, z)
	k := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.RBF{}, Arm: kernels.Linear{}}}}
	return made(t, "linear", at, arms, taskOf, k, noise, mean)
}

// Unrelated returns a problem whose tasks have arms of these expected rewards, noise 1, under identity().
func Unrelated(t testing.TB, tasks int, means []float64) *problem.Problem {
	t.Helper()
	var z, x [][]float64
	var taskNames, armNames []string
	var taskOf []int
	var all []float64
	for v := range tasks {
		z, taskNames = append(z, []float64{float64(v)}), append(taskNames, fmt.Sprint("task ", v))
		for i, mean := range means {
			x, armNames = append(x, []float64{float64(i)}), append(armNames, fmt.Sprint("arm ", i))
			taskOf, all = append(taskOf, v), append(all, mean)
		}
	}
	points := pointsOf(t, []string{"z"}, taskNames, z)
	arms := pointsOf(t, []string{"x"}, armNames, x)
	return made(t, "unrelated", points, arms, taskOf, Identity, []float64{1}, all)
}
