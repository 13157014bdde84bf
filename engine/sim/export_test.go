package sim

import (
	"context"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Doubt is the warning about an error rate.
var Doubt = doubt

// KeyOf returns the key by which a Store finds the result of an experiment.
func KeyOf(x Experiment) (string, error) { return x.key(context.Background()) }

// BlocksForTest returns the environment of one run of a problem with blocks.
func BlocksForTest(p *problem.Problem, draw Drawer, seed uint64, run int) engine.Environment {
	return environmentOf(p, draw, seed, run)
}
