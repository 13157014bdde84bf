package model

import "github.com/gonb-cope/gonb-cope/engine"

// Terms are the options of an algorithm on one model: checked, with their defaults, and normalised, so that Epsilon, Gap and
// Misfit count in Unit. A ridge that nobody stated stays so: some algorithms then choose their form by the problem.
type Terms struct {
	engine.Options
	unit float64
}

// Terms checks options for a mode and normalises them.
func (m *Model) Terms(mode string, stated engine.Options) (Terms, error) {
	t := Terms{unit: m.Unit}
	var err error
	t.Options, err = stated.Checked(mode)
	t.Ridge = stated.Ridge
	t.SetEpsilon(t.Epsilon)
	t.Gap /= m.Unit
	t.Misfit /= m.Unit
	return t, err
}

// SetEpsilon replaces the accuracy by one in reward units.
func (t *Terms) SetEpsilon(epsilon float64) { t.Epsilon = epsilon / t.unit }
