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

// Logarithmic returns the problem with the decimal logarithm of some feature columns of its arms, scaled to [0, 1] as
// the columns are now. The columns must be positive.
func (p *Problem) Logarithmic(columns []string) *Problem {
	if len(columns) == 0 {
		return p
	}
	q, units := *p, map[string]kernels.Unit{}
	for c, u := range p.Arms.Units {
		units[p.Arms.Columns[c]] = u
	}
	q.Arms = p.Arms.Unscaled().
		Logarithmic(func(name string) bool { return units[name].Log || slices.Contains(columns, name) }).
		Standardized(func(name string) bool { return !units[name].Ranged() })
	return &q
}

// FeatureWords lists feature columns, with the range of each that was scaled to [0, 1], in the
// units of the data.
func FeatureWords(points *kernels.Points) string {
	words := slices.Clone(points.Columns)
	for c, u := range points.Units {
		if u.Scaled() {
			how := "scaled to 0 to 1"
			if u.Log {
				how = "logarithm, scaled to 0 to 1"
				if !u.Ranged() {
					words[c] += " (logarithm)"
					continue
				}
			}
			words[c] = fmt.Sprintf("%s (%s to %s %s)", words[c], plainNumber(u.Data(0)), plainNumber(u.Data(1)), how)
		}
	}
	return strings.Join(words, ", ")
}
