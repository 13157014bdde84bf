package kernels

import (
	"math"
	"slices"
	"strconv"
)

// Unit says how the values of a feature column were scaled: X = (v - Offset)/Range, where v is the value of
// the data, or its decimal logarithm where Log is set. The zero value means that they were not.
type Unit struct {
	Offset, Range float64
	Log           bool `json:",omitempty"`
}

// Scaled reports whether the column was scaled.
func (u Unit) Scaled() bool { return u != Unit{} }

// logOnly is the unit of a logarithm that was not scaled.
var logOnly = Unit{Range: 1, Log: true}

// Ranged reports whether the column was scaled by its range, and not only by the logarithm.
func (u Unit) Ranged() bool { return u.Scaled() && u != logOnly }

// Data returns the value of the data that x stands for.
func (u Unit) Data(x float64) float64 {
	if u.Range != 0 {
		x = u.Offset + u.Range*x
	}
	if u.Log { // to the digits that survive the logarithm
		x, _ = strconv.ParseFloat(strconv.FormatFloat(math.Pow(10, x), 'g', 12, 64), 64)
	}
	return x
}

// Logarithmic returns the same points with the decimal logarithm in place of the values of some columns, which are
// positive. Columns that are logarithms already stay so. It panics if one of the others was scaled.
func (p *Points) Logarithmic(column func(name string) bool) *Points {
	q := *p
	q.X, q.Units = slices.Clone(p.X), make([]Unit, len(p.X))
	copy(q.Units, p.Units)
	for c, name := range p.Columns {
		if !column(name) || q.Units[c].Log {
			continue
		}
		if q.Units[c].Scaled() {
			panic("kernels: points are scaled already")
		}
		q.Units[c], q.X[c] = logOnly, make([]float64, len(p.X[c]))
		for i, v := range p.X[c] {
			q.X[c][i] = math.Log10(v)
		}
	}
	return &q
}

// Standardized returns the same points with every column scaled to [0, 1], but those that are to be
// kept. A column of one value becomes 0. It panics if the points are scaled already, but for logarithms.
//
// Distances are then shares of the range of a column, and so are length scales. Kernels find their
// columns by the same names, and equal values stay equal.
func (p *Points) Standardized(kept func(column string) bool) *Points {
	q := *p
	q.X, q.Units = slices.Clone(p.X), make([]Unit, len(p.X))
	copy(q.Units, p.Units)
	for c, column := range p.X {
		if kept(p.Columns[c]) {
			continue
		}
		if q.Units[c].Ranged() {
			panic("kernels: points are scaled already")
		}
		u := Unit{slices.Min(column), slices.Max(column) - slices.Min(column), q.Units[c].Log}
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

// Unscaled returns the same points with the values of the data.
func (p *Points) Unscaled() *Points {
	if p.Units == nil {
		return p
	}
	q := *p
	q.X, q.Units = make([][]float64, p.Dim()), nil
	for c := range q.X {
		q.X[c] = make([]float64, p.Len())
		for i := range q.X[c] {
			q.X[c][i] = p.Value(c, i)
		}
	}
	return &q
}

// Value returns feature c of point i in the units of the data.
func (p *Points) Value(c, i int) float64 {
	if p.Units == nil {
		return p.X[c][i]
	}
	return p.Units[c].Data(p.X[c][i])
}
