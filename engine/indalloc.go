package engine

import "github.com/gonb-cope/gonb-cope/engine/design"

// NewCoKernelFCIndAlloc is the ablation of Alg. 1 that samples by locally optimal
// allocations [Du23, App. A, CoKernel-IndAlloc]: agents pool their data in the
// kernelised estimator as in Alg. 1, but each pulls by the allocation that is
// optimal for its own open pairs under its own arms alone. The open tasks share a
// round's pulls equally. The number of pulls is that of the schedule for what the
// joined allocation is worth to all open pairs, so the guarantee of Alg. 1 stays.
func NewCoKernelFCIndAlloc(m *Model, opt Options) (Algorithm, error) {
	return newElimination(m, opt, local{})
}

// local is the method of Alg. 1 with the allocation of each agent its own.
type local struct{ joint }

func (local) allocate(e *elimination, samples func(rho float64) (int, error)) (*stage, error) {
	return e.spread(separate(), samples)
}

// localDesign joins the allocations λ_v that are optimal for each open task by
// itself, in equal shares. Its value is that of the joint objective, the largest
// ‖y‖²_{A(ξ,λ)⁻¹} over the open pairs of all tasks; it is exact, and so its own
// lower bound. Remembered.
func (m *Model) localDesign(ridge float64, alive [][]int) (design.Design, error) {
	return remembered(m, key{kind: kindLocal, ridge: ridge, sets: alive}, func() (design.Design, error) {
		alone, err := m.tasks()
		if err != nil {
			return design.Design{}, err
		}
		d := design.Design{Weights: make([]float64, m.Problem.N())}
		open := 0.0
		for _, set := range alive {
			if len(set) > 1 {
				open++
			}
		}
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
