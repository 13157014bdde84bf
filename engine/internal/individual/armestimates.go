package individual

import (
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
)

var _ engine.Estimating = (*Algorithm)(nil)

// ArmEstimates joins what the agents say; NaN for the arms of one who says nothing.
func (a *Algorithm) ArmEstimates() engine.ArmEstimates {
	n := a.model.Problem.N()
	nothing := func() []float64 { return slices.Repeat([]float64{math.NaN()}, n) }
	out := engine.ArmEstimates{Mean: nothing(), Half: nothing()}
	for v, part := range a.Parts {
		x, ok := part.(engine.Estimating)
		if !ok {
			continue
		}
		own := x.ArmEstimates()
		lo, _ := a.model.Problem.ArmsOf(v)
		copy(out.Mean[lo:], own.Mean)
		copy(out.Half[lo:], own.Half)
		out.Posterior = out.Posterior || own.Posterior
	}
	return out
}
