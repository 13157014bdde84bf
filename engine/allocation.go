package engine

import "github.com/gonb-cope/gonb-cope/engine/design"

// allocation is a way to spread the pulls of a round, a function of the ridge and the
// candidate sets of at least two arms. The kind of its designs tells it from others in the memory.
type allocation struct {
	kind   kind
	choose func(m *Model, ridge float64, alive [][]int) (design.Design, error)
}

// shared is the allocation of [Du23]: over all tasks together.
func shared() allocation { return allocation{kindDesign, (*Model).Design} }

// separate is that of the ablations: each task by itself, in equal shares.
func separate() allocation { return allocation{kindLocal, (*Model).localDesign} }

// spread chooses an allocation, asks for the pulls that its worth calls for, and makes
// them or as many more as the rounding needs.
func (e *elimination) spread(a allocation, samples func(rho float64) (int, error)) (*stage, error) {
	d, err := a.choose(e.model, e.ridge, e.alive)
	if err != nil {
		return nil, err
	}
	n, err := samples(d.Value)
	if err != nil {
		return nil, err
	}
	return e.model.atLeast(a, e.ridge, e.alive, n)
}
