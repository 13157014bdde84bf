package problem

import (
	"fmt"
	"math"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// Classic returns the special case that the paper names [Du23, Section 3.2]:
// collaborative best-arm identification as of Hillel et al. and Tao et al. All
// agents have the same task, arms are a canonical basis (nothing is known of one
// from another), noise is standard Gaussian. means are the expected rewards of the
// arms, the same for every agent. It is an error when there is no arm, no agent, or
// a mean that is not a finite number.
func Classic(means []float64, agents int) (*Problem, error) {
	if len(means) == 0 {
		return nil, fmt.Errorf("classic: means must have at least one arm, got none")
	}
	if agents < 1 {
		return nil, fmt.Errorf("classic: agents must be at least 1, got %d", agents)
	}
	for i, m := range means {
		if math.IsNaN(m) || math.IsInf(m, 0) {
			return nil, fmt.Errorf("classic: means must be finite numbers, got %g for arm %d", m, i+1)
		}
	}
	var taskNames, armNames []string
	var taskOf []int
	var mean []float64
	for v := range agents {
		taskNames = append(taskNames, fmt.Sprintf("agent %d", v+1))
		for i, m := range means {
			armNames = append(armNames, fmt.Sprintf("arm %d", i+1))
			taskOf, mean = append(taskOf, v), append(mean, m)
		}
	}
	tasks, err := kernels.NewPoints(nil, taskNames, nil)
	if err != nil {
		return nil, err
	}
	arms, err := kernels.NewPoints(nil, armNames, nil)
	if err != nil {
		return nil, err
	}
	return New(fmt.Sprintf("classic, %d arms, %d agents", len(means), agents), tasks, arms, taskOf, SameArms(), []float64{1}, mean)
}

// SameArms returns the kernel under which tasks are the same and arms are told apart by name alone.
func SameArms() kernels.Joint { return kernels.LiftArm(kernels.Identity{}) }
