package model

import (
	"errors"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
)

// Design solves line 4 of Alg. 1 for the given candidate sets (one per task).
// The result is remembered.
func (m *Model) Design(ridge float64, alive [][]int) (design.Design, error) {
	if ridge > 0 && m.Many() && len(Contrasting(alive)) > 0 {
		return m.manyDesign(ridge, alive)
	}
	m, err := m.Exact()
	if err != nil {
		return design.Design{}, err
	}
	return Remembered(m, canon.Key{Kind: canon.KindDesign, Ridge: ridge, Sets: Contrasting(alive)}, func() (design.Design, error) {
		r := m.Layout.Reduce(alive)
		if len(r.Arms) == 0 {
			return design.Minimax(m.Space(ridge), design.Contrasts{}, design.Options{})
		}
		d, err := m.solve(r, ridge, 0)
		if err != nil {
			return design.Design{}, err
		}
		return r.Restore(m.Layout, d), nil
	})
}

// solve returns the design of a problem in canonical form, remembered for all
// models that have it. With a threshold above 0 it only tells on which side of it
// the value is.
func (m *Model) solve(r canon.Reduced, ridge, threshold float64) (design.Design, error) {
	k := canon.Key{Kind: canon.KindCanonical, Of: r.Identity, Ridge: m.Normalised(ridge), Level: threshold}
	return canon.Remember(m.Context(), m.Memory, k, func() (design.Design, error) {
		opt := m.Solver(DesignTolerance(len(r.Arms)))
		opt.Threshold = threshold
		d, err := design.Minimax(r.Space(m.Space(ridge)), design.Contrasts{Groups: r.Groups}, opt)
		if threshold > 0 {
			d.Weights, d.Certificate = nil, design.Certificate{}
		}
		return d, err
	})
}

// Omega returns the principle dimension ω(ξ, S) of a set of arms [Du23, App. C.4], remembered.
func (m *Model) Omega(ridge float64, set []int) (float64, error) {
	return m.omega(ridge, set, 0)
}

// OmegaExceeds reports whether ω(ξ, S) > limit ≥ 0. It solves only as far as needed
// to certify the answer; within the tolerance of designs, the value decides.
// Remembered.
func (m *Model) OmegaExceeds(ridge float64, set []int, limit float64) (bool, error) {
	value, err := m.omega(ridge, set, limit)
	return value > limit, err
}

// omega returns ω(ξ, S), or with a threshold above 0 a number on the same side of it.
func (m *Model) omega(ridge float64, set []int, threshold float64) (float64, error) {
	if ridge > 0 && m.Many() {
		return m.manyOmega(ridge, set, threshold)
	}
	m, err := m.Exact()
	if err != nil {
		return 0, err
	}
	return Remembered(m, canon.Key{Kind: canon.KindOmega, Ridge: ridge, Level: threshold, Sets: [][]int{set}}, func() (float64, error) {
		r := m.Layout.Reduce([][]int{set})
		if len(r.Arms) == 0 {
			return 0, nil
		}
		d, err := m.solve(r, ridge, threshold)
		return d.Value, err
	})
}

// Round applies ROUND to n pulls for the contrasts. When n pulls are too few for the ratio 2(1+ε),
// covered is false and the rounding is the best that was found.
func (m *Model) Round(ridge float64, c design.Contrasts, weights []float64, n int) (r design.Rounding, covered bool, err error) {
	if ridge > 0 && m.Many() {
		r, err = m.roundedOnPivots(ridge, weights, n)
		return r, Covers(r), err
	}
	if m, err = m.Exact(); err != nil {
		return r, false, err
	}
	r, err = design.Round(m.Context(), m.Space(ridge), c, weights, n, engine.RoundingEpsilon)
	var ratio *design.RatioError
	if errors.As(err, &ratio) {
		err = nil
	}
	return r, Covers(r), err
}

// Covers reports whether a rounding keeps the ratio 2(1+ε).
func Covers(r design.Rounding) bool { return r.Ratio <= 2*(1+engine.RoundingEpsilon) }

// Contrasting returns the sets of at least two arms: the others contrast nothing.
func Contrasting(alive [][]int) [][]int {
	out := make([][]int, 0, len(alive))
	for _, set := range alive {
		if len(set) > 1 {
			out = append(out, set)
		}
	}
	return out
}

// Remembered returns the value that a key has for this model: it follows from the key, the numbers
// of the model and its expected rewards.
func Remembered[T any](m *Model, k canon.Key, compute func() (T, error)) (T, error) {
	k.Of = m.identity
	return canon.Remember(m.Context(), m.Memory, k, compute)
}
