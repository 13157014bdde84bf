package model

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/eigen"
)

// NearNorm returns the norm of a function of the kernel's space that is as good as the known expected
// rewards: none of those is off it by more than a thousandth of the smallest lead of a best arm beyond
// epsilon, reward units (see Fidelity). Rewards that were rounded have a norm of their own that is larger
// by what the rounding takes to follow. It is the smallest along ridge fits, to a hundredth; that of the
// rewards themselves where no other is smaller.
func (m *Model) NearNorm(epsilon float64) (float64, error) {
	norm, err := m.Norm()
	if err != nil {
		return 0, err
	}
	known, err := m.known()
	if err != nil {
		return 0, err
	}
	tolerance := decisive * m.leastLead(known, epsilon)
	exact, err := m.Exact()
	if err != nil || math.IsInf(tolerance, 1) {
		return norm, err
	}
	n, dim := exact.Features.Dims()
	mu := mat.NewVecDense(n, nil)
	for i, v := range m.Problem.Mean {
		mu.SetVec(i, v/m.Unit)
	}
	square := mat.NewSymDense(dim, nil)
	square.SymOuterK(1, exact.Features.T())
	values, vectors, err := eigen.Decompose(m.Context(), square)
	if err != nil {
		return 0, err
	}
	var projected, turned mat.VecDense
	projected.MulVec(exact.Features.T(), mu)
	turned.MulVec(vectors.T(), &projected)
	fit := func(ridge float64) (size, misfit float64) {
		theta, at := mat.NewVecDense(dim, nil), mat.NewVecDense(dim, nil)
		for j, v := range values {
			at.SetVec(j, turned.AtVec(j)/(max(v, 0)+ridge))
		}
		theta.MulVec(vectors, at)
		var found mat.VecDense
		found.MulVec(exact.Features, theta)
		for i := range n {
			misfit = max(misfit, math.Abs(mu.AtVec(i)-found.AtVec(i)))
		}
		return mat.Norm(theta, 2) / math.Sqrt(m.Scale), misfit
	}
	top := 0.0
	for _, v := range values {
		top = max(top, v)
	}
	lo, hi := math.Log(1e-13*top), math.Log(top)
	for hi-lo > 0.05 {
		if err := m.Context().Err(); err != nil {
			return 0, err
		}
		mid := (lo + hi) / 2
		size, misfit := fit(math.Exp(mid))
		if misfit <= tolerance {
			norm, lo = min(norm, size), mid
		} else {
			hi = mid
		}
	}
	return norm, nil
}
