package campaign

import (
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
)

// skewed reports skewed rewards of closed rounds, where the guarantee of the algorithm is for normal ones; nil for none.
func (s review) skewed() *engine.Warning {
	if e, err := s.Entry(); err != nil || e.Backing != algorithms.BackingNormal {
		return nil
	}
	rewards := make([][]float64, s.Problem.N())
	for m := range resultsOf(s.over()) {
		if m.Arm < len(rewards) && m.count() == 1 { // means of several hide their skewness
			rewards[m.Arm] = append(rewards[m.Arm], m.Reward)
		}
	}
	return engine.SkewWarning(s.Problem, s.Options, rewards, true)
}
