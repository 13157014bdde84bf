package kernels

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
)

// Matrix is a symmetric n×n matrix whose values are computed on demand, such as a Gram matrix that is too large to store.
// Its methods are safe for concurrent use.
type Matrix interface {
	Len() int                 // order n
	Diagonal(dst []float64)   // sets dst, of length n, to the diagonal
	Row(dst []float64, i int) // sets dst, of length n, to row i
}

// Part sets dst[j] = m[i][from+j]. It calls the method Part(dst, i, from) of m if m has one; otherwise it computes the
// whole row. The values are bit-identical to those of Row.
func Part(m Matrix, dst []float64, i, from int) {
	if p, ok := m.(interface {
		Part(dst []float64, i, from int)
	}); ok {
		p.Part(dst, i, from)
		return
	}
	row := make([]float64, m.Len())
	m.Row(row, i)
	copy(dst, row[from:])
}

// Gram returns the n×n matrix of k on the points. It computes and stores only the upper triangle, like every mat.SymDense.
func Gram(k Kernel, p *Points) (*mat.SymDense, error) {
	k, err := Bind(k, p)
	if err != nil {
		return nil, err
	}
	n := p.Len()
	gram := mat.NewSymDense(n, nil)
	data := gram.RawSymmetric().Data
	x := Point{X: make([]float64, p.Dim())}
	for i := range n {
		p.read(&x, i)
		k.Row(data[i*n+i:(i+1)*n], x, p, i)
	}
	return gram, nil
}

// implicit is the Gram matrix of a bound kernel on points.
type implicit struct {
	k Kernel
	p *Points
}

func (m implicit) Len() int { return m.p.Len() }

func (m implicit) Row(dst []float64, i int) { m.k.Row(dst, m.p.Point(i), m.p, 0) }

func (m implicit) Part(dst []float64, i, from int) { m.k.Row(dst, m.p.Point(i), m.p, from) }

func (m implicit) Diagonal(dst []float64) {
	x := Point{X: make([]float64, m.p.Dim())}
	for i := range dst {
		m.p.read(&x, i)
		m.k.Row(dst[i:i+1], x, m.p, i) // computed by Row, so that the diagonal is bit-identical to the rows
	}
}

// Dense computes and stores the whole matrix.
func Dense(m Matrix) *mat.SymDense {
	dense, _ := fill(context.Background(), m)
	return dense
}

// fill is Dense with a context. It returns the context's error if ctx ends.
func fill(ctx context.Context, m Matrix) (*mat.SymDense, error) {
	n := m.Len()
	dense := mat.NewSymDense(n, nil)
	data := dense.RawSymmetric().Data
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m.Row(data[i*n:(i+1)*n], i)
	}
	return dense, nil
}

// square returns an error if there is not enough memory for the given number of n × n matrices.
func square(ctx context.Context, what string, matrices, n int, of string) error {
	return memlimit.Claim(ctx, memlimit.Need{What: what, Bytes: 8 * float64(matrices) * float64(n) * float64(n), Count: n, Of: of, Power: 2})
}

// Factor is a low-rank factorisation L Lᵀ of a positive semi-definite N×N matrix. The difference between the matrix and L Lᵀ is positive
// semi-definite, and no entry of it exceeds Residual in absolute value.
type Factor struct {
	L             *mat.Dense // N×r; row i is the feature vector of point i
	Pivots        []int      // indices of the r pivots, in the order of the columns
	Rest          []float64  // diagonal of the matrix minus L Lᵀ, N values
	Residual      float64    // largest diagonal value of the matrix minus L Lᵀ
	ResidualTrace float64    // trace of the matrix minus L Lᵀ
	Largest       float64    // largest diagonal value of the matrix
}

// negligible is the default relative tolerance of the factorisation: residuals below this fraction of the largest diagonal
// value are rounding errors. A matrix of exact rank r then has r columns.
const negligible = 1e-12

// PivotedCholesky factors m with at most maxRank columns; 0 means no limit. The next pivot is the largest remaining diagonal value. The
// factorisation ends when that value is at most tol times the largest diagonal value of m; tol 0 means 1e-12. It reads r rows, and takes
// O(N r²) time and O(N r) memory.
//
//	H. Harbrecht, M. Peters, R. Schneider, On the low-rank approximation by the
//	pivoted Cholesky decomposition, Applied Numerical Mathematics 62, 2012, alg. 1.
//
// It returns an error if ctx ends, if memory is insufficient, if m is zero, or if a value is not finite. It also returns an error if a
// diagonal value falls below -1e-8 of the largest, because m is then not positive semi-definite. It tests only the rows of pivots; Check
// tests all.
func PivotedCholesky(ctx context.Context, m Matrix, maxRank int, tol float64) (Factor, error) {
	g, err := Grow(m)
	if err != nil {
		return Factor{}, err
	}
	return g.Factor(ctx, maxRank, tol)
}

// transpose writes columns into the matrix to, in blocks of rows that fit the cache.
func transpose(ctx context.Context, columns [][]float64, to *mat.Dense) error {
	const together = 64
	n, _ := to.Dims()
	return cores.Do(ctx, n, together, func(from, end int) {
		for c, column := range columns {
			for i, v := range column[from:end] {
				to.RawRowView(from + i)[c] = v
			}
		}
	})
}

// negativeRest returns the error for a remaining diagonal value low below zero. For a small matrix the message includes
// the smallest eigenvalue.
func negativeRest(m Matrix, low, largest float64) error {
	const small = 500
	if m.Len() <= small {
		if _, err := definiteness(Dense(m)); err != nil {
			return err
		}
	}
	return fmt.Errorf("the kernel is not positive semi-definite: a remaining diagonal value is %.3g, and the largest diagonal "+
		"value is %.3g", low, largest)
}
