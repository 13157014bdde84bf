package rounds

import (
	"cmp"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/model"
)

// mostRivals is the number of arms of a large set, those of the largest estimates, by which others are
// beaten. Fewer comparisons keep more arms, and never beat a wrong one.
const mostRivals = 256

// Strongest returns the arms of a set that others are compared with: all, or of very many arms those
// with the largest estimates.
func Strongest(m *model.Model, set []int, estimates []float64) []int {
	if len(set) <= mostRivals || !m.Many() {
		return set
	}
	out := slices.Clone(set)
	slices.SortStableFunc(out, func(i, j int) int { return cmp.Compare(estimates[j], estimates[i]) })
	return out[:mostRivals]
}
