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

// argumentError is an error of a file or a computation that is shown at one argument. Functions return it instead of a plain
// error, which is shown at the whole call.
type argumentError struct {
	param   string // name of the parameter whose argument shows the error; the call shows it if that argument is not given
	message string // the mistake, without the text of err
	err     error  // the cause, shown below the message; never nil
	hint    string // what to write instead; may be ""
}

// Error returns the message; failWith adds the cause.
func (e *argumentError) Error() string { return e.message }

// call evaluates a call. It evaluates the arguments even if the function is unknown, because they may have mistakes of their own.
// After a mistake in an argument, the result has the function's type and no data, so that no follow-up errors occur.
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
	if callee.Value == front.TextCall { // a text with values in braces, which package front represents as a call
		return withValues(e, n)
	}
	fn := e.function(callee)
	if fn == nil {
		for _, a := range argumentsOf(n) {
			e.eval(a)
		}
		if v, bound := e.lookup(callee.Value); bound {
			e.use(callee.Value)
			if !v.known() && (v.Type == Kernel || v.Type == anything) { // a formula whose definition has a mistake
				return unknown(v.Type)
			}
			return e.fail(n, v.Type, fmt.Sprintf("%s is %s and not a function", callee.Value, v.Type.a()), "write "+callee.Value+" alone")
		}
		return e.fail(callee, anything, fmt.Sprintf("unknown function %q", callee.Value), suggestFunction(callee.Value))
	}
	c := &call{e: e, fn: fn, node: n, args: make([]argument, len(fn.Params))}
	before := e.mistakes
	c.match()
	return c.invoke(before)
}

// invoke checks the matched arguments and evaluates the function. before is the number of mistakes before the arguments were
// evaluated.
func (c *call) invoke(before int) value {
	e, fn := c.e, c.fn
	// Apply overrides before checking the arguments, so that swept values are checked too.
	c.override()
	for i, p := range fn.Params {
		c.checkArgument(p, &c.args[i])
	}
	for i := range c.rest { // the last parameter describes all further positional arguments
		c.checkArgument(fn.Params[len(fn.Params)-1], &c.rest[i])
	}
	// Report a missing argument only if all written ones are correct: a misspelled name may be the reason.
	if e.mistakes > before || !c.complete() {
		return unknown(c.result())
	}
	// check runs before the script and again before the call, because some values are known only then.
	pure := c.pure()
	if fn.check != nil {
		fn.check(c)
	}
	c.checkWriting()
	// While checking, do not evaluate a call that reads or runs something.
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

// checkWriting reports a call that writes files if the session is read-only. Opening a campaign also writes to its folder.
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

// result returns the type of the call's value when the value is unknown. A function of numbers returns a list if its argument is
// a list.
func (c *call) result() Type {
	if c.fn.each && c.args[0].Type == List {
		return List
	}
	return c.fn.Result
}

// function returns the function that a name means: one of the catalogue, or a bound formula with parameters, possibly changed by
// a sweep; nil if there is none.
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
		e.use(callee.Value) // record that the value depends on the formula's definition
	}
	return fn
}

// override replaces arguments by the session's seed and by swept values.
func (c *call) override() {
	// The session's seed comes first, because a sweep over the seed has priority.
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
			// Messages for the smallest counts use words.
			most := fmt.Sprintf("at most %d arguments", len(c.fn.Params))
			if few := []string{"no arguments", "one argument"}; len(c.fn.Params) < len(few) {
				most = few[len(c.fn.Params)]
			}
			e.fail(n, c.fn.Result, fmt.Sprintf("%s takes %s", c.fn.Name, most), "write "+c.fn.Signature())
			return
		}
		position++ // counts positional arguments only
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

// finish converts the result of a function to a value, and its error to an error at the argument that caused it. data is a Go
// value of the function's Result type, or a value. Nil data without an error means that eval reported a mistake itself, or
// returns nothing. An interrupted run returns both data and an error.
func (c *call) finish(data any, err error) value {
	if err != nil {
		c.failed(err)
	}
	if data == nil || err != nil && c.e.stopped == nil { // after an interrupt, data may be a partial value
		return unknown(c.fn.Result)
	}
	if v, ok := data.(value); ok {
		return v
	}
	return value{Type: c.fn.Result, Data: data}
}

// failed reports the error of a function: a kernel's error at the wrong argument, another error at the call.
func (c *call) failed(err error) {
	// After the context has ended, treat every error as an interrupt, which Eval reports.
	if stopped := c.e.ctx.Err(); stopped != nil {
		c.e.stopped = stopped
		return
	}
	// A call that reads nothing can fail only because of an argument, which culprit finds.
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

// failWith reports the error of a file or a computation at an argument.
func (c *call) failWith(at argument, a *argumentError) {
	before := len(c.e.errs)
	c.fail(at, a.message, a.hint)
	// If the limit of mistakes is reached, this one was not recorded.
	for _, e := range c.e.errs[before:] {
		e.Cause, e.Err = a.err.Error(), a.err
	}
}

// withoutMeans returns the hint for a function that needs expected rewards if they are unknown. It names the function's own
// parameters.
func withoutMeans(c *call) string {
	switch c.fn.Name {
	case "protocol": // the parameter plan does not apply to real measurements
		return "state norm=, a bound on the norm of the expected rewards, and gap=, the smallest difference to detect; CoBayesFC and " +
			"CoTestFC need neither"
	case "design", "spectrum": // in these functions only xi depends on the means
		return `write xi=0.01, or another number; or give norm= and gap=, from which "auto" computes it`
	}
	return "plan(p, gaps=…) predicts the samples of runs from assumed gaps"
}

// culprit returns the argument that an error is about, or the element of a written list. If the error names no parameter, it
// returns the first argument. Errors of package kernels use the catalogue's parameter names.
func (c *call) culprit(err error) argument {
	at, _ := lists.First(c.args, func(a argument) bool { return a.Node != nil })
	var wrong *kernels.ParamError
	if !errors.As(err, &wrong) {
		return at
	}
	if i := c.fn.param(wrong.Param); i >= 0 && c.args[i].Node != nil {
		at = c.args[i]
		// Only a list that is written out has a place for each element.
		if list, ok := at.Node.(*ast.ArrayNode); ok && wrong.Index >= 0 && wrong.Index < len(list.Nodes) {
			at.Node = list.Nodes[wrong.Index]
		}
	}
	return at
}
