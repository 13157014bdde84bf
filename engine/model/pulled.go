package model

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/cores"
	"github.com/gonb-cope/gonb-cope/internal/memlimit"
)

// onPulled returns the Estimator of counts on few of very many arms, by exact values of the kernel
// and in coordinates c of the span of the s pulled arms. With A_s = Nξ I + Σ t_k c_kc_kᵀ there, and y_⊥
// what a contrast has outside the span,
//
//	A⁻¹y = A_s⁻¹y_s + y_⊥/(Nξ),
//
// so that estimates, and their variance, belong to the span, and the bias has Nξ A⁻¹y with both
// parts at right angles. Nothing of it is cut.
func onPulled(m *Model, ridge float64, counts []int) (*Estimator, error) {
	n, ctx := len(counts), m.Context()
	e := &Estimator{Total: make([]float64, n), unit: m.Unit, root: math.Sqrt(m.Scale)}
	var pulled []int
	for i, c := range counts {
		if c > 0 {
			pulled = append(pulled, i)
			e.Pulls += c
			e.Total[i] = float64(c) * m.Precision[i]
			e.precision += e.Total[i]
		}
	}
	if len(pulled) == 0 {
		return nil, errors.New("no pulls, nothing to estimate from")
	}
	e.shrink = float64(e.Pulls) * m.Normalised(ridge)
	s := len(pulled)
	if err := memlimit.Matrices(ctx, "the estimator", 3, n, s); err != nil {
		return nil, err
	}
	coordinates, rest, err := m.spanned(pulled)
	if err != nil {
		return nil, err
	}
	scaled := mat.NewDense(s, s, nil)
	for k, i := range pulled {
		for j, v := range coordinates.RawRowView(i) {
			scaled.Set(k, j, math.Sqrt(e.Total[i])*v)
		}
	}
	information := mat.NewSymDense(s, nil)
	information.SymOuterK(1, scaled.T())
	for k := range s {
		information.SetSym(k, k, information.At(k, k)+e.shrink)
	}
	var factor mat.Cholesky
	if !factor.Factorize(information) {
		return nil, fmt.Errorf("the information matrix of %d pulls is not positive definite at xi = %g; give a larger xi", e.Pulls, ridge)
	}
	inverse, err := inverseFactor(&factor)
	if err != nil {
		return nil, err
	}
	e.White, e.solved = mat.NewDense(n, s, nil), mat.NewDense(n, s, nil)
	e.rest = make([]float64, n)
	err = cores.Do(ctx, n, rowsAtOnce, func(from, to int) {
		part := func(x *mat.Dense) *mat.Dense { return x.Slice(from, to, 0, s).(*mat.Dense) }
		timesTransposed(part(e.White), part(coordinates), inverse)
		timesLower(part(e.solved), part(e.White), inverse)
		for i := from; i < to; i++ {
			e.rest[i] = math.Sqrt(rest[i])
		}
	})
	return e, err
}

// timesLower sets dst = x T for a lower triangular T.
func timesLower(dst, x, t *mat.Dense) {
	const tile = 64 // so few rows and columns that the product stays in the calling goroutine
	rows, s := x.Dims()
	for i := 0; i < rows; i += tile {
		end := min(i+tile, rows)
		for j := 0; j < s; j += tile {
			to := min(j+tile, s)
			dst.Slice(i, end, j, to).(*mat.Dense).Mul(x.Slice(i, end, j, s), t.Slice(j, s, j, to))
		}
	}
}

// inverseFactor returns L⁻¹ of a factor LLᵀ.
func inverseFactor(factor *mat.Cholesky) (*mat.Dense, error) {
	var lower, inverse mat.TriDense
	factor.LTo(&lower)
	if err := inverse.InverseTri(&lower); err != nil && !isCondition(err) {
		return nil, err
	}
	return mat.DenseCopyOf(&inverse), nil
}
