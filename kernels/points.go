package kernels

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// Point is one point of a space. X has one value for each feature column. Name and ID identify the point for kernels that
// do not use features.
type Point struct {
	X    []float64
	Name string
	ID   int
}

// Points is a finite list of points of one space. Features are stored as one contiguous array per column, which makes Row fast.
type Points struct {
	Columns []string // d column names
	// n names; points with equal names are the same point, such as an arm that several tasks offer
	Names []string
	ID    []int       // n numbers; equal if and only if the names are equal
	X     [][]float64 // d columns of n values each
	Units []Unit      // how each of the d columns of X was scaled; nil if none was scaled
	Data  [][]float64 // d columns of n values each, before scaling; nil if none was scaled
	// d columns of n texts, as in the data table; nil for a column of numbers
	Texts [][]string

	distinct int // number of distinct points in the original list, see Distinct
}

// NewPoints returns a list of n = len(names) points from n rows of d = len(columns) values. IDs number the distinct names
// in order of appearance, from 0. For points without features, columns is empty and rows may be nil. It returns an error
// for an empty list, repeated or empty column names, rows of unequal length, and values that are not finite.
func NewPoints(columns, names []string, rows [][]float64) (*Points, error) {
	if len(names) == 0 {
		return nil, fmt.Errorf("the list of points is empty")
	}
	seen := map[string]bool{}
	for c, name := range columns {
		if name == "" {
			return nil, fmt.Errorf("column %d has no name", c+1)
		}
		if seen[name] {
			return nil, fmt.Errorf("column %q appears twice", name)
		}
		seen[name] = true
	}
	if len(rows) != len(names) && !(rows == nil && len(columns) == 0) {
		return nil, fmt.Errorf("%s for %s of features", sentence.Count(len(names), "name"), sentence.Count(len(rows), "row"))
	}
	p := &Points{Columns: columns, Names: names, ID: make([]int, len(names)), X: make([][]float64, len(columns))}
	for c := range p.X {
		p.X[c] = make([]float64, len(names))
	}
	ids := map[string]int{}
	for i, name := range names {
		id, known := ids[name]
		if !known {
			id = len(ids)
			ids[name] = id
		}
		p.ID[i] = id
	}
	p.distinct = len(ids)
	for i, row := range rows {
		if len(row) != len(columns) {
			return nil, fmt.Errorf("point %d (%s) has %s for %s", i+1, names[i], sentence.Count(len(row), "value"),
				sentence.Count(len(columns), "column"))
		}
		for c, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("point %d (%s): %s is %v; features must be finite numbers", i+1, names[i], columns[c], v)
			}
			p.X[c][i] = v
		}
	}
	return p, nil
}

// Len returns the number of points n.
func (p *Points) Len() int { return len(p.Names) }

// Dim returns the number of feature columns d.
func (p *Points) Dim() int { return len(p.Columns) }

// Distinct returns the number m of distinct points; IDs run from 0 to m-1. For a Subset it is the number in the original
// list.
func (p *Points) Distinct() int {
	if p.distinct == 0 {
		return slices.Max(append([]int{-1}, p.ID...)) + 1
	}
	return p.distinct
}

// Point returns point i, with a copy of its feature vector.
func (p *Points) Point(i int) Point {
	pt := Point{X: make([]float64, len(p.X))}
	p.read(&pt, i)
	return pt
}

// read sets pt to point i, overwriting its feature vector.
func (p *Points) read(pt *Point, i int) {
	for c, column := range p.X {
		pt.X[c] = column[i]
	}
	pt.Name, pt.ID = p.Names[i], p.ID[i]
}

// Subset returns the points with the indices at, in this order. They keep their IDs, so that a kernel has the same values
// as on the whole list. An empty subset has no Gram matrix.
func (p *Points) Subset(at []int) *Points {
	return &Points{
		distinct: p.Distinct(), Columns: p.Columns, Units: p.Units, Names: indices.Of(p.Names, at), ID: indices.Of(p.ID, at),
		X: subsets(p.X, at), Data: subsets(p.Data, at), Texts: subsets(p.Texts, at),
	}
}

