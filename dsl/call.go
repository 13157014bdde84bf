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

// call is one call of a function, with its arguments matched to the parameters.
type call struct {
	e     *evaluator    // evaluates the call; its st is the statement of node
	fn    *Function     // from the catalogue, or built from a formula with parameters
	node  *ast.CallNode // as written; it also identifies the call that a sweep varies
	args  []argument    // one per parameter; Node is nil if not given
	rest  []argument    // further positional arguments
	named []argument    // further named arguments, in the order given
}

// argument is a value and its expression. The value has no type if no argument is given.
type argument struct {
	value
	Name string           // the parameter's, or as written for further named arguments; "" in rest
	Node ast.Node         // nil if the script does not give it
	key  ast.Node         // the name, if written: f(key=node)
	st   *front.Statement // the statement of Node, if it is not that of the call
}

// argumentError is an error of a file or a computation that is shown under one argument. Functions return it instead of a plain
// error, which is shown under the whole call.
type argumentError struct {
	param   string // the argument that it is shown under, or the call if not given
	message string // the mistake, in a sentence that does not repeat err
	err     error  // the cause, shown below the message; never nil
	hint    string // what to write instead; may be ""
}

// Error returns the message; failWith adds the cause.
func (e *argumentError) Error() string { return e.message }

// call evaluates a call. It evaluates the arguments even if the function is unknown, since they may also hold mistakes. After a
// mistake among the arguments, the value has only the function's type, which avoids follow-up errors.
func (e *evaluator) call(n *ast.CallNode) value {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok { // a method call such as p.best()
		hint := "values have parts but no methods: write f(p) instead of p.f()"
		if m, is := n.Callee.(*ast.MemberNode); is {
			if s, is := m.Property.(*ast.StringNode); is && foreignWord(s.Value) != "" {
				hint = foreignWord(s.Value)
			}
		}
		return e.fail(n, anything, "only a function can be called", hint)
	}
	if callee.Value == front.TextCall { // a text with braces, which package front writes as a call
		return withValues(e, n)
	}
	fn := e.function(callee)
	if fn == nil {
		for _, a := range argumentsOf(n) {
			e.eval(a)
		}
		if v, bound := e.lookup(callee.Value); bound {
			e.use(callee.Value)
			if !v.known() && (v.Type == Kernel || v.Type == anything) { // a formula that has a mistake itself
				return unknown(v.Type)
			}
			return e.fail(n, v.Type, fmt.Sprintf("%s is %s and not a function", callee.Value, v.Type.a()), "write "+callee.Value+" alone")
		}
		return e.fail(callee, anything, fmt.Sprintf("unknown function %q", callee.Value), suggestFunction(callee.Value))
	}
	// Overrides come before the comparison with parameters, so that swept values are compared too.
	c := &call{e: e, fn: fn, node: n, args: make([]argument, len(fn.Params))}
	before := e.mistakes
	c.match()
	c.override()
	for i, p := range fn.Params {
		c.checkArgument(p, &c.args[i])
	}
	for i := range c.rest { // the last parameter describes further arguments
		c.checkArgument(fn.Params[len(fn.Params)-1], &c.rest[i])
	}
	// A missing argument is reported only if all written ones are right: a misspelled name may be the reason.
	if e.mistakes > before || !c.complete() {
		return unknown(c.result())
	}
	// Conflicting arguments are checked both before the script and before the call: some values are known only then.
	pure := c.pure()
	if fn.check != nil {
		fn.check(c)
	}
	c.checkWriting()
	// A check only examines a call that reads or runs something.
	if e.dry && !pure {
		if fn.early != nil {
			fn.early(c)
		}
		c.checkFiles()
		return value{Type: fn.Result, outline: outlineCall(c)}
	}
	if e.mistakes > before {
		return unknown(fn.Result)
	}
	return c.finish(fn.eval(c))
}

// checkWriting reports a call that writes files although the caller forbids it. Opening a campaign also counts, since it writes to
// the folder.
func (c *call) checkWriting() {
	if !c.e.session.opt.ReadOnly {
		return
	}
	const hint = "to allow this, run the script without --no-write"
	for i, p := range c.fn.Params {
		if path, given := c.args[i].Data.(string); given && (p.words == wordsOutput || p.words == wordsStore) {
			c.fail(c.args[i], fmt.Sprintf("%s: this run must not write files, such as %q", c.fn.Name, path), hint)
			return
		}
	}
	if c.fn.Section == SectionCampaign && c.fn.Name != "protocol" {
		c.e.fail(c.node, c.fn.Result, c.fn.Name+": this run must not write files, such as a campaign's folder", hint)
	}
}

