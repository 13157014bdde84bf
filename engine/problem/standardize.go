package problem

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// standardize scales the features to [0, 1], those of tasks over all tasks and those of arms over
// the arms of all tasks. categories are columns of codes, which stay as they are.
func (p *Problem) standardize(categories []string) {
	kept := func(column string) bool { return slices.Contains(categories, column) }
	p.Tasks, p.Arms = p.Tasks.Standardized(kept), p.Arms.Standardized(kept)
}

// FeatureWords lists feature columns, with the range of each that was scaled to [0, 1], in the
// units of the data.
func FeatureWords(points *kernels.Points) string {
	words := slices.Clone(points.Columns)
	for c, u := range points.Units {
		if u.Scaled() {
			words[c] = fmt.Sprintf("%s (%s to %s scaled to 0 to 1)", words[c], plainNumber(u.Offset), plainNumber(u.Offset+u.Range))
		}
	}
	return strings.Join(words, ", ")
}
