// Package symmetric has functions for symmetric matrices.
package symmetric

import (
	"errors"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Make returns the symmetric n × n matrix whose entries are f(i, j) for i ≤ j.
func Make(n int, f func(i, j int) float64) *mat.SymDense {
	out := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			out.SetSym(i, j, f(i, j))
		}
	}
	return out
}

// Add adds f(i) to each diagonal entry of m and returns m.
func Add(m *mat.SymDense, f func(i int) float64) *mat.SymDense {
	for i := range m.SymmetricDim() {
		m.SetSym(i, i, m.At(i, i)+f(i))
	}
	return m
}

// Solved returns err, or nil if err only states that the matrix is nearly singular.
func Solved(err error) error {
	if errors.As(err, new(mat.Condition)) {
		return nil
	}
	return err
}

// Trace returns the trace of AB for symmetric matrices A and B.
func Trace(a, b *mat.SymDense) (sum float64) {
	x, y := a.RawSymmetric(), b.RawSymmetric()
	for i := range x.N {
		row, other := x.Data[i*x.Stride+i:i*x.Stride+x.N], y.Data[i*y.Stride+i:i*y.Stride+y.N]
		sum += 2*floats.Dot(row, other) - row[0]*other[0] // off-diagonal entries occur twice
	}
	return sum
}
