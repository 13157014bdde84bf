package belief

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// The values of a random column, its levels, are a sample of many: years, operators, lots. The expected reward of an option is its mean over
// all of them. At each level an option is off by an effect that all its measurements there share. So do several kinds of effects add up:
//
//   - of a level, for all options of a task, unless the column is one of the blocks
//   - of an option at a level, at all tasks
//   - of an arm, which is an option of a task, at a combination of levels of all random columns
//
// Each kind has a variance of its own. The last kind is integrated out first, because its effects are of one arm each (see within). The
// others are estimated as those of blocks are.

// kind is a kind of effects that measurements share.
type kind struct {
	number string // its variance, a number of the model
	name   string // "option × year"
	of     []int  // effect of each row of the problem, from 0
	count  int
	common bool // whether all options of a task share each effect, as those of a block do
}

// RandomEffect is how much the effects of one kind vary.
type RandomEffect struct {
	Name string  `json:"effect"` // such as "variety × year"
	SD   float64 `json:"sd"`     // standard deviation, reward units
	// whether it is the same for all options of a task
	Common bool `json:"common"`
}

// RandomVariance returns by how much the random effects of a measurement at a new level vary between options, reward units squared.
func (b *Belief) RandomVariance() (sum float64) {
	for _, e := range b.Random {
		if !e.Common {
			sum += e.SD * e.SD
		}
	}
	return sum
}

// cellsNumber is the variance of the effects of arms at combinations of levels.
const cellsNumber = "random"

// isRandom reports whether a problem has measurements at several levels of a random column.
func isRandom(p *problem.Problem) bool { return len(randomColumns(p)) > 0 }

// grouped reports whether measurements share effects.
func grouped(p *problem.Problem) bool { return len(p.Blocks) > 1 || isRandom(p) }

// randomColumns returns the places in Long.Random of columns with several levels.
func randomColumns(p *problem.Problem) (out []int) {
	if p.Long == nil || len(p.Levels) < 2 || len(p.Rows) == 0 {
		return nil
	}
	for c := range p.Long.Random {
		if slices.ContainsFunc(p.Levels, func(texts []string) bool { return texts[c] != p.Levels[0][c] }) {
			out = append(out, c)
		}
	}
	return out
}

// wordOf returns the name of a single column, or else a word.
func wordOf(columns []string, word string) string {
	if len(columns) == 1 {
		return columns[0]
	}
	return word
}

// cellsName names the effects of arms at levels.
func cellsName(p *problem.Problem) string {
	name := wordOf(p.Long.Arm, "option")
	for _, c := range randomColumns(p) {
		name += " × " + p.Long.Random[c]
	}
	if p.V() > 1 {
		name = wordOf(p.Long.Task, "task") + " × " + name
	}
	return name
}

// kindsOf returns the kinds of effects that measurements of a problem share, except those of one arm each.
func kindsOf(p *problem.Problem) (out []kind) {
	if len(p.Blocks) > 1 {
		of := lists.Map(p.Rows, func(r problem.Row) int { return r.Block })
		out = append(out, kind{blocksNumber, blocksNumber, of, len(p.Blocks), true})
	}
	columns := randomColumns(p)
	add := func(number, name string, common bool, column int, of func(r problem.Row) int) {
		type key struct {
			of    int
			level string
		}
		places := map[key]int{}
		k := kind{number: number, name: name, common: common}
		for _, r := range p.Rows {
			at := key{of(r), p.Levels[r.Levels][column]}
			if _, known := places[at]; !known {
				places[at] = len(places)
			}
			k.of = append(k.of, places[at])
		}
		k.count = len(places)
		out = append(out, k)
	}
	for _, c := range columns {
		name := p.Long.Random[c]
		if !slices.Contains(p.Long.Blocks, name) && !slices.Contains(p.Long.Crossed, name) {
			label := name
			if p.V() > 1 {
				label = wordOf(p.Long.Task, "task") + " × " + name
			}
			add(fmt.Sprintf("level %d", c), label, true, c, func(r problem.Row) int { return p.TaskOf[r.Arm] })
		}
		if p.V() > 1 || len(columns) > 1 { // else the effects are those of arms
			add(fmt.Sprintf("random %d", c), wordOf(p.Long.Arm, "option")+" × "+name, false, c, func(r problem.Row) int { return p.Arms.ID[r.Arm] })
		}
	}
	return out
}

// cell holds the measurements of an arm at one combination of levels.
type cell struct {
	weight float64 // Σ of the weights
	mean   float64 // of the rewards less the mean of the arm
	rows   []cellRow
	shares []share // weights by effect
}

// cellRow is a measurement: its reward less the mean of the arm, and its effects.
type cellRow struct {
	weight, reward float64
	effects        []int
}