// result returns the type of a value that is not known: a function of numbers returns a list if it is given one.
func (c *call) result() Type {
	if c.fn.each && c.args[0].Type == List {
		return List
	}
	return c.fn.Result
}

// function returns the called function: one of the catalogue, or a formula with parameters, which a sweep may have changed; nil if
// there is none.
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
		e.use(callee.Value) // the value depends on its definition
	}
	return fn
}

// override replaces arguments with the session's seed and swept values.
func (c *call) override() {
	// A sweep comes second, because it may vary the seed.
	if i := c.fn.param("seed"); i >= 0 && c.e.session.opt.Seed != nil {
		c.args[i].value = numberValue(float64(*c.e.session.opt.Seed))
	}
	if c.e.swept != nil {
		c.e.swept.override(c)
	}
}

// argumentsOf iterates over the arguments of a call, each with the node of its name, or nil. Package front puts the named arguments
// into one map literal, the last argument.
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

// match evaluates the arguments and assigns each to its parameter. It stops at the first surplus argument.
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
			// Words for the smallest counts.
			most := fmt.Sprintf("at most %d arguments", len(c.fn.Params))
			if few := []string{"no arguments", "one argument"}; len(c.fn.Params) < len(few) {
				most = few[len(c.fn.Params)]
			}
			e.fail(n, c.fn.Result, fmt.Sprintf("%s takes %s", c.fn.Name, most), "write "+c.fn.Signature())
			return
		}
		position++ // named arguments are not counted
	}
}

// matchNamed assigns a named argument to its parameter, or to the further named arguments.
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

// finish turns the data of a function into a value, and its error into an error under the argument that caused it. Data is a Go
// value of the function's Result type, or a value. Nil data without an error means that eval reported a mistake, or that there is
// nothing to return. An interrupted run returns both data and an error.
func (c *call) finish(data any, err error) value {
	if err != nil {
		c.failed(err)
	}
	if data == nil || err != nil && c.e.stopped == nil { // an interrupt may leave a partial value
		return unknown(c.fn.Result)
	}
	if v, ok := data.(value); ok {
		return v
	}
	return value{Type: c.fn.Result, Data: data}
}

// failed reports the error of a function: a kernel's error under the wrong argument, a computation's error under the call.
func (c *call) failed(err error) {
	// After the context has ended, every error counts as the interrupt, which Eval reports.
	if stopped := c.e.ctx.Err(); stopped != nil {
		c.e.stopped = stopped
		return
	}
	// The error of a call that reads nothing is about an argument, which it names, see culprit.
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
	// Too many mistakes: this one was not reported.
	for _, e := range c.e.errs[before:] {
		e.Cause, e.Err = a.err.Error(), a.err
	}
}

// withoutMeans states what a function needs if the expected rewards are unknown, by the names of its parameters.
func withoutMeans(c *call) string {
	switch c.fn.Name {
	case "protocol": // plan does not apply to real measurements
		return "state norm=, a bound on the norm of the expected rewards, and gap=, the smallest difference to detect; CoBayesFC and " +
			"CoTestFC need neither"
	case "design", "spectrum": // only xi depends on them
		return `write xi=0.01, or another number; or give norm= and gap=, from which "auto" computes it`
	}
	return "plan(p, gaps=…) predicts the samples of runs from assumed gaps"
}

// culprit returns the argument, or the element of its list, that an error is about; if the error names none, the first argument.
// Errors of package kernels name parameters as the catalogue does.
func (c *call) culprit(err error) argument {
	at, _ := lists.First(c.args, func(a argument) bool { return a.Node != nil })
	var wrong *kernels.ParamError
	if !errors.As(err, &wrong) {
		return at
	}
	if i := c.fn.param(wrong.Param); i >= 0 && c.args[i].Node != nil {
		at = c.args[i]
		// An index refers to the elements of a written list; any other list has one place.
		if list, ok := at.Node.(*ast.ArrayNode); ok && wrong.Index >= 0 && wrong.Index < len(list.Nodes) {
			at.Node = list.Nodes[wrong.Index]
		}
	}
	return at
}
