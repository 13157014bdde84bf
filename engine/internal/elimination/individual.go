package elimination

import (
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/individual"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// NewIndKernelFC returns Alg. 1 run by each agent on its own task at confidence δ/V, so that all
// answers hold together with probability 1 - δ.
func NewIndKernelFC(m *model.Model, opt engine.Options) (engine.Algorithm, error) {
	return newIndividualFC(m, opt, func() method { return joint{shared()} })
}

// newIndividualFC runs a method of elimination by each agent alone at δ/V.
func newIndividualFC(m *model.Model, opt engine.Options, own func() method) (engine.Algorithm, error) {
	opt, err := opt.Checked(engine.ModeFC)
	if err != nil {
		return nil, err
	}
	opt.Delta /= float64(m.Problem.V())
	return individual.New(m, opt, func(m *model.Model, opt engine.Options) (engine.Algorithm, error) {
		return newElimination(m, opt, own())
	})
}

// NewIndKernelFB returns Alg. 2 run by each agent on its own task with its own T pulls.
func NewIndKernelFB(m *model.Model, opt engine.Options) (engine.Algorithm, error) {
	return individual.NewFB(m, opt, func(m *model.Model, opt engine.Options) (engine.Algorithm, error) { return NewCoKernelFB(m, opt) })
}
