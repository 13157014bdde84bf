package campaign

import (
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
)

// skewed returns a warning if rewards of ended rounds are skewed and the guarantee of the algorithm assumes normal
// rewards; otherwise nil.
func (s review) skewed() *engine.Warning {
	if e, err := s.Entry(); err != nil || e.Backing != algorithms.BackingNormal {
		return nil
	}
	rewards := make([][]float64, s.Problem.N())
	for m := range resultsOf(s.over()) {
		if m.Arm < len(rewards) && m.count() == 1 { // a mean of several rewards hides their skewness
			rewards[m.Arm] = append(rewards[m.Arm], m.Reward)
		}
	}
	return engine.SkewWarning(s.Problem, s.Options, rewards, true)
}
