package problem

import (
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
				p.noteOnce(Note{Kind: NoteCodes, Path: p.Sources[0].Path, Names: []string{r.Kernel, column}})
			}
		}
	}
}
