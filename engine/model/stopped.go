package model

import (
	"gonum.org/v1/gonum/mat"
)

// Stopped holds features that a factor has left where its residual was small enough. All numbers are
// normalised.
type Stopped struct {
	Features *mat.Dense // N × m; row i is φ_i without what Rest has of it
	Pivots   []int      // the m arms, in order, that the factor was taken at
	Rest     []float64  // N: what is left of ‖φ_i‖², from below 0 by rounding to Residual
	Residual float64    // the largest of Rest
	Trace    float64    // the sum of Rest, without what is below 0
}

// Stopped returns the features of the factor that ends where what is left of every ‖φ_i‖² is at most
// residual, normalised, or at most half of the largest, or at rank maxRank (0 means no limit). Every φ_iᵀφ_j is off by at most
// √(Rest_i·Rest_j). All models of a problem share one factor, which grows as far as the smallest
// residual takes it and is not computed twice; the features are made for each call.
//
// Unlike exact features these are not snapped: copies of an arm may differ by rounding.
func (m *Model) Stopped(maxRank int, residual float64) (Stopped, error) {
	s := m.source
	f, err := s.factor.Factor(m.Context(), maxRank, m.relative(residual))
	if err != nil {
		return Stopped{}, err
	}
	f.L.Scale(1/s.root, f.L)
	for i := range f.Rest {
		f.Rest[i] /= m.Scale
	}
	return Stopped{Features: f.L, Pivots: f.Pivots, Rest: f.Rest, Residual: f.Residual / m.Scale, Trace: f.ResidualTrace / m.Scale}, nil
}

// Pivots returns the arms that Stopped takes its factor at, without making the features.
func (m *Model) Pivots(maxRank int, residual float64) ([]int, error) {
	_, pivots, err := m.source.factor.Columns(m.Context(), maxRank, m.relative(residual))
	return pivots, err
}

// relative returns a residual over the largest ‖φ_i‖², at most a half: a factor of nothing would show
// nothing of the kernel, which some ridge may exceed.
func (m *Model) relative(residual float64) float64 {
	return min(residual*m.Scale/m.Diagonal, 0.5)
}

// Left returns the residual at which Stopped has this number of pivots, of those that somebody asked for.
func (m *Model) Left(rank int) (float64, error) {
	left, err := m.source.factor.Left(m.Context(), rank)
	return left / m.Scale, err
}
