package problem

import (
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/kernels"
)

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
				note := fmt.Sprintf("%s: %s reads column %q, whose numbers are codes of text in no order; name the other columns in dims= of %s, and multiply by category(dims=%q)", p.Sources[0].Path, r.Kernel, column, r.Kernel, column)
				if !slices.Contains(p.KernelNotes, note) {
					p.KernelNotes = append(p.KernelNotes, note)
				}
			}
		}
	}
}
