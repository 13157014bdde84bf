package problem

import (
	"math"
	"slices"

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
