package problem

import (
	"fmt"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// PaperCase returns one of the three instances of [Du23, App. A]: V = 5 tasks,
// n = 6 arms each, whose features are all vectors of R⁴ with two ones, placed in
// the subspace of the task's group; θ* = [0.1, 0.1+gap, …], unit noise.
//
//	case 1  one group (the tasks are the same),   rank K_Z = 1, d = 4
//	case 2  groups {1, 2} and {3, 4, 5},          rank K_Z = 2, d = 8
//	case 3  five groups (all tasks differ),       rank K_Z = 5, d = 20
//
// As a product kernel this is linear over the one-hot group of the task times
// linear over the arm. It is an error when number is not 1, 2 or 3 or gap is
// not positive.
func PaperCase(number int, gap float64) (*Problem, error) {
	groups := map[int][]int{1: {0, 0, 0, 0, 0}, 2: {0, 0, 1, 1, 1}, 3: {0, 1, 2, 3, 4}}[number]
	if groups == nil {
		return nil, fmt.Errorf("paper: case must be 1, 2 or 3, got %d", number)
	}
	if !(gap > 0) {
		return nil, fmt.Errorf("paper: gap must be positive, got %g", gap)
	}
	count := groups[len(groups)-1] + 1

	var taskNames, armNames []string
	var taskRows, armRows [][]float64
	var taskOf []int
	var mean []float64
	for v, g := range groups {
		taskNames = append(taskNames, fmt.Sprintf("task %d", v+1))
		z := make([]float64, count)
		z[g] = 1
		taskRows = append(taskRows, z)
		for a := 0; a < 4; a++ {
			for b := a + 1; b < 4; b++ {
				x := make([]float64, 4)
				x[a], x[b] = 1, 1
				armNames = append(armNames, fmt.Sprintf("{%d,%d}", a+1, b+1))
				armRows = append(armRows, x)
				taskOf = append(taskOf, v)
				mean = append(mean, 0.2+float64(8*g+a+b)*gap)
			}
		}
	}
	tasks, err := kernels.NewPoints(columns("z_group_", count), taskNames, taskRows)
	if err != nil {
		return nil, err
	}
	arms, err := kernels.NewPoints(columns("x_", 4), armNames, armRows)
	if err != nil {
		return nil, err
	}
	joint := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Linear{}, Arm: kernels.Linear{}}}}
	return New(fmt.Sprintf("paper case %d, gap %g", number, gap), tasks, arms, taskOf, joint, []float64{1}, mean)
}

func columns(prefix string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%s%d", prefix, i+1)
	}
	return out
}
