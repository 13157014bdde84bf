package model

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// onPivots returns the coefficients of the function that has the values mu at the pivots of a factor,
// θ = L_P⁻¹ μ_P. Its norm ‖θ‖₂ is the least that a function with these values can have, so that it is
// at most that of any function which has all values of mu. Least squares on all arms have no such
// bound: where values of many arms differ by what a factor leaves out, √Residual ‖f‖, they answer with
// large coefficients of its last columns.
func onPivots(f kernels.Factor, mu []float64) []float64 {
	m := len(f.Pivots)
	lower := mat.NewTriDense(m, mat.Lower, nil)
	theta := make([]float64, m)
	for r, pivot := range f.Pivots {
		theta[r] = mu[pivot]
		for c := range r + 1 {
			lower.SetTri(r, c, f.L.At(pivot, c))
		}
	}
	blas64.Trsv(blas.NoTrans, lower.RawTriangular(), blas64.Vector{N: m, Inc: 1, Data: theta})
	return theta
}

// explains reports whether a function with these coefficients has the values mu on all arms, but for
// what the factor leaves out of functions of its norm and for rounding.
func explains(f kernels.Factor, theta, mu []float64) bool {
	norm := mat.Norm(mat.NewVecDense(len(theta), theta), 2)
	most := 2 * norm * (math.Sqrt(f.Residual) + keptDigits*math.Sqrt(f.Largest))
	var fit mat.VecDense
	fit.MulVec(f.L, mat.NewVecDense(len(theta), theta))
	for i, v := range mu {
		if math.Abs(v-fit.AtVec(i)) > most {
			return false
		}
	}
	return true
}
