package kernels_test

import (
	"context"
	"fmt"

	"github.com/gonb-cope/gonb-cope/kernels"
)

func ExampleAdd() {
	smooth, err := kernels.Scale(0.5, kernels.RBF{Lengthscale: []float64{0.5, 2}, Dims: kernels.Dims{Names: []string{"x_1", "x_2"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(kernels.Add(kernels.Linear{}, smooth))
	// Output: linear() + 0.5*rbf(lengthscale=[0.5, 2], dims=["x_1", "x_2"])
}

func ExampleJoint_On() {
	tasks, err := kernels.NewPoints(nil, []string{"oslo", "rome"}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	arms, err := kernels.NewPoints([]string{"dose"}, []string{"low", "high", "low", "high"}, [][]float64{{1}, {2}, {1}, {2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	similar := kernels.Table{Values: [][]float64{{1, 0.6}, {0.6, 1}}, Names: []string{"oslo", "rome"}}
	joint, err := kernels.MulJoint(kernels.LiftTask(similar), kernels.LiftArm(kernels.Linear{}))
	if err != nil {
		fmt.Println(err)
		return
	}
	gram, err := joint.On(context.Background(), tasks, arms, []int{0, 0, 1, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	row := make([]float64, gram.Len())
	gram.Row(row, 1)
	fmt.Println(joint)
	fmt.Println(row)
	// Output:
	// task(table([[1, 0.6], [0.6, 1]], names=["oslo", "rome"])) * arm(linear())
	// [2 4 1.2 2.4]
}
