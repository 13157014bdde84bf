package model

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
)

// tridiagonal holds a positive semi-definite m×m matrix M as T = QᵀMQ with T tridiagonal, and a vector c
// turned along with it: all that the likelihood of a scale depends on, at a quarter of the cost of
// eigenvalues with their vectors.
type tridiagonal struct {
	diagonal []float64 // m: of T
	beside   []float64 // m-1: beside its diagonal
	along    []float64 // m: Qᵀc
}

// newTridiagonal reduces a matrix by Householder's reflections. The vector is turned in place.
func newTridiagonal(of *mat.SymDense, vector []float64) tridiagonal {
	n := of.SymmetricDim()
	t := tridiagonal{diagonal: make([]float64, n), beside: make([]float64, max(0, n-1)), along: vector}
	a := append([]float64(nil), of.RawSymmetric().Data...)
	if n < 2 {
		copy(t.diagonal, a)
		return t
	}
	tau, work := make([]float64, n-1), make([]float64, 1)
	var lapack gonum.Implementation
	lapack.Dsytrd(blas.Upper, n, a, n, t.diagonal, t.beside, tau, work, -1)
	work = make([]float64, int(work[0]))
	lapack.Dsytrd(blas.Upper, n, a, n, t.diagonal, t.beside, tau, work, len(work))
	// Q = H_{n-2}…H_0, each H_i = I - τvvᵀ with v_i = 1, v above i in column i+1 of a, and 0 below:
	// Qᵀ x applies them in the order n-2, …, 0.
	for i := n - 2; i >= 0; i-- {
		dot := t.along[i]
		for k := range i {
			dot += a[k*n+i+1] * t.along[k]
		}
		dot *= tau[i]
		t.along[i] -= dot
		for k := range i {
			t.along[k] -= dot * a[k*n+i+1]
		}
	}
	return t
}

// largest returns a bound on the largest eigenvalue: the largest sum of absolute values of a row.
func (t *tridiagonal) largest() float64 {
	largest := 0.0
	for j, v := range t.diagonal {
		sum := v
		for _, k := range []int{j - 1, j} {
			if k >= 0 && k < len(t.beside) {
				sum += math.Abs(t.beside[k])
			}
		}
		largest = max(largest, sum)
	}
	return largest
}

// solved returns log det(I + sT) and cᵀ(I + sT)⁻¹c for c along, by the factors LDLᵀ.
func (t *tridiagonal) solved(scale float64) (logDet, quadratic float64) {
	var pivot, z float64
	for k, v := range t.diagonal {
		next, y := 1+scale*v, t.along[k]
		if k > 0 {
			e := scale * t.beside[k-1]
			next -= e * e / pivot
			y -= e / pivot * z
		}
		// I + sT is at least I: a smaller pivot is rounding
		pivot, z = max(next, 1), y
		logDet += math.Log(pivot)
		quadratic += z * z / pivot
	}
	return logDet, quadratic
}

// surprise returns squares - s cᵀ(I + sT)⁻¹c, not below 0.
func (t *tridiagonal) surprise(squares, scale float64) float64 {
	_, quadratic := t.solved(scale)
	return max(0, squares-scale*quadratic)
}

// deviance returns the same as centred.deviance: log det(I + sT) - s cᵀ(I + sT)⁻¹c - log s.
func (t *tridiagonal) deviance(scale float64) float64 {
	logDet, quadratic := t.solved(scale)
	return logDet - scale*quadratic - math.Log(scale)
}
