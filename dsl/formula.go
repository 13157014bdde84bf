package dsl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/dsl/internal/formula"
	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// evalFormula makes the kernel that the statement `name(x, y) = …` defines. A formula with more parameters than x and y is
// a kernel too, with the default values of those parameters. The indices of the feature columns are looked up later, when the
// kernel is applied to points.
func evalFormula(e *evaluator, st *front.Statement) value {
	if len(st.Params) < 2 { // the parser also accepts a formula of one parameter
		e.failAt(st.Params[0].At, fmt.Sprintf("a formula needs two points, but %s has %d", st.Name, len(st.Params)), "write "+st.Name+"(x, y) "+
			"= …")
		return unknown(Kernel)
	}
	x, y := st.Params[0], st.Params[1]
	args, ok := formulaParameters(e, st)
	if !ok {
		return unknown(Kernel)
	}
	definition := formula.Check(st.Name, x.Name, y.Name, st.Node, formulaEnv{e, args})
	if definition == nil {
		return unknown(Kernel)
	}
	// Set the fields that are printed and compared; compileFormula sets the functions that compute values.
	k := kernels.Formula{
		Name: st.Name, Params: x.Name + ", " + y.Name, Args: args,
		Body: st.Code(),
	}
	// A fit may change two kinds of numbers: free hyperparameters of the script that the formula reads (k.Free), and free
	// values of the formula's parameters (k.Args). The kernel's text contains both.
	var names []string         // free hyperparameters, by their names in the formula
	own := map[string]string{} // names of the body that are replaced by other text
	given := map[string]bool{} // whether the value of a parameter is a plain number
	for _, a := range args {
		k.Params += fmt.Sprintf(", %s=%s", a.Param, a)
		given[a.Param] = a.Fixed()
	}
	// Each name in the formula is a parameter, a plain number or a free hyperparameter.
	for _, name := range definition.Names() {
		fixed, isArg := given[name]
		v, _ := e.lookup(name)
		f, isFree := v.Data.(kernels.Free)
		switch free := isFree && !f.Fixed(); {
		case fixed, !isArg && !free: // a plain number
		case definition.Chooses(name):
			return e.fail(st.Node, Kernel, fmt.Sprintf("the free hyperparameter %s selects a column, but a column cannot be fitted", name),
				"write the number of the column")
		// The text keeps the name of a parameter, because the formula's head shows its value.
		case !isArg:
			names, k.Free = append(names, name), append(k.Free, f)
			own[name] = f.Name // the hyperparameter may be bound to several names; the text uses its own
		}
	}
	k.Body = st.CodeWith(own)
	return kernelValue(compileFormula(k, names, definition, st))
}

// formulaParameters returns the parameters of a formula after x and y, with their default values. It evaluates the
// defaults in the script's scope, where x and y have no value. It returns false after a mistake.
func formulaParameters(e *evaluator, st *front.Statement) ([]kernels.Arg, bool) {
	before := e.mistakes
	seen := map[string]bool{}
	var args []kernels.Arg
	for i, p := range st.Params {
		switch {
		case seen[p.Name] && i == 1: // f(x, x)
			e.failAt(p.At, "the two points have the same name", "write "+st.Name+"(x, y) = …")
		case seen[p.Name]:
			e.failAt(p.At, fmt.Sprintf("%s is already a parameter", p.Name), "choose another name")
		case i < 2 && p.Default != nil:
			e.failAt(p.At, "the first two parameters are the points and must not have a value", "write "+st.Name+"(x, y, a=1) = …")
		case i < 2: // the points x and y have no default value
		case p.Default == nil:
			e.failAt(p.At, fmt.Sprintf("the parameter %s has no value", p.Name),
				fmt.Sprintf("write %s=1: the two points come first, and every further parameter has a value", p.Name))
		case isReserved(p.Name):
			e.failAt(p.At, fmt.Sprintf("%s is a name of the language and cannot be redefined", p.Name), "choose another name")
		default:
			// A default value may use numbers of the script, but not points or other parameters.
			v := e.eval(p.Default)
			f, free := freeHyperparameter(v.Data)
			if v.known() && !free {
				e.fail(p.Default, Kernel, fmt.Sprintf("%s is %s; it must be a number or a free hyperparameter", p.Name, v.Type.a()), "")
			}
			if !v.known() && e.mistakes == before {
				return nil, false // a mistake in the definition of a name; reported there
			}
			args = append(args, kernels.Arg{Param: p.Name, Free: f}) // before a fit, a free hyperparameter has its start value
		}
		seen[p.Name] = true
	}
	return args, e.mistakes == before
}

