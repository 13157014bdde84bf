package engine

import "github.com/gonb-cope/gonb-cope/engine/design"

// NewIndPeaceFB is fixed-budget Peace [KJKJ20] run by each agent on its own task
// with its own T pulls. In each of R = max(1, ⌈log₂ γ(Z)⌉) rounds it spreads ⌊T/R⌋
// pulls by the allocation of the smallest Gaussian width, rounded by ROUND, estimates
// by least squares from the round's data alone (ξ = 0, whatever ξ the options name),
// and keeps the longest prefix by estimate of at most half the width γ, where
//
//	γ(S) = min_λ ( E max_{z, z' ∈ S} (z - z')ᵀ A(λ)^{-1/2} η )²,  η ~ N(0, I).
//
// It ends early when one arm is left. What was read, and what the authors' code does
// in another way, is in docs/paper.md.
//
// [KJKJ20] Katz-Samuels, Jain, Karnin, Jamieson: An Empirical Process Approach to the
// Union Bound: Practical Algorithms for Combinatorial and Linear Bandits, NeurIPS 2020.
func NewIndPeaceFB(m *Model, opt Options) (Algorithm, error) {
	opt.Ridge = Ridge{Kind: RidgeValue}
	return newIndividualFB(m, opt, func(m *Model, opt Options) (Algorithm, error) {
		return newHalving(m, opt, gaussianWidth{allocation: narrowest()})
	})
}

// gaussianWidth is the halving of Peace, for a model of one task.
type gaussianWidth struct {
	halves
	allocation
}

func (gaussianWidth) size(m *Model, ridge float64, set []int) (float64, error) {
	d, err := widthDesign(m, ridge, set, 0)
	return d.Value, err
}

func (gaussianWidth) exceeds(m *Model, ridge float64, set []int, limit float64) (bool, error) {
	d, err := widthDesign(m, ridge, set, limit)
	return d.Value > limit, err
}

// narrowest is the allocation of Peace.
func narrowest() allocation {
	return allocation{kindWidth, func(m *Model, ridge float64, alive [][]int) (design.Design, error) {
		return widthDesign(m, ridge, alive[0], 0)
	}}
}

func (gaussianWidth) rule() Rule { return RuleNarrowed }

func (gaussianWidth) covered() bool { return false }

// widthDesign is the design of the smallest Gaussian width of a set, remembered: by the
// model as it is, and in canonical form for all models that have the same arms. With
// a threshold above 0 it only tells on which side of it the value is.
func widthDesign(m *Model, ridge float64, set []int, threshold float64) (design.Design, error) {
	return remembered(m, key{kind: kindWidth, ridge: ridge, level: threshold, sets: [][]int{set}}, func() (design.Design, error) {
		r := m.layout.reduce([][]int{set})
		if len(r.arms) == 0 {
			return design.Width(m.Space(ridge), nil, design.Options{})
		}
		k := key{kind: kindCanonicalWidth, of: r.identity, ridge: m.normalised(ridge), level: threshold}
		d, err := remember(m.context(), m.memory, k, func() (design.Design, error) {
			d, err := design.Width(r.space(m.Space(ridge)), r.groups[0], design.Options{Threshold: threshold, Context: m.ctx})
			d.Lower = 0 // no certificate, as a plan's lower bound has to be
			return d, err
		})
		if err != nil {
			return design.Design{}, err
		}
		return r.restore(m.layout, d), nil
	})
}
