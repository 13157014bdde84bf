package engine

import "github.com/gonb-cope/gonb-cope/engine/design"

// stage holds all that one round of sampling fixes before its data: the
// design, the rounded counts, and the estimator they give.
type stage struct {
	design   design.Design
	rounding design.Rounding
	estimate *Estimator
}

// Floats returns how many numbers are held, for the bound of a Memory.
func (st *stage) Floats() int {
	return len(st.design.Weights) + len(st.design.Certificate.Weights) + len(st.rounding.Counts) + st.estimate.Floats()
}

// coveredStage is the stage of the smallest n·1.25^k pulls that the rounding covers:
// the maximum with τ(ξ, λ, ε) in [Du23, Alg. 1, l. 5], where τ is what the
// rounding is verified to need instead of its worst-case bound.
func coveredStage(a allocator, m *Model, ridge float64, alive [][]int, d design.Design, n int) (*stage, error) {
	for {
		st, covered, err := a.stage(m, ridge, alive, d, n)
		if err != nil || covered {
			return st, err
		}
		n += max(1, n/4)
	}
}

// plan returns the stage as the plan of a round; without a stage it has no counts.
func (st *stage) plan(round int) Plan {
	if st == nil {
		return Plan{}
	}
	return Plan{
		Round: round, Counts: st.rounding.Counts, Rho: st.design.Value, RhoLower: st.design.Lower,
		Rounding: st.rounding.Ratio, Digest: digest(round, st.rounding.Counts),
	}
}
