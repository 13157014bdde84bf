package cotest

import (
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
)

var _ engine.Estimating = (*coTest)(nil)

// ArmEstimates returns the estimates of all data; of a Gaussian process its posterior. Where rewards
// may be off the kernel, an interval has the estimated variance of that besides.
func (a *coTest) ArmEstimates() engine.ArmEstimates {
	left := a.misfit.typical * a.misfit.typical
	out := rounds.ArmEstimates(a.Model, a.pooled, a.estimates, left, func(i int) float64 { return a.scales.FreedomOf([]int{i}) })
	out.Posterior = a.belief != nil
	return out
}
