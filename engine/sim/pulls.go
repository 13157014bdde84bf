package sim

import (
	"context"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// EnvironmentOf returns the environment that a run of Run pulls from, where the rewards come from
// the problem: run counts from 0. It reports a problem that cannot be simulated.
func EnvironmentOf(ctx context.Context, p *problem.Problem, seed uint64, run int) (engine.Environment, error) {
	if p.Noise.Environment == problem.EnvironmentPosterior {
		b, err := believe(ctx, p, new(model.Memory), nil)
		if err != nil {
			return nil, err
		}
		p = b.of(b.unknown(p), run)
	}
	draw, err := DrawerOf(p)
	if err != nil {
		return nil, err
	}
	return asMeasured(p, environmentOf(p, draw, seed, run)), nil
}
