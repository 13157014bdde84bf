package model

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// gramOf returns Σ_i w_i φ_i φ_iᵀ for the rows φ_i of features, w_i ≥ 0: m × m.
func gramOf(ctx context.Context, features *mat.Dense, weights []float64) (*mat.SymDense, error) {
	_, dim := features.Dims()
	sum := mat.NewSymDense(dim, nil)
	var scaled mat.Dense
	err := byRows(ctx, len(weights), func(from, to int) {
		scaled.Reset()
		scaled.ReuseAs(to-from, dim)
		for i, w := range weights[from:to] {
			if w == 0 {
				continue
			}
			s, row, out := math.Sqrt(w), features.RawRowView(from+i), scaled.RawRowView(i)
			for j, v := range row {
				out[j] = s * v
			}
		}
		blas64.Syrk(blas.Trans, 1, scaled.RawMatrix(), 1, sum.RawSymmetric())
	})
	return sum, err
}

// solveLowerTransposed overwrites each row x of rows by xL⁻ᵀ, that is L⁻¹x.
func solveLowerTransposed(rows *mat.Dense, lower *mat.TriDense) {
	blas64.Trsm(blas.Right, blas.Trans, 1, lower.RawTriangular(), rows.RawMatrix())
}
