package dsl

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// complete reports whether every parameter has what it needs and every value is
// known; a missing argument is an error.
// It is asked once the arguments that are there have passed. Further arguments must be known, too.
func (c *call) complete() bool {
	known := true
	for i, p := range c.fn.Params {
		switch a := c.args[i]; {
		// Neither written nor set from outside, and without a default.
		case a.Node == nil && a.Type == anything && p.Default == "":
			c.e.fail(c.node, c.fn.Result, fmt.Sprintf("%s needs %s", c.fn.Name, p.Name), "write "+c.fn.Signature())
			return false
		case a.Node != nil && !a.known():
			known = false
		}
	}
	for _, a := range slices.Concat(c.rest, c.named) {
		known = known && a.known()
	}
	return known || c.e.dry && !c.pure() // in a check, files and runs are not known, and such a call is only looked at
}

// pure reports whether the call can be made while a script is checked: it reads no file and runs
// nothing.
// A kernel of a matrix is pure where its numbers are written out, and not where a file has them.
func (c *call) pure() bool {
	for i, p := range c.fn.Params {
		if _, text := c.args[i].Data.(string); text && p.words == wordsData {
			return false
		}
	}
	return c.fn.pure
}

// checkArgument compares an argument with what a parameter accepts.
// It changes the argument where the parameter takes it in another form: a free number or a kernel where a joint one is
// needed.
func (c *call) checkArgument(p Param, a *argument) {
	if a.Type == anything { // not given, or not known after a mistake
		return
	}
	if a.Type == Free && !p.accepts(Free) && (p.accepts(Kernel) || p.accepts(Joint)) {
		a.Type = Kernel // a free number is a constant kernel
	}
	// A kernel of one space stands for a joint one where it means the same in both.
	if p.accepts(Joint) && !p.accepts(Kernel) && a.Type == Kernel {
		if !a.known() {
			return
		}
		if own := c.e.st; a.st != nil { // the text of the node is in that statement
			c.e.st = a.st
			defer func() { c.e.st = own }()
		}
		text := c.e.st.Text(a.Node)
		if j, ok := c.e.lift(a.Node, a.value, fmt.Sprintf("write task(identity()) * arm(%s) for tasks that share nothing, arm(%s) for "+
			"tasks that are all alike", text, text)); ok {
			a.value = jointValue(j)
		}
		return
	}
	if !p.accepts(a.Type) {
		// The most special hint first: values that other functions take, mistakes of beginners, what the parameter is for.
		hint := cmp.Or(p.elsewhere[string(a.Type)], p.instead(a.Type), p.meaning(c.fn))
		if c.e.session.isTable(a.value) { // of the caller, which stands for it as a path
			if p.accepts(Problem) {
				hint = fmt.Sprintf("p = %s reads it", tableExample(c.e, a.Node))
			}
			c.refuse(*a, hint, "%s is a table; it must be %s", p.Name, p.wants())
			return
		}
		if a.Type == Number && p.accepts(Kernel) && a.Node != nil {
			hint = fmt.Sprintf("write constant(%s) for the kernel that has this value for all pairs", c.e.st.Text(a.Node))
		}
		c.refuse(*a, hint, "%s is %s; it must be %s", p.Name, a.Type.a(), p.wants())
		return
	}
	switch data := a.Data.(type) {
	case string:
		if len(p.Choices) > 0 && !slices.Contains(p.Choices, data) {
			c.refuse(*a, p.suggestChoice(data), "%s is %q; it must be %s", p.Name, data, p.wants())
		}
	case float64:
		// A whole number too large for an int is told by the range, if that excludes it. A parameter without an upper end
		// takes no numbers that cannot be computed with.
		if _, ok := whole(data); p.Whole && !p.IsSwitch() && !ok && (data != math.Trunc(data) || p.Range.Contains(data)) {
			c.refuse(*a, "", "%s is %s; it must be a whole number", p.Name, formatNumber(data))
		} else if len(p.Types) > 0 && !p.Range.Contains(data) { // a parameter that takes values of every type has no range
			c.refuse(*a, "", "%s is %s; it must be %s", p.Name, formatNumber(data), p.rule())
		} else if !p.Whole && p.Range.MaxOpen && math.IsInf(p.Range.Max, 1) && kernels.Extreme(data) {
			c.refuse(*a, "", "%s is %s; %s", p.Name, formatNumber(data), kernels.ExtremeRule)
		}
	}
}

// fail reports a mistake under an argument; under the call when the argument does
// not stand in the script, as with Options.Seed.
func (c *call) fail(a argument, message, hint string) {
	st, n := c.e.st, a.Node // of the message
	if a.st != nil {
		st = a.st
	}
	n = cmp.Or(n, ast.Node(c.node))
	c.e.report(st.Source.At(st.Span(n), message, hint))
}

// refuse reports a mistake under an argument in a sentence that begins with the name of the function.
func (c *call) refuse(a argument, hint, format string, args ...any) {
	c.fail(a, c.fn.Name+": "+fmt.Sprintf(format, args...), hint)
}

