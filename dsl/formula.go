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

// evalFormula makes the kernel that `name(x, y) = …` defines. Column names and numbers are looked up when the kernel is given its
// points. A formula with further parameters is also a kernel: the one with the default values.
func evalFormula(e *evaluator, st *front.Statement) value {
	if len(st.Params) < 2 { // package front allows a single parameter
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
	// Head and body are shown and compared; the values follow below.
	k := kernels.Formula{
		Name: st.Name, Params: x.Name + ", " + y.Name, Args: args,
		Body: st.Code(),
	}
	// A fit may change the free hyperparameters of the script that the formula reads, in k.Free, and free values of its own parameters, in
	// k.Args. The kernel's text contains them all.
	var names []string         // free hyperparameters, by their name in the formula
	own := map[string]string{} // the text that replaces a name of the body
	given := map[string]bool{} // by parameter: whether its value is fixed
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
		// A parameter keeps its name in the text; the head gives its value.
		case !isArg:
			names, k.Free = append(names, name), append(k.Free, f)
			own[name] = f.Name // another name, if the number was bound again
		}
	}
	k.Body = st.CodeWith(own)
	return kernelValue(compileFormula(k, names, definition, st))
}

// formulaParameters returns the further parameters of a formula with their numbers. It evaluates them in the scope of the script,
// where the points have no value. The result is false after a reported mistake, and if a value is unknown because of a mistake
// elsewhere.
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
		case i < 2: // a point has no value
		case p.Default == nil:
			e.failAt(p.At, fmt.Sprintf("the parameter %s has no value", p.Name),
				fmt.Sprintf("write %s=1: the two points come first, and every further parameter has a value", p.Name))
		case isReserved(p.Name):
			e.failAt(p.At, fmt.Sprintf("%s is a name of the language and cannot be redefined", p.Name), "choose another name")
		default:
			// A value may use numbers of the script, but no points or parameters.
			v := e.eval(p.Default)
			f, free := freeHyperparameter(v.Data)
			if v.known() && !free {
				e.fail(p.Default, Kernel, fmt.Sprintf("%s is %s; it must be a number or a free hyperparameter", p.Name, v.Type.a()), "")
			}
			if !v.known() && e.mistakes == before {
				return nil, false // its own definition has a mistake
			}
			args = append(args, kernels.Arg{Param: p.Name, Free: f}) // a free hyperparameter has its start value until it is fitted
		}
		seen[p.Name] = true
	}
	return args, e.mistakes == before
}

// freeHyperparameter converts a number to a fixed free hyperparameter; other free hyperparameters are returned unchanged.
func freeHyperparameter(data any) (kernels.Free, bool) {
	switch data := data.(type) {
	case kernels.Free:
		return data, true
	case float64:
		return kernels.Free{Value: data, Min: data, Max: data}, true
	}
	return kernels.Free{}, false
}

