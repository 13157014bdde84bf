package model

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/internal/eigen"
	"github.com/gonb-cope/gonb-cope/internal/memlimit"
)

// ridgeFits are ridge fits of the known expected rewards in the span of the kernel at the first pivots of
// its factor, from the smoothest on. With L the columns of the factor, N×rank, a fit is f = Lc,
//
//	c = (LᵀL + rI)⁻¹Lᵀμ,  ‖f‖ = ‖c‖.
//
// Expected rewards that were rounded have an interpolant of a large norm, which follows the rounding; a
// fit need not.
type ridgeFits []Near

// Floats says how many numbers they are.
func (f ridgeFits) Floats() int { return 4 * len(f) }

// Ridges are the largest eigenvalue of LᵀL over powers of 2, as far as double precision tells them apart.
const ridges = 49

// ridgeFits returns the fits of at most that rank; none where the kernel has no dimension on the arms, or
// takes arms for the same whose expected rewards differ, or memory is short. Remembered.
func (m *Model) ridgeFits(rank int) (ridgeFits, error) {
	if _, err := m.known(); err != nil {
		return nil, err
	}
	return Remembered(m, canon.Key{Kind: canon.KindFits, Pulls: rank}, func() (ridgeFits, error) { return m.fitRidges(rank) })
}

// pairsCompared is how many pairs of arms are compared before the expected rewards are fitted: about all pairs of
// as many arms as the norm is computed of exactly.
const pairsCompared = 5_000_000

func (m *Model) fitRidges(rank int) (ridgeFits, error) {
	_, _, apart, err := m.unequalCopies(pairsCompared + 100*m.Problem.N())
	if errors.Is(err, errManyAlike) || apart > 0 {
		return nil, nil // a run goes on without them
	} else if err != nil {
		return nil, err
	}
	columns, _, err := m.source.factor.Columns(m.Context(), rank, 0)
	if err == nil {
		err = m.Context().Err() // columns that are there come after an interrupt, too, and the copy of 10⁵ arms takes time
	}
	if err != nil || len(columns) == 0 {
		return nil, err
	}
	rank = min(rank, len(columns))
	n := m.Problem.N()
	if memlimit.Matrices(m.Context(), "fits of the expected rewards", 1, n, rank) != nil {
		return nil, nil // a run goes on without them
	}
	across := mat.NewDense(rank, n, nil) // Lᵀ
	for k, c := range columns[:rank] {
		across.SetRow(k, c)
	}
	gram := mat.NewSymDense(rank, nil)
	for i := range rank { // row by row, since an interrupt of 10⁵ arms waited for all
		if err := m.Context().Err(); err != nil {
			return nil, err
		}
		for j := i; j < rank; j++ {
			gram.SetSym(i, j, floats.Dot(across.RawRowView(i), across.RawRowView(j)))
		}
	}
	values, vectors, err := eigen.Decompose(m.Context(), gram)
	if err != nil {
		return nil, err
	}
	moment, turned := new(mat.VecDense), new(mat.VecDense)
	moment.MulVec(across, mat.NewVecDense(n, m.Problem.Mean))
	turned.MulVec(vectors.T(), moment)
	top := floats.Max(values)
	out, along, off := make(ridgeFits, ridges), mat.NewVecDense(rank, nil), make([]float64, n)
	for k := range out {
		if err := m.Context().Err(); err != nil {
			return nil, err
		}
		for j, v := range values {
			along.SetVec(j, turned.AtVec(j)/(max(v, 0)+math.Ldexp(top, -k)))
		}
		c, fit := new(mat.VecDense), new(mat.VecDense)
		c.MulVec(vectors, along)
		fit.MulVec(across.T(), c)
		for i, v := range m.Problem.Mean {
			off[i] = v - fit.AtVec(i)
		}
		near := Near{Norm: mat.Norm(c, 2) / m.Unit, Arms: rank}
		near.Misfit, near.At = farthest(off)
		out[k] = near
	}
	return out, nil
}

// least returns the fit of least cost, and whether there is one of finite cost.
func (f ridgeFits) least(cost func(Near) float64) (best Near, found bool) {
	lowest := math.Inf(1)
	for _, near := range f {
		if c := cost(near); c < lowest {
			best, lowest, found = near, c, true
		}
	}
	return best, found
}

// fitsWithin reports whether a fit has at most that norm (in units of Norm) and is no farther than within
// (reward units) from any expected reward.
func (m *Model) fitsWithin(within, norm float64, rank int) (bool, error) {
	fits, err := m.ridgeFits(rank)
	_, found := fits.least(func(n Near) float64 {
		if n.Norm <= norm && n.Misfit <= within {
			return 0
		}
		return math.Inf(1)
	})
	return found, err
}
