package engine

import (
	"errors"

	"github.com/gonb-cope/gonb-cope/engine/design"
)

// Design solves line 4 of Alg. 1 for the given candidate sets (one per task).
// The result is remembered.
func (m *Model) Design(ridge float64, alive [][]int) (design.Design, error) {
	return remembered(m, key{kind: kindDesign, ridge: ridge, sets: contrasting(alive)}, func() (design.Design, error) {
		r := m.layout.reduce(alive)
		if len(r.arms) == 0 {
			return design.Minimax(m.Space(ridge), design.Contrasts{}, design.Options{})
		}
		d, err := m.solve(r, ridge, 0)
		if err != nil {
			return design.Design{}, err
		}
		return r.restore(m.layout, d), nil
	})
}

// solve returns the design of a problem in canonical form, remembered for all
// models that have it. With a threshold above 0 it only tells on which side of it
// the value is.
func (m *Model) solve(r reduced, ridge, threshold float64) (design.Design, error) {
	k := key{kind: kindCanonical, of: r.identity, ridge: m.normalised(ridge), level: threshold}
	return remember(m.context(), m.memory, k, func() (design.Design, error) {
		opt := m.Solver(designTolerance(len(r.arms)))
		opt.Threshold = threshold
		d, err := design.Minimax(r.space(m.Space(ridge)), design.Contrasts{Groups: r.groups}, opt)
		if threshold > 0 {
			d.Weights, d.Certificate = nil, design.Certificate{}
		}
		return d, err
	})
}

// Omega is the principle dimension ω(ξ, S) of a set of arms [Du23, App. C.4],
// remembered.
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

// omega is ω(ξ, S), or with a threshold above 0 a number on the same side of it.
func (m *Model) omega(ridge float64, set []int, threshold float64) (float64, error) {
	return remembered(m, key{kind: kindOmega, ridge: ridge, level: threshold, sets: [][]int{set}}, func() (float64, error) {
		r := m.layout.reduce([][]int{set})
		if len(r.arms) == 0 {
			return 0, nil
		}
		d, err := m.solve(r, ridge, threshold)
		return d.Value, err
	})
}

// round is ROUND to n pulls for the contrasts. When n pulls are too few for the ratio
// 2(1+ε), covered is false and the rounding is the best that was found.
func (m *Model) round(ridge float64, c design.Contrasts, weights []float64, n int) (r design.Rounding, covered bool, err error) {
	r, err = design.Round(m.context(), m.Space(ridge), c, weights, n, RoundingEpsilon)
	var ratio *design.RatioError
	if errors.As(err, &ratio) {
		err = nil
	}
	return r, covers(r), err
}

// covers reports whether a rounding keeps the ratio 2(1+ε).
func covers(r design.Rounding) bool { return r.Ratio <= 2*(1+RoundingEpsilon) }

// contrasting returns the sets of at least two arms: the others contrast nothing.
func contrasting(alive [][]int) [][]int {
	out := make([][]int, 0, len(alive))
	for _, set := range alive {
		if len(set) > 1 {
			out = append(out, set)
		}
	}
	return out
}

// remembered returns the value that a key has for this model: it follows from the key, the numbers
// of the model and its expected rewards.
func remembered[T any](m *Model, k key, compute func() (T, error)) (T, error) {
	k.of = m.identity
	return remember(m.context(), m.memory, k, compute)
}
