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

// evalFormula makes the kernel that `name(x, y) = …` defines. Column names and numbers
// are looked up when the kernel meets its points.
// A formula with further parameters is a kernel as well: the one with the values in its head.
func evalFormula(e *evaluator, st *front.Statement) value {
	if len(st.Params) < 2 { // package front allows a single parameter
		e.failAt(st.Params[0].At, fmt.Sprintf("a formula has two points, but %s has %d", st.Name, len(st.Params)), "write "+st.Name+"(x, y) = …")
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
	// Head and body as they are shown and compared; the values follow below.
	k := kernels.Formula{
		Name: st.Name, Params: x.Name + ", " + y.Name, Args: args,
		Body: st.Code(),
	}
	// What of the formula may be fitted: the free numbers of the script that it reads are k.Free; free values of its own
	// parameters are in k.Args. The kernel's text names them all.
	var names []string         // in the formula, of the free numbers
	own := map[string]string{} // what stands in the text for a name of the body
	given := map[string]bool{} // by parameter, whether its value is fixed
	for _, a := range args {
		k.Params += fmt.Sprintf(", %s=%s", a.Param, a)
		given[a.Param] = a.Fixed()
	}
	// Each name that the formula reads is a parameter, a plain number or a free number.
	for _, name := range definition.Names() {
		fixed, isArg := given[name]
		v, _ := e.lookup(name)
		f, isFree := v.Data.(kernels.Free)
		switch free := isFree && !f.Fixed(); {
		case fixed, !isArg && !free: // a plain number
		case definition.Chooses(name):
			return e.fail(st.Node, Kernel, fmt.Sprintf("the free number %s chooses a column, which cannot be fitted", name),
				"write the number of the column")
		// A parameter keeps its name in the text: the head says what it is.
		case !isArg:
			names, k.Free = append(names, name), append(k.Free, f)
			own[name] = f.Name // which is another one when the number was bound again
		}
	}
	k.Body = st.CodeWith(own)
	return kernelValue(compiled(k, names, definition, st))
}

// formulaParameters returns the further parameters of a formula with their numbers.
// They are evaluated in the scope of the script, where the points have no value. The second result is false after a
// mistake, which is reported, and where a value is not known for a mistake elsewhere.
func formulaParameters(e *evaluator, st *front.Statement) ([]kernels.Arg, bool) {
	before := e.mistakes
	seen := map[string]bool{}
	var args []kernels.Arg
	for i, p := range st.Params {
		switch {
		case seen[p.Name] && i == 1: // f(x, x)
			e.failAt(p.At, "the two points have the same name", "write "+st.Name+"(x, y) = …")
		case seen[p.Name]:
			e.failAt(p.At, fmt.Sprintf("%s is a parameter already", p.Name), "choose another name")
		case i < 2 && p.Default != nil:
			e.failAt(p.At, "the first two parameters are the points, which have no value", "write "+st.Name+"(x, y, a=1) = …")
		case i < 2: // a point, which needs no value
		case p.Default == nil:
			e.failAt(p.At, fmt.Sprintf("the parameter %s has no value", p.Name),
				fmt.Sprintf("write %s=1: the two points come first, and every further parameter has a value", p.Name))
		case taken(p.Name):
			e.failAt(p.At, fmt.Sprintf("%s is a name of the language and cannot be bound", p.Name), "choose another name")
		default:
			// In the scope of the script: a value may name numbers, but no points or parameters.
			v := e.eval(p.Default)
			f, free := freeNumber(v.Data)
			if v.known() && !free {
				e.fail(p.Default, Kernel, fmt.Sprintf("%s is %s; it must be a number or a free number", p.Name, v.Type.a()), "")
			}
			if !v.known() && e.mistakes == before {
				return nil, false // as one of its own definition will say
			}
			args = append(args, kernels.Arg{Param: p.Name, Free: f}) // of a free number its start value counts until it is fitted
		}
		seen[p.Name] = true
	}
	return args, e.mistakes == before
}

// freeNumber takes a number for a free one that is fixed.
func freeNumber(data any) (kernels.Free, bool) {
	switch data := data.(type) {
	case kernels.Free:
		return data, true
	case float64:
		return kernels.Free{Value: data, Min: data, Max: data}, true
	}
	return kernels.Free{}, false
}

// formulaFunction returns the function that a formula with further parameters is, nil for another value.
// The formula is called by the rules of any function, so it has parameters and defaults.
func formulaFunction(v value) *Function {
	k, ok := v.Data.(kernels.Formula)
	if !ok || k.Call == nil {
		return nil
	}
	// A default is the text of the argument in the head, as signatures show it.
	f := &Function{Name: k.Name, Section: SectionKernels, Doc: fmt.Sprintf("the formula %s(%s) = %s", k.Name, k.Params, k.Body),
		Result: Kernel, Example: k.String(), pure: true, Params: lists.Map(k.Args, func(a kernels.Arg) Param {
			return Param{Name: a.Param, Types: []Type{Number, Free}, Range: anyNumber, Default: a.String(), Doc: "a number of the formula"}
		})}
	// An argument that is not given, or is not known, has the value of the head.
	f.eval = func(c *call) (any, error) {
		made, err := k.Call(lists.Make(len(k.Args), func(i int) kernels.Free {
			if given, ok := freeNumber(c.args[i].Data); ok {
				return given
			}
			return k.Args[i].Free
		}))
		return kernels.Kernel(made), err
	}
	return f
}

// function returns the function that a name stands for: one of the catalogue, or a formula with
// formulaParameters that is bound; nil for neither.
func (s scope) function(name string) *Function {
	if fn := index[name]; fn != nil {
		return fn
	}
	if b := s[name]; b != nil {
		return formulaFunction(b.value)
	}
	return nil
}

// compiled returns a formula that finds its columns when it meets points, and takes other values
// for its free numbers, which have these names in the text, and for its arguments.
// It is called again for each set of values, and the functions that it sets keep their own definition.
func compiled(k kernels.Formula, names []string, definition *formula.Definition, st *front.Statement) kernels.Formula {
	// At takes a number for each free number, in the order of names, and then for each argument that is not fixed.
	k.At = func(free []kernels.Free) kernels.Formula {
		values, texts := map[string]float64{}, map[string]string{}
		at := k
		at.Free, at.Args = nil, slices.Clone(k.Args)
		var remaining []string
		for i, name := range names {
			f := free[i]
			if values[name], texts[name] = f.Value, f.Name; f.Fixed() {
				texts[name] = formatNumber(f.Value) // a number that is fixed now is written out
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
		return compiled(at, remaining, definition.With(values), st)
	}
	k.Call = nil // of the formula that k was copied from
	if len(k.Args) > 0 {
		// Call takes a number for each argument. Other numbers may choose a column that is none.
		k.Call = func(args []kernels.Free) (kernels.Formula, error) {
			// A copy: the numbers of the script stay, and the arguments replace what the head gives the parameters.
			values := definition.Numbers()
			at := k
			at.Args = slices.Clone(k.Args)
			for i, a := range args {
				at.Args[i].Free = a
				values[at.Args[i].Param] = a.Value
				// A fit would move the number between columns.
				if definition.Chooses(at.Args[i].Param) && !a.Fixed() {
					return k, &kernels.ParamError{Kernel: k.Name, Param: at.Args[i].Param, Index: -1,
						Message: "is free, but chooses a column, which cannot be fitted"}
				}
			}
			made := definition.With(values)
			if n := made.Misplaced(); n != nil {
				return k, fmt.Errorf("%s: in its formula, at %s: %s", st.Name, st.Text(n), formula.ColumnRule)
			}
			return compiled(at, names, made, st), nil
		}
	}
	// Resolve is called when the kernel meets points, for their columns; what it returns can be computed.
	k.Resolve = func(columns []string) (kernels.Formula, error) {
		program, err := definition.Resolve(columns) // its errors name the formula and the place
		if err != nil {
			return k, err
		}
		resolved := k // with Pair and Rows, which k lacks: they need the columns
		resolved.Pair = func(x, y kernels.Point) float64 { return program.Pair(x.X, y.X) }
		resolved.Rows = func(dst []float64, x kernels.Point, ys *kernels.Points, from int) {
			program.Rows(dst, x.X, ys.X, from)
		}
		return resolved, nil
	}
	return k
}

// formulaEnv is the script around a formula, with the numbers of its parameters.
// It is the formula.Env of the language, for the time of one check.
type formulaEnv struct {
	e    *evaluator    // whose statement is the definition
	args []kernels.Arg // the further parameters, which hide names of the script
}

// Number looks up a name, which must be a parameter or bound to a number.
func (env formulaEnv) Number(n *ast.IdentifierNode) (float64, bool) {
	for _, a := range env.args {
		if a.Param == n.Value {
			return a.Value, true
		}
	}
	// Names are noted as used, so that a sweep over one of them makes the formula again.
	v := env.e.name(n)
	if f, ok := v.Data.(kernels.Free); ok && v.Type == Free {
		return f.Value, true
	}
	if v.Type != Number && v.Type != anything { // e.name reports what is not bound, and gives any type
		env.e.fail(n, Number, fmt.Sprintf("%s is %s; names in a formula are its points and numbers of the script", n.Value, v.Type.a()), "")
	}
	x, ok := v.Data.(float64)
	return x, ok
}

// Fail reports a mistake.
func (env formulaEnv) Fail(n ast.Node, message, hint string) { env.e.fail(n, anything, message, hint) }

// UnknownFunction reports a call that formulas do not have.
func (env formulaEnv) UnknownFunction(callee *ast.IdentifierNode) {
	// A function of the language is known, and still none of formulas.
	if index[callee.Value] != nil {
		// combining kernels is the usual mistake here
		env.e.fail(callee, anything, fmt.Sprintf("%s cannot be called in a formula", callee.Value),
			"kernels are combined outside: "+env.e.st.Name+" + "+callee.Value+"(…)")
		return
	}
	env.e.fail(callee, anything, fmt.Sprintf("unknown function %q", callee.Value), suggest(callee.Value, formula.Known()))
}

// Place says where a node is in the script.
func (env formulaEnv) Place(n ast.Node) string {
	st := env.e.st
	line, col := st.Source.Position(st.Span(n).From)
	return fmt.Sprintf("%s:%d:%d", st.Source.File, line, col)
}

// definitions returns the lines that define the formulas of a kernel.
// Each free number is defined once, above the formula that uses it first.
func definitions(found []kernels.Formula) string {
	var b strings.Builder
	for _, f := range found {
		body := cmp.Or(f.Body, "<a Go function>") // a kernel of Put has no text
		for _, free := range f.Free {
			if line := fmt.Sprintf("%s = %s\n", free.Name, free); !strings.Contains(b.String(), line) {
				b.WriteString(line)
			}
		}
		fmt.Fprintf(&b, "%s(%s) = %s\n", f.Name, f.Params, body)
	}
	return b.String()
}
