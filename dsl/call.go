package dsl

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// call is one call of a function with its arguments matched to the parameters.
type call struct {
	e     *evaluator
	fn    *Function
	node  *ast.CallNode
	args  []argument // one per parameter; Node is nil where it is not given
	rest  []argument // further positional arguments
	named []argument // further named arguments, in the order given
}

// argument is a value and the expression it is from.
type argument struct {
	value
	Name string
	Node ast.Node
	key  ast.Node         // the name where it is written out, f(key=node)
	st   *front.Statement // the statement of Node, where that is not the one of the call
}

// argumentError holds an error of a file or a computation, to be shown under one argument.
type argumentError struct {
	param   string
	message string
	err     error
	hint    string
}

func (e *argumentError) Error() string { return e.message }

// call evaluates a call. Arguments are evaluated even where the function is not known, since they
// may hold mistakes, too.
func (e *evaluator) call(n *ast.CallNode) value {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		hint := "values have parts and no methods: write f(p) in place of p.f()"
		if m, is := n.Callee.(*ast.MemberNode); is {
			if s, is := m.Property.(*ast.StringNode); is && foreignWord(s.Value) != "" {
				hint = foreignWord(s.Value)
			}
		}
		return e.fail(n, anything, "only a function can be called", hint)
	}
	if callee.Value == front.TextCall {
		return withValues(e, n)
	}
	fn := e.function(callee)
	if fn == nil {
		for _, a := range argumentsOf(n) {
			e.eval(a)
		}
		if v, bound := e.lookup(callee.Value); bound {
			e.use(callee.Value)
			if !v.known() && (v.Type == Kernel || v.Type == anything) { // a formula with a mistake of its own
				return unknown(v.Type)
			}
			return e.fail(n, v.Type, fmt.Sprintf("%s is %s and not a function", callee.Value, v.Type.a()), "write "+callee.Value+" alone")
		}
		return e.fail(callee, anything, fmt.Sprintf("unknown function %q", callee.Value), suggestFunction(callee.Value))
	}
	c := &call{e: e, fn: fn, node: n, args: make([]argument, len(fn.Params))}
	before := e.mistakes
	c.match()
	c.override()
	for i, p := range fn.Params {
		c.checkArgument(p, &c.args[i])
	}
	for i := range c.rest {
		c.checkArgument(fn.Params[len(fn.Params)-1], &c.rest[i])
	}
	if e.mistakes > before || !c.complete() {
		return unknown(fn.Result)
	}
	pure := c.pure()
	if fn.check != nil {
		fn.check(c)
	}
	if e.dry && !pure {
		if fn.early != nil {
			fn.early(c)
		}
		c.checkFiles()
		return value{Type: fn.Result, outline: outlined(c)}
	}
	if e.mistakes > before {
		return unknown(fn.Result)
	}
	return c.finish(fn.eval(c))
}

// function returns the function that is called: of the catalogue, or a formula with parameters as it is
// in a sweep; nil where there is none.
func (e *evaluator) function(callee *ast.IdentifierNode) *Function {
	if fn := index[callee.Value]; fn != nil {
		return fn
	}
	v, bound := e.lookup(callee.Value)
	if !bound {
		return nil
	}
	fn := formulaFunction(v)
	if fn != nil {
		e.use(callee.Value)
	}
	return fn
}

// override replaces arguments from outside the script: the seed of the session, and
// what a sweep sets.
func (c *call) override() {
	if i := c.fn.param("seed"); i >= 0 && c.e.session.opt.Seed != nil {
		c.args[i].value = numberValue(float64(*c.e.session.opt.Seed))
	}
	if c.e.swept != nil {
		c.e.swept.override(c)
	}
}

// argumentsOf goes through the arguments of a call, each with the node of its name, nil for one without.
func argumentsOf(n *ast.CallNode) iter.Seq2[ast.Node, ast.Node] {
	return func(yield func(name, argument ast.Node) bool) {
		for _, a := range n.Arguments {
			named, is := a.(*ast.MapNode)
			if !is && !yield(nil, a) {
				return
			}
			for i := 0; is && i < len(named.Pairs); i++ {
				if pair := named.Pairs[i].(*ast.PairNode); !yield(pair.Key, pair.Value) {
					return
				}
			}
		}
	}
}

