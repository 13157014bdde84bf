package bounded

import (
	"context"
	"errors"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/cores"
	"github.com/gonb-cope/gonb-cope/internal/memlimit"
)

// Local holds features of a section that are as fine as asked where it was asked. They serve the
// design of a round and no estimate.
type Local struct {
	Features *mat.Dense // Φ: one row per arm of the section, m columns
	Pivots   []int      // m arms of the section, whose features are exact
	Rest     []float64  // k(x̃,x̃) - ‖φ‖² ≥ 0, one per arm of the section
	Worst    float64    // largest weight·rest
}

// Localise returns features by pivoted Cholesky [HPS12]: the next pivot is the arm with the largest
// weight·rest, where among arms that are as good favour counts, until no weight·rest is above
// tolerance, or there are most columns. Weights and favours are 0 or more, one per arm; arms of
// weight 0 are no pivots.
//
//	[HPS12] Harbrecht, Peters, Schneider: On the low-rank approximation by the pivoted Cholesky
//	        decomposition, Applied Numerical Mathematics 62, 2012.
func (s *Section) Localise(ctx context.Context, weight, favour []float64, tolerance float64, most int) (*Local, error) {
	n := len(s.Arms)
	l := &Local{Rest: append([]float64(nil), s.Diagonal...)}
	top := 0.0
	for _, v := range s.Diagonal {
		top = max(top, v)
	}
	room := 0
	var data []float64 // rows of room numbers, of which the first columns are set
	for {
		pivot, best := -1, 0.0
		l.Worst = 0
		for i, rest := range l.Rest {
			need := weight[i] * rest
			l.Worst = max(l.Worst, need)
			if need > tolerance && rest > negligible*top && need*favour[i] > best {
				pivot, best = i, need*favour[i]
			}
		}
		columns := len(l.Pivots)
		if pivot < 0 || columns == most {
			break
		}
		if columns == room {
			more := min(most, max(32, 2*room))
			if err := memlimit.Matrices(ctx, "the features of a round", 1, n, more); err != nil {
				return nil, err
			}
			grown := make([]float64, n*more)
			for i := range n {
				copy(grown[i*more:], data[i*room:(i+1)*room])
			}
			data, room = grown, more
		}
		row := make([]float64, n)
		s.gram.Row(row, pivot)
		root := math.Sqrt(l.Rest[pivot])
		own := data[pivot*room : pivot*room+columns]
		err := cores.Do(ctx, n, 4*tile, func(from, end int) {
			for i := from; i < end; i++ {
				phi := data[i*room : i*room+columns+1]
				v := (row[i] - floats.Dot(own, phi[:columns])) / root
				phi[columns] = v
				l.Rest[i] = max(l.Rest[i]-v*v, 0)
			}
		})
		if err != nil {
			return nil, err
		}
		data[pivot*room+columns] = root
		l.Rest[pivot] = 0
		l.Pivots = append(l.Pivots, pivot)
	}
	if len(l.Pivots) == 0 {
		return l, nil
	}
	l.Features = mat.NewDense(n, room, data).Slice(0, n, 0, len(l.Pivots)).(*mat.Dense)
	return l, nil
}

// negligible is the part of the largest variance of the kernel below which a rest is rounding.
const negligible = 1e-12

// factor returns the Cholesky factor of a positive-semidefinite matrix with as small a ridge as makes it
// definite to working precision: none, or from 10⁻¹⁴ to 10⁻⁶ of its largest diagonal. What is factored here
// guides designs and leaders; no test goes by it.
func factor(a *mat.SymDense) (chol mat.Cholesky, ok bool) {
	if chol.Factorize(a) {
		return chol, true
	}
	n := a.SymmetricDim()
	top := 0.0
	for i := range n {
		top = max(top, a.At(i, i))
	}
	ridged := mat.NewSymDense(n, nil)
	for part := 1e-14; part < 1e-5; part *= 100 {
		ridged.CopySym(a)
		for i := range n {
			ridged.SetSym(i, i, a.At(i, i)+part*top)
		}
		if chol.Factorize(ridged) {
			return chol, true
		}
	}
	return chol, false
}

// Whiten returns ΦL⁻ᵀ with LLᵀ the given matrix, which is positive definite: features in which it
// is the identity.
func Whiten(ctx context.Context, features *mat.Dense, known *mat.SymDense) (*mat.Dense, error) {
	n, m := features.Dims()
	chol, ok := factor(known)
	if !ok {
		return nil, errors.New("what is known after a round is not positive definite")
	}
	if err := memlimit.Matrices(ctx, "the features of a round", 1, n, m); err != nil {
		return nil, err
	}
	var lower mat.TriDense
	chol.LTo(&lower)
	out := mat.NewDense(n, m, nil)
	err := cores.Do(ctx, n, tile, func(from, end int) {
		part := out.Slice(from, end, 0, m).(*mat.Dense)
		part.Copy(features.Slice(from, end, 0, m))
		blas64.Trsm(blas.Right, blas.Trans, 1, lower.RawTriangular(), part.RawMatrix())
	})
	return out, err
}
