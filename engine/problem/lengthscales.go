package problem

import (
	"fmt"
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
				if hint := lengthscaleHint(s, side.points); hint != "" && !slices.Contains(p.KernelNotes, hint) {
					p.KernelNotes = append(p.KernelNotes, hint)
				}
			}
		}
	}
}

// lengthscaleHint returns a sentence on a length scale that is far from the scale of its column, ""
// for another.
func lengthscaleHint(s kernels.ColumnScale, p *kernels.Points) string {
	values := slices.Compact(slices.Sorted(slices.Values(p.X[s.Column])))
	if len(values) < 2 {
		return ""
	}
	least, most := values[0], values[len(values)-1]
	step := math.Inf(1)
	for i, v := range values[1:] {
		step = min(step, v-values[i])
	}
	scaled := ""
	if p.Units != nil && p.Units[s.Column].Scaled() {
		u := p.Units[s.Column]
		scaled = fmt.Sprintf(", which are %s to %s in the units of the data", plainNumber(u.Offset), plainNumber(u.Offset+u.Range))
	}
	switch column := p.Columns[s.Column]; {
	case s.Scale > farScale*(most-least):
		return fmt.Sprintf("the length scale %.4g of %s is more than %d times the range of column %q, %.4g (%.4g to %.4g%s): to the kernel all its values are nearly the same", s.Scale, s.Kernel, farScale, column, most-least, least, most, scaled)
	case farScale*s.Scale < step:
		return fmt.Sprintf("the length scale %.4g of %s is less than a twentieth of the smallest step of column %q, %.4g (values %.4g to %.4g%s): to the kernel no two of its values are alike", s.Scale, s.Kernel, column, step, least, most, scaled)
	}
	return ""
}