// match evaluates the arguments and gives each to its parameter.
func (c *call) match() {
	e, position := c.e, 0
	for key, n := range argumentsOf(c.node) {
		if key != nil {
			c.matchNamed(key, n)
			continue
		}
		a := argument{value: e.eval(n), Node: n}
		switch {
		case position < len(c.args):
			a.Name = c.fn.Params[position].Name
			c.args[position] = a
		case c.fn.Variadic != "":
			c.rest = append(c.rest, a)
		default:
			most := fmt.Sprintf("at most %d arguments", len(c.fn.Params))
			if few := []string{"no arguments", "one argument"}; len(c.fn.Params) < len(few) {
				most = few[len(c.fn.Params)]
			}
			e.fail(n, c.fn.Result, fmt.Sprintf("%s takes %s", c.fn.Name, most), "write "+c.fn.Signature())
			return
		}
		position++
	}
}

func (c *call) matchNamed(key, n ast.Node) {
	name := key.(*ast.StringNode).Value
	a := argument{value: c.e.eval(n), Name: name, Node: n, key: key}
	at := c.fn.param(name)
	switch {
	case at < 0 && c.fn.Named == "":
		c.e.fail(key, c.fn.Result, fmt.Sprintf("%s has no parameter %q", c.fn.Name, name), c.fn.suggestParam(name))
	case at < 0 && slices.ContainsFunc(c.named, func(b argument) bool { return b.Name == name }), at >= 0 && c.args[at].Node != nil:
		c.e.fail(key, c.fn.Result, fmt.Sprintf("%s is given twice", name), "")
	case at < 0:
		c.named = append(c.named, a)
	default:
		c.args[at] = a
	}
}

// finish turns what a function returned into a value, and its error into an error
// under the argument that caused it. A run that was interrupted returns both.
func (c *call) finish(data any, err error) value {
	if err != nil {
		c.failed(err)
	}
	if data == nil || err != nil && c.e.stopped == nil {
		return unknown(c.fn.Result)
	}
	if v, ok := data.(value); ok {
		return v
	}
	return value{Type: c.fn.Result, Data: data}
}

// failed reports the error of a function: of a kernel under the argument that is wrong, of a
// computation under the call.
func (c *call) failed(err error) {
	if stopped := c.e.ctx.Err(); stopped != nil {
		c.e.stopped = stopped
		return
	}
	if c.pure() {
		message, hint := err.Error(), ""
		if near := (*kernels.NearError)(nil); errors.As(err, &near) {
			message, hint = near.Err.Error(), "a table near this one that is positive semi-definite: "+near.Near
		}
		c.fail(c.culprit(err), message, hint)
		return
	}
	a, ok := err.(*argumentError)
	if !ok {
		a = &argumentError{message: c.fn.Name + " failed", err: err}
		if errors.Is(err, engine.ErrUnknownMeans) {
			a.hint = withoutMeans(c)
		}
	}
	at := argument{Node: c.node}
	if i := c.fn.param(a.param); i >= 0 && c.args[i].Node != nil {
		at = c.args[i]
	}
	c.failWith(at, a)
}

// failWith reports the error of a file or a computation under an argument.
func (c *call) failWith(at argument, a *argumentError) {
	before := len(c.e.errs)
	c.fail(at, a.message, a.hint)
	for _, e := range c.e.errs[before:] {
		e.Cause, e.Err = a.err.Error(), a.err
	}
}

// withoutMeans says what a function that knows no expected rewards needs, by the names of its parameters.
func withoutMeans(c *call) string {
	switch c.fn.Name {
	case "protocol": // of real measurements, which plan does not answer for
		return "state norm=, a bound on the norm of the expected rewards, and gap=, the smallest difference to find; CoBayesFC and " +
			"CoTestFC need neither"
	case "design", "spectrum": // where only xi depends on them
		return `give xi= a number, such as xi=0.01; or give norm= and gap=, from which "auto" follows`
	}
	return "plan(p, gaps=…) predicts what runs take from gaps that are assumed"
}

// culprit returns the argument, or the element of its list, that an error is about; of one that
// names none, the first argument.
func (c *call) culprit(err error) argument {
	at, _ := lists.First(c.args, func(a argument) bool { return a.Node != nil })
	var wrong *kernels.ParamError
	if !errors.As(err, &wrong) {
		return at
	}
	if i := c.fn.param(wrong.Param); i >= 0 && c.args[i].Node != nil {
		at = c.args[i]
		if list, ok := at.Node.(*ast.ArrayNode); ok && wrong.Index >= 0 && wrong.Index < len(list.Nodes) {
			at.Node = list.Nodes[wrong.Index]
		}
	}
	return at
}
