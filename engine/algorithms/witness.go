package algorithms

import (
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// witnessed reports whether a function within the stated norm is negligibly far from the expected
// rewards (model.Model.Witness), as the mean of the runs' samples has it.
func (b Basis) witnessed(m *model.Model) bool {
	_, found := b.witness(m)
	return found
}

// witness returns what the distance of that function costs of δ, too.
func (b Basis) witness(m *model.Model) (cost float64, found bool) {
	if !b.regularised(m) {
		return 0, false
	}
	samples := 0.0
	if b.drawn() {
		samples = b.Result.SamplesPerAgent.Mean * float64(b.Model.Problem.V())
	}
	return m.Witness(b.Options, samples)
}

// delta returns the error probability that is proven: δ, and what expected rewards cost that are near to
// a function within the stated norm.
func (b Basis) delta() float64 {
	cost := 0.0
	if b.Truth != nil && b.Result.Mode == engine.ModeFC {
		for _, m := range b.relied() {
			if c, found := b.witness(m); found {
				cost = max(cost, c)
			}
		}
	}
	return b.Result.Delta + cost
}
