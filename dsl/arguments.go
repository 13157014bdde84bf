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

// complete reports whether every parameter has a known value or a default. It reports a mistake for a required argument
// that is missing. Call it after the given arguments have passed their checks.
func (c *call) complete() bool {
	known := true
	for i, p := range c.fn.Params {
		switch a := c.args[i]; {
		// Neither the script nor a sweep gives this required argument.
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
	// Two kinds of calls may have unknown arguments. A check does not know the results of files and runs, and only
	// examines such calls. An evaluation of a part of a script lacks the results of other parts; sweep and
	// compare(algorithm=) do not need the result that they repeat.
	return known || c.e.dry && !c.pure() || c.e.divided != nil && len(c.named) > 0
}

// pure reports whether a check may evaluate the call, because it reads no files and makes no runs. A call of table(...) is
// pure only if the script contains the numbers of the matrix.
func (c *call) pure() bool {
	for i, p := range c.fn.Params {
		if _, text := c.args[i].Data.(string); text && p.words == wordsData {
			return false
		}
	}
	return c.fn.pure
}

// checkArgument reports an argument of a type that parameter p does not accept, or of a number or text that is not
// allowed. If p needs a joint kernel, it converts a kernel or a free hyperparameter.
func (c *call) checkArgument(p Param, a *argument) {
	if a.Type == anything { // not given, or unknown after a mistake
		return
	}
	if a.Type == Free && !p.accepts(Free) && (p.accepts(Kernel) || p.accepts(Joint)) {
		a.Type = Kernel // as a kernel, a free hyperparameter is a constant
	}
	// A kernel of one space becomes a joint kernel if it means the same in both spaces.
	if p.accepts(Joint) && !p.accepts(Kernel) && a.Type == Kernel {
		if !a.known() {
			return
		}
		if own := c.e.st; a.st != nil { // own is the call's statement; the argument may belong to another one
			c.e.st = a.st
			defer func() { c.e.st = own }()
		}
		text := c.e.st.Text(a.Node)
		if j, ok := c.e.lift(a.Node, a.value, fmt.Sprintf("write task(identity()) * arm(%s) for unrelated tasks, arm(%s) for "+
			"identical tasks", text, text)); ok {
			a.value = jointValue(j)
		}
		return
	}
	if !p.accepts(a.Type) {
		// Try the most specific hint first: a hint for values of another function, a hint for a common mistake, the
		// parameter's meaning.
		hint := cmp.Or(p.elsewhere[string(a.Type)], p.instead(a.Type), p.meaning(c.fn))
		if c.e.session.isTable(a.value) { // a table in the caller's memory, which the script names by a path
			if p.accepts(Problem) {
				hint = fmt.Sprintf("read it with p = %s", tableExample(c.e, a.Node))
			}
			c.refuse(*a, hint, "%s is a table, but must be %s", p.Name, p.wants())
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
		// If a whole number is too large for an int and the range excludes it, the range check below reports it. If the
		// range has no upper limit, extreme numbers are rejected.
		if _, ok := whole(data); p.Whole && !p.IsSwitch() && !ok && (data != math.Trunc(data) || p.Range.Contains(data)) {
			c.refuse(*a, "", "%s is %s; it must be a whole number", p.Name, formatNumber(data))
		} else if len(p.Types) > 0 && !p.Range.Contains(data) { // a parameter that accepts every type has no range
			c.refuse(*a, "", "%s is %s; it must be %s", p.Name, formatNumber(data), p.rule(data))
		} else if !p.Whole && p.Range.MaxOpen && math.IsInf(p.Range.Max, 1) && kernels.Extreme(data) {
			c.refuse(*a, "", "%s is %s; %s", p.Name, formatNumber(data), kernels.ExtremeRule)
		}
	}
}

// fail reports a mistake at argument a, or at the call if the script does not contain the argument (for example
// Options.Seed).
func (c *call) fail(a argument, message, hint string) {
	st, n := c.e.st, a.Node // where the message is shown
	if a.st != nil {
		st = a.st
	}
	n = cmp.Or(n, ast.Node(c.node))
	c.e.report(st.Source.At(st.Span(n), message, hint))
}

// refuse reports a mistake at argument a. The message begins with the function's name.
func (c *call) refuse(a argument, hint, format string, args ...any) {
	c.fail(a, c.fn.Name+": "+fmt.Sprintf(format, args...), hint)
}

// builtKernel builds a kernel of package kernels from the arguments of call c. Entry.Build sets defaults for missing
// arguments.
func builtKernel(c *call, entry kernels.Entry) (any, error) {
	args := kernels.Args{}
	if !c.pure() { // the file contains the kernel's numbers
		return gramKernel(c, entry)
	}
	for i, p := range c.fn.Params {
		if !c.args[i].known() {
			continue
		}
		args[p.Name] = c.args[i].plain()
		// A list with free hyperparameters may contain plain numbers too, but nothing else.
		if mixed, isMixed := args[p.Name].([]any); isMixed {
			if free, ok := freeHyperparameters(mixed); ok {
				args[p.Name] = free
				continue
			}
			return nil, &kernels.ParamError{Kernel: c.fn.Name, Param: p.Name, Index: -1,
				Message: fmt.Sprintf("is a list of different kinds of values; it must be %s", entry.Params[i].Kind)}
		}
	}
	return dropOnError(entry.Build(args))
}

// The methods below return an argument by the name of its parameter. They return the zero value if the argument is not
// given. They panic if the function has no such parameter, which is a mistake in the catalogue.

// arg returns the argument for the named parameter. It panics if the function has no such parameter.
func (c *call) arg(name string) argument {
	i := c.fn.param(name)
	if i < 0 {
		panic("dsl: " + c.fn.Name + " has no parameter " + name)
	}
	return c.args[i]
}

// has reports whether the script or a sweep gives the named argument.
func (c *call) has(name string) bool {
	a := c.arg(name)
	return a.Node != nil || a.known()
}

// text returns the named argument as a string. It returns "" if the argument is not given or is not a text.
func (c *call) text(name string) string {
	s, _ := c.arg(name).Data.(string)
	return s
}

// makeFunction returns f with its arguments read into a struct of type A. Each field is a parameter: field TimeUnit is
// the parameter time_unit. The fields of an embedded struct count too; functions share such structs. The type of a
// field determines the values that its parameter accepts, unless Param.Types is set:
//
//	float64, []float64       a number; a number or a list of them
//	int, uint64              a whole number
//	bool                     true or false, false by default
//	string, []string         a text; a text or a list of them
//	any                      the types in Types, not converted
//	*problem.Problem, …      the values of that type
//
// If an argument is not given, its field is zero, or has the default of the parameter if the field has the tag
// `arg:"default"`; a pointer is nil. check reports arguments that conflict, and may be nil. It is called when the
// script is checked, with the arguments known then, and again before eval, with all arguments.
func makeFunction[A any](f Function, check func(*call, A), eval func(*call, A) (any, error)) Function {
	f.args = reflect.TypeFor[A]()
	f.fields = fieldsOf(f.args, &f)
	if check != nil {
		f.check = func(c *call) { check(c, readArguments[A](c)) }
	}
	f.eval = func(c *call) (any, error) { return eval(c, readArguments[A](c)) }
	return f
}

// readArguments returns a struct of type A with the arguments of call c, by the rules of makeFunction. A field without a
// parameter stays zero.
func readArguments[A any](c *call) (a A) {
	fields, t := c.fn.fields, reflect.TypeFor[A]()
	// A may differ from the struct given to makeFunction, for example engine.Options; then match its fields now.
	if t != c.fn.args {
		fields, _ = matchFields(t, c.fn)
	}
	fill(c, reflect.ValueOf(&a).Elem(), fields)
	return a
}

// fill sets the fields of the struct into from the arguments of call c, or from the defaults of parameters that are not
// given.
func fill(c *call, into reflect.Value, fields []field) {
	for _, x := range fields {
		data := c.args[x.param].Data
		// A given argument whose value is unknown, as in a check, leaves its field zero. Only an argument that is not
		// given gets the default.
		if data == nil && x.initial != nil && c.args[x.param].Node == nil {
			data = x.initial
		}
		if data != nil {
			assign(into.FieldByIndex(x.index), data) // a value of the wrong type leaves the field zero
		}
	}
}

// field connects a field of an argument struct to its parameter. It is computed once, when the catalogue is built.
type field struct {
	index   []int // for reflect.Value.FieldByIndex
	param   int   // index in Function.Params
	initial any   // value if the argument is not given; nil if none
}

// matchFields finds the parameter of each field of struct t. A parameter matches if its name without underscores equals
// the field's name in lower case. other is the name of a field without a parameter, or "" if every field has one.
func matchFields(t reflect.Type, f *Function) (out []field, other string) {
	params := lists.Keyed(f.Params, func(i int, p Param) (string, int) { return strings.ReplaceAll(p.Name, "_", ""), i })
	for _, x := range reflect.VisibleFields(t) {
		if x.Anonymous || !x.IsExported() { // skip the embedded struct itself
			continue
		}
		at, is := params[strings.ToLower(x.Name)]
		if !is {
			other = x.Name // the caller decides whether a field without a parameter is a mistake
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

// fieldsOf returns the fields of struct t with their parameters, and sets the types of the parameters. It panics if a
// field has no parameter. It copies f.Params before it changes them, because functions share them.
func fieldsOf(t reflect.Type, f *Function) []field {
	f.Params = slices.Clone(f.Params)
	out, other := matchFields(t, f)
	if other != "" {
		panic("dsl: " + f.Name + " has no parameter for the field " + other)
	}
	for _, x := range out {
		f.Params[x.param].complete(t.FieldByIndex(x.index).Type)
	}
	return out
}

// assign sets the field into to data, the value of an argument. It returns false if their types do not match. A number may
// set a field of an integer or boolean type; its range is already checked.
func assign(into reflect.Value, data any) bool {
	if from := reflect.ValueOf(data); from.Type().AssignableTo(into.Type()) {
		into.Set(from)
		return true
	}
	x, isNumber := data.(float64)
	list, _ := data.([]value)
	switch into.Kind() {
	// A pointer field stays nil if the argument is not given.
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
	return isNumber || into.Kind() == reflect.Pointer // otherwise leave the field zero
}

// assignList sets the list that into points to: to the elements of list, or to the single value data. A list of texts
// omits elements that are not texts. A list of numbers becomes nil if an element is not a number.
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
