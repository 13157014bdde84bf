package kernels

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Kernel is a positive-definite function of two points of one space, either the tasks or the arms. Implementations are
// plain structs whose fields are the parameters. A kernel prints as the script expression that constructs it.
//
// Eval and Row need a kernel that is bound to the points, see Bind. Both are safe for concurrent use.
type Kernel interface {
	// Eval returns k(x, y) for one pair; tests use it as the reference for Row.
	Eval(x, y Point) float64
	// Row sets dst[j] = k(x, ys[from+j]) for every j < len(dst). ys must have at least from+len(dst) points.
	Row(dst []float64, x Point, ys *Points, from int)
	// Validate returns an error if a parameter is out of range, or if the kernel is not positive-definite for points with
	// dim ≥ 0 feature columns.
	Validate(dim int) error
	// String prints the kernel as an expression. Parsing this expression gives an equal kernel.
	String() string
}

// Equal reports whether two kernels are the same expression: the same structure and parameters, and formulas with the same
// name, parameters and body. It ignores what Bind adds.
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

// Formulas returns the formula kernels in k in order of appearance; each name occurs once.
func Formulas(k Kernel) []Formula { return named(formulas(nil, k)) }

// named returns the first formula of each name.
func named(all []Formula) []Formula {
	var found []Formula
	for _, k := range all {
		if !slices.ContainsFunc(found, func(f Formula) bool { return f.Name == k.Name }) {
			found = append(found, k)
		}
	}
	return found
}

// formulas appends the formulas in k to found, unless found has one that prints the same.
func formulas(found []Formula, k Kernel) []Formula {
	for _, part := range Parts(k) {
		found = formulas(found, part)
	}
	if own, is := k.(Formula); is && !slices.ContainsFunc(found, func(f Formula) bool { return f.String() == own.String() }) {
		found = append(found, own)
	}
	return found
}

// Read is a column that a catalogue kernel reads. The kernel may be a part of another one.
type Read struct {
	Kernel string // name in scripts
	Column int    // index of the column in the points
	// length scale ℓ in units of the column; 0 for a kernel that does not decrease with the distance, and if a
	// hyperparameter of the kernel is free
	Lengthscale float64
}

// Reads returns the columns that the parts of a kernel read, in the order of the kernel's text. It omits columns that
// formulas read. It returns nil if the kernel cannot be bound to the points.
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

// Bind returns a kernel that is prepared for the points: names of columns and points are resolved. It makes all checks
// that depend on the points. Errors use terms of the script language. Every function of this package that takes a kernel
// and points calls Bind.
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
		return nil, fmt.Errorf("the kernel is missing")
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
	case Sum, Product: // sums and products have no parameters of their own
		return k, nil
	default:
		return k, k.Validate(p.Dim())
	}
}

// unbind returns a kernel without parts, without what Bind added.
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
