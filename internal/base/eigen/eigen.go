package eigen

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// errDiverged is the answer to a matrix that is not finite.
var errDiverged = errors.New("the eigenvalues could not be computed: the matrix has entries that are not finite")

// small is the order up to which gonum decomposes a matrix within a fraction of a second.
const small = 256

// Values returns the eigenvalues of a, ascending.
func Values(ctx context.Context, a *mat.SymDense) ([]float64, error) {
	values, _, err := decompose(ctx, a, false)
	return values, err
}

// Decompose returns the eigenvalues of a, ascending, and the orthonormal eigenvectors, one per
// column.
func Decompose(ctx context.Context, a *mat.SymDense) ([]float64, *mat.Dense, error) {
	return decompose(ctx, a, true)
}

func decompose(ctx context.Context, a *mat.SymDense, vectors bool) ([]float64, *mat.Dense, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	n := a.SymmetricDim()
	scale, err := scaleOf(a)
	if err != nil {
		return nil, nil, err
	}
	scaled := mat.NewSymDense(n, nil)
	scaled.ScaleSym(1/scale, a)
	var values []float64
	var v *mat.Dense
	if n <= small {
		values, v, err = byGonum(scaled, vectors)
	} else {
		values, v, err = bySteps(ctx, scaled, vectors)
	}
	for i := range values {
		values[i] *= scale
	}
	return values, v, err
}

// scaleOf returns a power of two near the largest entry, so that dividing by it rounds nothing.
// gonum panics on matrices of much smaller scale.
func scaleOf(a *mat.SymDense) (float64, error) {
	raw, largest := a.RawSymmetric(), 0.0
	for i := range raw.N {
		for _, v := range raw.Data[i*raw.Stride+i : i*raw.Stride+raw.N] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return 0, errDiverged
			}
			largest = max(largest, math.Abs(v))
		}
	}
	if largest == 0 {
		return 1, nil
	}
	_, exponent := math.Frexp(largest)
	return math.Ldexp(1, max(exponent, -1021)), nil // of a number whose reciprocal is finite
}

func byGonum(a *mat.SymDense, vectors bool) ([]float64, *mat.Dense, error) {
	var eigen mat.EigenSym
	if !eigen.Factorize(a, vectors) {
		return nil, nil, errDiverged
	}
	if !vectors {
		return eigen.Values(nil), nil, nil
	}
	v := new(mat.Dense)
	eigen.VectorsTo(v)
	return eigen.Values(nil), v, nil
}

// bySteps reduces to tridiagonal form and diagonalises that.
func bySteps(ctx context.Context, a *mat.SymDense, vectors bool) ([]float64, *mat.Dense, error) {
	t, err := reduce(ctx, a)
	if err != nil {
		return nil, nil, err
	}
	if !vectors {
		values, err := t.values()
		return values, nil, err
	}
	rows := t.basis()
	if err := diagonalise(ctx, t.diagonal, t.beside, rows); err != nil {
		return nil, nil, err
	}
	order := make([]int, len(t.diagonal))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(i, j int) int {
		if t.diagonal[i] < t.diagonal[j] {
			return -1
		}
		return 1
	})
	values, v := make([]float64, len(order)), mat.NewDense(len(order), len(order), nil)
	for to, from := range order {
		values[to] = t.diagonal[from]
		v.SetCol(to, rows[from])
	}
	return values, v, nil
}
