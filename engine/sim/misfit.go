package sim

import (
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine"
)

// offKernel says why nothing can be said of rewards that the kernel cannot represent, "" where
// something can: where they are told to be no farther off than they are, or where that is estimated.
// Agents that share nothing each rely on the kernel within their own task.
func offKernel(opt engine.Options, entry engine.AlgorithmEntry, model *engine.Model) string {
	if opt.Robust {
		return ""
	}
	models := []*engine.Model{model}
	if alone, err := model.Alone(); err == nil && !entry.Shares {
		models = alone
	}
	for _, m := range models {
		switch {
		case opt.Misfit > 0:
			if size, at, err := m.Misfit(); err == nil && size > opt.Misfit {
				return fmt.Sprintf("misfit = %.3g was stated, and the closest function of the kernel is off the expected rewards by %.3g at %s", opt.Misfit, size, m.Problem.Where(at))
			}
		case m.Fidelity(opt.Epsilon) == engine.Foreign:
			return "the kernel cannot represent the expected rewards"
		}
	}
	return ""
}
