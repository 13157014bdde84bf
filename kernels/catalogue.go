package kernels

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Entry describes a kernel of the catalogue. The language, its help, the documentation and the
// conformance test all read it.
type Entry struct {
	Name       string
	Synonyms   []string // names other libraries use; the language suggests Name for them
	Formula    string   // k(x, y) as text
	Doc        string   // one line
	Reference  string   // where it is from, or why it is positive semi-definite
	Dimensions string   // the numbers d of columns in which it is valid
	Params     []Param  // in the order of positional arguments
	Example    string   // an expression that prints as itself

	Type reflect.Type // of the kernel

	// Build makes the kernel from arguments by parameter name, and reports unknown,
	// missing and unsuitable ones. What depends on the points is left to Bind.
	Build func(Args) (Kernel, error)
}

// Args are evaluated arguments by parameter name. A value is a float64, []float64,
// string, []string or [][]float64; for a number also a Free, and for a list of numbers
// a []Free, in which the ones that are Fixed are plain numbers.
type Args map[string]any

// Catalogue lists every built-in kernel, in the order in which help shows them.
func Catalogue() []Entry {
	return []Entry{
		linearEntry(), constantEntry(), rbfEntry(), maternEntry(), rqEntry(), polynomialEntry(),
		periodicEntry(), cosineEntry(), categoryEntry(), tableEntry(), identityEntry(),
	}
}

// builder completes an entry: arguments are checked against the parameters, then
// made into a kernel, which is told nothing about points yet.
func (e Entry) builder(build func(Args) Kernel) Entry {
	e.Type = reflect.TypeOf(build(nil))
	e.Build = func(a Args) (Kernel, error) {
		a, free, err := a.open(e.Name, e.Params)
		if err == nil {
			err = a.check(e.Name, e.Params)
		}
		switch {
		case err != nil:
			return nil, err
		case len(free) > 0:
			return Open{build(a), free}, nil
		}
		return build(a), nil
	}
	return e
}

// check compares the arguments with the parameters of the kernel of this name.
func (a Args) check(kernel string, params []Param) error {
	for name := range a {
		if !slices.ContainsFunc(params, func(p Param) bool { return p.Name == name }) {
			known := lists.Map(params, func(p Param) string { return p.Name })
			return fmt.Errorf("%s: has no parameter %q; it has %s", kernel, name, listing(known))
		}
	}
	for _, p := range params {
		v, given := a[p.Name]
		if !given {
			if p.Default == "" {
				return wrong(kernel, p.Name, "is missing; give %v", p.Kind)
			}
			continue
		}
		if !p.Kind.accepts(v) {
			return wrong(kernel, p.Name, "is %s; it must be %v", describe(v), p.Kind)
		}
		if p.Kind > ListKind { // columns, matrices and names have their own rules
			continue
		}
		for i, number := range a.numbers(p.Name) {
			if err := p.check(kernel, number, i, len(a.numbers(p.Name))); err != nil {
				return err
			}
		}
	}
	return nil
}

// accepts reports whether a value has the form that the kind asks for.
func (k Kind) accepts(v any) bool {
	switch v := v.(type) {
	case float64:
		return k <= ListKind || k == ColumnsKind && isColumn(v)
	case []float64:
		return len(v) > 0 && (k == ListKind || k == ColumnsKind && !slices.ContainsFunc(v, func(c float64) bool { return !isColumn(c) }))
	case string:
		return k == ColumnsKind
	case []string:
		return len(v) > 0 && (k == ColumnsKind || k == NamesKind)
	case [][]float64:
		return k == MatrixKind && len(v) > 0
	}
	return false
}

func isColumn(v float64) bool { return v >= 0 && v < 1<<31 && v == float64(int(v)) }

// describe says what a value is, in the words of the language.
func describe(v any) string {
	switch v := v.(type) {
	case float64:
		return number(v)
	case []float64:
		return "the list " + list(v)
	case string:
		return strconv.Quote(v)
	case []string:
		return "the list " + quoted(v)
	case [][]float64:
		return fmt.Sprintf("a matrix of %d rows", len(v))
	}
	return "something else"
}

// The readers below are for arguments that passed check.

// number returns a number, 0 where the argument is not given.
func (a Args) number(name string) float64 {
	v, _ := a[name].(float64)
	return v
}

// numbers returns a number or a list as a list, nil where the argument is not given.
func (a Args) numbers(name string) []float64 {
	switch v := a[name].(type) {
	case float64:
		return []float64{v}
	case []float64:
		return v
	}
	return nil
}

func (a Args) names(name string) []string {
	switch v := a[name].(type) {
	case string:
		return []string{v}
	case []string:
		return v
	}
	return nil
}

func (a Args) matrix(name string) [][]float64 {
	v, _ := a[name].([][]float64)
	return v
}

func (a Args) dims() Dims {
	d := Dims{Names: a.names("dims")}
	d.Index = append(d.Index, lists.Map(a.numbers("dims"), func(c float64) int { return int(c) })...)
	return d
}