// freeHyperparameter returns data as a free hyperparameter: a float64 becomes a fixed one, and a kernels.Free is returned
// unchanged. It returns false for other data.
func freeHyperparameter(data any) (kernels.Free, bool) {
	switch data := data.(type) {
	case kernels.Free:
		return data, true
	case float64:
		return kernels.Free{Value: data, Min: data, Max: data}, true
	}
	return kernels.Free{}, false
}

// formulaFunction returns a formula with parameters after x and y as a function that scripts can call. It returns nil for
// any other value.
func formulaFunction(v value) *Function {
	k, ok := v.Data.(kernels.Formula)
	if !ok || k.Call == nil {
		return nil
	}
	// The formula's head gives the default of each parameter.
	f := &Function{Name: k.Name, Section: SectionKernels, Doc: fmt.Sprintf("the formula %s(%s) = %s", k.Name, k.Params, k.Body),
		Result: Kernel, Example: k.String(), pure: true, Params: lists.Map(k.Args, func(a kernels.Arg) Param {
			return Param{Name: a.Param, Types: []Type{Number, Free}, Range: anyNumber, Default: a.String(), Doc: "a number of the formula"}
		})}
	// For an argument that is missing or unknown, use the default in the formula's head.
	f.eval = func(c *call) (any, error) {
		made, err := k.Call(lists.Make(len(k.Args), func(i int) kernels.Free {
			if given, ok := freeHyperparameter(c.args[i].Data); ok {
				return given
			}
			return k.Args[i].Free
		}))
		return kernels.Kernel(made), err
	}
	return f
}

// function returns the named function: a function of the catalogue, or a bound formula with parameters after x and y. It
// returns nil if there is none.
func (s scope) function(name string) *Function {
	if fn := index[name]; fn != nil {
		return fn
	}
	if b := s[name]; b != nil {
		return formulaFunction(b.value)
	}
	return nil
}

// compileFormula returns k with its functions Resolve, At and Call set. Resolve looks up the feature columns when the
// kernel is applied to points. At makes a copy of the formula with other free hyperparameters, and Call one with other
// arguments. names lists the free hyperparameters as the formula's text names them. Every copy is compiled separately, so
// copies do not share values.
func compileFormula(k kernels.Formula, names []string, definition *formula.Definition, st *front.Statement) kernels.Formula {
	// At needs one number per element of names, in that order, and then one per argument that is not fixed.
	k.At = func(free []kernels.Free) kernels.Formula {
		values, texts := map[string]float64{}, map[string]string{}
		at := k
		at.Free, at.Args = nil, slices.Clone(k.Args)
		var remaining []string
		for i, name := range names {
			f := free[i]
			if values[name], texts[name] = f.Value, f.Name; f.Fixed() {
				texts[name] = formatNumber(f.Value) // a hyperparameter that is now fixed is written as its number
			} else {
				at.Free, remaining = append(at.Free, f), append(remaining, name)
			}
		}
		free = free[len(names):]
		for i, a := range at.Args {
			if !a.Fixed() {
				at.Args[i].Free, free = free[0], free[1:]
				values[a.Param] = at.Args[i].Value
			}
		}
		at.Body = st.CodeWith(texts)
		return compileFormula(at, remaining, definition.With(values), st)
	}
	k.Call = nil // the copy must not keep the Call of the original formula
	if len(k.Args) > 0 {
		// Call needs one number per argument. A number may be the index of a column that does not exist, which is an
		// error.
		k.Call = func(args []kernels.Free) (kernels.Formula, error) {
			// Replace the default values in the head by the arguments, and keep the numbers of the script.
			values := definition.Numbers()
			at := k
			at.Args = slices.Clone(k.Args)
			for i, a := range args {
				at.Args[i].Free = a
				values[at.Args[i].Param] = a.Value
				// A free hyperparameter must not be a column index, because a fit would change the column.
				if definition.Chooses(at.Args[i].Param) && !a.Fixed() {
					return k, &kernels.ParamError{Kernel: k.Name, Param: at.Args[i].Param, Index: -1,
						Message: "is free, but selects a column, and a column cannot be fitted"}
				}
			}
			made := definition.With(values)
			if n := made.Misplaced(); n != nil {
				return k, fmt.Errorf("%s: in its formula, at %s: %s", st.Name, st.Text(n), formula.ColumnRule)
			}
			return compileFormula(at, names, made, st), nil
		}
	}
	// Resolve looks up the columns; only the formula that it returns can compute values.
	k.Resolve = func(columns []string) (kernels.Formula, error) {
		program, err := definition.Resolve(columns) // errors include the formula and the place
		if err != nil {
			return k, err
		}
		resolved := k // sets Pair and Rows, which need the columns, on a copy
		resolved.Pair = func(x, y kernels.Point) float64 { return program.Pair(x.X, y.X) }
		resolved.Rows = func(dst []float64, x kernels.Point, ys *kernels.Points, from int) {
			program.Rows(dst, x.X, ys.X, from)
		}
		return resolved, nil
	}
	return k
}

