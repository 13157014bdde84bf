package model

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"
)

// Levelled returns the model with a constant among its features: what methods can represent whose
// level is unknown. It is for Misfit and Fidelity. Features that were cut, or that represent
// everything as they are, stay so, and those that cannot be had.
func (m *Model) Levelled() *Model {
	if level, err := m.level(); err == nil {
		return level
	}
	return m
}

func (m *Model) withConstant() (*Model, error) {
	m, err := m.Exact()
	if err != nil {
		return nil, err
	}
	n, dim := m.Features.Dims()
	if m.cut || dim >= n {
		return m, nil
	}
	out := *m
	out.derived = true
	out.Features = mat.NewDense(n, dim+1, nil)
	for i := range n {
		copy(out.Features.RawRowView(i), m.Features.RawRowView(i))
		out.Features.Set(i, dim, math.Sqrt(m.Diagonal/m.Scale))
	}
	out.represented = sync.OnceValues(out.represent)
	return &out, nil
}