// builtKernel builds a kernel of the catalogue.
// Arguments that are not given are left to Build, which knows their defaults.
func builtKernel(c *call, entry kernels.Entry) (any, error) {
	args := kernels.Args{}
	if !c.pure() { // its numbers are in a file
		return gramKernel(c, entry)
	}
	for i, p := range c.fn.Params {
		if !c.args[i].known() {
			continue
		}
		args[p.Name] = c.args[i].plain()
		// A list with numbers and free numbers; all other mixtures are mistakes.
		if mixed, isMixed := args[p.Name].([]any); isMixed {
			if free, ok := freeNumbers(mixed); ok {
				args[p.Name] = free
				continue
			}
			return nil, &kernels.ParamError{Kernel: c.fn.Name, Param: p.Name, Index: -1,
				Message: fmt.Sprintf("is a list of different things; it must be %s", entry.Params[i].Kind)}
		}
	}
	return given(entry.Build(args))
}

// The readers below return an argument by name, or the zero value where it is not
// given. A name that is not a parameter is a mistake in the catalogue.

// arg returns the argument of a parameter as it was matched. It panics for a name that is no parameter.
func (c *call) arg(name string) argument {
	i := c.fn.param(name)
	if i < 0 {
		panic("dsl: " + c.fn.Name + " has no parameter " + name)
	}
	return c.args[i]
}

// has reports whether an argument is given, by the script or by a sweep.
func (c *call) has(name string) bool {
	a := c.arg(name)
	return a.Node != nil || a.known()
}

// text returns the text that an argument holds, "" without one and for any other value.
func (c *call) text(name string) string {
	s, _ := c.arg(name).Data.(string)
	return s
}

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
// The struct is read twice: here for the types of the parameters, and in each call for its values.
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
	// Another struct than the function's own is matched again, as the options of the engine are.
	if t != c.fn.args {
		fields, _ = matched(t, c.fn)
	}
	fill(c, reflect.ValueOf(&a).Elem(), fields)
	return a
}

// fill sets the fields whose arguments have a value, and of the others the ones with a default.
func fill(c *call, into reflect.Value, fields []field) {
	for _, x := range fields {
		data := c.args[x.param].Data
		// An argument that is written and not known, as in a check, leaves its field zero in place of the default.
		if data == nil && x.initial != nil && c.args[x.param].Node == nil {
			data = x.initial
		}
		if data != nil {
			assign(into.FieldByIndex(x.index), data) // a value that the field cannot hold leaves it zero
		}
	}
}

// field is a field of a struct of arguments.
// The fields of a struct are found once, when the catalogue is made.
type field struct {
	index   []int // of the field, through embedded structs
	param   int   // index of its parameter in Function.Params
	initial any   // the default that it holds without an argument, nil for none
}

// matched finds the parameters of the fields of a struct.
// Names are compared in lower case without underscores. Other is a field without a parameter, "" where all have one.
func matched(t reflect.Type, f *Function) (out []field, other string) {
	params := lists.Keyed(f.Params, func(i int, p Param) (string, int) { return strings.ReplaceAll(p.Name, "_", ""), i })
	// Fields of embedded structs count like own ones.
	for _, x := range reflect.VisibleFields(t) {
		if x.Anonymous || !x.IsExported() { // the embedded struct itself
			continue
		}
		at, is := params[strings.ToLower(x.Name)]
		if !is {
			other = x.Name // the caller decides whether that is a mistake
			continue
		}
		a := field{index: x.Index, param: at}
		if x.Tag.Get("arg") == "default" {
			a.initial = f.Params[at].literal()
		}
		out = append(out, a)
	}
	return out, other
}

// fieldsOf finds the parameters of the fields of a struct, and completes their types. It panics where a field has none.
// It works on a copy of the parameters, since functions of the catalogue share lists of them.
func fieldsOf(t reflect.Type, f *Function) []field {
	f.Params = slices.Clone(f.Params)
	out, other := matched(t, f)
	if other != "" {
		panic("dsl: " + f.Name + " has no parameter for the field " + other)
	}
	for _, x := range out {
		f.Params[x.param].complete(t.FieldByIndex(x.index).Type)
	}
	return out
}

// assign sets a field to what an argument holds, and reports whether a field of its type can hold it: a parameter may
// take values of several types.
// A number sets whole and truth fields; its range was checked before.
func assign(into reflect.Value, data any) bool {
	if from := reflect.ValueOf(data); from.Type().AssignableTo(into.Type()) {
		into.Set(from) // texts, numbers, kernels, problems and fields of type any
		return true
	}
	x, isNumber := data.(float64)
	list, _ := data.([]value)
	switch into.Kind() {
	// A pointer says by being nil that no argument is given.
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
	return isNumber || into.Kind() == reflect.Pointer // anything else than a number has left zero
}

// assignList sets a list to the elements of one, or to the one value that there is.
// Elements of another type are left out of texts, and leave numbers nil.
func assignList(into any, data any, list []value) bool {
	if list == nil {
		list = []value{{Data: data}}
	}
	switch into := into.(type) {
	case *[]string:
		*into = texts(value{Data: list})
	case *[]float64:
		*into, _ = every[float64](list)
	}
	return true
}
