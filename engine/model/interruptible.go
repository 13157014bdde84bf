package model

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/memlimit"
)

// Linear algebra on the features of many arms, a part at a time: between two parts the context is
// looked at. The sums are taken in the same order as for the whole.

// byRows calls do for ranges of rows that cover all n.
func byRows(ctx context.Context, n int, do func(from, to int)) error {
	const together = 512
	for from := 0; from < n; from += together {
		if err := ctx.Err(); err != nil {
			return err
		}
		do(from, min(from+together, n))
	}
	return nil
}

// rowsOf views the rows from ≤ i < to.
func rowsOf(x *mat.Dense, from, to int) *mat.Dense {
	_, dim := x.Dims()
	return x.Slice(from, to, 0, dim).(*mat.Dense)
}

// panelWidth is the number of columns that solveInSteps reduces at a time, and stripWidth how many
// it brings up to date.
const panelWidth, stripWidth = 32, 128

// atOnce is the number of products up to which gonum's QR decomposition, which nothing ends, is
// taken.
const atOnce = 1 << 29

// solveLeastSquares returns θ with Φθ closest to μ, by Householder's QR decomposition.
func solveLeastSquares(ctx context.Context, features *mat.Dense, mu []float64) ([]float64, error) {
	n, dim := features.Dims()
	if n*dim*dim > atOnce {
		return solveInSteps(ctx, features, mu)
	}
	var qr mat.QR
	var theta mat.VecDense
	qr.Factorize(features)
	if err := qr.SolveVecTo(&theta, false, mat.NewVecDense(n, mu)); err != nil && !isCondition(err) {
		return nil, err
	}
	return theta.RawVector().Data, nil
}

// solveInSteps returns the same as solveLeastSquares, by panels of columns.
func solveInSteps(ctx context.Context, features *mat.Dense, mu []float64) ([]float64, error) {
	n, dim := features.Dims()
	if err := memlimit.Matrices(ctx, "the fit of the expected rewards", 1, n, dim+1); err != nil {
		return nil, err
	}
	both := mat.NewDense(n, dim+1, nil) // Φ and μ
	err := byRows(ctx, n, func(from, to int) {
		both.Slice(from, to, 0, dim).(*mat.Dense).Copy(rowsOf(features, from, to))
	})
	if err != nil {
		return nil, err
	}
	both.SetCol(dim, mu)
	raw := both.RawMatrix()
	part := func(row, from, to int) blas64.General {
		return blas64.General{Rows: n - row, Cols: to - from, Stride: raw.Stride, Data: raw.Data[row*raw.Stride+from:]}
	}
	tau, work := make([]float64, panelWidth), make([]float64, stripWidth*panelWidth*4)
	for j := 0; j < dim; j += panelWidth {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		end := min(j+panelWidth, dim)
		panel := part(j, j, end)
		lapack64.Geqrf(panel, tau[:end-j], work, len(work))
		for from := end; from <= dim; from += stripWidth {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			strip := part(j, from, min(from+stripWidth, dim+1))
			lapack64.Ormqr(blas.Left, blas.Trans, panel, tau[:end-j], strip, work, len(work))
		}
	}
	theta := make([]float64, dim)
	for k := range theta {
		theta[k] = both.At(k, dim)
	}
	r := blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: dim, Stride: raw.Stride, Data: raw.Data}
	blas64.Trsv(blas.NoTrans, r, blas64.Vector{N: dim, Inc: 1, Data: theta})
	return theta, nil
}
