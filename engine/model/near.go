package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/internal/cores"
)

// Near is a function of the kernel's space that is near the known expected rewards: the one of least
// norm that is equal to them at some arms.
type Near struct {
	// of the function, in units of Model.Norm; no function that is equal to all expected rewards has a
	// smaller one
	Norm   float64
	Misfit float64 // the largest distance of it from an expected reward, reward units
	At     int     // the arm of Misfit
	Arms   int     // at how many arms they are equal
}

// Near returns the function that is equal to the expected rewards at the first pivots of the kernel's
// factor, as many as it takes for Misfit ≤ within, and at most maxRank (0 means MaxRank, which others may exceed). With c_k
// the columns of the factor L, p_k its pivots and θ_k the coefficients, this is interpolation in
// Newton form,
//
//	r ← μ,  θ_k = r_{p_k}/L_{p_k k},  r ← r - θ_k c_k,  ‖f‖² = Σ θ_k²,
//
// whose norm grows with every pivot up to that of the least function through all expected rewards. It
// takes no features: of the factor that all share O(N) operations a column.
//
//	M. Pazouki, R. Schaback, Bases for kernel-based spaces, Journal of Computational and Applied
//	Mathematics 236, 2011.
func (m *Model) Near(within float64, maxRank int) (Near, error) {
	if _, err := m.known(); err != nil {
		return Near{}, err
	}
	if maxRank <= 0 {
		maxRank = m.source.maxRank
	}
	rest := slices.Clone(m.Problem.Mean)
	near, squares := Near{}, 0.0
	near.Misfit, near.At = farthest(rest)
	for near.Misfit > within && near.Arms < maxRank {
		const together = 32 // columns asked for at a time
		columns, pivots, err := m.source.factor.Columns(m.Context(), min(near.Arms+together, maxRank), 0)
		if err != nil {
			return Near{}, fmt.Errorf("problem %q: fitting the expected rewards: %w", m.Problem.Name, err)
		}
		if len(columns) == near.Arms { // the kernel has no more dimensions on these arms
			break
		}
		for k := near.Arms; k < len(columns) && near.Misfit > within; k++ {
			theta := rest[pivots[k]] / columns[k][pivots[k]]
			err := cores.Do(m.Context(), len(rest), entriesAtOnce, func(from, to int) {
				for i, v := range columns[k][from:to] {
					rest[from+i] -= theta * v
				}
			})
			if err != nil {
				return Near{}, err
			}
			squares += theta * theta
			near.Arms = k + 1
			near.Misfit, near.At = farthest(rest)
		}
	}
	near.Norm = math.Sqrt(squares) / m.Unit
	return near, nil
}
