package kernels

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Entry describes a kernel of the catalogue. The script language, its help, the documentation and the conformance test read it.
type Entry struct {
	Name       string
	Synonyms   []string // names in other libraries; the language suggests Name for them
	Formula    string   // k(x, y) as text
	Doc        string   // one line
	Reference  string   // citation, or the reason why the kernel is positive semi-definite
	Dimensions string   // allowed number d of feature columns, as text
	Params     []Param  // in the order of positional arguments
	Example    string   // an expression that prints exactly like this

	Type   reflect.Type // Go type of the kernel
	fields []int        // index of the struct field of each of Params

	// Build returns the kernel for arguments by parameter name. It returns an error for an unknown, missing or invalid
	// argument. Checks that depend on the points are made by Bind.
	Build func(Args) (Kernel, error)
}

// Args are evaluated arguments by parameter name. A value is a float64, []float64, string, []string or [][]float64. A
// float64 may be replaced by a Free, and a []float64 by a []Free, in which plain numbers are Fixed.
type Args map[string]any

// Catalogue lists every built-in kernel, in the order in which help shows them.
func Catalogue() []Entry {
	return []Entry{
		linearEntry, constantEntry, rbfEntry, maternEntry, rqEntry, polynomialEntry,
		periodicEntry, cosineEntry, categoryEntry, tableEntry, identityEntry,
	}
}

// entries returns the catalogue by kernel type. It is built only once, because a fit looks up kernels thousands of times.
var entries = sync.OnceValue(func() map[reflect.Type]*Entry {
	return lists.Keyed(Catalogue(), func(_ int, e Entry) (reflect.Type, *Entry) { return e.Type, &e })
})

// of returns the entry with Type, fields and Build set for the type of k. Each parameter corresponds to the struct field
// of the same name, ignoring case. Build checks the arguments and returns a kernel that is not yet bound to points.
func (e Entry) of(k Kernel) Entry {
	e.Type = reflect.TypeOf(k)
	for _, p := range e.Params {
		field, _ := e.Type.FieldByNameFunc(func(name string) bool { return strings.EqualFold(name, p.Name) })
		e.fields = append(e.fields, field.Index[0])
	}
	e.Build = func(a Args) (Kernel, error) {
		a, free, err := a.open(e.Name, e.Params)
		if err == nil {
			err = a.check(e.Name, e.Params)
		}
		if err != nil {
			return nil, err
		}
		made := reflect.New(e.Type).Elem()
		for i, p := range e.Params {
			a.set(made.Field(e.fields[i]), p.Name)
		}
		k := made.Interface().(Kernel)
		if len(free) > 0 {
			return Open{k, free}, nil
		}
		if _, is := k.(Table); is { // unlike other kernels, a table can be validated without points
			return k, k.Validate(0)
		}
		return k, nil
	}
	return e
}

// set sets the field of a kernel to the argument with this name. The argument must have passed check.
func (a Args) set(field reflect.Value, name string) {
	switch to := field.Addr().Interface().(type) {
	case *float64:
		*to, _ = a[name].(float64)
	case *int:
		v, _ := a[name].(float64)
		*to = int(v)
	case *[]float64:
		*to = a.numbers(name)
	case *[]string:
		*to = a.names(name)
	case *[][]float64:
		*to, _ = a[name].([][]float64)
	case *Dims:
		to.Names = a.names(name)
		to.Index = append(to.Index, lists.Map(a.numbers(name), func(c float64) int { return int(c) })...)
	}
}

// check returns an error if an argument is unknown, missing or invalid for a kernel with these parameters.
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
		if p.Kind > ListKind { // Bind and Validate check columns, matrices and names
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

// accepts reports whether the Go type of v is one that the kind allows.
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

// describe describes a value in the terms of the script language, for messages.
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

// The functions below read arguments that passed check.

// numbers returns the argument as a list, also if it is a single number; nil if it is not given.
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
