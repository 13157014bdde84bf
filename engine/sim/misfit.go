package sim

import (
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine"
)

// offKernel is the guarantee once it is known what it says of rewards that the kernel cannot
// represent.
func offKernel(guarantee string, opt engine.Options, entry engine.AlgorithmEntry, model *engine.Model) string {
	switch {
	case entry.Ideal:
	case opt.Robust:
		return "heuristic: how far rewards are from what the kernel can represent was estimated from the data of the run; with enough allowed for, " + guarantee
	case opt.Misfit > 0:
		if size, at, err := model.Misfit(); err == nil && size > opt.Misfit {
			return fmt.Sprintf("none: misfit = %.3g was stated, and the closest function of the kernel is off the expected rewards by %.3g at %s", opt.Misfit, size, model.Problem.Where(at))
		}
		return guarantee + fmt.Sprintf(", if no expected reward is farther than misfit = %.3g from what the kernel can represent", opt.Misfit)
	case model.Misspecified():
		return "none: the kernel cannot represent the expected rewards"
	}
	return guarantee
}
