package problem

import (
	"fmt"
	"math"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// PaperFamily returns an instance between the paper's cases [Du23, App. A], by the
// similarity of its tasks: five tasks with distinct one-hot features and the kernel
// rbf(lengthscale) over them, so that
//
//	K_Z = (1 - s) I + s 11ᵀ,  s = exp(-1/lengthscale²).
//
// Lengthscale 0 is the similarity of case 3 (no two tasks have anything in common, K_Z = I), and
// +Inf that of case 1 (all tasks are the same, K_Z = 11ᵀ). Arms are the paper's, and every task has
// the rewards of case 1, which the kernel can represent at every lengthscale: ‖θ*‖² = ‖θ‖² V/(1 +
// (V-1)s) with θ the θ* of case
// 1. What the kernel says of the tasks changes and nothing else. Errors are a
// lengthscale that is negative or not a number, and a gap that is not positive.
func PaperFamily(lengthscale, gap float64) (*Problem, error) {
	if !(lengthscale >= 0) {
		return nil, fmt.Errorf("paper: lengthscale must be 0 or more, got %g", lengthscale)
	}
	same, err := PaperCase(1, gap)
	if err != nil {
		return nil, err
	}
	apart, err := PaperCase(3, gap)
	if err != nil {
		return nil, err
	}
	p := *apart
	p.Mean = same.Mean
	p.Name = fmt.Sprintf("paper, lengthscale %g, gap %g", lengthscale, gap)
	switch {
	case lengthscale == 0: // one-hot features: the identity
	case math.IsInf(lengthscale, 1):
		p.Kernel = kernels.LiftArm(kernels.Linear{})
	default:
		p.Kernel = kernels.Joint{Terms: []kernels.Term{{
			Scale: 1, Task: kernels.RBF{Lengthscale: []float64{lengthscale}}, Arm: kernels.Linear{},
		}}}
	}
	return &p, nil
}
