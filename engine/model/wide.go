package model

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"
)

// wideShare is the variance that Wide adds for each arm by itself, relative to the mean variance of
// the kernel around its level: enough that every arm is worth pulls.
const wideShare = 0.03

// Wide returns the model with one more feature for each different arm, for what the kernel cannot
// represent of its reward; with more than mostOwn arms, the model itself. A design over it measures
// whether there is anything of the kind. The model must not be one of reweighted.
func (m *Model) Wide() (*Model, error) { return m.wide() }

func (m *Model) widen() (*Model, error) {
	m, err := m.Exact()
	if err != nil {
		return nil, err
	}
	n, dim := m.Features.Dims()
	root := math.Sqrt(wideShare * m.Spread() / m.Scale)
	if n > mostOwn || root == 0 {
		return m, nil
	}
	features := mat.NewDense(n, dim+n, nil)
	for i, first := range m.Layout.First {
		copy(features.RawRowView(i), m.Features.RawRowView(i))
		features.Set(i, dim+first, root)
	}
	return m.withFeatures(features)
}

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

// Spread returns the mean over arms of the kernel's variance of an arm's reward around the mean of
// all, in the kernel's units, of a model with exact features.
func (m *Model) Spread() float64 {
	n, dim := m.Features.Dims()
	centre := make([]float64, dim)
	for i := range n {
		addTo(centre, 1/float64(n), m.Features.RawRowView(i))
	}
	sum := 0.0
	for i := range n {
		sum += squaredDistance(m.Features.RawRowView(i), centre)
	}
	return sum / float64(n) * m.Scale
}
