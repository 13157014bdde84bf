package bayes

import (
	"github.com/gonb-cope/gonb-cope/kernels"
)

// rough relates arms within a task, as neighbours on a line whose rewards are nowhere smooth.
var rough = kernels.Joint{Terms: []kernels.Term{
	{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Matern{Nu: 0.5, Lengthscale: []float64{1}}},
}}
