package kernels

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/memlimit"
)

// Factor is a low-rank factorisation L Lᵀ of a positive semi-definite matrix, with
// what it leaves out: the difference has a diagonal between 0 and Residual, so that
// no entry is off by more than Residual.
type Factor struct {
	L             *mat.Dense // N×r; row i is the feature vector of point i
	Pivots        []int      // the r points chosen, in order
	Residual      float64    // largest diagonal value of the matrix less L Lᵀ
	ResidualTrace float64    // trace of the matrix less L Lᵀ
	Largest       float64    // largest diagonal value of the matrix
}

// negligible is the part of the largest diagonal value below which a residual is
// rounding: at this default, a matrix of rank m in exact arithmetic gives m columns.
const negligible = 1e-12

// PivotedCholesky factors m with at most maxRank columns (0 means no limit), taking
// the largest remaining diagonal each time, until that is at most tol times the
// largest of m; tol 0 means 1e-12. It reads r rows, and takes O(N r²) time and O(N r)
// memory.
//
//	H. Harbrecht, M. Peters, R. Schneider, On the low-rank approximation by the
//	pivoted Cholesky decomposition, Applied Numerical Mathematics 62, 2012, alg. 1.
//
// It is an error when the context ends, when there is no memory for it, when m is zero, or has a
// value that is not finite, or when the diagonal turns negative by more than 1e-8 of the largest:
// then m is not positive semi-definite. Only the rows that were read are looked at; Check looks at
// all.
func PivotedCholesky(ctx context.Context, m Matrix, maxRank int, tol float64) (Factor, error) {
	n := m.Len()
	if maxRank <= 0 || maxRank > n {
		maxRank = n
	}
	if tol <= 0 {
		tol = negligible
	}
	rest := make([]float64, n)
	m.Diagonal(rest)
	for i, v := range rest {
		if !isFinite(v) {
			return Factor{}, fmt.Errorf("the kernel of point %d and itself is %s; values must be finite", i+1, number(v))
		}
	}
	largest := 0.0
	if n > 0 {
		largest = slices.Max(rest)
	}
	if low := lowest(rest); low < -indefinite*largest {
		return Factor{}, negativeRest(m, low, largest)
	}
	if largest <= 0 {
		return Factor{}, fmt.Errorf("the kernel is zero at each of the %d points", n)
	}
	var columns [][]float64
	var pivots []int
	for len(columns) < maxRank {
		if err := room(ctx, n, len(columns), maxRank); err != nil {
			return Factor{}, err
		}
		pivot := argmax(rest)
		if rest[pivot] <= tol*largest {
			break
		}
		column := make([]float64, n)
		m.Row(column, pivot)
		if err := nextColumn(ctx, column, columns, pivot, rest); err != nil {
			return Factor{}, err
		}
		if low := lowest(rest); low < -indefinite*largest {
			return Factor{}, negativeRest(m, low, largest)
		}
		columns, pivots = append(columns, column), append(pivots, pivot)
	}
	f := Factor{L: mat.NewDense(n, len(columns), nil), Pivots: pivots, Largest: largest}
	if err := transpose(ctx, columns, f.L); err != nil {
		return Factor{}, err
	}
	for _, v := range rest {
		f.Residual = max(f.Residual, v)
		f.ResidualTrace += max(v, 0)
	}
	return f, nil
}

// room ends a factorisation whose context has ended, and claims the memory of the columns to come,
// a few at a time: how many there will be is not known.
func room(ctx context.Context, n, columns, maxRank int) error {
	const together = 64
	if columns%together > 0 {
		return ctx.Err()
	}
	more := min(columns+together, maxRank)
	// All of them stand beside the matrix that they are copied to.
	bytes := 8 * float64(n) * float64(more-columns+more)
	if err := ctx.Err(); err != nil {
		return err
	}
	return memlimit.Claim(ctx, memlimit.Need{What: "the features", Bytes: bytes, Count: n, Of: "arms"})
}

// transpose writes columns into a matrix, some rows at a time, which stay in the cache.
func transpose(ctx context.Context, columns [][]float64, to *mat.Dense) error {
	const together = 64
	n, _ := to.Dims()
	for from := 0; from < n; from += together {
		if err := ctx.Err(); err != nil {
			return err
		}
		end := min(from+together, n)
		for c, column := range columns {
			for i, v := range column[from:end] {
				to.RawRowView(from + i)[c] = v
			}
		}
	}
	return nil
}

// nextColumn turns row pivot of the matrix into the next column of the factor, and
// takes its square off the remaining diagonal.
func nextColumn(ctx context.Context, column []float64, columns [][]float64, pivot int, rest []float64) error {
	for j, v := range column {
		if !isFinite(v) {
			return fmt.Errorf("the kernel of points %d and %d is %s; values must be finite", pivot+1, j+1, number(v))
		}
	}
	for k, c := range columns {
		if k%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		factor := c[pivot]
		if factor == 0 {
			continue
		}
		for j, v := range c {
			column[j] -= factor * v
		}
	}
	root := math.Sqrt(rest[pivot])
	for j := range column {
		column[j] /= root
		rest[j] -= column[j] * column[j]
	}
	column[pivot], rest[pivot] = root, 0
	return nil
}

func argmax(values []float64) int {
	best := 0
	for i, v := range values {
		if v > values[best] {
			best = i
		}
	}
	return best
}

// lowest returns the smallest value, at most 0.
func lowest(values []float64) float64 {
	low := 0.0
	for _, v := range values {
		low = min(low, v)
	}
	return low
}

// negativeRest returns the error for a remaining diagonal that is negative; for a small matrix it
// tells the smallest eigenvalue too.
func negativeRest(m Matrix, low, largest float64) error {
	const small = 500
	if m.Len() <= small {
		if _, err := definiteness(Dense(m)); err != nil {
			return err
		}
	}
	return fmt.Errorf("the kernel is not positive semi-definite: a remaining diagonal value is %.3g, where the largest diagonal value is %.3g", low, largest)
}
