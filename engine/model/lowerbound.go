package model

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Divergence returns kl(p, q) = p log(p/q) + (1-p) log((1-p)/(1-q)) of two laws on two rewards, nats.
// Numbers outside of [0, 1] by no more than rounding are taken for its ends; +Inf for a q farther off.
func Divergence(p, q float64) float64 {
	const rounding = 1e-9
	if q < -rounding || q > 1+rounding {
		return math.Inf(1)
	}
	p, q = min(max(p, 0), 1), min(max(q, 0), 1)
	term := func(a, b float64) float64 {
		if a == 0 {
			return 0
		}
		return a * math.Log(a/b)
	}
	return max(0, term(p, q)+term(1-p, 1-q))
}

// Nats returns kl(δ, 1-δ), 0 for δ ≥ 1/2: the information that tells a right answer from a wrong one as
// surely as probability δ of an error demands [Kaufmann, Cappé and Garivier 2016, Lemma 1].
func Nats(delta float64) float64 {
	if delta >= 0.5 {
		return 0
	}
	return (1 - 2*delta) * math.Log((1-delta)/delta)
}

// LowerBound returns T* kl(δ, 1-δ): no algorithm that errs with probability at most δ at any rewards of
// the kernel needs fewer samples in expectation, all agents together. 0 where none is known.
func (m *Model) LowerBound(delta, epsilon float64) (float64, error) {
	lower, _, err := m.CharacteristicTime(0, epsilon)
	return Nats(delta) * lower, err
}

// CharacteristicTime returns T*, all agents together, between two ends: 1/T* is the largest over
// allocations λ of the least divergence Σ λ_i KL_i from the rewards to others of the kernel under which
// every answer that is right (within epsilon of the best arm, reward units) is wrong. Allocations tell
// all such others from the rewards, or errors are more frequent than δ at some of them.
//
// Where each task has one right answer and noise is normal, T* = 2ρ* with gaps that are larger by
// epsilon, at ξ = 0, or for the lower end at a given ξ. Where tasks have several, or rewards are two
// numbers, the lower end is a game between allocations and some other rewards, and the upper end is not
// known (0). Both are 0 where no bound is known: where all arms are right answers, of rewards within
// bounds that are not two numbers, of rewards that blocks have in common, and of many arms whose game is too large. At δ → 0 alone more is
// known where several answers are right:
//
//	R. Degenne, W. M. Koolen, Pure exploration with multiple correct answers, NeurIPS 2019.
func (m *Model) CharacteristicTime(ridge, epsilon float64) (lower, upper float64, err error) {
	t, err := m.known()
	if err != nil {
		return 0, 0, err
	}
	several := false
	for i, v := range m.Problem.TaskOf {
		several = several || epsilon > 0 && i != t.best[v] && t.right(i, epsilon/m.Unit)
	}
	noise := m.Problem.Noise
	two := noise.Environment == problem.EnvironmentBernoulli
	switch {
	case noise.Bounds != nil && !two, m.Problem.Block != nil: // within blocks less noise is left
		return 0, 0, nil
	case two || several:
		value, err := m.leastTold(math.Inf(1), epsilon)
		if err != nil || value == 0 {
			return 0, 0, err
		}
		return 1 / value, 0, nil
	}
	d, err := m.Confirmation(ridge, epsilon)
	return 2 * d.Lower, 2 * d.Value, err
}

// right reports whether an arm is within epsilon (normalised) of the best one, to rounding.
func (t *truth) right(i int, epsilon float64) bool {
	const rounding = 1e-9
	return t.gap[i] <= epsilon*(1+rounding)
}