// newCells reads the measurements of some arms at places of d.cells, with the effects of kinds that they have, see newBlocks.
func newCells(d *data, at []int, relative []float64, unit float64) *blocks {
	b := &blocks{cells: make([][]cell, len(at)), arms: make([]float64, len(at))}
	place := lists.Keyed(at, func(k int, a int) (int, int) { return d.cells[a], k })
	type effect struct{ kind, of int }
	known := map[effect]int{}
	cells := map[[2]int]int{} // places of cells, by arm and levels
	for row, r := range d.p.Rows {
		k, chosen := place[r.Arm]
		if !chosen {
			continue
		}
		a := at[k]
		x := cellRow{weight: r.Count / relative[a], reward: (r.Reward - d.mean(a)) / unit}
		for j, kind := range d.kinds {
			e := effect{j, kind.of[row]}
			if _, seen := known[e]; !seen {
				known[e] = len(known)
				b.numbers = append(b.numbers, kind.number)
			}
			x.effects = append(x.effects, known[e])
		}
		key := [2]int{k, r.Levels}
		if _, seen := cells[key]; !seen {
			cells[key] = len(b.cells[k])
			b.cells[k] = append(b.cells[k], cell{})
		}
		c := &b.cells[k][cells[key]]
		c.rows = append(c.rows, x)
	}
	for k := range b.cells {
		for j := range b.cells[k] {
			c := &b.cells[k][j]
			for _, r := range c.rows {
				c.weight += r.weight
				c.mean += r.weight * r.reward
				for _, e := range r.effects {
					c.shares = append(c.shares, share{e, r.weight})
				}
			}
			c.mean /= c.weight
			c.shares = merged(c.shares)
			b.arms[k] += c.weight
		}
		if len(b.cells[k]) == 0 { // an arm with limits, see newBlocks
			b.arms[k] = 1
		}
	}
	return b
}

// within returns the blocks without the effects of arms at levels, whose prior variance is ratio σ². A cell with the weights w, Σ w = s,
// and the rewards y has the precision
//
//	W - ratio/(1 + ratio s) w wᵀ,
//
// so its mean has the weight s/(1 + ratio s).
func (b *blocks) within(ratio float64) *blocks {
	if b.cells == nil {
		return b
	}
	n, count := len(b.arms), len(b.numbers)
	out := &blocks{
		numbers: b.numbers, rows: make([][]share, n), arms: slices.Clone(b.arms), sizes: make([]float64, count), right: make([]float64, count),
		coupled: mat.NewSymDense(max(count, 1), nil), shift: make([]float64, n),
	}
	for k, cells := range b.cells {
		if len(cells) == 0 {
			continue
		}
		arm, sum := 0.0, 0.0
		for _, c := range cells {
			weight := c.weight / (1 + ratio*c.weight)
			arm, sum = arm+weight, sum+weight*c.mean
			out.logDet += math.Log1p(ratio * c.weight)
		}
		center := sum / arm
		out.logDet += math.Log(arm / b.arms[k])
		out.arms[k], out.shift[k] = arm, center
		for _, c := range cells {
			shrink := 1 / (1 + ratio*c.weight)
			off := c.mean - center
			out.square += c.weight * (c.mean*c.mean - shrink*off*off)
			for _, r := range c.rows {
				for i, e := range r.effects {
					out.sizes[e] += r.weight
					out.right[e] += r.weight * (r.reward - center - (1-shrink)*off)
					for _, f := range r.effects[i+1:] {
						out.coupled.SetSym(e, f, out.coupled.At(e, f)+r.weight)
					}
				}
			}
			for i, x := range c.shares {
				out.rows[k] = append(out.rows[k], share{x.of, x.weight * shrink})
				for _, y := range c.shares[i:] {
					less := ratio * shrink * x.weight * y.weight
					if x.of == y.of {
						out.sizes[x.of] -= less
					} else {
						out.coupled.SetSym(x.of, y.of, out.coupled.At(x.of, y.of)-less)
					}
				}
			}
		}
		out.rows[k] = merged(out.rows[k])
	}
	return out
}

// at returns the effects at the numbers u of a model.
func (b *blocks) at(m *model, u []float64) (*effects, error) {
	sigma2 := m.value(u, noiseNumber, 1)
	return b.within(m.value(u, cellsNumber, 0) / sigma2).effects(func(number string) float64 { return sigma2 / m.value(u, number, 0) })
}

// addEffects lists the variances of effects that measurements share.
func (m *model) addEffects() {
	if m.d.blocks == nil {
		return
	}
	for _, k := range m.d.kinds {
		median, sd := 0.3, 2.0
		if k.common {
			median, sd = 0.5, 3
		}
		m.add(k.number, math.Exp, math.Log(median), sd)
	}
	if m.d.blocks.cells != nil {
		m.add(cellsNumber, math.Exp, math.Log(0.3), 2)
	}
}

// effectNumbers returns the numbers that are variances of effects.
func (d *data) effectNumbers() (out []string) {
	if d.blocks == nil {
		return nil
	}
	out = lists.Map(d.kinds, func(k kind) string { return k.number })
	if d.blocks.cells != nil {
		out = append(out, cellsNumber)
	}
	return out
}

// randomEffects returns the kinds of effects of random columns, by number.
func (d *data) randomEffects() (numbers []string, effects []RandomEffect) {
	if d.blocks == nil || d.blocks.cells == nil {
		return nil, nil
	}
	for _, k := range d.kinds {
		if k.number != blocksNumber {
			numbers, effects = append(numbers, k.number), append(effects, RandomEffect{Name: k.name, Common: k.common})
		}
	}
	return append(numbers, cellsNumber), append(effects, RandomEffect{Name: cellsName(d.p)})
}

// randomVariance returns the sum of the variances of the random effects of a measurement at u, scaled units.
func (m *model) randomVariance(u []float64) (sum float64) {
	numbers, _ := m.d.randomEffects()
	for _, number := range numbers {
		sum += m.value(u, number, 0)
	}
	return sum
}
