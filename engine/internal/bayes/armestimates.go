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
	variances := make([]float64, len(a.estimates))
	for k, of := range a.belief.Mixture.Members {
		own, err := of.ArmVariances()
		if err != nil { // the run ends before its next round
			return engine.ArmEstimates{}
		}
		for i, v := range own {
			off := a.by[k][i] - a.estimates[i]
			variances[i] += of.Weight * (v + of.Scale*a.left/2 + off*off)
		}
	}
	return rounds.Intervals(a.Model, a.estimates, variances, func(i int) float64 { return a.scales.FreedomOf([]int{i}) })
}
