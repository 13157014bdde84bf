package model

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
)

// fitsWithin reports whether a ridge fit of the known expected rewards, in the span of the kernel at the
// first pivots of its factor, has at most that norm (in units of Norm) and is no farther than within
// (reward units) from any of them. With L the columns of the factor, N×rank, it is f = Lc,
//
//	c = (LᵀL + rI)⁻¹Lᵀμ,  ‖f‖ = ‖c‖,
//
// for the smallest r that the norm allows. Expected rewards that were rounded have an interpolant of a much
// larger norm, which follows the rounding; a fit need not. Remembered.
func (m *Model) fitsWithin(within, norm float64, rank int) (bool, error) {
	key := canon.Key{Kind: canon.KindWitness, Ridge: within, Level: norm, Pulls: rank}
	fits, err := Remembered(m, key, func() (float64, error) {
		if fits, err := m.lookFit(within, norm, rank); err != nil || !fits {
			return 0, err
		}
		return 1, nil
	})
	return fits > 0, err
}

// lookFit is fitsWithin, not remembered.
func (m *Model) lookFit(within, norm float64, rank int) (bool, error) {
	columns, _, err := m.source.factor.Columns(m.Context(), rank, 0)
	if err == nil {
		err = m.Context().Err() // columns that are there come after an interrupt, too, and the copy of 10⁵ arms takes time
	}
	if err != nil || len(columns) == 0 {
		return false, err
	}
	rank = min(rank, len(columns))
	n := m.Problem.N()
	across := mat.NewDense(rank, n, nil) // Lᵀ
	for k, c := range columns[:rank] {
		across.SetRow(k, c)
	}
	gram, moment := mat.NewSymDense(rank, nil), new(mat.VecDense)
	for i := range rank { // row by row, since an interrupt of 10⁵ arms waited for all
		if err := m.Context().Err(); err != nil {
			return false, err
		}
		for j := i; j < rank; j++ {
			gram.SetSym(i, j, floats.Dot(across.RawRowView(i), across.RawRowView(j)))
		}
	}
	moment.MulVec(across, mat.NewVecDense(n, m.Problem.Mean))
	top := 0.0
	for k := range rank {
		top = max(top, gram.At(k, k))
	}
	most := norm * m.Unit
	lo, hi := math.Log(1e-15*top), math.Log(top)
	for hi-lo > 0.2 {
		if err := m.Context().Err(); err != nil {
			return false, err
		}
		mid := (lo + hi) / 2
		c := ridgeSolve(gram, moment, math.Exp(mid))
		if c == nil || mat.Norm(c, 2) > most {
			lo = mid
			continue
		}
		hi = mid
		var fit mat.VecDense
		fit.MulVec(across.T(), c)
		apart := 0.0
		for i, v := range m.Problem.Mean {
			apart = max(apart, math.Abs(v-fit.AtVec(i)))
		}
		if apart <= within {
			return true, nil
		}
	}
	return false, nil
}

// ridgeSolve returns (G + rI)⁻¹b, nil where that is singular to rounding.
func ridgeSolve(gram *mat.SymDense, moment *mat.VecDense, ridge float64) *mat.VecDense {
	n := gram.SymmetricDim()
	a := mat.NewSymDense(n, nil)
	a.CopySym(gram)
	for k := range n {
		a.SetSym(k, k, a.At(k, k)+ridge)
	}
	var factor mat.Cholesky
	if !factor.Factorize(a) {
		return nil
	}
	out := new(mat.VecDense)
	if err := factor.SolveVecTo(out, moment); err != nil && !isCondition(err) {
		return nil
	}
	return out
}
