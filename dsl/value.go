package dsl

import (
	"reflect"
	"strings"
	"sync"

	"github.com/gonb-cope/gonb-cope/internal/kinds"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report"
)

// Type is the type of a value, by the name that messages and help use.
type Type string

// The types of the language that more than one function knows; typeOf has the others.
const (
	Number  Type = "number"
	Text    Type = "text"
	List    Type = "list"
	Free    Type = "free number"     // kernels.Free
	Kernel  Type = "kernel"          // of the points of one space; kernels.Kernel
	Joint   Type = "joint kernel"    // of arms of tasks; kernels.Joint
	Problem Type = "problem"         // *problem.Problem
	Result  Type = "result"          // engine.Result
	Sweep   Type = "sweep"           // sim.Sweep
	Figure  Type = "figure"          // report.Figure
	Table   Type = "table"           // report.Table
	Rewards Type = "reward function" // a func of a Go cell, see Session.Put
	Record  Type = "record"          // a part with parts of its own; a struct or map
	Nothing Type = "nothing"         // what a function returns that only acts

	anything Type = "" // after an error, and for parameters that take every type
)

// typeOf returns the type of values that are a T in Go. It panics if package kinds has none.
func typeOf[T any]() Type {
	t := reflect.TypeFor[T]()
	k, ok := kinds.Of[struct{}](t)
	if !ok {
		panic("dsl: package kinds does not list " + t.String())
	}
	return Type(k.Name)
}

// zero returns an empty value of a type that package kinds lists, nil of another.
func (t Type) zero() any {
	for _, k := range kinds.Names() {
		if k.Name == string(t) {
			return reflect.Zero(k.Type).Interface()
		}
	}
	return nil
}

// drawn returns the types whose values can be drawn: a check asks at every call that saves.
var drawn = sync.OnceValue(func() map[Type]bool {
	out := map[Type]bool{}
	for _, k := range kinds.Names() {
		_, ys := report.Axes(reflect.Zero(k.Type).Interface(), "")
		out[Type(k.Name)] = len(ys) > 0
	}
	return out
})

// isDrawn reports whether values of the type can be drawn.
func (t Type) isDrawn() bool { return drawn()[t] }

// a returns the type with its article.
func (t Type) a() string {
	switch t {
	case Nothing:
		return string(t)
	case anything:
		return "a value"
	}
	for _, k := range kinds.Names() {
		if k.Name == string(t) {
			return k.A()
		}
	}
	return "a " + string(t)
}

// orList joins words as in "a, b or c".
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// andList joins words as in "a, b and c".
func andList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// value is a value of the language. Data is nil when only the type is known: while
// a script is checked and not run, and after an error. The data of a number is a
// float64, of a text a string, of a list a []value.
type value struct {
	Type Type
	Data any

	// of a record its Go type, of a list its elements' type, where they are known: what parts there
	// are follows from it
	of reflect.Type
}

func (v value) known() bool { return v.Data != nil }

func unknown(t Type) value        { return value{Type: t} }
func numberValue(x float64) value { return value{Type: Number, Data: x} }

// plain returns what the value is in Go: a float64, a string, a []float64 and so
// on for a list as narrow as its elements allow, or the data itself.
func (v value) plain() any {
	list, ok := v.Data.([]value)
	if !ok {
		return v.Data
	}
	if numbers, ok := every[float64](list); ok {
		return numbers
	}
	if texts, ok := every[string](list); ok {
		return texts
	}
	rows := make([][]float64, len(list))
	for i, e := range list {
		row, _ := e.Data.([]value)
		if rows[i], ok = every[float64](row); !ok || row == nil {
			return v.items()
		}
	}
	return rows
}

// size counts the elements in a list and in the lists inside it, up to about limit:
// a list of lists of the same list is small to write and large to walk through.
func (v value) size(limit int) int {
	list, _ := v.Data.([]value)
	n := 1
	for _, e := range list {
		if n > limit {
			break
		}
		n += e.size(limit - n)
	}
	return n
}

// depth counts how far lists stand inside each other.
func (v value) depth() int {
	list, _ := v.Data.([]value)
	inner := 0
	for _, e := range list {
		inner = max(inner, 1+e.depth())
	}
	return inner
}

// items returns a list as Go values, element by element.
func (v value) items() []any {
	list := v.Data.([]value)
	out := make([]any, len(list))
	for i, e := range list {
		out[i] = e.plain()
	}
	return out
}

// every returns the elements of a list that are all of one Go type.
func every[T any](list []value) ([]T, bool) {
	out := make([]T, len(list))
	for i, e := range list {
		x, ok := e.Data.(T)
		if !ok {
			return nil, false
		}
		out[i] = x
	}
	return out, true
}

// kernelValue and jointValue keep the two kinds of kernel apart.
func kernelValue(k kernels.Kernel) value { return value{Type: Kernel, Data: k} }
func jointValue(j kernels.Joint) value   { return value{Type: Joint, Data: j} }
