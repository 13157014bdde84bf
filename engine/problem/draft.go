package problem

import (
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Draft collects the tasks and arms of a problem that is built in Go code. The arms of a task follow the task.
type Draft struct {
	TaskColumns, ArmColumns []string // names of the feature columns
	Tasks, Arms             []string // names of the tasks and arms
	TaskRows, ArmRows       [][]float64
	TaskOf                  []int     // for each arm, the index of its task
	Mean                    []float64 // for each arm, the expected reward in reward units; nil if unknown
}

// Task adds a task with its features.
func (d *Draft) Task(name string, features ...float64) {
	d.Tasks, d.TaskRows = append(d.Tasks, name), append(d.TaskRows, features)
}

// Arm adds an arm of the last task with its features and its expected reward.
func (d *Draft) Arm(name string, features []float64, mean float64) {
	d.Arms, d.ArmRows = append(d.Arms, name), append(d.ArmRows, features)
	d.TaskOf, d.Mean = append(d.TaskOf, len(d.Tasks)-1), append(d.Mean, mean)
}

// Problem returns the problem with one noise scale for all arms. It returns the errors of New.
func (d *Draft) Problem(name string, k kernels.Joint, noise float64) (_ *Problem, err error) {
	defer try.Caught(&err)
	tasks := try.Of(kernels.NewPoints(d.TaskColumns, d.Tasks, d.TaskRows))
	arms := try.Of(kernels.NewPoints(d.ArmColumns, d.Arms, d.ArmRows))
	return New(name, tasks, arms, d.TaskOf, k, []float64{noise}, d.Mean)
}
