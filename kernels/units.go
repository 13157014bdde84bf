package kernels

import "slices"

// Unit says how the values of a feature column were scaled: X = (value of the data - Offset)/Range.
// The zero value means that they were not.
type Unit struct {
	Offset, Range float64
}

// Scaled reports whether the column was scaled.
func (u Unit) Scaled() bool { return u != Unit{} }

// Standardized returns the same points with every column scaled to [0, 1], but those that are to be
// kept. A column of one value becomes 0. It panics if the points are scaled already.
//
// Distances are then shares of the range of a column, and so are length scales. Kernels find their
// columns by the same names, and equal values stay equal.
func (p *Points) Standardized(kept func(column string) bool) *Points {
	if p.Units != nil {
		panic("kernels: points are scaled already")
	}
	q := *p
	q.X, q.Units = slices.Clone(p.X), make([]Unit, len(p.X))
	for c, column := range p.X {
		if kept(p.Columns[c]) {
			continue
		}
		u := Unit{slices.Min(column), slices.Max(column) - slices.Min(column)}
		if u.Range == 0 {
			u.Range = 1
		}
		q.Units[c], q.X[c] = u, make([]float64, len(column))
		for i, v := range column {
			q.X[c][i] = (v - u.Offset) / u.Range
		}
	}
	return &q
}

// Value returns feature c of point i in the units of the data.
func (p *Points) Value(c, i int) float64 {
	if p.Units == nil || !p.Units[c].Scaled() {
		return p.X[c][i]
	}
	return p.Units[c].Offset + p.Units[c].Range*p.X[c][i]
}
