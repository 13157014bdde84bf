package sim

import (
	"context"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// EnvironmentOf returns the environment of one run as experiments have it.
func EnvironmentOf(p *problem.Problem, seed uint64, run int) engine.Environment {
	draw, err := DrawerOf(p)
	if err != nil {
		panic(err)
	}
	return environmentOf(p, draw, seed, run)
}

// Doubt is the warning about an error rate.
var Doubt = doubt

// KeyOf returns the key by which a Store finds the result of an experiment.
func KeyOf(x Experiment) (string, error) { return x.key(context.Background()) }
