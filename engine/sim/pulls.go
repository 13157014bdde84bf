package sim

import (
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// EnvironmentOf returns the environment that a run of Run pulls from, where the rewards come from
// the problem: run counts from 0. It reports a problem that cannot be simulated.
func EnvironmentOf(p *problem.Problem, seed uint64, run int) (engine.Environment, error) {
	draw, err := DrawerOf(p)
	if err != nil {
		return nil, err
	}
	return asMeasured(p, environmentOf(p, draw, seed, run)), nil
}
