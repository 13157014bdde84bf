package reference

import (
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
)

var (
	_ engine.Estimating = (*uniformFB)(nil)
	_ engine.Estimating = (*oracle)(nil)
)

// ArmEstimates returns the estimates of the one round.
func (a *uniformFB) ArmEstimates() engine.ArmEstimates {
	if a.belief != nil {
		return a.BelievedEstimates(a.belief)
	}
	return a.LastEstimates()
}

// ArmEstimates returns the estimates of all data.
func (a *oracle) ArmEstimates() engine.ArmEstimates {
	if a.stage == nil {
		return engine.ArmEstimates{}
	}
	return rounds.ArmEstimates(a.Model, a.stage.Estimate, a.estimates, 0, rounds.KnownScales)
}
