package belief

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
)

// mostEffects is the largest supported number of blocks, if more arms than that are measured in them.
const mostEffects = 1000

// blocks describe which measurements of some arms were made together, such as on a day or a plate. A block adds an effect
// to all its rewards. m_ij is the number of measurements of arm i in block j divided by rel_i. The sum of the squares of
// rewards about the expected rewards f_i and the effects β_j, each divided by rel_i, has the curvature
//
//	[ A   M ]
//	[ Mᵀ  Δ ],  A = diag(Σ_j m_ij),  Δ = diag(Σ_i m_ij).
type blocks struct {
	rows        [][]share // of each arm: its row of M, in ascending order
	arms, sizes []float64 // the diagonals of A and of Δ
	right       []float64 // for each block: Σ of rewards minus the mean of their arm, divided by rel

	// The following fields are set if the problem has random columns, thus several kinds of effects; see within.
	numbers  []string      // of each effect: the hyperparameter that is its variance; nil if all effects are effects of blocks
	options  [][2]int      // half-open range of the effects of each option, in order; common effects come after all of them
	cells    [][]cell      // of each arm; nil without random columns
	coupled  *mat.SymDense // Δ off its diagonal; nil if that is 0
	shift    []float64     // added to the mean of each arm, because its cells have different weights; nil without random columns
	square   float64       // Σ of squares within arms that the effects of arms at combinations of levels explain
	logDet   float64       // the part of effects.logDet that comes from these effects
	optionOf []int         // of each arm: its place in options; -1 if it is not there
}

// share is an entry of M: the weight of the measurements of an arm in a block.
type share struct {
	of     int // the block; if a column of M is listed, the arm
	weight float64
}

// unit is a group of measurements within which blocks are compared. It is an arm or, with random columns, the measurements
// of an arm at one combination of levels.
type unit struct {
	place    int     // index of the unit
	mean     float64 // mean reward of the unit
	relative float64 // variance of one measurement, relative to σ²
}

// newBlocks builds the matrix M for some measured arms. at has their indices in d.cells, relative the variance of one
// measurement of every arm in d.cells, and scale the reward units of one scaled unit.
func newBlocks(d *data, at []int, relative []float64, scale float64) *blocks {
	if isRandom(d.p) {
		return newCells(d, at, relative, scale)
	}
	place := lists.Keyed(at, func(k int, a int) (int, int) { return d.cells[a], k })
	return blocksOf(d.p, len(at), scale, func(row int) (unit, bool) {
		k, chosen := place[d.p.Rows[row].Arm]
		if !chosen {
			return unit{}, false
		}
		return unit{k, d.mean(at[k]), relative[at[k]]}, true
	})
}

// blocksOf builds the matrix M for the given number of units. unitOf returns the unit of a row, and false if the row is
// not used.
func blocksOf(p *problem.Problem, units int, scale float64, unitOf func(row int) (unit, bool)) *blocks {
	b := &blocks{rows: make([][]share, units), arms: make([]float64, units), right: make([]float64, len(p.Blocks))}
	b.sizes = make([]float64, len(b.right))
	for row, r := range p.Rows {
		of, chosen := unitOf(row)
		if !chosen {
			continue
		}
		weight := r.Count / of.relative
		b.rows[of.place] = append(b.rows[of.place], share{r.Block, weight})
		b.arms[of.place] += weight
		b.sizes[r.Block] += weight
		b.right[r.Block] += weight * (r.Reward - of.mean) / scale
	}
	for k, row := range b.rows {
		if len(row) == 0 { // an arm with limits: its site has a variance of its own, so any weight works
			b.arms[k] = 1
		}
		b.rows[k] = merged(row)
	}
	return b
}

// merged sorts shares by block and adds the weights of shares of the same block.
func merged(row []share) []share {
	slices.SortFunc(row, func(x, y share) int { return x.of - y.of })
	out := row[:0]
	for _, x := range row {
		if last := len(out) - 1; last >= 0 && out[last].of == x.of {
			out[last].weight += x.weight
		} else {
			out = append(out, x)
		}
	}
	return out
}

