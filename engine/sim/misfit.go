package sim

import (
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine"
)

// offKernel says why nothing can be said of rewards that the kernel cannot represent, "" where
// something can: where they are told to be no farther off than they are, or where that is estimated.
func offKernel(opt engine.Options, model *engine.Model) string {
	switch {
	case opt.Robust:
		return ""
	case opt.Misfit > 0:
		if size, at, err := model.Misfit(); err == nil && size > opt.Misfit {
			return fmt.Sprintf("misfit = %.3g was stated, and the closest function of the kernel is off the expected rewards by %.3g at %s", opt.Misfit, size, model.Problem.Where(at))
		}
	case model.Misspecified():
		return "the kernel cannot represent the expected rewards"
	}
	return ""
}
