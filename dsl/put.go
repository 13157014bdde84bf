package dsl

import (
	"fmt"
	"math"
	"reflect"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/kinds"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report"
)

// nameFor checks that a name can be bound, and returns a statement that stands for
// the definition that a Go value does not have: it uses nothing and calls nothing,
// so a sweep takes the value as it is.
func nameFor(s *Session, name string) (*front.Statement, error) {
	parsed, errs := front.Parse(front.NewSource("a Go cell", name+" = 0"))
	_, bound := s.scope[name]
	switch {
	case len(errs) > 0 || len(parsed) != 1 || parsed[0].Name != name || parsed[0].Params != nil:
		return nil, fmt.Errorf("cannot bind %q: it is not a name; names are letters, digits and _, and begin with a letter", name)
	case taken(name):
		return nil, fmt.Errorf("cannot bind %s: it is a name of the language; choose another name", name)
	case bound && !s.opt.Rebind:
		return nil, fmt.Errorf("cannot bind %s: it is bound already; choose another name: a name keeps its value", name)
	}
	return parsed[0], nil
}

// fromGo makes a value of the language of a Go value.
func fromGo(name string, v any) (value, error) {
	switch v := v.(type) {
	case func(x, y []float64) float64:
		if v == nil {
			return value{}, fmt.Errorf("the function is nil")
		}
		return kernelValue(kernels.Func(name, v)), nil
	case sim.RewardFunc:
		if v == nil {
			return value{}, fmt.Errorf("the function is nil")
		}
		return value{Type: Rewards, Data: v}, nil
	case sim.RoundFunc:
		if v == nil {
			return value{}, fmt.Errorf("the function is nil")
		}
		return value{Type: Rewards, Data: v}, nil
	case kernels.Free:
		if err := v.Validate(0); err != nil {
			return value{}, err
		}
		return named(value{Type: Free, Data: v}, name), nil
	case kernels.Formula:
		if v.Body == "" {
			v.Name = name // prints as what it is bound to
		}
		return kernelValue(v), nil
	case *problem.Problem:
		return problemFromGo(v)
	case problem.Problem:
		return problemFromGo(&v)
	}
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Pointer && !r.IsNil() {
		element := r.Elem().Interface()
		_, byValue := element.(kernels.Kernel)
		if k, ok := v.(kernels.Kernel); ok && !byValue {
			return kernelFromGo(k)
		}
		return fromGo(name, element)
	}
	if !r.IsValid() || r.Kind() == reflect.Pointer {
		return value{}, fmt.Errorf("the value is nil")
	}
	switch v := v.(type) {
	case kernels.Kernel:
		return kernelFromGo(v)
	case kernels.Joint:
		if len(v.Terms) == 0 {
			return value{}, fmt.Errorf("the joint kernel has no terms")
		}
		return jointValue(v), nil
	case report.Figure:
		return value{Type: Figure, Data: v}, nil
	case report.Table:
		return value{Type: Table, Data: v}, nil
	}
	if k, ok := kinds.Of[struct{}](r.Type()); ok {
		return named(value{Type: Type(k.Name), Data: v}, name), nil
	}
	return plainFromGo(name, r)
}

// plainFromGo makes a number, text or list.
func plainFromGo(name string, r reflect.Value) (value, error) {
	switch {
	case r.CanInt():
		return finite(float64(r.Int()))
	case r.CanUint():
		return finite(float64(r.Uint()))
	case r.CanFloat():
		return finite(r.Float())
	}
	switch r.Kind() {
	case reflect.String:
		return value{Type: Text, Data: r.String()}, nil
	case reflect.Bool:
		return value{}, fmt.Errorf("there are no booleans in the language; use the numbers 0 and 1")
	case reflect.Slice, reflect.Array:
		list := make([]value, r.Len())
		for i := range list {
			element, err := fromGo(name, r.Index(i).Interface())
			if err == nil && element.Type == Rewards {
				err = fmt.Errorf("a list cannot hold %s", element.Type.a())
			}
			if err != nil {
				return value{}, fmt.Errorf("element %d: %w", i, err)
			}
			list[i] = element
		}
		return value{Type: List, Data: list}, nil
	}
	return value{}, fmt.Errorf("a %s has no meaning in the language; numbers, texts, lists, kernels, problems, results, figures and tables have", r.Type())
}

func finite(x float64) (value, error) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return value{}, fmt.Errorf("%v is not a finite number", x)
	}
	return numberValue(x), nil
}

func kernelFromGo(k kernels.Kernel) (value, error) {
	if n := parts(k); n > maxParts {
		return value{}, fmt.Errorf("the kernel has more than %d parts", maxParts)
	}
	return kernelValue(k), nil
}

func problemFromGo(p *problem.Problem) (value, error) {
	switch {
	case p == nil:
		return value{}, fmt.Errorf("the problem is nil")
	case p.Tasks == nil || p.Arms == nil || p.V() == 0 || p.N() == 0:
		return value{}, fmt.Errorf("the problem has no tasks or no arms")
	case p.Arms.Len() != p.N() || len(p.Noise.Scales) != p.N() || p.Mean != nil && len(p.Mean) != p.N():
		return value{}, fmt.Errorf("the problem has lists of unequal length: there must be one point, task and noise for each arm")
	}
	return value{Type: Problem, Data: p}, nil
}