// effects are the estimated effects of blocks, in units in which σ² = 1. Together with the noise they give the means of
// arms the covariance V = Z Zᵀ + A⁻¹ or, if there are more blocks than arms, V = Z Zᵀ + A⁻¹/2.
type effects struct {
	beta   []float64     // their estimates β by differences within arms
	shift  []float64     // added to the mean of each arm to remove the effects of its blocks
	square float64       // Σ of squares within arms that the effects explain
	logDet float64       // log |I + W/precision|, W = Δ - MᵀA⁻¹M
	root   *mat.Dense    // Z; nil if there are more blocks than arms
	whole  *mat.SymDense // V; nil if there are at most as many blocks as arms
	arms   []float64     // the diagonal of A

	// for ofOptions: ranges of the effects of each option, the option of each arm, and the first column of Z with common
	// effects
	options  [][2]int
	optionOf []int
	common   int
}

// effects estimates the effects. It eliminates arms or blocks, whichever are more: their part of the curvature is
// diagonal. precisionOf returns the prior precision of the effects whose variance is the named hyperparameter.
func (b *blocks) effects(precisionOf func(number string) float64) (*effects, error) {
	n, count := len(b.arms), len(b.sizes)
	e := &effects{beta: make([]float64, count), shift: make([]float64, n), arms: b.arms}
	of, precision, logs := e.ofBlocks, slices.Repeat([]float64{precisionOf(blocksNumber)}, count), 0.0
	for j, number := range b.numbers {
		precision[j] = precisionOf(number)
	}
	switch {
	case b.coupled != nil:
		of = e.ofOptions
	case count > n:
		of = e.ofArms
	}
	logDet, err := of(b, precision)
	if err != nil {
		return nil, err
	}
	if logs = float64(count) * math.Log(precision[0]); b.numbers != nil {
		logs = lists.Sum(precision, math.Log)
	}
	e.logDet, e.square = logDet-logs+b.logDet, floats.Dot(b.right, e.beta)+b.square
	copy(e.shift, b.shift)
	for k, row := range b.rows {
		for _, x := range row {
			e.shift[k] -= x.weight / b.arms[k] * e.beta[x.of]
		}
	}
	return e, nil
}

