package engine

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// gramOf returns Σ_i w_i φ_i φ_iᵀ for the rows φ_i of features, w_i ≥ 0: m × m.
func gramOf(features *mat.Dense, weights []float64) *mat.SymDense {
	n, dim := features.Dims()
	scaled := mat.NewDense(n, dim, nil)
	for i, w := range weights {
		if w == 0 {
			continue
		}
		s, row, out := math.Sqrt(w), features.RawRowView(i), scaled.RawRowView(i)
		for j, v := range row {
			out[j] = s * v
		}
	}
	var sum mat.SymDense
	sum.SymOuterK(1, scaled.T())
	return &sum
}

// solveLowerTransposed overwrites each row x of rows by xL⁻ᵀ, that is L⁻¹x.
func solveLowerTransposed(rows *mat.Dense, lower *mat.TriDense) {
	blas64.Trsm(blas.Right, blas.Trans, 1, lower.RawTriangular(), rows.RawMatrix())
}
