package elimination

import (
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/internal/individual"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// NewIndPeaceFB returns fixed-budget Peace [KJKJ20] run by each agent on its own task with its own
// T pulls. In each of R = max(1, ⌈log₂ γ(Z)⌉) rounds it spreads ⌊T/R⌋ pulls by the allocation of
// the smallest Gaussian width, rounded by ROUND, estimates by least squares from the round's data
// alone (ξ = 0, whatever ξ the options name), and keeps the longest prefix by estimate of at most
// half the width γ, where
//
//	γ(S) = min_λ ( E max_{z, z' ∈ S} (z - z')ᵀ A(λ)^{-1/2} η )²,  η ~ N(0, I).
//
// It ends early when one arm is left. What was read, and what the authors' code does
// in another way, is in docs/paper.md.
//
// [KJKJ20] Katz-Samuels, Jain, Karnin, Jamieson: An Empirical Process Approach to the
// Union Bound: Practical Algorithms for Combinatorial and Linear Bandits, NeurIPS 2020.
func NewIndPeaceFB(m *model.Model, opt engine.Options) (engine.Algorithm, error) {
	opt.Ridge = engine.Ridge{Kind: engine.RidgeValue}
	return individual.NewFB(m, opt, func(m *model.Model, opt engine.Options) (engine.Algorithm, error) {
		return newHalving(m, opt, gaussianWidth{allocation: narrowest()})
	})
}

// gaussianWidth is the halving of Peace, for a model of one task.
type gaussianWidth struct {
	halves
	allocation
}

func (gaussianWidth) size(m *model.Model, ridge float64, set []int) (float64, error) {
	d, err := widthDesign(m, ridge, set, 0)
	return d.Value, err
}

func (gaussianWidth) exceeds(m *model.Model, ridge float64, set []int, limit float64) (bool, error) {
	d, err := widthDesign(m, ridge, set, limit)
	return d.Value > limit, err
}

// narrowest returns the allocation of Peace.
func narrowest() allocation {
	return allocation{canon.KindWidth, func(m *model.Model, ridge float64, alive [][]int) (design.Design, error) {
		return widthDesign(m, ridge, alive[0], 0)
	}}
}

func (gaussianWidth) rule() engine.Rule { return engine.RuleNarrowed }

func (gaussianWidth) covered() bool { return false }

// widthDesign returns the design of the smallest Gaussian width of a set, remembered: by the model
// as it is, and in canonical form for all models that have the same arms. With a threshold above 0
// it only tells on which side of it the value is.
func widthDesign(m *model.Model, ridge float64, set []int, threshold float64) (design.Design, error) {
	return model.Remembered(m, canon.Key{Kind: canon.KindWidth, Ridge: ridge, Level: threshold, Sets: [][]int{set}},
		func() (design.Design, error) {
			r := m.Layout.Reduce([][]int{set})
			if len(r.Arms) == 0 {
				return design.Width(m.Space(ridge), nil, design.Options{})
			}
			k := canon.Key{Kind: canon.KindCanonicalWidth, Of: r.Identity, Ridge: m.Normalised(ridge), Level: threshold}
			d, err := canon.Remember(m.Context(), m.Memory, k, func() (design.Design, error) {
				d, err := design.Width(r.Space(m.Space(ridge)), r.Groups[0], design.Options{Threshold: threshold, Context: m.Context()})
				d.Lower = 0 // no certificate, as a plan's lower bound has to be
				return d, err
			})
			if err != nil {
				return design.Design{}, err
			}
			return r.Restore(m.Layout, d), nil
		})
}
