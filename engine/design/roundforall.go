package design

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/eigen"
)

// RoundForAll turns weights λ into n whole pulls by apportionment, with a Ratio that holds for every
// contrast that there is, also those with parts outside the span of the arms: the largest ratio of
// yᵀA(counts/n)⁻¹y to yᵀA(λ)⁻¹y over all y,
//
//	1 / λ_min(L⁻¹ A(counts/n) L⁻ᵀ),  A(λ) = LLᵀ.
//
// It is at least 1 and takes no pass over contrasts; Round, which looks at those that matter, may find
// a smaller one. The ridge must be positive. Errors and panics are as for Round.
func RoundForAll(ctx context.Context, s Space, weights []float64, n int) (r Rounding, err error) {
	defer caught(&err)
	lambda, err := shares(s, weights, n)
	if err != nil {
		return Rounding{}, err
	}
	r = Rounding{Counts: apportion(lambda, n), Method: "apportionment"}
	stop, x := stopper{ctx}, s.Features.RawMatrix()
	parts := make([]float64, len(lambda))
	for i, k := range r.Counts {
		parts[i] = float64(k) / float64(n)
	}
	scaled, l, a := reshape(blas64.General{}, x.Rows, x.Cols), reshape(blas64.General{}, x.Cols, x.Cols),
		reshape(blas64.General{}, x.Cols, x.Cols)
	if !information(stop, x, roots(s.Precision), lambda, s.Ridge, scaled, l) {
		return Rounding{}, errSingular
	}
	for i, w := range parts { // B = A(counts/n) - ξI as the rows of scaled
		f := w
		if s.Precision != nil {
			f *= s.Precision[i]
		}
		to := row(scaled, i)
		clear(to)
		if f > 0 {
			axpy(math.Sqrt(f), row(x, i), to)
		}
	}
	addOuter(stop, scaled, a)
	for k := range a.Rows {
		a.Data[k*a.Stride+k] += s.Ridge
	}
	mirror(a)
	blas64.Trsm(blas.Left, blas.NoTrans, 1, factor(l), a)
	blas64.Trsm(blas.Right, blas.Trans, 1, factor(l), a)
	symmetric := mat.NewSymDense(a.Rows, nil)
	for i := range a.Rows {
		for j := range i + 1 {
			symmetric.SetSym(i, j, (a.Data[i*a.Stride+j]+a.Data[j*a.Stride+i])/2)
		}
	}
	values, err := eigen.Values(ctx, symmetric)
	if err != nil {
		return Rounding{}, err
	}
	if values[0] <= 0 {
		return Rounding{}, errSingular
	}
	r.Ratio = max(1, 1/values[0])
	return r, nil
}
