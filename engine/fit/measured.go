package fit

import "github.com/gonb-cope/gonb-cope/engine"

// Measured holds the worth of sharing in simulated runs of CoTestFC under the fitted kernel, with
// the data's means for expected rewards, against the same test by each agent alone.
type Measured struct {
	Runs       int             `json:"runs"`
	Delta      float64         `json:"delta"`
	Epsilon    float64         `json:"epsilon"`  // reward units; what the pilot cannot tell apart
	Speedup    engine.Interval `json:"speedup"`  // samples alone over samples together
	Together   engine.Interval `json:"together"` // samples per agent
	Alone      engine.Interval `json:"alone"`
	Wrong      engine.Rate     `json:"wrong"` // runs with a wrong answer, together
	WrongAlone engine.Rate     `json:"wrong_alone"`
	Undecided  int             `json:"undecided"` // runs with an undecided task, together
}

// Warnings says where pooling does not keep what is predicted of it.
func (m Measured) Warnings(predicted float64) []engine.Warning {
	wrong, runs, alone := float64(m.Wrong.Count), float64(m.Wrong.Runs), float64(m.WrongAlone.Count)
	speedup := []float64{m.Speedup.Mean, m.Speedup.CI95[0], m.Speedup.CI95[1], predicted}
	switch {
	case m.Wrong.CI95[0] > m.Delta && m.WrongAlone.CI95[0] > m.Delta:
		return []engine.Warning{{Kind: engine.WarnMeasuredWrong, Numbers: []float64{wrong, runs, alone, m.Delta}}}
	case m.Wrong.CI95[0] > m.Delta:
		return []engine.Warning{{Kind: engine.WarnMeasuredPoolWrong, Numbers: []float64{wrong, runs, m.Delta, alone}}}
	case m.Speedup.CI95[1] < 1:
		return []engine.Warning{{Kind: engine.WarnMeasuredSlower, Numbers: speedup}}
	case m.Speedup.CI95[1] < littleUse:
		return []engine.Warning{{Kind: engine.WarnMeasuredWeak, Numbers: speedup}}
	case m.Speedup.CI95[1] < predicted/2:
		return []engine.Warning{{Kind: engine.WarnMeasuredLess, Numbers: speedup}}
	}
	return nil
}

// littleUse is the speedup below which pooling is said to be of little use.
const littleUse = 1.2