// formulaFunction returns a formula with further parameters as a function; nil for another value. It is then called like any other
// function.
func formulaFunction(v value) *Function {
	k, ok := v.Data.(kernels.Formula)
	if !ok || k.Call == nil {
		return nil
	}
	// Signatures show the argument in the formula's head as default.
	f := &Function{Name: k.Name, Section: SectionKernels, Doc: fmt.Sprintf("the formula %s(%s) = %s", k.Name, k.Params, k.Body),
		Result: Kernel, Example: k.String(), pure: true, Params: lists.Map(k.Args, func(a kernels.Arg) Param {
			return Param{Name: a.Param, Types: []Type{Number, Free}, Range: anyNumber, Default: a.String(), Doc: "a number of the formula"}
		})}
	// A missing or unknown argument has the value from the head.
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

// function returns the function of a name: one of the catalogue, or a bound formula with further parameters; nil for neither.
func (s scope) function(name string) *Function {
	if fn := index[name]; fn != nil {
		return fn
	}
	if b := s[name]; b != nil {
		return formulaFunction(b.value)
	}
	return nil
}

// compileFormula returns a formula that finds its columns when it is given points. At and Call make the formula with other values, for
// its free hyperparameters, called names in its text, and for its arguments. Each set of values calls compiled again; the functions set
// here keep their own definition.
func compileFormula(k kernels.Formula, names []string, definition *formula.Definition, st *front.Statement) kernels.Formula {
	// At takes one number per free hyperparameter, in the order of names, and then one per argument that is not fixed.
	k.At = func(free []kernels.Free) kernels.Formula {
		values, texts := map[string]float64{}, map[string]string{}
		at := k
		at.Free, at.Args = nil, slices.Clone(k.Args)
		var remaining []string
		for i, name := range names {
			f := free[i]
			if values[name], texts[name] = f.Value, f.Name; f.Fixed() {
				texts[name] = formatNumber(f.Value) // write out a number that is now fixed
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
	k.Call = nil // belongs to the formula that k was copied from
	if len(k.Args) > 0 {
		// Call takes one number per argument. A number may choose a column that does not exist.
		k.Call = func(args []kernels.Free) (kernels.Formula, error) {
			// The arguments replace the parameters' values from the head; the script's numbers stay.
			values := definition.Numbers()
			at := k
			at.Args = slices.Clone(k.Args)
			for i, a := range args {
				at.Args[i].Free = a
				values[at.Args[i].Param] = a.Value
				// A fit would change the column.
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
	// Resolve finds the columns when the kernel is given points; the result can be evaluated.
	k.Resolve = func(columns []string) (kernels.Formula, error) {
		program, err := definition.Resolve(columns) // errors name the formula and the place
		if err != nil {
			return k, err
		}
		resolved := k // with Pair and Rows, which need the columns
		resolved.Pair = func(x, y kernels.Point) float64 { return program.Pair(x.X, y.X) }
		resolved.Rows = func(dst []float64, x kernels.Point, ys *kernels.Points, from int) {
			program.Rows(dst, x.X, ys.X, from)
		}
		return resolved, nil
	}
	return k
}

// formulaEnv implements formula.Env during one check: the script around a formula, with the values of its parameters.
type formulaEnv struct {
	e    *evaluator    // its statement is the definition
	args []kernels.Arg // the further parameters, which shadow names of the script
}

// Number looks up a name, which must be a parameter or bound to a number.
func (env formulaEnv) Number(n *ast.IdentifierNode) (float64, bool) {
	for _, a := range env.args {
		if a.Param == n.Value {
			return a.Value, true
		}
	}
	// The name is noted as used, so that a sweep over it makes the formula again.
	v := env.e.name(n)
	if f, ok := v.Data.(kernels.Free); ok && v.Type == Free {
		return f.Value, true
	}
	if v.Type != Number && v.Type != anything { // e.name reports unbound names, and gives them any type
		env.e.fail(n, Number, fmt.Sprintf("%s is %s, but a formula can use only its points and numbers of the script", n.Value, v.Type.a()), "")
	}
	x, ok := v.Data.(float64)
	return x, ok
}

// Fail reports a mistake.
func (env formulaEnv) Fail(n ast.Node, message, hint string) { env.e.fail(n, anything, message, hint) }

// UnknownFunction reports a function that does not exist in formulas.
func (env formulaEnv) UnknownFunction(callee *ast.IdentifierNode) {
	// A function of the language may not exist in formulas.
	if index[callee.Value] != nil {
		// usually an attempt to combine kernels
		env.e.fail(callee, anything, fmt.Sprintf("%s cannot be called in a formula", callee.Value),
			"combine kernels outside the formula: "+env.e.st.Name+" + "+callee.Value+"(…)")
		return
	}
	env.e.fail(callee, anything, fmt.Sprintf("unknown function %q", callee.Value), suggest(callee.Value, formula.Known()))
}

// Place returns the place of a node in the script.
func (env formulaEnv) Place(n ast.Node) string {
	st := env.e.st
	line, col := st.Source.Position(st.Span(n).From)
	return fmt.Sprintf("%s:%d:%d", st.Source.File, line, col)
}

// definitions returns the lines that define the formulas of a kernel. Each free hyperparameter is defined once, above the first formula
// that uses it.
func definitions(found []kernels.Formula) string {
	var b strings.Builder
	for _, f := range found {
		body := cmp.Or(f.Body, "<a Go function>") // a kernel from Put has no text
		for _, free := range f.Free {
			if line := fmt.Sprintf("%s = %s\n", free.Name, free); !strings.Contains(b.String(), line) {
				b.WriteString(line)
			}
		}
		fmt.Fprintf(&b, "%s(%s) = %s\n", f.Name, f.Params, body)
	}
	return b.String()
}
