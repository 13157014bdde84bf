package dsl

import (
	"reflect"
	"slices"
)

// bound returns a function whose arguments are the fields of a struct: field TimeUnit is the parameter time_unit, and
// embedded structs are parameters that several functions have. The type of a field says which values its parameter
// takes, where Types does not:
//
//	float64, []float64       a number; a number or a list of them
//	int, uint64              a whole number
//	bool                     true or false, false by default
//	string, []string         a text; a text or a list of them
//	any                      what Types says, as the value is
//	*problem.Problem, …      the values of a kind
//
// A field is zero where no argument is given; tagged `arg:"default"` it then holds the default of its parameter. A
// pointer to a number, a text or a truth value says whether one is given. Check reports arguments that do not fit
// together, before the script runs, as far as they are known then, and before eval; it may be nil.
func bound[A any](f Function, check func(*call, A), eval func(*call, A) (any, error)) Function {
	f.args = reflect.TypeFor[A]()
	f.fields = fieldsOf(f.args, &f)
	if check != nil {
		f.check = func(c *call) { check(c, stated[A](c)) }
	}
	f.eval = func(c *call) (any, error) { return eval(c, stated[A](c)) }
	return f
}

// stated returns the arguments of a call that a struct has fields for, as bound reads them. A field without a parameter
// stays zero.
func stated[A any](c *call) (a A) {
	fields, t := c.fn.fields, reflect.TypeFor[A]()
	if t != c.fn.args {
		fields = matched(t, c.fn)
	}
	fill(c, reflect.ValueOf(&a).Elem(), fields)
	return a
}

// fill sets the fields of a struct.
func fill(c *call, into reflect.Value, fields []field) {
	for _, x := range fields {
		data := c.args[x.param].Data
		if data == nil && x.initial != nil && c.args[x.param].Node == nil {
			data = x.initial
		}
		if data != nil {
			assign(into.FieldByIndex(x.index), data)
		}
	}
}

// field is a field of a struct of arguments.
type field struct {
	index   []int
	param   int // its parameter
	initial any // the default that it holds without an argument, nil for none
}

// matched finds the parameters of the fields of a struct.
func matched(t reflect.Type, f *Function) []field {
	var out []field
	for _, x := range reflect.VisibleFields(t) {
		at := slices.IndexFunc(f.Params, func(p Param) bool { return isField(p.Name, x.Name) })
		if at < 0 || x.Anonymous {
			continue
		}
		a := field{index: x.Index, param: at}
		if x.Tag.Get("arg") == "default" {
			a.initial = f.Params[at].literal()
		}
		out = append(out, a)
	}
	return out
}

// isField reports whether a field has the name of a parameter: TimeUnit is time_unit.
func isField(param, name string) bool {
	i := 0
	for _, r := range []byte(param) {
		switch {
		case r == '_':
			continue
		case i == len(name) || name[i]|0x20 != r: // in lower case
			return false
		}
		i++
	}
	return i == len(name)
}

// fieldsOf finds the parameters of the fields of a struct, and completes their types. It panics where a field has none.
func fieldsOf(t reflect.Type, f *Function) []field {
	f.Params = slices.Clone(f.Params)
	out := matched(t, f)
	for _, x := range out {
		f.Params[x.param].complete(t.FieldByIndex(x.index).Type)
	}
	for _, x := range reflect.VisibleFields(t) {
		if !x.Anonymous && !slices.ContainsFunc(out, func(a field) bool { return slices.Equal(a.index, x.Index) }) {
			panic("dsl: " + f.Name + " has no parameter for the field " + x.Name)
		}
	}
	return out
}

// assign sets a field to what an argument holds, and reports whether a field of its type can hold it: a parameter may
// take values of several types.
func assign(into reflect.Value, data any) bool {
	if from := reflect.ValueOf(data); from.Type().AssignableTo(into.Type()) {
		into.Set(from)
		return true
	}
	x, isNumber := data.(float64)
	list, _ := data.([]value)
	switch into.Kind() {
	case reflect.Pointer:
		target := reflect.New(into.Type().Elem())
		if !assign(target.Elem(), data) {
			return false
		}
		into.Set(target)
	case reflect.Bool:
		into.SetBool(x != 0)
	case reflect.Int:
		into.SetInt(int64(x))
	case reflect.Uint64:
		into.SetUint(uint64(x))
	case reflect.Slice:
		return assignList(into.Addr().Interface(), data, list)
	default:
		return false
	}
	return isNumber || into.Kind() == reflect.Pointer
}

// assignList sets a list to the elements of one, or to the one value that there is.
func assignList(into any, data any, list []value) bool {
	switch into := into.(type) {
	case *[]string:
		if text, ok := data.(string); ok {
			*into = []string{text}
		} else {
			*into = texts(value{Data: list})
		}
	case *[]float64:
		if x, ok := data.(float64); ok {
			*into = []float64{x}
		} else {
			*into, _ = every[float64](list)
		}
	}
	return true
}
