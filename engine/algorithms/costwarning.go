package algorithms

import (
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// CostWarnings says that the costs of the problem do not guide the pulls of the algorithm. A test that
// plans by cost and cannot under a bound on the norm says so itself.
func (e Entry) CostWarnings(p *problem.Problem) []engine.Warning {
	switch {
	case e.Priced || p.RelativeCost() == nil:
		return nil
	case e.Mode == engine.ModeFB:
		return []engine.Warning{{Kind: engine.WarnCostBudget}}
	}
	return []engine.Warning{{Kind: engine.WarnCostPulls, Names: []string{e.Name}}}
}
