package cotest

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
)

var _ engine.Explainer = (*coTest)(nil)

// Hardest returns the arm whose walk lacks most in samples, with how far that walk is.
func (a *coTest) Hardest(v int) engine.Rival {
	c := a.contestOf(v)
	if a.pooled == nil {
		return a.NoData(v, a.in(v, c, c.arms[c.leader]))
	}
	return a.rival(v, c, c.ahead(a.clock, a.opt.Epsilon, a.gap, a.variance))
}

// Samples returns the pulls that would bring all open walks of the tasks to their boundary.
func (a *coTest) Samples(tasks []int) float64 {
	if a.pooled == nil {
		return math.NaN()
	}
	needs, possible := a.lacking(tasks, a.variance)
	if !possible {
		return -1
	}
	return a.planner.pulls(a.terms(), needs, a.sofar())
}

// pulls predicts the pulls of minimax designs. Where the allocation is too large for a forecast, or
// cannot be computed, as after an interrupt, it is what more of the same pulls as so far would
// take. NaN before any data.
func (minimaxPlanner) pulls(t terms, needs []design.Pair, sofar pulled) float64 {
	if len(needs) == 0 {
		return 0
	}
	m, total := t.scales.Model, 0.0
	var shared []design.Pair
	for _, q := range needs {
		if m.Relations().Same(q.I, q.J) { // only their own means tell them apart
			total += 2 * q.Weight * (1/m.Precision[q.I] + 1/m.Precision[q.J])
		} else {
			shared = append(shared, q)
		}
	}
	priced, err := t.priced(m)
	if err != nil {
		return sofar.more(needs)
	}
	parts := priced.Layout.Parts(shared)
	for _, part := range parts {
		if design.StepWork(len(part.Arms), len(part.Columns), len(part.Pairs)) > explainWork {
			return sofar.more(needs)
		}
	}
	for _, part := range parts {
		space := canon.Reduced{Arms: part.Arms, Columns: part.Columns}.Space(priced.Space(0))
		d, err := design.Minimax(space, design.Contrasts{Pairs: part.Pairs}, m.Solver(explainTolerance))
		if err != nil {
			return sofar.more(needs)
		}
		total += t.inPulls(part.Arms, d).Value
	}
	return math.Ceil(total)
}

// explainTolerance is the relative gap of designs that only predict samples.
const explainTolerance = 0.02

// explainWork is the size of designs, in products a step, up to which a forecast solves them: the size
// for 464 independent arms.
const explainWork = 1e8

var _ engine.Estimating = (*coTest)(nil)
