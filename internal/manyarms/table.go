package manyarms

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
)

const (
	tasks    = 5
	features = inputs - 1 // of an arm
)

// What a script says of the problem beside its table.
const (
	Kernel = "task(rbf(1)) * arm(rbf(1))"
	Noise  = 0.3
)

// arm is a row of the table.
type arm struct {
	task int
	name string            // in all tasks together: arms of different tasks lie at different places
	x    [features]float64 // in [0, 1], five digits
	mean float64           // f at the place that x says
}

// place returns the feature of a task: 0, 0.2, 0.4, 0.6 and 0.8. With them the ranks at a residual
// of 1e-2 are 50 at 10³ arms and 58 at 10⁴.
func place(task int) float64 { return float64(task) / 5 }

// table returns n arms, as many of each task as of any other; n is rounded down to fives. The arms
// of a task are uniform draws; arms of a smaller table come first.
func table(n int) []arm {
	f := newFunction()
	var out []arm
	for v := range tasks {
		rng := rand.New(rand.NewPCG(seed, uint64(v+1)))
		for i := range n / tasks {
			a := arm{task: v, name: fmt.Sprintf("a%d_%d", v+1, i+1)}
			point := [inputs]float64{place(v) - middle}
			for j := range a.x {
				a.x[j] = digits(rng.Float64())
				point[j+1] = a.x[j] - middle
			}
			a.mean = f.at(point)
			out = append(out, a)
		}
	}
	return out
}

// middle is the place of features where the function has its centre: its polynomials of degree 6
// are there most like a draw from the process.
const middle = 0.5

// digits rounds to five digits after the point.
func digits(v float64) float64 { return math.Round(v*1e5) / 1e5 }

// Write writes the table of n arms as CSV with the columns task, arm, x_1 … x_4, z_1 and mean. Means
// have all their digits: rounded to five, means of 1,000 arms are means of no function whose norm is
// below 22.8. It returns the errors of the writer.
func Write(to io.Writer, n int) error {
	w := bufio.NewWriter(to)
	fmt.Fprintln(w, "task,arm,x_1,x_2,x_3,x_4,z_1,mean")
	for _, a := range table(n) {
		fmt.Fprintf(w, "t%d,%s,%.5f,%.5f,%.5f,%.5f,%g,%v\n", a.task+1, a.name, a.x[0], a.x[1], a.x[2], a.x[3], place(a.task), a.mean)
	}
	return w.Flush()
}

// Problem returns the problem that Write writes and Kernel and Noise complete.
func Problem(n int) (*problem.Problem, error) {
	var taskNames, armNames []string
	var taskRows, armRows [][]float64
	var taskOf []int
	var mean []float64
	for v := range tasks {
		taskNames = append(taskNames, fmt.Sprintf("t%d", v+1))
		taskRows = append(taskRows, []float64{place(v)})
	}
	for _, a := range table(n) {
		armNames = append(armNames, a.name)
		armRows = append(armRows, a.x[:])
		taskOf = append(taskOf, a.task)
		mean = append(mean, a.mean)
	}
	taskPoints, err := kernels.NewPoints([]string{"z_1"}, taskNames, taskRows)
	if err != nil {
		return nil, err
	}
	arms, err := kernels.NewPoints([]string{"x_1", "x_2", "x_3", "x_4"}, armNames, armRows)
	if err != nil {
		return nil, err
	}
	rbf := kernels.RBF{Lengthscale: []float64{1}}
	joint := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: rbf, Arm: rbf}}}
	return problem.New(fmt.Sprintf("%d arms", n), taskPoints, arms, taskOf, joint, []float64{Noise}, mean)
}
