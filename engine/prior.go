package engine

import (
	"fmt"

	"github.com/gonb-cope/gonb-cope/internal/sentence"
)

// priorNumbers is how many numbers of a warning about a prior are about one run.
const priorNumbers = 5

// OfPrior reports whether the warning says that data are not credible under a prior.
func (w Warning) OfPrior() bool {
	return w.Kind == WarnPriorLevel || w.Kind == WarnPriorScale || w.Kind == WarnPriorKernel
}

// prior returns the sentence of a warning about a prior, with the number of runs where there are
// several.
func (w Warning) prior(format string) string {
	s := sentence.Write(format, nil, w.Numbers[:min(priorNumbers, len(w.Numbers))])
	if runs := w.Numbers[min(priorNumbers, len(w.Numbers)):]; len(runs) == 2 && runs[1] > 1 {
		s = fmt.Sprintf("in %.0f of %.0f runs %s (of the first such run)", runs[0], runs[1], s)
	}
	return s
}
