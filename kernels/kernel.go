package kernels

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Kernel is a positive-definite function of two points of one space: the tasks,
// or the arms. Implementations are plain structs whose fields are the parameters;
// a kernel prints as the expression of the script language that makes it.
//
// Eval and Row want a kernel that was bound to the points (see Bind), and dst no
// longer than what is left of ys. Both are safe for concurrent use.
type Kernel interface {
	// Eval returns k(x, y), one pair: the plain form that Row is tested against.
	Eval(x, y Point) float64
	// Row sets dst[j] = k(x, ys[from+j]) for every j < len(dst).
	Row(dst []float64, x Point, ys *Points, from int)
	// Validate reports parameters outside their range, and dimensions (≥ 0, the
	// number of feature columns) in which the kernel is not positive-definite.
	Validate(dim int) error
	// String prints the kernel as an expression that re-parses to an equal kernel.
	String() string
}

// Equal reports whether two kernels are the same expression: same structure, same
// parameters, and formulas of the same name, parameters and text. What binding
// added does not count.
func Equal(a, b Kernel) bool {
	switch a := a.(type) {
	case Formula:
		b, ok := b.(Formula)
		return ok && a.Name == b.Name && a.Params == b.Params && a.Body == b.Body && slices.Equal(a.Free, b.Free) && slices.Equal(a.Args, b.Args)
	case Open:
		b, ok := b.(Open)
		return ok && Equal(a.Kernel, b.Kernel) && slices.Equal(a.Slots, b.Slots)
	}
	bare := func(k Kernel) Kernel { return rebuilt(unbind(k), make([]Kernel, len(Parts(k)))) }
	return slices.EqualFunc(Parts(a), Parts(b), Equal) && reflect.DeepEqual(bare(a), bare(b))
}

// Formulas lists the formula kernels that k uses, each name once, in order of
// appearance.
func Formulas(k Kernel) []Formula { return named(formulas(nil, k)) }

// named returns the first of the formulas of each name.
func named(all []Formula) []Formula {
	var found []Formula
	for _, k := range all {
		if !slices.ContainsFunc(found, func(f Formula) bool { return f.Name == k.Name }) {
			found = append(found, k)
		}
	}
	return found
}

// formulas appends the formulas in a kernel, once for each text.
func formulas(found []Formula, k Kernel) []Formula {
	for _, part := range Parts(k) {
		found = formulas(found, part)
	}
	if own, is := k.(Formula); is && !slices.ContainsFunc(found, func(f Formula) bool { return f.String() == own.String() }) {
		found = append(found, own)
	}
	return found
}

// Read says that a kernel of the catalogue, which may be part of another, reads a column.
type Read struct {
	Kernel string // as it is called in scripts
	Column int    // number of the column in the points
	// ℓ in units of the column, of a kernel whose value falls with the distance; 0 of others, and while a number of the
	// kernel is free, since it is still to be found
	Lengthscale float64
}

// Reads returns which parts of a kernel read which columns of points, in the order in which they
// are written. What formulas read, and what does not fit the points, is left out.
func Reads(k Kernel, p *Points) []Read {
	bound, err := Bind(k, p)
	if err != nil {
		return nil
	}
	return reads(bound, p.Dim())
}

func reads(k Kernel, dim int) []Read {
	if open, is := k.(Open); is {
		return lists.Map(reads(open.Kernel, dim), func(r Read) Read { return Read{r.Kernel, r.Column, 0} })
	}
	f := formOf(k)
	if f.dims == nil {
		return lists.Flat(Parts(k), func(part Kernel) []Read { return reads(part, dim) })
	}
	return lists.Make(f.dims.count(dim), func(c int) Read {
		r := Read{Kernel: f.Name, Column: f.dims.at(c)}
		if k, falls := k.(falling); falls {
			r.Lengthscale = perColumn(k.lengthscales(), c)
		}
		return r
	})
}

// Bind prepares a kernel for the points it is to compare: column names become
// column numbers, names in tables become points, and everything that depends on
// the number of columns is checked. Errors are in terms of the script language.
// Every function of this package that takes a kernel and points binds by itself.
func Bind(k Kernel, p *Points) (Kernel, error) {
	switch k := k.(type) {
	case Open:
		inner, err := Bind(k.Kernel, p)
		return Open{inner, k.Slots}, err
	case interface {
		bind(*Points) (Kernel, error)
	}:
		return k.bind(p)
	case nil:
		return nil, fmt.Errorf("there is no kernel here")
	}
	if f := formOf(k); f.dims != nil {
		d, err := f.bind(p)
		return with(k, d), err
	}
	parts, err := lists.Try(len(Parts(k)), func(i int) (Kernel, error) { return Bind(Parts(k)[i], p) })
	if err != nil {
		return nil, err
	}
	switch k := rebuilt(k, parts).(type) {
	case Sum, Product: // nothing of their own
		return k, nil
	default:
		return k, k.Validate(p.Dim())
	}
}

// unbind takes back from a primitive kernel what Bind added.
func unbind(k Kernel) Kernel {
	if table, is := k.(Table); is {
		table.rows = nil
		return table
	}
	if f := formOf(k); f.dims != nil {
		return with(k, f.dims.unbind())
	}
	return k
}
