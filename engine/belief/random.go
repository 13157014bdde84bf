package belief

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
)

// A random column has levels, such as years, operators or lots, that are a sample of many possible levels. The expected
// reward of an option is its mean over all of them. Each measurement adds a sum of effects of several kinds:
//
//   - the effect of a level on all options of a task, unless the column is one of the blocks
//   - the effect of an option at a level, which all tasks share
//   - the effect of an arm, an option of one task, at a combination of levels of all random columns
//
// Each kind has its own variance. An effect of the last kind changes the rewards of one arm alone, so within integrates out
// this kind first. The other effects are estimated in the same way as the effects of blocks.

// mostRandom is the largest supported number of effects of blocks, levels, and options at levels.
const mostRandom = 3000

// kind is a kind of effects that several measurements share.
type kind struct {
	number string // name of the hyperparameter that is their variance
	name   string // name for the user, such as "option × year"
	of     []int  // index of the effect of each row of the problem
	count  int
	common bool // whether all options of a task share each effect, like the effect of a block
}

// RandomEffect is the standard deviation of one kind of effects.
type RandomEffect struct {
	Name string  `json:"effect"` // such as "variety × year"
	SD   float64 `json:"sd"`     // standard deviation, reward units
	// whether each effect is the same for all options of a task
	Common bool `json:"common"`
}

// RandomVariance returns the variance that random effects add to a measurement at a new level, in reward units squared. It
// leaves out effects that all options of a task share.
func (b *Belief) RandomVariance() (sum float64) {
	for _, e := range b.Random {
		if !e.Common {
			sum += e.SD * e.SD
		}
	}
	return sum
}

// cellsNumber is the name of the hyperparameter for the variance of the effects of arms at combinations of levels.
const cellsNumber = "random"

// isRandom reports whether a problem has measurements at several levels of a random column.
func isRandom(p *problem.Problem) bool { return len(randomColumns(p)) > 0 }

// grouped reports whether measurements share effects.
func grouped(p *problem.Problem) bool { return len(p.Blocks) > 1 || isRandom(p) }

// randomColumns returns the indices in Long.Random of columns with at least two levels.
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

// wordOf returns the column's name if there is one column, else word.
func wordOf(columns []string, word string) string {
	if len(columns) == 1 {
		return columns[0]
	}
	return word
}

// cellsName returns the name of the effects of arms at combinations of levels, such as "option × year".
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

// kindsOf returns the kinds of effects that measurements of a problem share, except the effects of one arm each.
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
		if p.V() > 1 || len(columns) > 1 { // otherwise these equal the effects of arms at combinations of levels
			add(fmt.Sprintf("random %d", c), wordOf(p.Long.Arm, "option")+" × "+name, false, c, func(r problem.Row) int { return p.Arms.ID[r.Arm] })
		}
	}
	return out
}

// cell holds the measurements of an arm at one combination of levels.
type cell struct {
	weight float64 // sum of the weights of its rows
	mean   float64 // weighted mean of the rewards, relative to the mean of the arm
	rows   []cellRow
	shares []share // weight of each effect
}

// cellRow is a measurement: its weight, its reward minus the mean of the arm, and the indices of its effects.
type cellRow struct {
	weight, reward float64
	effects        []int
}

