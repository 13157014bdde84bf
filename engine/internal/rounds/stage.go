package rounds

import (
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// Stage holds all that one round of sampling fixes before its data: the design, the rounded counts,
// and the estimator they give.
type Stage struct {
	Design   design.Design
	Rounding design.Rounding
	Estimate *model.Estimator
	Sides    []engine.Side // of arms that are measured side by side
}

// Floats returns how many numbers are held, for the bound of a Memory.
func (st *Stage) Floats() int {
	return len(st.Design.Weights) + len(st.Design.Certificate.Weights) + len(st.Rounding.Counts) + st.Estimate.Floats()
}

// Plan returns the stage as the plan of a round; without a stage it has no counts.
func (st *Stage) Plan(round int) engine.Plan {
	if st == nil {
		return engine.Plan{}
	}
	return engine.Plan{
		Round: round, Counts: st.Rounding.Counts, Rho: st.Design.Value, RhoLower: st.Design.Lower,
		Rounding: st.Rounding.Ratio, Sides: st.Sides,
	}
}
