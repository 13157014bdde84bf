package fit

import (
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine"
)

// Measured is what sharing was worth in simulated runs of CoTestFC under the fitted kernel, with the
// data's means for expected rewards, against the same test by each agent alone.
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
func (m Measured) Warnings(predicted float64) []string {
	var out []string
	s := fmt.Sprintf("the speedup is %.3g [%.3g, %.3g] in simulated runs, where %.3g is predicted (%s)", m.Speedup.Mean, m.Speedup.CI95[0], m.Speedup.CI95[1], predicted, rulesOut)
	switch {
	case m.Wrong.CI95[0] > m.Delta && m.WrongAlone.CI95[0] > m.Delta:
		out = append(out, fmt.Sprintf("the fitted kernel misleads, shared or not: %d of %d simulated runs answer wrongly together and %d alone, against delta = %g; it cannot represent these means: add identity() to it, or use robust=true", m.Wrong.Count, m.Wrong.Runs, m.WrongAlone.Count, m.Delta))
	case m.Wrong.CI95[0] > m.Delta:
		out = append(out, fmt.Sprintf("pooling the tasks hurts: agents that share answer wrongly in %d of %d simulated runs, against delta = %g, and alone in %d: the kernel cannot represent these means; add identity() to it, or use robust=true", m.Wrong.Count, m.Wrong.Runs, m.Delta, m.WrongAlone.Count))
	case m.Speedup.CI95[1] < 1:
		out = append(out, "pooling the tasks hurts in runs with a guarantee: "+s)
	case m.Speedup.CI95[1] < hardly:
		out = append(out, "pooling the tasks will hardly help in runs with a guarantee: "+s)
	case m.Speedup.CI95[1] < predicted/2:
		out = append(out, "pooling the tasks helps less than predicted in runs with a guarantee: "+s)
	}
	return out
}

// rulesOut is why a test can gain less from sharing than estimates do.
const rulesOut = "the prediction is for estimates; a test relies only on what the kernel rules out, which is nothing where it has identity()"

// hardly is the speedup below which pooling is said to be of little use.
const hardly = 1.2
