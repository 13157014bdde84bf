package kernels

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
)

// Matrix is a symmetric matrix that is computed when it is read, such as a Gram matrix that is too large to store. Its methods are
// safe for concurrent use.
type Matrix interface {
	Len() int                 // order n
	Diagonal(dst []float64)   // sets dst, of length n, to the diagonal
	Row(dst []float64, i int) // sets dst, of length n, to row i
}

// Part sets dst[j] = m[i][from+j], with a method Part(dst, i, from) of m if it has one, otherwise from the whole row. The bits are
// those of Row.
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
		m.k.Row(dst[i:i+1], x, m.p, i) // computed by Row, so that it equals the diagonal of the rows
	}
}

// Dense computes and stores the whole matrix.
func Dense(m Matrix) *mat.SymDense {
	dense, _ := fill(context.Background(), m)
	return dense
}

// fill is Dense with a context.
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

// square claims the memory of several n × n matrices.
func square(ctx context.Context, what string, matrices, n int, of string) error {
	return memlimit.Claim(ctx, memlimit.Need{What: what, Bytes: 8 * float64(matrices) * float64(n) * float64(n), Count: n, Of: of, Power: 2})
}

// Factor is a low-rank factorisation L Lᵀ of a positive semi-definite matrix, with its residual: the difference has a diagonal
// between 0 and Residual, so that no entry is off by more than Residual.
type Factor struct {
	L             *mat.Dense // N×r; row i is the feature vector of point i
	Pivots        []int      // the r pivots, in order
	Rest          []float64  // N: the diagonal of the matrix less L Lᵀ
	Residual      float64    // largest diagonal value of the matrix less L Lᵀ
	ResidualTrace float64    // trace of the matrix less L Lᵀ
	Largest       float64    // largest diagonal value of the matrix
}

// negligible is the fraction of the largest diagonal value below which a residual is rounding: with this default, a matrix of exact
// rank m gives m columns.
const negligible = 1e-12

// PivotedCholesky factors m with at most maxRank columns (0 means no limit), with the largest remaining diagonal value as the next
// pivot, until that is at most tol times the largest of m; tol 0 means 1e-12. It reads r rows, and takes O(N r²) time and O(N r)
// memory.
//
//	H. Harbrecht, M. Peters, R. Schneider, On the low-rank approximation by the
//	pivoted Cholesky decomposition, Applied Numerical Mathematics 62, 2012, alg. 1.
//
// It is an error if the context ends, if there is not enough memory, if m is zero or has a value that is not finite, or if the
// diagonal becomes negative by more than 1e-8 of the largest, because m is not positive semi-definite. It examines only the rows of
// pivots; Check examines all.
func PivotedCholesky(ctx context.Context, m Matrix, maxRank int, tol float64) (Factor, error) {
	g, err := Grow(m)
	if err != nil {
		return Factor{}, err
	}
	return g.Factor(ctx, maxRank, tol)
}

// transpose writes columns into a matrix, in blocks of rows that stay in the cache.
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

// negativeRest returns the error about a negative remaining diagonal; for a small matrix it includes the smallest eigenvalue.
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
