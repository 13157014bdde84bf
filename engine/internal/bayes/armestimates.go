package bayes

import (
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
)

var _ engine.Estimating = (*coBayes)(nil)

// ArmEstimates returns posterior means and credible intervals.
func (a *coBayes) ArmEstimates() engine.ArmEstimates {
	if a.estimates == nil {
		return engine.ArmEstimates{}
	}
	out := rounds.ArmEstimates(a.Model, a.belief.Estimator, a.estimates, a.belief.Scale*a.left/2, func(i int) float64 { return a.scales.FreedomOf([]int{i}) })
	out.Posterior = true
	return out
}
