package model

import (
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
)

// NormLowerBound returns a number of samples, all agents together, that no algorithm needs fewer of in
// expectation when it errs with probability at most delta on every reward function f of ‖f‖ ≤ norm, at
// the known means, with normal noise or, of EnvironmentBernoulli, two rewards. Other than LowerBound it holds for
// algorithms that use a bound on the norm, for which T* is none (docs/theory/lower-bound.md):
//
//	E N ≥ kl(δ, 1-δ) / max_i Σ_g w_g (g_i - μ_i)²/(2σ_i²)
//
// for any functions g with ‖g‖ ≤ norm under which every answer that is right under μ is wrong, and any
// weights w on them that sum to one. Few of either are looked for here, so that the bound is valid, and
// not the largest. It is 0 where none was found, as when the ball allows no other answer, and of more than
// 400 arms. epsilon is in reward units. Remembered.
func (m *Model) NormLowerBound(norm, delta, epsilon float64) (float64, error) {
	value, err := m.leastTold(norm, epsilon)
	if err != nil || value == 0 {
		return 0, err
	}
	return Nats(delta) / value, nil
}

// leastTold returns max_i Σ_g w_g (g_i - μ_i)²/(2σ_i²) of NormLowerBound, 0 where no g was found. The norm
// may be infinite.
func (m *Model) leastTold(norm, epsilon float64) (float64, error) {
	if m.Problem.N() > mostAlternatives {
		return 0, nil
	}
	t, err := m.known()
	if err != nil {
		return 0, err
	}
	features, err := m.functions()
	if err != nil {
		return 0, err
	}
	return Remembered(m, canon.Key{Kind: canon.KindNormBound, Ridge: norm, Level: epsilon}, func() (float64, error) {
		return newAlternatives(m, t, features, norm, epsilon).solve()
	})
}

// functions returns coordinates of the arms in which a vector θ stands for the function φ_iᵀθ of norm
// ‖θ‖/√Scale: exact features or, of very many arms, the coordinates in the span of some.
func (m *Model) functions() (*mat.Dense, error) {
	const directions = 128
	if m.Many() {
		s, err := m.Stopped(directions, 0)
		return s.Features, err
	}
	m, err := m.Exact()
	if err != nil {
		return nil, err
	}
	return m.Features, nil
}
