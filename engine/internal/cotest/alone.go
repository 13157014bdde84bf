package cotest

import (
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/individual"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// fallback is CoTestFC under a kernel that admits every truth: the test of each agent alone, since
// no agent's data exclude anything about the arms of another, or one with too many dimensions to tell all
// tasks together.
type fallback struct {
	*individual.Algorithm
	why engine.Warning
}

var (
	_ engine.Algorithm = (*fallback)(nil)
	_ engine.Explainer = (*fallback)(nil)
	_ engine.Loner     = (*fallback)(nil)
)

// unshared reports whether agents have nothing to tell each other: the kernel admits every truth,
// and noise scales are known. Scales that are estimated are estimated better together, which saves
// more than a common allocation costs (docs/theory/test.md).
func unshared(m *model.Model) bool {
	return m.Problem.V() > 1 && m.Problem.Noise.UnknownBy == "" && m.AdmitsAll()
}

// tooManyTogether reports whether least squares suit each task and not all of them together.
func tooManyTogether(m *model.Model, opt engine.Options) (bool, error) {
	if opt.Robust || m.Problem.V() == 1 {
		return false, nil
	}
	few, err := m.RankAtMost(model.MostLeastSquares)
	if few || err != nil || m.Problem.N() <= model.MaxRank && m.Unrelated() {
		return false, err
	}
	return eachHasFew(m)
}

func newFallback(m *model.Model, opt engine.Options, why engine.Warning) (engine.Algorithm, error) {
	alone, err := newIndTest(m, opt)
	if err != nil { // said of all tasks, not of one with its part of delta
		return newCoTest(m, opt, minimaxPlanner{})
	}
	return &fallback{alone, why}, nil
}

// Alone reports that the agents exchange nothing.
func (a *fallback) Alone() bool { return true }

// Warnings says that each agent tests alone, besides the warnings of the agents.
func (a *fallback) Warnings() []engine.Warning {
	return append(a.Algorithm.Warnings(), a.why)
}
