package kernels

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Cross returns the matrix of k between the points p, one per row, and q, one per
// column. Both are subsets of one list, so that IDs mean the same point.
func Cross(k Kernel, p, q *Points) (*mat.Dense, error) {
	k, err := Bind(k, &Points{ // what binding looks at, of both
		Columns: p.Columns, Names: slices.Concat(p.Names, q.Names), ID: slices.Concat(p.ID, q.ID), distinct: max(p.Distinct(), q.Distinct()),
	})
	if err != nil {
		return nil, err
	}
	cross := mat.NewDense(p.Len(), q.Len(), nil)
	x := Point{X: make([]float64, p.Dim())}
	for i := range p.Len() {
		p.read(&x, i)
		k.Row(cross.RawRowView(i), x, q, 0)
	}
	return cross, nil
}

// Diagonal returns k(x, x) for each of the n points.
func Diagonal(k Kernel, p *Points) ([]float64, error) {
	m, err := On(k, p)
	if err != nil {
		return nil, err
	}
	d := make([]float64, m.Len())
	m.Diagonal(d)
	return d, nil
}

// On returns the Gram matrix of k on the points without storing it.
func On(k Kernel, p *Points) (Matrix, error) {
	k, err := Bind(k, p)
	if err != nil {
		return nil, err
	}
	return implicit{k, p}, nil
}
