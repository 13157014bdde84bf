package dsl

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/dsl/internal/formula"
	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// formula makes the kernel that `name(x, y) = …` defines. Column names and numbers
// are looked up when the kernel meets its points.
func (e *evaluator) formula(st *front.Statement) value {
	if len(st.Params) != 2 {
		e.failAt(st.Params[len(st.Params)-1].At, fmt.Sprintf("a formula has two parameters, the points, but %s has %d", st.Name, len(st.Params)), "bind other numbers to names of the script and use those")
		return unknown(Kernel)
	}
	x, y := st.Params[0], st.Params[1]
	if x.Name == y.Name {
		e.failAt(y.At, "the two points have the same name", "write "+st.Name+"(x, y) = …")
		return unknown(Kernel)
	}
	definition := formula.Check(st.Name, x.Name, y.Name, st.Node, formulaEnv{e})
	if definition == nil {
		return unknown(Kernel)
	}
	k := kernels.Formula{
		Name: st.Name, Params: x.Name + ", " + y.Name,
		Body: st.Code(),
	}
	var names []string // in the formula, of the free numbers
	own := map[string]string{}
	for _, name := range definition.Names() {
		v, _ := e.lookup(name)
		if f, ok := v.Data.(kernels.Free); ok && !f.Fixed() {
			if definition.Chooses(name) {
				return e.fail(st.Node, Kernel, fmt.Sprintf("the free number %s chooses a column, which cannot be fitted", name), "write the number of the column")
			}
			names, k.Free = append(names, name), append(k.Free, f)
			own[name] = f.Name // which is another one when the number was bound again
		}
	}
	k.Body = st.CodeWith(own)
	return kernelValue(compiled(k, names, definition, st))
}

// compiled returns a formula that finds its columns when it meets points, and takes other values
// for its free numbers, which have these names in the text.
func compiled(k kernels.Formula, names []string, definition *formula.Definition, st *front.Statement) kernels.Formula {
	k.At = func(free []kernels.Free) kernels.Formula {
		values, texts := map[string]float64{}, map[string]string{}
		at := k
		at.Free = nil
		var left []string
		for i, f := range free {
			values[names[i]], texts[names[i]] = f.Value, f.Name
			if f.Fixed() {
				texts[names[i]] = formatNumber(f.Value)
				continue
			}
			at.Free, left = append(at.Free, f), append(left, names[i])
		}
		at.Body = st.CodeWith(texts)
		return compiled(at, left, definition.With(values), st)
	}
	k.Resolve = func(columns []string) (kernels.Formula, error) {
		program, err := definition.Resolve(columns)
		if err != nil {
			return k, err
		}
		resolved := k
		resolved.Pair = func(x, y kernels.Point) float64 { return program.Pair(x.X, y.X) }
		resolved.Rows = func(dst []float64, x kernels.Point, ys *kernels.Points, from int) {
			program.Rows(dst, x.X, ys.X, from)
		}
		return resolved, nil
	}
	return k
}

// formulaEnv is the script around a formula.
type formulaEnv struct{ e *evaluator }

// Number looks up a name, which must be bound to a number.
func (env formulaEnv) Number(n *ast.IdentifierNode) (float64, bool) {
	v := env.e.name(n)
	if f, ok := v.Data.(kernels.Free); ok && v.Type == Free {
		return f.Value, true
	}
	if v.Type != Number && v.Type != anything {
		env.e.fail(n, Number, fmt.Sprintf("%s is %s; names in a formula are its points and numbers of the script", n.Value, v.Type.a()), "")
	}
	x, ok := v.Data.(float64)
	return x, ok
}

// Fail reports a mistake.
func (env formulaEnv) Fail(n ast.Node, message, hint string) { env.e.fail(n, anything, message, hint) }

// UnknownFunction reports a call that formulas do not have.
func (env formulaEnv) UnknownFunction(callee *ast.IdentifierNode) {
	if index[callee.Value] != nil {
		env.e.fail(callee, anything, fmt.Sprintf("%s cannot be called in a formula", callee.Value), "kernels are combined outside: "+env.e.st.Name+" + "+callee.Value+"(…)")
		return
	}
	env.e.fail(callee, anything, fmt.Sprintf("unknown function %q", callee.Value), suggest(callee.Value, formula.Known()))
}

// Place says where a node is in the script.
func (env formulaEnv) Place(n ast.Node) string {
	source := env.e.st.Source
	line, col := source.Position(env.e.st.Span(n).From)
	return fmt.Sprintf("%s:%d:%d", source.File, line, col)
}

// definitions returns the lines that define the formulas of a kernel.
func definitions(found []kernels.Formula) string {
	var b strings.Builder
	for _, f := range found {
		body := f.Body
		if body == "" {
			body = "<a Go function>"
		}
		for _, free := range f.Free {
			if line := fmt.Sprintf("%s = %s\n", free.Name, free); !strings.Contains(b.String(), line) {
				b.WriteString(line)
			}
		}
		fmt.Fprintf(&b, "%s(%s) = %s\n", f.Name, f.Params, body)
	}
	return b.String()
}