// subsets returns, for each column, the values at the given indices.
func subsets[T any](columns [][]T, at []int) [][]T {
	if columns == nil {
		return nil
	}
	return lists.Map(columns, func(column []T) []T { return indices.Of(column, at) })
}

// Unit describes how the values of a feature column were scaled: X = (v - Offset)/Range. v is the value in the data, or
// its decimal logarithm if Log is set. The zero value means that the column was not scaled.
type Unit struct {
	Offset, Range float64
	Log           bool `json:",omitempty"`
}

// Scaled reports whether the column was scaled.
func (u Unit) Scaled() bool { return u != Unit{} }

// logOnly is the Unit of a column that was replaced by its logarithm, but not scaled to its range.
var logOnly = Unit{Range: 1, Log: true}

// Ranged reports whether the column was scaled by Offset and Range, with or without a logarithm.
func (u Unit) Ranged() bool { return u.Scaled() && u != logOnly }

// Data converts a scaled value x back to the value in the data.
func (u Unit) Data(x float64) float64 {
	if u.Range != 0 {
		x = u.Offset + u.Range*x
	}
	if u.Log { // rounds to the digits that survive the logarithm
		x, _ = strconv.ParseFloat(strconv.FormatFloat(math.Pow(10, x), 'g', 12, 64), 64)
	}
	return x
}

// Logarithmic returns the points with each selected column replaced by its decimal logarithm. Its values must be positive.
// Columns that are already logarithms stay unchanged. It panics if a selected column was scaled in another way.
func (p *Points) Logarithmic(column func(name string) bool) *Points {
	return p.rescaled(func(c int, u *Unit) func(float64) float64 {
		if !column(p.Columns[c]) || u.Log {
			return nil
		}
		if u.Scaled() {
			panic("kernels: points are scaled already")
		}
		*u = logOnly
		return math.Log10
	})
}

// rescaled returns the points with some columns changed. For each column c, change sets the column's Unit and returns the
// function to apply to its values, or nil to keep the column.
func (p *Points) rescaled(change func(c int, u *Unit) func(v float64) float64) *Points {
	q := *p
	q.X, q.Units = slices.Clone(p.X), make([]Unit, len(p.X))
	copy(q.Units, p.Units)
	if p.Data == nil {
		q.Data = p.X
	}
	for c, column := range p.X {
		if scale := change(c, &q.Units[c]); scale != nil {
			q.X[c] = lists.Map(column, scale)
		}
	}
	return &q
}

// Standardized returns the points with every column scaled to [0, 1], except columns for which keep returns true. A
// constant column becomes 0. It panics if a column was already scaled, except by a logarithm.
//
// Distances and length scales are then fractions of a column's range. Column names do not change, and equal values stay
// equal.
func (p *Points) Standardized(keep func(column string) bool) *Points {
	return p.rescaled(func(c int, u *Unit) func(float64) float64 {
		if keep(p.Columns[c]) {
			return nil
		}
		if u.Ranged() {
			panic("kernels: points are scaled already")
		}
		low := slices.Min(p.X[c])
		*u = Unit{low, cmp.Or(slices.Max(p.X[c])-low, 1), u.Log}
		return func(v float64) float64 { return (v - u.Offset) / u.Range }
	})
}

// Unscaled returns the points with all columns in the units of the data.
func (p *Points) Unscaled() *Points {
	if p.Units == nil {
		return p
	}
	q := *p
	q.X, q.Units, q.Data = make([][]float64, p.Dim()), nil, nil
	for c := range q.X {
		q.X[c] = lists.Make(p.Len(), func(i int) float64 { return p.Value(c, i) })
	}
	return &q
}

// Value returns feature c of point i in the units of the data.
func (p *Points) Value(c, i int) float64 {
	switch {
	case p.Data != nil:
		return p.Data[c][i]
	case p.Units == nil:
		return p.X[c][i]
	}
	return p.Units[c].Data(p.X[c][i])
}
