package elimination

import (
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
)

var (
	_ engine.Estimating = (*elimination)(nil)
	_ engine.Estimating = (*CoKernelFB)(nil)
	_ engine.Estimating = (*pooledPeace)(nil)
)

// ArmEstimates returns the estimates of the last round.
func (e *elimination) ArmEstimates() engine.ArmEstimates {
	if e.last.stage == nil {
		return engine.ArmEstimates{}
	}
	return rounds.ArmEstimates(e.Model, e.last.stage.Estimate, e.estimates, 0, rounds.KnownScales)
}

// ArmEstimates returns the estimates of the last round.
func (a *CoKernelFB) ArmEstimates() engine.ArmEstimates {
	if a.belief != nil {
		return a.BelievedEstimates(a.belief)
	}
	return a.LastEstimates()
}

// ArmEstimates returns the estimates of all data.
func (a *pooledPeace) ArmEstimates() engine.ArmEstimates {
	return rounds.ArmEstimates(a.Model, a.pooled, a.estimates, 0, rounds.KnownScales)
}
