package cotest

import (
	"slices"

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

func newFallback(m *model.Model, opt engine.Options, why engine.Warning) (engine.Algorithm, error) {
	alone, err := newIndTest(m, opt)
	if err != nil { // said of all tasks, not of one with its part of delta
		return newCoTest(m, opt, minimaxPlanner{})
	}
	return &fallback{alone, why}, nil
}

// Alone reports that the agents exchange nothing.
func (a *fallback) Alone() bool { return true }

// Warnings says that each agent tests alone, besides the warnings of the agents; how they do would say it twice.
func (a *fallback) Warnings() []engine.Warning {
	others := slices.DeleteFunc(a.Algorithm.Warnings(), func(w engine.Warning) bool { return w.Kind == engine.WarnTestsMeans })
	return append(others, a.why)
}
