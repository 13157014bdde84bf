package model

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/internal/eigen"
)

// information is A = Nξ I + Σ N_i φ_iφ_iᵀ/σ_i² on one block of the features: A is
// block-diagonal, and each block is factored by itself.
type information struct {
	canon.Block
	features *mat.Dense // of all arms of the block, in its columns
	matrix   *mat.SymDense
	norm     float64 // bounds the largest eigenvalue: the largest sum of absolute values in a row
	chol     mat.Cholesky
	factored bool // chol holds the factor of matrix
}

func newInformation(ctx context.Context, features *mat.Dense, b canon.Block, total []float64, shrink float64) (information, error) {
	part := information{Block: b}
	if len(b.Columns) == 0 { // arms without any feature
		return part, nil
	}
	part.features = canon.Submatrix(features, b.All, b.Columns)
	weights := make([]float64, len(b.All))
	for a, i := range b.All {
		weights[a] = total[i]
	}
	var err error
	if part.matrix, err = gramOf(ctx, part.features, weights); err != nil {
		return part, err
	}
	for j := range b.Columns {
		part.matrix.SetSym(j, j, part.matrix.At(j, j)+shrink)
	}
	for j := range b.Columns {
		sum := 0.0
		for k := range b.Columns {
			sum += math.Abs(part.matrix.At(j, k))
		}
		part.norm = max(part.norm, sum)
	}
	return part, nil
}

// negligible is the eigenvalue, relative to the largest, below which a direction counts as not
// measured: rounding errors of a Cholesky factor reach it.
const negligible = 1e-12

// measured reports whether all eigenvalues are above negligible beside top, by the factor alone:
// the smallest is at least 1/tr A⁻¹. False says nothing.
func (p *information) measured(top float64) bool {
	if p.norm == 0 || !p.chol.Factorize(p.matrix) {
		return false
	}
	p.factored = true
	var lower, inverse mat.TriDense
	p.chol.LTo(&lower)
	if err := inverse.InverseTri(&lower); err != nil && !isCondition(err) {
		return false
	}
	trace := 0.0
	for j := range p.Columns {
		for k := range j + 1 {
			trace += inverse.At(j, k) * inverse.At(j, k)
		}
	}
	return trace*negligible*top < 1
}

// hiddenPart is a direction that was not measured: the parts of a block's arms along it.
type hiddenPart struct {
	arms   []int
	values []float64
}

// fill finds the directions of negligible information, returns the arms'
// parts along them, and adds a multiple of the identity there so that the factor
// exists; the filling adds next to nothing to variances and estimates.
func (p *information) fill(ctx context.Context, top float64) ([]hiddenPart, error) {
	values, vectors, err := eigen.Decompose(ctx, p.matrix)
	if err != nil {
		return nil, err
	}
	var out []hiddenPart
	for k, value := range values { // ascending
		if value > negligible*top {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p.matrix.SymRankOne(p.matrix, top-value, vectors.ColView(k))
		p.factored = false
		along := mat.NewVecDense(len(p.All), nil)
		along.MulVec(p.features, vectors.ColView(k))
		out = append(out, hiddenPart{arms: p.All, values: along.RawVector().Data})
	}
	return out, nil
}

// finish writes the block's rows of the whitened features, and of those times A⁻¹
// where there is a bias.
func (p *information) finish(ctx context.Context, e *Estimator) error {
	if e.solved != nil {
		var inverse mat.SymDense
		if err := p.chol.InverseTo(&inverse); err != nil && !isCondition(err) {
			return err
		}
		err := byRows(ctx, len(p.All), func(from, to int) {
			var solved mat.Dense
			solved.Mul(rowsOf(p.features, from, to), &inverse)
			p.scatter(from, &solved, e.solved)
		})
		if err != nil {
			return err
		}
	}
	var lower mat.TriDense
	p.chol.LTo(&lower)
	return byRows(ctx, len(p.All), func(from, to int) {
		rows := rowsOf(p.features, from, to)
		solveLowerTransposed(rows, &lower)
		p.scatter(from, rows, e.White)
	})
}

// scatter writes rows of the block's arms, the first at position at, into a matrix of all arms.
func (p *information) scatter(at int, from, to *mat.Dense) {
	rows, _ := from.Dims()
	for a, i := range p.All[at : at+rows] {
		row := to.RawRowView(i)
		for b, k := range p.Columns {
			row[k] = from.At(a, b)
		}
	}
}