// newCells is newBlocks for problems with random columns. Effects are sorted: effects of the same option are adjacent, and
// common effects come last.
func newCells(d *data, at []int, relative []float64, unit float64) *blocks {
	b := &blocks{cells: make([][]cell, len(at)), arms: make([]float64, len(at)), optionOf: slices.Repeat([]int{-1}, len(at))}
	place := lists.Keyed(at, func(k int, a int) (int, int) { return d.cells[a], k })
	type effect struct{ option, kind, of int }
	effects := func(row int) []effect {
		return lists.Make(len(d.kinds), func(j int) effect {
			if d.kinds[j].common {
				return effect{math.MaxInt, j, d.kinds[j].of[row]}
			}
			return effect{d.p.Arms.ID[d.p.Rows[row].Arm], j, d.kinds[j].of[row]}
		})
	}
	var rows []int // rows of the selected arms
	var all []effect
	for row, r := range d.p.Rows {
		if _, chosen := place[r.Arm]; chosen {
			rows, all = append(rows, row), append(all, effects(row)...)
		}
	}
	slices.SortFunc(all, func(x, y effect) int {
		return cmp.Or(cmp.Compare(x.option, y.option), cmp.Compare(x.kind, y.kind), cmp.Compare(x.of, y.of))
	})
	all = slices.Compact(all)
	number := map[effect]int{}
	option := map[int]int{} // index in b.options, by option
	for k, e := range all {
		number[e] = k
		b.numbers = append(b.numbers, d.kinds[e.kind].number)
		if e.option == math.MaxInt {
			continue
		}
		if _, known := option[e.option]; !known {
			option[e.option] = len(b.options)
			b.options = append(b.options, [2]int{k, k})
		}
		b.options[len(b.options)-1][1] = k + 1
	}
	cells := map[[2]int]int{} // index in b.cells[k], by arm and levels
	for _, row := range rows {
		r := d.p.Rows[row]
		k := place[r.Arm]
		a := at[k]
		x := cellRow{r.Count / relative[a], (r.Reward - d.mean(a)) / unit, lists.Map(effects(row), func(e effect) int { return number[e] })}
		if o, known := option[d.p.Arms.ID[r.Arm]]; known {
			b.optionOf[k] = o
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

// within returns the blocks after integrating out the effects of arms at combinations of levels, whose prior variance is
// ratio σ². A cell with weights w, sum s = Σ w, and rewards y has the precision
//
//	W - ratio/(1 + ratio s) w wᵀ,
//
// with W = diag(w), so its mean has the weight s/(1 + ratio s). Without random columns, within returns b.
func (b *blocks) within(ratio float64) *blocks {
	if b.cells == nil {
		return b
	}
	n, count := len(b.arms), len(b.numbers)
	out := &blocks{
		numbers: b.numbers, options: b.options, optionOf: b.optionOf,
		rows: make([][]share, n), arms: slices.Clone(b.arms),
		sizes: make([]float64, count), right: make([]float64, count),
		coupled: mat.NewSymDense(count, nil), shift: make([]float64, n),
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

// ofOptions is ofBlocks for effects of options and common effects. In T⁻¹ each option o has a diagonal block D_o and a
// block C_o with the common effects; the common effects have the block F. With D_o = LLᵀ and W_o = L⁻¹C_o, the only dense
// matrix to factor is F - Σ W_oᵀW_o. A row of Z is 0 except for the effects of one option and the common effects.
func (e *effects) ofOptions(b *blocks, precision []float64) (logDet float64, err error) {
	count := len(b.sizes)
	inverse := b.coupled
	for j, v := range b.sizes {
		inverse.SetSym(j, j, v+precision[j])
	}
	for k, row := range b.rows {
		for i, x := range row {
			for _, y := range row[i:] {
				inverse.SetSym(x.of, y.of, inverse.At(x.of, y.of)-x.weight*y.weight/b.arms[k])
			}
		}
	}
	from := 0 // index of the first common effect
	if len(b.options) > 0 {
		from = b.options[len(b.options)-1][1]
	}
	common := count - from
	rest := mat.NewSymDense(common, nil)
	rest.CopySym(inverse.SliceSym(from, count))
	lower, beside := make([]blas64.Triangular, len(b.options)), make([]*mat.Dense, len(b.options))
	solved := slices.Clone(b.right) // L⁻¹r, for each option
	right := solved[from:]
	for o, at := range b.options {
		var chol mat.Cholesky
		if !chol.Factorize(inverse.SliceSym(at[0], at[1])) {
			return 0, gp.ErrSingular
		}
		logDet += chol.LogDet()
		var l mat.TriDense
		chol.LTo(&l)
		lower[o] = l.RawTriangular()
		w := mat.NewDense(at[1]-at[0], common, nil)
		for i := range at[1] - at[0] {
			for j := range common {
				w.Set(i, j, inverse.At(at[0]+i, from+j))
			}
		}
		blas64.Trsm(blas.Left, blas.NoTrans, 1, lower[o], w.RawMatrix())
		blas64.Syrk(blas.Trans, -1, w.RawMatrix(), 1, rest.RawSymmetric())
		own := blas64.Vector{N: at[1] - at[0], Inc: 1, Data: solved[at[0]:at[1]]}
		blas64.Trsv(blas.NoTrans, lower[o], own)
		blas64.Gemv(blas.Trans, -1, w.RawMatrix(), own, 1, blas64.Vector{N: common, Inc: 1, Data: right})
		beside[o] = w
	}
	var chol mat.Cholesky
	if !chol.Factorize(rest) {
		return 0, gp.ErrSingular
	}
	logDet += chol.LogDet()
	found := mat.NewVecDense(common, e.beta[from:])
	if err := symmetric.Solved(chol.SolveVecTo(found, mat.NewVecDense(common, right))); err != nil {
		return 0, err
	}
	for o, at := range b.options {
		own := blas64.Vector{N: at[1] - at[0], Inc: 1, Data: e.beta[at[0]:at[1]]}
		copy(own.Data, solved[at[0]:at[1]])
		blas64.Gemv(blas.NoTrans, -1, beside[o].RawMatrix(), found.RawVector(), 1, own)
		blas64.Trsv(blas.Trans, lower[o], own)
	}
	var last mat.TriDense
	chol.LTo(&last)
	e.root, e.common = mat.NewDense(len(b.arms), count, nil), from
	e.options, e.optionOf = b.options, b.optionOf
	for k, row := range b.rows {
		z := e.root.RawRowView(k)
		for _, x := range row {
			z[x.of] = x.weight / b.arms[k]
		}
		end := blas64.Vector{N: common, Inc: 1, Data: z[from:]}
		if o := b.optionOf[k]; o >= 0 {
			at := b.options[o]
			own := blas64.Vector{N: at[1] - at[0], Inc: 1, Data: z[at[0]:at[1]]}
			blas64.Trsv(blas.NoTrans, lower[o], own)
			blas64.Gemv(blas.Trans, -1, beside[o].RawMatrix(), own, 1, end)
		}
		blas64.Trsv(blas.NoTrans, last.RawTriangular(), end)
	}
	return logDet, nil
}

// addOptions adds σ² Z Zᵀ to cov, with Z from ofOptions.
func (e *effects) addOptions(cov *mat.SymDense, sigma2 float64) {
	n, count := e.root.Dims()
	blas64.Syrk(blas.NoTrans, sigma2, e.root.Slice(0, n, e.common, count).(*mat.Dense).RawMatrix(), 1, cov.RawSymmetric())
	arms := make([][]int, len(e.options))
	for k, o := range e.optionOf {
		if o >= 0 {
			arms[o] = append(arms[o], k)
		}
	}
	for o, at := range e.options {
		for i, k := range arms[o] {
			for _, l := range arms[o][i:] {
				cov.SetSym(k, l, cov.At(k, l)+sigma2*floats.Dot(e.root.RawRowView(k)[at[0]:at[1]], e.root.RawRowView(l)[at[0]:at[1]]))
			}
		}
	}
}

// at returns the effects at the hyperparameters u of the model m.
func (b *blocks) at(m *model, u []float64) (*effects, error) {
	sigma2 := m.value(u, noiseNumber, 1)
	return b.within(m.value(u, cellsNumber, 0) / sigma2).effects(func(number string) float64 { return sigma2 / m.value(u, number, 0) })
}

// addEffects adds the hyperparameters for the variances of shared effects.
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

// effectNumbers returns the names of the hyperparameters that are variances of shared effects.
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

// randomEffects returns the kinds of effects of random columns, and the names of their hyperparameters; nil without random
// columns.
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

// randomVariance returns the sum of the variances of all random effects at u, scaled units.
func (m *model) randomVariance(u []float64) (sum float64) {
	numbers, _ := m.d.randomEffects()
	for _, number := range numbers {
		sum += m.value(u, number, 0)
	}
	return sum
}
