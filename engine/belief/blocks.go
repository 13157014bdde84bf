package belief

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
)

// mostEffects is the most blocks whose effects are taken out of more measured arms than that.
const mostEffects = 1000

// blocks say which measurements of some arms were made together: on a day, on a plate. A block adds an effect of its own
// to all its rewards. With m_ij the number of measurements of arm i in block j over rel_i, the squares of the rewards about
// the expected rewards f_i and the effects β_j, each over rel_i, have the curvature
//
//	[ A   M ]
//	[ Mᵀ  Δ ],  A = diag(Σ_j m_ij),  Δ = diag(Σ_i m_ij).
type blocks struct {
	rows        [][]share // of each arm: its row of M, in ascending order
	arms, sizes []float64 // the diagonals of A and of Δ
	right       []float64 // of each block Σ of rewards less the mean of their arm, over rel
}

// share is an entry of M.
type share struct {
	of     int // the block, or in a column the arm
	weight float64
}

// newBlocks reads what was measured together of the arms at these places of d.cells; relative has the variances of all cells, and a
// reward of 1 is so many reward units.
func newBlocks(d *data, at []int, relative []float64, unit float64) *blocks {
	b := &blocks{rows: make([][]share, len(at)), arms: make([]float64, len(at)), right: make([]float64, len(d.p.Blocks))}
	b.sizes = make([]float64, len(b.right))
	place := lists.Keyed(at, func(k int, a int) (int, int) { return d.cells[a], k })
	for _, r := range d.p.Rows {
		k, chosen := place[r.Arm]
		if !chosen {
			continue
		}
		a := at[k]
		weight := r.Count / relative[a]
		b.rows[k] = append(b.rows[k], share{r.Block, weight})
		b.arms[k] += weight
		b.sizes[r.Block] += weight
		b.right[r.Block] += weight * (r.Reward - d.mean(a)) / unit
	}
	for k, row := range b.rows { // each block once
		if len(row) == 0 { // an arm with limits, whose site has a variance of its own: any weight does
			b.arms[k] = 1
		}
		slices.SortFunc(row, func(x, y share) int { return x.of - y.of })
		merged := row[:0]
		for _, x := range row {
			if last := len(merged) - 1; last >= 0 && merged[last].of == x.of {
				merged[last].weight += x.weight
			} else {
				merged = append(merged, x)
			}
		}
		b.rows[k] = merged
	}
	return b
}

// effects hold the data on the effects of blocks, whose prior has a precision, with σ² = 1. The means of arms scatter by them and by
// the noise with the covariance V = Z Zᵀ + A⁻¹ or, if there are more blocks than arms, V = Z Zᵀ + A⁻¹/2.
type effects struct {
	beta   []float64     // their estimates β by differences within arms
	shift  []float64     // of the mean of each arm, by which the effects of its blocks are taken out
	square float64       // Σ of squares within arms that they explain
	logDet float64       // log |I + W/precision|, W = Δ - MᵀA⁻¹M
	root   *mat.Dense    // Z; nil where there are more blocks than arms
	whole  *mat.SymDense // V; nil where there are not
	arms   []float64     // the diagonal of A
}

// effects eliminates the larger side, whose part of the curvature is diagonal.
func (b *blocks) effects(precision float64) (*effects, error) {
	n, count := len(b.arms), len(b.sizes)
	e := &effects{beta: make([]float64, count), shift: make([]float64, n), arms: b.arms}
	of := e.ofBlocks
	if count > n {
		of = e.ofArms
	}
	logDet, err := of(b, precision)
	if err != nil {
		return nil, err
	}
	e.logDet, e.square = logDet-float64(count)*math.Log(precision), floats.Dot(b.right, e.beta)
	for k, row := range b.rows {
		for _, x := range row {
			e.shift[k] -= x.weight / b.arms[k] * e.beta[x.of]
		}
	}
	return e, nil
}

// ofBlocks eliminates the arms: with P the precision and T = (Δ + P - MᵀA⁻¹M)⁻¹,
//
//	β = T r,  Z Zᵀ = A⁻¹M T MᵀA⁻¹.
//
// It returns -log |T|.
func (e *effects) ofBlocks(b *blocks, precision float64) (float64, error) {
	count := len(b.sizes)
	inverse := mat.NewSymDense(count, nil) // T⁻¹
	for j, v := range b.sizes {
		inverse.SetSym(j, j, v+precision)
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

// ofArms eliminates the blocks: with Δ' = Δ + P,
//
//	V = (A - M Δ'⁻¹Mᵀ)⁻¹,  β = Δ'⁻¹(r + Mᵀ V M Δ'⁻¹r).
//
// It returns log |Δ' - MᵀA⁻¹M| = log |Δ'| - log |A| - log |V|.
func (e *effects) ofArms(b *blocks, precision float64) (logDet float64, err error) {
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
		size := b.sizes[j] + precision
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
		e.beta[j] /= b.sizes[j] + precision
	}
	return logDet + chol.LogDet(), nil
}

// addTo adds V times σ².
func (e *effects) addTo(cov *mat.SymDense, sigma2 float64) {
	n := len(e.arms)
	if e.root != nil {
		blas64.Syrk(blas.NoTrans, sigma2, e.root.RawMatrix(), 1, cov.RawSymmetric())
		symmetric.Add(cov, func(i int) float64 { return sigma2 / e.arms[i] })
		return
	}
	to, from := cov.RawSymmetric(), e.whole.RawSymmetric()
	for i := range n {
		floats.AddScaled(to.Data[i*to.Stride+i:i*to.Stride+n], sigma2, from.Data[i*from.Stride+i:i*from.Stride+n])
	}
}

// decompose returns Z, and the part of A⁻¹ that V has beside it.
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

// join reads what was measured together, once the scatter of measurements is known.
func (d *data) join() {
	if len(d.p.Blocks) > 1 && d.wins == nil {
		d.blocks = newBlocks(d, indices.All(len(d.cells)), d.rel, d.unit)
	}
}

// estimable is how large a direction of the effects is at least, in parts of the largest count of a block, that
// differences within arms estimate.
const estimable = 1e-6

// unblocked takes the effects of blocks out of the squares within arms, and out of their degrees of freedom what that
// costs: β minimises Σ over measurements of (y - ȳ_i - β_b + Σ_j p_ij β_j)², p_ij the share of block j of arm i.
func (d *data) unblocked(squares, freedom []float64) (residual, free []float64) {
	if len(d.p.Blocks) < 2 {
		return squares, freedom
	}
	one := make([]float64, len(d.cells))
	floats.AddConst(1, one)
	b := newBlocks(d, indices.All(len(d.cells)), one, 1)
	precision := estimable * floats.Max(b.sizes)
	e, err := b.effects(precision)
	if err != nil {
		return squares, freedom
	}
	next, err := b.effects(math.E * precision)
	if err != nil {
		return squares, freedom
	}
	rank, total := e.logDet-next.logDet, floats.Sum(freedom) // each direction that is estimated adds 1
	residual, free = append([]float64(nil), squares...), append([]float64(nil), freedom...)
	at := lists.Keyed(d.cells, func(k int, i int) (int, int) { return i, k })
	for _, r := range d.p.Rows {
		k := at[r.Arm]
		fitted := e.beta[r.Block] + e.shift[k]
		residual[k] -= r.Count * fitted * (2*(r.Reward-d.mean(k)) - fitted)
	}
	for k := range residual {
		residual[k] = max(residual[k], 0)
		free[k] *= max(1-rank/total, 0)
	}
	return residual, free
}