// ofBlocks eliminates the arms and sets e.beta and e.root. With P the prior precision, r = b.right and T = (Δ + P -
// MᵀA⁻¹M)⁻¹,
//
//	β = T r,  Z Zᵀ = A⁻¹M T MᵀA⁻¹.
//
// It returns -log |T|, or gp.ErrSingular.
func (e *effects) ofBlocks(b *blocks, precision []float64) (float64, error) {
	count := len(b.sizes)
	inverse := mat.NewSymDense(count, nil) // T⁻¹
	for j, v := range b.sizes {
		inverse.SetSym(j, j, v+precision[j])
	}
	e.root = mat.NewDense(len(b.arms), count, nil)
	for k, row := range b.rows {
		for i, x := range row {
			e.root.Set(k, x.of, x.weight/b.arms[k])
			for _, y := range row[i:] {
				inverse.SetSym(x.of, y.of, inverse.At(x.of, y.of)-x.weight*y.weight/b.arms[k])
			}
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(inverse) {
		return 0, gp.ErrSingular
	}
	if err := symmetric.Solved(chol.SolveVecTo(mat.NewVecDense(count, e.beta), mat.NewVecDense(count, b.right))); err != nil {
		return 0, err
	}
	var upper mat.TriDense
	chol.UTo(&upper)
	blas64.Trsm(blas.Right, blas.NoTrans, 1, upper.RawTriangular(), e.root.RawMatrix())
	return chol.LogDet(), nil
}

// ofArms eliminates the blocks and sets e.beta and e.whole. With P the prior precision, r = b.right and Δ' = Δ + P,
//
//	V = (A - M Δ'⁻¹Mᵀ)⁻¹,  β = Δ'⁻¹(r + Mᵀ V M Δ'⁻¹r).
//
// It returns log |Δ' - MᵀA⁻¹M| = log |Δ'| - log |A| - log |V|, or gp.ErrSingular.
func (e *effects) ofArms(b *blocks, precision []float64) (logDet float64, err error) {
	n := len(b.arms)
	columns := make([][]share, len(b.sizes)) // of M: arms in ascending order, with their weights
	for k, row := range b.rows {
		for _, x := range row {
			columns[x.of] = append(columns[x.of], share{k, x.weight})
		}
	}
	inverse, right := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil) // V⁻¹ and M Δ'⁻¹r
	for k, v := range b.arms {
		inverse.SetSym(k, k, v)
		logDet -= math.Log(v)
	}
	for j, column := range columns {
		size := b.sizes[j] + precision[j]
		logDet += math.Log(size)
		for i, x := range column {
			right.SetVec(x.of, right.AtVec(x.of)+x.weight*b.right[j]/size)
			for _, y := range column[i:] {
				inverse.SetSym(x.of, y.of, inverse.At(x.of, y.of)-x.weight*y.weight/size)
			}
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(inverse) {
		return 0, gp.ErrSingular
	}
	e.whole = new(mat.SymDense)
	if err := symmetric.Solved(chol.InverseTo(e.whole)); err != nil {
		return 0, err
	}
	var solved mat.VecDense
	solved.MulVec(e.whole, right)
	for j, column := range columns {
		e.beta[j] = b.right[j]
		for _, x := range column {
			e.beta[j] += x.weight * solved.AtVec(x.of)
		}
		e.beta[j] /= b.sizes[j] + precision[j]
	}
	return logDet + chol.LogDet(), nil
}

// addTo adds σ² V to cov.
func (e *effects) addTo(cov *mat.SymDense, sigma2 float64) {
	n := len(e.arms)
	if e.root != nil {
		if e.options != nil {
			e.addOptions(cov, sigma2)
		} else {
			blas64.Syrk(blas.NoTrans, sigma2, e.root.RawMatrix(), 1, cov.RawSymmetric())
		}
		symmetric.Add(cov, func(i int) float64 { return sigma2 / e.arms[i] })
		return
	}
	to, from := cov.RawSymmetric(), e.whole.RawSymmetric()
	for i := range n {
		floats.AddScaled(to.Data[i*to.Stride+i:i*to.Stride+n], sigma2, from.Data[i*from.Stride+i:i*from.Stride+n])
	}
}

// decompose returns Z, and the factor on A⁻¹ in V = Z Zᵀ + factor A⁻¹. It computes Z from V if there are more blocks than
// arms.
func (e *effects) decompose() (*mat.Dense, float64, error) {
	if e.root != nil {
		return e.root, 1, nil
	}
	const beside = 0.5 // V - A⁻¹ alone may be singular
	n := len(e.arms)
	rest, lower := mat.NewSymDense(n, nil), new(mat.TriDense)
	rest.CopySym(e.whole)
	var chol mat.Cholesky
	if !chol.Factorize(symmetric.Add(rest, func(i int) float64 { return -beside / e.arms[i] })) {
		return nil, 0, gp.ErrSingular
	}
	chol.LTo(lower)
	return mat.DenseCopyOf(lower), beside, nil
}

// join sets d.blocks if measurements share effects. It needs the relative variances of measurements, so noise must have
// run.
func (d *data) join() {
	if grouped(d.p) && d.wins == nil {
		d.blocks = newBlocks(d, indices.All(len(d.cells)), d.rel, d.unit)
	}
}

// estimable is the smallest eigenvalue of the curvature of effects, relative to the largest count of a block, at which
// differences within arms estimate that direction.
const estimable = 1e-6

// unblocked removes the shared effects of measurements from the squares within arms, and subtracts the degrees of freedom
// that this costs. With random columns, it uses the squares within units. The effects of blocks minimise Σ over
// measurements of (y - ȳ_i - β_b + Σ_j p_ij β_j)², where p_ij is the share of block j in unit i. It returns the arguments
// unchanged if effects cannot be estimated.
func (d *data) unblocked(squares, freedom []float64) (residual, free []float64) {
	units, of := d.units()
	squares, freedom = d.withinUnits(units, of, squares, freedom)
	if len(d.p.Blocks) < 2 || floats.Sum(freedom) == 0 {
		return squares, freedom
	}
	b := blocksOf(d.p, len(units), 1, func(row int) (unit, bool) { return units[of[row]], true })
	precision := estimable * floats.Max(b.sizes)
	e, err := b.effects(func(string) float64 { return precision })
	if err != nil {
		return squares, freedom
	}
	next, err := b.effects(func(string) float64 { return math.E * precision })
	if err != nil {
		return squares, freedom
	}
	rank, total := e.logDet-next.logDet, floats.Sum(freedom) // each direction that is estimated adds 1
	residual, free = append([]float64(nil), squares...), append([]float64(nil), freedom...)
	at := lists.Keyed(d.cells, func(k int, i int) (int, int) { return i, k })
	for row, r := range d.p.Rows {
		u := units[of[row]]
		fitted := e.beta[r.Block] + e.shift[u.place]
		residual[at[r.Arm]] -= r.Count * fitted * (2*(r.Reward-u.mean) - fitted)
	}
	for k := range residual {
		residual[k] = max(residual[k], 0)
		free[k] *= max(1-rank/total, 0)
	}
	return residual, free
}

// units returns the measured arms or, with random columns, the measurements of each arm at each combination of levels. of
// has the index of the unit of each row.
func (d *data) units() (units []unit, of []int) {
	at := lists.Keyed(d.cells, func(k int, i int) (int, int) { return i, k })
	if !isRandom(d.p) {
		units = lists.Make(len(d.cells), func(k int) unit { return unit{k, d.mean(k), 1} })
		return units, lists.Map(d.p.Rows, func(r problem.Row) int { return at[r.Arm] })
	}
	places, counts := map[[2]int]int{}, []float64{}
	for _, r := range d.p.Rows {
		key := [2]int{r.Arm, r.Levels}
		if _, known := places[key]; !known {
			places[key] = len(units)
			units, counts = append(units, unit{len(units), 0, 1}), append(counts, 0)
		}
		k := places[key]
		of = append(of, k)
		counts[k] += r.Count
		units[k].mean += (r.Reward - units[k].mean) * r.Count / counts[k]
	}
	return units, of
}

// withinUnits subtracts the squares between the units of each arm from the squares within arms, and their degrees of
// freedom. Without random columns it returns squares and freedom unchanged.
func (d *data) withinUnits(units []unit, of []int, squares, freedom []float64) (within, free []float64) {
	if !isRandom(d.p) {
		return squares, freedom
	}
	within, free = slices.Clone(squares), slices.Clone(freedom)
	at := lists.Keyed(d.cells, func(k int, i int) (int, int) { return i, k })
	seen, counted := make([]bool, len(units)), make([]bool, len(d.cells))
	for row, r := range d.p.Rows {
		k, u := at[r.Arm], units[of[row]]
		off := u.mean - d.mean(k)
		within[k] -= r.Count * off * off
		if !seen[u.place] {
			seen[u.place] = true
			if counted[k] { // the first unit of an arm costs nothing, and an arm with limits has no rows here
				free[k]--
			}
			counted[k] = true
		}
	}
	for k := range within {
		if free[k] <= 0 || within[k] < roundingLeft*squares[k] {
			within[k] = 0
		}
		free[k] = max(free[k], 0)
	}
	return within, free
}

// roundingLeft is a relative tolerance: if a difference of squares is a smaller part of the original squares, it is
// rounding error and counts as 0.
const roundingLeft = 1e-12
