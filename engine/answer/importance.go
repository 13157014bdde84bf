package answer

import (
	"cmp"
	"maps"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// mostLevels is the largest number of groups into which levels sorts the values of a numeric column.
const mostLevels = 8

// compare sets Arm.Difference: each candidate minus the recommended arm of its task.
func (a *Answer) compare(b *belief.Belief, picks []int, open [][]int) {
	p := b.Problem
	count, _ := b.Draws.Dims()
	own, other := make([]float64, count), make([]float64, count)
	for _, pick := range picks {
		for _, i := range open[p.TaskOf[pick]] {
			if i == pick {
				continue
			}
			mat.Col(own, pick, b.Draws)
			mat.Col(other, i, b.Draws)
			for k := range other {
				other[k] = bounded(p, other[k]) - bounded(p, own[k])
			}
			a.Arms[i].Difference = &Difference{p.Turned(meanOf(other)), *p.TurnedBounds(intervalOf(other))}
		}
	}
}

// bounded returns a reward, or the nearest of the stated bounds if it lies outside.
func bounded(p *problem.Problem, reward float64) float64 {
	if b := p.Noise.Bounds; b != nil {
		return min(max(reward, b[0]), b[1])
	}
	return reward
}

// importance returns, for each column of the arms, the share of the variance of the means within tasks that the column
// explains. It is the effect size
//
//	ε² = 1 - (SSE / dfE) / (SST / dfT)
//
// of the one-way analysis of variance [Kelley 1935], at least 0. Columns whose values nearly all differ have no residual
// degrees of freedom and are left out.
func importance(p *problem.Problem, means []float64) (out []Importance) {
	if len(p.Arms.Columns) < 2 {
		return nil
	}
	for c, column := range p.Arms.Columns {
		level := levels(p, c)
		var within, total, freeWithin, freeTotal float64
		for _, arms := range p.Groups() {
			byLevel := map[int][]float64{}
			var all []float64
			for _, i := range arms {
				byLevel[level[i]], all = append(byLevel[level[i]], means[i]), append(all, means[i])
			}
			if len(all) == 0 {
				continue
			}
			total, freeTotal = total+squares(all), freeTotal+float64(len(all)-1)
			for _, k := range slices.Sorted(maps.Keys(byLevel)) {
				within += squares(byLevel[k])
			}
			freeWithin += float64(len(all) - len(byLevel))
		}
		if freeWithin > 0 && total > 0 {
			out = append(out, Importance{column, max(0, 1-(within/freeWithin)/(total/freeTotal))})
		}
	}
	slices.SortStableFunc(out, func(x, y Importance) int { return cmp.Compare(y.Share, x.Share) })
	return out
}

// levels returns an integer for the value of each arm in column c; equal values have equal integers. If a numeric column
// has more than mostLevels values, neighbouring values share an integer.
func levels(p *problem.Problem, c int) []int {
	values := make([]float64, p.N())
	for i := range values {
		values[i] = p.Arms.Value(c, i)
	}
	different := slices.Compact(slices.Sorted(slices.Values(values)))
	out := make([]int, len(values))
	for i, v := range values {
		k, _ := slices.BinarySearch(different, v)
		if len(different) > mostLevels && p.Categories[p.Arms.Columns[c]] == nil {
			k = k * mostLevels / len(different)
		}
		out[i] = k
	}
	return out
}

// squares returns Σ (x - mean)².
func squares(x []float64) (sum float64) {
	m := meanOf(x)
	for _, v := range x {
		sum += (v - m) * (v - m)
	}
	return sum
}