// formulaEnv implements formula.Env while one formula is checked. It gives access to the names of the script and to the
// values of the formula's parameters.
type formulaEnv struct {
	e    *evaluator    // evaluator whose statement is the formula's definition
	args []kernels.Arg // parameters after x and y; they hide names of the script
}

// Number returns the value of a name, which must be a parameter of the formula or be bound to a number.
func (env formulaEnv) Number(n *ast.IdentifierNode) (float64, bool) {
	for _, a := range env.args {
		if a.Param == n.Value {
			return a.Value, true
		}
	}
	// Record that the formula uses the name, so that a sweep over the name makes the formula again.
	v := env.e.name(n)
	if f, ok := v.Data.(kernels.Free); ok && v.Type == Free {
		return f.Value, true
	}
	if v.Type != Number && v.Type != anything { // e.name has reported an unbound name, and then returns the type anything
		env.e.fail(n, Number, fmt.Sprintf("%s is %s, but a formula can use only its points and numbers of the script", n.Value, v.Type.a()), "")
	}
	x, ok := v.Data.(float64)
	return x, ok
}

// Fail reports a mistake at node n.
func (env formulaEnv) Fail(n ast.Node, message, hint string) { env.e.fail(n, anything, message, hint) }

// UnknownFunction reports a call of a function that formulas cannot call.
func (env formulaEnv) UnknownFunction(callee *ast.IdentifierNode) {
	// The name may be a function of the script language.
	if index[callee.Value] != nil {
		// the user probably wants to combine kernels
		env.e.fail(callee, anything, fmt.Sprintf("%s cannot be called in a formula", callee.Value),
			"combine kernels outside the formula: "+env.e.st.Name+" + "+callee.Value+"(…)")
		return
	}
	env.e.fail(callee, anything, fmt.Sprintf("unknown function %q", callee.Value), suggest(callee.Value, formula.Known()))
}

// Place returns the source position of a node in the script.
func (env formulaEnv) Place(n ast.Node) string {
	st := env.e.st
	line, col := st.Source.Position(st.Span(n).From)
	return fmt.Sprintf("%s:%d:%d", st.Source.File, line, col)
}

// definitions returns the lines of script that define the given formulas. The line of a free hyperparameter appears once,
// above the first formula that uses it.
func definitions(found []kernels.Formula) string {
	var b strings.Builder
	for _, f := range found {
		body := cmp.Or(f.Body, "<a Go function>") // a kernel bound by Put has no text
		for _, free := range f.Free {
			if line := fmt.Sprintf("%s = %s\n", free.Name, free); !strings.Contains(b.String(), line) {
				b.WriteString(line)
			}
		}
		fmt.Fprintf(&b, "%s(%s) = %s\n", f.Name, f.Params, body)
	}
	return b.String()
}
