package algorithms

import "github.com/gonb-cope/gonb-cope/engine/model"

// witnessed reports whether a function within the stated norm is negligibly far from the expected
// rewards (model.Model.Witnessed), as the mean of the runs' samples has it.
func (b Basis) witnessed(m *model.Model) bool {
	samples := 0.0
	if b.drawn() {
		samples = b.Result.SamplesPerAgent.Mean * float64(b.Model.Problem.V())
	}
	return b.regularised(m) && m.Witnessed(b.Options, samples)
}
