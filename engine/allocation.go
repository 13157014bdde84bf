package engine

import "github.com/gonb-cope/gonb-cope/engine/design"

// An allocator chooses the pulls of a round: what the methods of Alg. 1 and 2 and of their
// relatives have in common.
type allocator interface {
	// design returns the proportions of the pulls of the candidate sets, one set per task, and
	// the largest variance of a pair at one pull in all.
	design(m *Model, ridge float64, alive [][]int) (design.Design, error)
	// stage rounds the design of the candidate sets to n pulls and factors the estimator of
	// those counts; covered is whether the rounding keeps the ratio 2(1+ε).
	stage(m *Model, ridge float64, alive [][]int, d design.Design, n int) (st *stage, covered bool, err error)
}

// allocation is an allocator by designs of one kind, which tells them from others in the memory.
type allocation struct {
	kind   kind
	choose func(m *Model, ridge float64, alive [][]int) (design.Design, error)
}

var _ allocator = allocation{}

func (a allocation) design(m *Model, ridge float64, alive [][]int) (design.Design, error) {
	return a.choose(m, ridge, alive)
}

func (a allocation) stage(m *Model, ridge float64, alive [][]int, d design.Design, n int) (st *stage, covered bool, err error) {
	st, err = remembered(m, key{kind: kindStage, from: a.kind, ridge: ridge, pulls: n, sets: contrasting(alive)}, func() (*stage, error) {
		r, _, err := m.round(ridge, design.Contrasts{Groups: alive}, d.Weights, n)
		if err != nil {
			return nil, err
		}
		e, err := NewEstimator(m, ridge, r.Counts)
		return &stage{design: d, rounding: r, estimate: e}, err
	})
	if err != nil {
		return nil, false, err
	}
	return st, covers(st.rounding), nil
}

// shared is the allocation of [Du23]: the minimax design over all tasks together.
func shared() allocation { return allocation{kindDesign, (*Model).Design} }

// separate is the allocation of the ablations: each task by itself, in equal shares.
func separate() allocation { return allocation{kindLocal, localDesign} }

// NewCoKernelFCIndAlloc is the ablation of Alg. 1 that samples by locally optimal
// allocations [Du23, App. A, CoKernel-IndAlloc]: agents pool their data in the
// kernelised estimator as in Alg. 1, but each pulls by the allocation that is
// optimal for its own open pairs under its own arms alone. The open tasks share a
// round's pulls equally. The schedule gives the number of pulls for what the
// joined allocation is worth to all open pairs, so the guarantee of Alg. 1 stays.
func NewCoKernelFCIndAlloc(m *Model, opt Options) (Algorithm, error) {
	return newElimination(m, opt, joint{separate()})
}

// NewCoKernelFBIndAlloc is the ablation of Alg. 2 that samples by locally optimal
// allocations [Du23, App. A, CoKernelFB-IndAlloc]: agents pool their data in the
// kernelised estimator and halve the dimension as in Alg. 2, but each pulls by the
// allocation that is optimal for its own candidates' pairs under its own arms alone.
// The tasks with several candidates share a round's pulls equally.
func NewCoKernelFBIndAlloc(m *Model, opt Options) (Algorithm, error) {
	return newHalving(m, opt, dimension{allocation: separate()})
}

// NewIndRAGE is RAGE [Fiez19, Alg. 1] run by each agent on its own task at
// confidence δ/V, so that all answers hold together with probability 1 - δ: rounds
// of a minimax design over the open pairs, least squares on the round's data alone,
// elimination by estimated gaps. That is Alg. 1 of the paper for one agent at ξ = 0,
// whatever ξ the options name: RAGE has no regularisation. It has the schedules of
// CoKernelFC, so that the two differ in what agents share and in nothing else.
func NewIndRAGE(m *Model, opt Options) (Algorithm, error) {
	opt.Ridge = Ridge{Kind: RidgeValue}
	return newIndividualFC(m, opt, func() method { return joint{shared()} })
}

// localDesign joins the allocations λ_v that are optimal for each open task by
// itself, in equal shares. Its value is the joint objective, the largest
// ‖y‖²_{A(ξ,λ)⁻¹} over the open pairs of all tasks; it is exact, and so its own
// lower bound. Remembered.
func localDesign(m *Model, ridge float64, alive [][]int) (design.Design, error) {
	return remembered(m, key{kind: kindLocal, ridge: ridge, sets: alive}, func() (design.Design, error) {
		alone, err := m.tasks()
		if err != nil {
			return design.Design{}, err
		}
		d := design.Design{Weights: make([]float64, m.Problem.N())}
		open := float64(len(contrasting(alive)))
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
		d.Value, _, err = design.MaxVariance(m.context(), m.Space(ridge), design.Contrasts{Groups: alive}, d.Weights)
		d.Lower = d.Value
		return d, err
	})
}
