package problem

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// farScale is how many times the range of its column a length scale may be, and how many of them the
// smallest step of the column may have, before a hint is worth it. At 20 ranges an RBF varies by 0.12
// per cent over the whole column. At 20 length scales it is 1e-87, a Matérn of smoothness 1/2 2e-9,
// and an RQ of alpha 1 still 0.5 per cent.
const farScale = 20

// NoteLengthscales notes length scales that are far from the scale of their columns: they are in the
// units of the data, which a default or a number from another table does not know.
func (p *Problem) NoteLengthscales() {
	for _, t := range p.Kernel.Terms {
		for _, side := range []struct {
			kernel kernels.Kernel
			points *kernels.Points
		}{{t.Task, p.Tasks}, {t.Arm, p.Arms}} {
			if side.kernel == nil {
				continue
			}
			for _, s := range kernels.ColumnScales(side.kernel, side.points) {
				if hint, far := lengthscaleHint(s, side.points); far {
					p.noteOnce(hint)
				}
			}
		}
	}
}

// lengthscaleHint returns a note on a length scale that is far from the scale of its column.
func lengthscaleHint(s kernels.ColumnScale, p *kernels.Points) (n Note, far bool) {
	values := slices.Compact(slices.Sorted(slices.Values(p.X[s.Column])))
	if len(values) < 2 {
		return Note{}, false
	}
	least, most := values[0], values[len(values)-1]
	step := math.Inf(1)
	for i, v := range values[1:] {
		step = min(step, v-values[i])
	}
	n.Names = []string{s.Kernel, p.Columns[s.Column]}
	switch {
	case s.Scale > farScale*(most-least):
		n.Kind, n.Numbers = NoteLongScale, []float64{s.Scale, most - least, least, most}
	case farScale*s.Scale < step:
		n.Kind, n.Numbers = NoteShortScale, []float64{s.Scale, step, least, most}
	default:
		return Note{}, false
	}
	if p.Units != nil && p.Units[s.Column].Scaled() {
		u := p.Units[s.Column]
		n.Numbers = append(n.Numbers, u.Data(0), u.Data(1))
	}
	return n, true
}

// fewCategories is how many categories any codes can stand for: of two, every order is the same.
const fewCategories = 2

// noteCategories notes kernels that take the codes of categories for numbers on a scale. categories
// are the columns of text.
func (p *Problem) noteCategories(categories []string) {
	for _, term := range p.Kernel.Terms {
		for _, side := range []struct {
			kernel kernels.Kernel
			points *kernels.Points
		}{{term.Task, p.Tasks}, {term.Arm, p.Arms}} {
			if side.kernel == nil {
				continue
			}
			for _, r := range kernels.Reads(side.kernel, side.points) {
				column := side.points.Columns[r.Column]
				if r.Kernel == "category" || !slices.Contains(categories, column) || slices.Max(side.points.X[r.Column]) < fewCategories {
					continue
				}
				p.noteOnce(Note{Kind: NoteCodes, Path: p.Sources[0].Path, Names: []string{r.Kernel, column}})
			}
		}
	}
}

// standardize scales the features to [0, 1], tasks' features over all tasks and arms' features over
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
