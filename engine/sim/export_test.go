package sim

import (
	"context"
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Doubt exposes doubt to tests.
var Doubt = doubt

// KeyOf returns the key by which a Store finds the result of an experiment.
func KeyOf(x Experiment) (string, error) { return x.key(context.Background()) }

// BlocksForTest returns the environment of one run of a problem with blocks.
func BlocksForTest(p *problem.Problem, draw Drawer, seed uint64, run int) engine.Environment {
	return environmentOf(p, draw, seed, run)
}

// Bernoulli draws the mean of n rewards that are 1 with probability mean_i.
func Bernoulli(mean []float64) Drawer { return TwoPoint(mean, 0, 1) }

// Paired compares two results.
func Paired(algorithm, reference engine.Result, measure string) (Comparison, error) {
	if algorithm.Problem != reference.Problem || algorithm.Mode != reference.Mode {
		return Comparison{}, fmt.Errorf("only runs on the same problem compare: %s has %s on %q, %s has %s on %q",
			algorithm.Algorithm, algorithm.Mode, algorithm.Problem, reference.Algorithm, reference.Mode, reference.Problem)
	}
	c, err := contrasted([]engine.Result{algorithm}, []engine.Result{reference}, measure)
	return c.comparison(algorithm.Algorithm), err
}

// Experiment returns the prepared experiment.
func (t *Trials) Experiment() Experiment {
	x := t.x
	x.Problem = t.asked
	return x
}
