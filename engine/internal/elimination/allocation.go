package elimination

import (
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// An allocator chooses the pulls of a round: what the methods of Alg. 1 and 2 and of their
// relatives have in common.
type allocator interface {
	// design returns the proportions of the pulls of the candidate sets, one set per task, and
	// the largest variance of a pair at one pull in all.
	design(m *model.Model, ridge float64, alive [][]int) (design.Design, error)
	// stage rounds the design of the candidate sets to n pulls and factors the estimator of
	// those counts; covered is whether the rounding keeps the ratio 2(1+ε).
	stage(m *model.Model, ridge float64, alive [][]int, d design.Design, n int) (st *rounds.Stage, covered bool, err error)
	// estimator factors the estimator of other pulls of a round.
	estimator(m *model.Model, ridge float64, counts []int) (*model.Estimator, error)
}

// allocation is an allocator by designs of one kind, which tells them from others in the memory.
type allocation struct {
	kind   canon.Kind
	choose func(m *model.Model, ridge float64, alive [][]int) (design.Design, error)
}

var _ allocator = allocation{}

func (a allocation) design(m *model.Model, ridge float64, alive [][]int) (design.Design, error) {
	return a.choose(m, ridge, alive)
}

func (a allocation) stage(m *model.Model, ridge float64, alive [][]int, d design.Design,
	n int) (st *rounds.Stage, covered bool, err error) {
	st, err = model.Remembered(m, canon.Key{Kind: canon.KindStage, From: a.kind, Ridge: ridge, Pulls: n, Sets: model.Contrasting(alive)},
		func() (*rounds.Stage, error) {
			r, err := model.Remembered(m,
				canon.Key{Kind: canon.KindRounding, From: a.kind, Ridge: ridge, Pulls: n, Sets: model.Contrasting(alive)},
				func() (design.Rounding, error) {
					r, _, err := m.Round(ridge, design.Contrasts{Groups: alive}, d.Weights, n)
					return r, err
				})
			if err != nil {
				return nil, err
			}
			e, err := model.NewEstimator(m, ridge, r.Counts)
			return &rounds.Stage{Design: d, Rounding: r, Estimate: e}, err
		})
	if err != nil {
		return nil, false, err
	}
	return st, model.Covers(st.Rounding), nil
}

// shared returns the allocation of [Du23]: the minimax design over all tasks together.
func shared() allocation { return allocation{canon.KindDesign, (*model.Model).Design} }

// separate returns the allocation of the ablations: each task by itself, in equal shares.
func separate() allocation { return allocation{canon.KindLocal, localDesign} }

// NewCoKernelFCIndAlloc returns the ablation of Alg. 1 that samples by locally optimal allocations
// [Du23, App. A, CoKernel-IndAlloc]: agents pool their data in the kernelised estimator as in Alg.
// 1, but each pulls by the allocation that is optimal for its own open pairs under its own arms
// alone. The open tasks share a round's pulls equally. The schedule gives the number of pulls for
// what the joined allocation is worth to all open pairs, so the guarantee of Alg. 1 stays.
func NewCoKernelFCIndAlloc(m *model.Model, opt engine.Options) (engine.Algorithm, error) {
	return newElimination(m, opt, joint{separate()})
}

// NewCoKernelFBIndAlloc returns the ablation of Alg. 2 that samples by locally optimal allocations
// [Du23, App. A, CoKernelFB-IndAlloc]: agents pool their data in the kernelised estimator and halve
// the dimension as in Alg. 2, but each pulls by the allocation that is optimal for its own
// candidates' pairs under its own arms alone. The tasks with several candidates share a round's
// pulls equally.
func NewCoKernelFBIndAlloc(m *model.Model, opt engine.Options) (engine.Algorithm, error) {
	return newHalving(m, opt, dimension{allocation: separate()})
}

// NewIndRAGE returns RAGE [Fiez19, Alg. 1] run by each agent on its own task at confidence δ/V, so
// that all answers hold together with probability 1 - δ: rounds of a minimax design over the open
// pairs, least squares on the round's data alone, elimination by estimated gaps. That is Alg. 1 of
// the paper for one agent at ξ = 0, whatever ξ the options name: RAGE has no regularisation. It has
// the schedules of CoKernelFC, so that the two differ in what agents share and in nothing else.
func NewIndRAGE(m *model.Model, opt engine.Options) (engine.Algorithm, error) {
	opt.Ridge = engine.Ridge{Kind: engine.RidgeValue}
	return newIndividualFC(m, opt, func() method { return joint{shared()} })
}

// localDesign joins the allocations λ_v that are optimal for each open task by
// itself, in equal shares. Its value is the joint objective, the largest
// ‖y‖²_{A(ξ,λ)⁻¹} over the open pairs of all tasks; it is exact, and so its own
// lower bound. Remembered.
func localDesign(m *model.Model, ridge float64, alive [][]int) (design.Design, error) {
	return model.Remembered(m, canon.Key{Kind: canon.KindLocal, Ridge: ridge, Sets: alive}, func() (design.Design, error) {
		alone, err := m.Alone()
		if err != nil {
			return design.Design{}, err
		}
		d := design.Design{Weights: make([]float64, m.Problem.N())}
		open := float64(len(model.Contrasting(alive)))
		for v, set := range alive {
			if len(set) < 2 {
				continue
			}
			lo, _ := m.Problem.ArmsOf(v)
			own := make([]int, len(set))
			for k, i := range set {
				own[k] = i - lo
			}
			part, err := alone[v].Design(ridge, [][]int{own})
			if err != nil {
				return design.Design{}, err
			}
			for k, w := range part.Weights {
				d.Weights[lo+k] = w / open
			}
		}
		d.Value, _, err = design.MaxVariance(m.Context(), m.Space(ridge), design.Contrasts{Groups: alive}, d.Weights)
		d.Lower = d.Value
		return d, err
	})
}

// coveredStage returns the stage of the smallest n·1.25^k pulls that the rounding covers: the
// maximum with τ(ξ, λ, ε) in [Du23, Alg. 1, l. 5], where τ is what the rounding is verified to need
// instead of its worst-case bound.
func coveredStage(a allocator, m *model.Model, ridge float64, alive [][]int, d design.Design, n int) (*rounds.Stage, error) {
	for {
		st, covered, err := a.stage(m, ridge, alive, d, n)
		if err != nil || covered {
			return st, err
		}
		n += max(1, n/4)
	}
}
