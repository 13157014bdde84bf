package elimination

import (
	"context"
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/internal/individual"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// NewIndPeaceFB returns fixed-budget Peace [KJKJ20] run by each agent on its own task with its own T pulls. It has R =
// max(1, ⌈log₂ γ(Z)⌉) rounds of ⌊T/R⌋ pulls. A round pulls by the allocation with the smallest Gaussian width, rounded
// by ROUND. It estimates by least squares from its own data alone (ξ = 0, ignoring the option). It keeps the longest
// prefix, in descending order of the estimates, with at most half the width γ, where
//
//	γ(S) = min_λ ( E max_{z, z' ∈ S} (z - z')ᵀ A(λ)^{-1/2} η )²,  η ~ N(0, I).
//
// It ends early if one arm is left. docs/theory/readings.md has the interpretation of the paper, and the differences
// from the authors' code.
//
// [KJKJ20] Katz-Samuels, Jain, Karnin, Jamieson: An Empirical Process Approach to the
// Union Bound: Practical Algorithms for Combinatorial and Linear Bandits, NeurIPS 2020.
func NewIndPeaceFB(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	opt.Ridge = engine.Ridge{Kind: engine.RidgeValue}
	return individual.NewFB(m, opt, func(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
		return newHalving(m, opt, gaussianWidth{allocation: narrowest()})
	})
}

// gaussianWidth is the halving of IndPeaceFB, for a model of one task.
type gaussianWidth struct {
	halves
	allocation
}

func (gaussianWidth) size(m *model.Model, ridge float64, set []int) float64 {
	return widthDesign(m, ridge, set, 0).Value
}

func (gaussianWidth) exceeds(m *model.Model, ridge float64, set []int, limit float64) bool {
	return widthDesign(m, ridge, set, limit).Value > limit
}

// narrowest returns the allocation with the smallest Gaussian width, which IndPeaceFB uses.
func narrowest() allocation {
	return allocation{canon.KindWidth, func(m *model.Model, ridge float64, alive [][]int) design.Design {
		return widthDesign(m, ridge, alive[0], 0)
	}}
}

func (gaussianWidth) rule() engine.Rule { return engine.RuleNarrowed }

func (gaussianWidth) covered() bool { return false }

// widthDesign returns the design with the smallest Gaussian width of a set. With a threshold above 0, it only determines
// whether the width is above or below the threshold. The result is cached for the model and, in canonical form, for all
// models with the same arms.
func widthDesign(m *model.Model, ridge float64, set []int, threshold float64) design.Design {
	return remembered(m, canon.Key{Kind: canon.KindWidth, Ridge: ridge, Level: threshold, Sets: [][]int{set}}, func() design.Design {
		r := m.Layout.Reduce([][]int{set})
		if len(r.Arms) == 0 {
			return try.Of(design.Width(m.Space(ridge), nil, design.Options{}))
		}
		k := canon.Key{Kind: canon.KindCanonicalWidth, Of: r.Identity, Ridge: m.Normalised(ridge), Level: threshold}
		d := try.Of(canon.Remember(m.Context(), m.Memory, k, func() (design.Design, error) {
			d, err := design.Width(r.Space(m.Space(ridge)), r.Groups[0], design.Options{Threshold: threshold, Context: m.Context()})
			d.Lower = 0 // the width has no certificate, which a lower bound in a plan would need
			return d, err
		}))
		return r.Restore(m.Layout, d)
	})
}

// NewIndPeacePooled returns the fixed-budget elimination in the public code of the authors of Peace
// (github.com/jkatzsam/linear_bandits_empirical_process, fixed_budget.py, lin_bandit_succ_elim). Each agent runs it on
// its own task with its own T pulls. It differs from [NewIndPeaceFB] as follows:
//
//   - The width is that over the set, γ'(S) = min_λ (E max_{z ∈ S} zᵀ A(λ)^{-1/2} η)²,
//     which is γ(S)/4, because η and -η have the same distribution.
//   - There are R = ⌈max(log₂ γ', 2)⌉ rounds.
//   - Estimates are by least squares from the data of all rounds.
//   - A set of more than two arms keeps the longest proper prefix of a width of at most
//     ⌈γ'/2⌉. Smaller sets are not cut, and the largest estimate is the answer.
//
// A set of one arm is not pulled again. In the original code such pulls only use up the budget. Widths and roundings
// are as in NewIndPeaceFB; the original code uses stochastic gradient descent and apportionment.
//
// No bound holds for its answers. Later designs depend on earlier data, so the gaps of pooled estimates need not have
// the variance that follows from the counts. The audit trail shows this variance. Decisions use each round's own data,
// as in the other algorithms.
func NewIndPeacePooled(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	opt.Ridge = engine.Ridge{Kind: engine.RidgeValue}
	return individual.NewFB(m, opt, func(m *model.Model, opt model.Terms) (engine.Algorithm, error) { return newPooledPeace(m, opt) })
}

// setWidth is the halving with the width over the set, for a model of one task.
type setWidth struct{ gaussianWidth }

func (w setWidth) size(m *model.Model, ridge float64, set []int) float64 {
	return w.gaussianWidth.size(m, ridge, set) / 4
}

func (w setWidth) exceeds(m *model.Model, ridge float64, set []int, limit float64) bool {
	return w.gaussianWidth.exceeds(m, ridge, set, 4*limit)
}

func (setWidth) rounds(size float64) int { return max(2, halves{}.rounds(size)) }

func (setWidth) limit(size float64) float64 { return math.Ceil(size / 2) }

// pooledPeace is the loop of Alg. 2 with estimates from the data of all rounds.
type pooledPeace struct {
	*CoKernelFB
	model.Pool
	pooled    *model.Estimator // estimator from all data; nil before any
	estimates []float64        // estimates from all data, normalised; nil before any
}

var (
	_ engine.Detailed = (*pooledPeace)(nil)
	_ engine.Amender  = (*pooledPeace)(nil)
)

func newPooledPeace(m *model.Model, opt model.Terms) (*pooledPeace, error) {
	base, err := newHalving(m, opt, setWidth{gaussianWidth{allocation: narrowest()}})
	if err != nil {
		return nil, err
	}
	return &pooledPeace{CoKernelFB: base, Pool: model.NewPool(m.Problem.N())}, nil
}

// Learn adds the round to the earlier data, and cuts the sets of more than two arms.
func (a *pooledPeace) Learn(ctx context.Context, b engine.Batch) (err error) {
	defer try.Caught(&err)
	defer a.Model.During(ctx)()
	if err := rounds.CheckBatch(a.stage.Plan(a.round), b); err != nil || b.Empty() {
		return err // nil if Amend has set all counts to 0
	}
	a.Weigh(a.stage.Estimate, a.stage.Estimate.Estimates(b.Means))
	means := a.Add(b)
	k := canon.Key{Kind: canon.KindPooledEstimate, Ridge: a.ridge, Sets: [][]int{a.Counts}}
	e := try.Of(model.Remembered(a.Model, k, func() (*model.Estimator, error) { return model.NewEstimator(a.Model, a.ridge, a.Counts) }))
	a.pooled, a.estimates = e, e.Estimates(means)
	a.Believe(a.estimates)
	for v, set := range a.Sets {
		if len(set) < 3 {
			continue
		}
		retained := a.halve(v, a.estimates)
		a.keep(v, retained[:min(len(retained), len(set)-1)], e, a.estimates)
	}
	return nil
}
