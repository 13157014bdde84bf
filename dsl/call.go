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

// call is one function call in a script. match assigns its arguments to the function's parameters.
type call struct {
	e     *evaluator    // evaluates the call; e.st is the statement that contains node
	fn    *Function     // a function of the catalogue, or one made from a formula with parameters
	node  *ast.CallNode // the call in the script; a sweep identifies the call by this node
	args  []argument    // one per parameter of fn; Node is nil if the script does not give it
	rest  []argument    // positional arguments after the last parameter
	named []argument    // named arguments that match no parameter, in the order given
}

// argument is the value of an argument and the expression it comes from. If the script does not give the argument, the
// value has no type.
type argument struct {
	value
	Name string           // the parameter's name; for a further named argument, the name in the script; "" in rest
	Node ast.Node         // nil if the script does not give it
	key  ast.Node         // node of the name in f(name=node); nil for a positional argument
	st   *front.Statement // the statement that contains Node, if it differs from the statement of the call
}

// argumentError is an error that the user sees at one argument of the call, for example at a file's path. Functions of the
// catalogue return it; the user sees a plain error at the whole call.
type argumentError struct {
	param   string // parameter at whose argument the error is shown; if that argument is not given, the error is shown at the call
	message string // what is wrong, without the text of err
	err     error  // the cause, shown below the message; never nil
	hint    string // what to write instead; may be ""
}

// Error returns the message only; failWith adds the text of err.
func (e *argumentError) Error() string { return e.message }

// call evaluates a function call. If the function is unknown, it still evaluates the arguments, to report their mistakes.
// After a mistake in an argument, it returns a value with the function's result type and no data, which causes no
// follow-up errors.
func (e *evaluator) call(n *ast.CallNode) value {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok { // the callee is not a name, as in the method call p.best()
		hint := "values have parts but no methods: write f(p) instead of p.f()"
		if m, is := n.Callee.(*ast.MemberNode); is {
			if s, is := m.Property.(*ast.StringNode); is && foreignWord(s.Value) != "" {
				hint = foreignWord(s.Value)
			}
		}
		return e.fail(n, anything, "only a function can be called", hint)
	}
	if callee.Value == front.TextCall { // package front represents a text with values in braces as a call of TextCall
		return withValues(e, n)
	}
	fn := e.function(callee)
	if fn == nil {
		for _, a := range argumentsOf(n) {
			e.eval(a)
		}
		if v, bound := e.lookup(callee.Value); bound {
			e.use(callee.Value)
			if !v.known() && (v.Type == Kernel || v.Type == anything) { // the name is bound to a formula whose definition has a mistake
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

// invoke checks the matched arguments and then evaluates the function. before is e.mistakes from before the arguments were
// evaluated; a larger count now means that an argument has a mistake.
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
	// Report a missing argument only if all written arguments are correct, because its name may be
	// misspelled.
	if e.mistakes > before || !c.complete() {
		return unknown(c.result())
	}
	// fn.check runs both before the script and just before the call, because some arguments are known only then.
	pure := c.pure()
	if fn.check != nil {
		fn.check(c)
	}
	c.checkWriting()
	// While the script is being checked, skip a call that reads files or makes runs.
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

// checkWriting reports a mistake if the session is read-only and the call writes files. A call that opens a campaign
// counts, because it writes to the campaign's folder.
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

// result returns the type of the call's result, for a result without data. If the function applies to each element of a
// list (fn.each), the type is that of the first argument.
func (c *call) result() Type {
	if c.fn.each && c.args[0].Type == List {
		return List
	}
	return c.fn.Result
}

// function returns the function that callee names: a function of the catalogue, or a bound formula with parameters. A
// sweep may have changed the formula. It returns nil if no function has that name.
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

// override replaces the seed argument by the session's seed, and swept arguments by the current values of the sweep.
func (c *call) override() {
	// Set the session's seed first, so that a sweep over the seed replaces it.
	if i := c.fn.param("seed"); i >= 0 && c.e.session.opt.Seed != nil {
		c.args[i].value = numberValue(float64(*c.e.session.opt.Seed))
	}
	if c.e.swept != nil {
		c.e.swept.override(c)
	}
}

// argumentsOf iterates over the arguments of a call, each preceded by the node of its name, which is nil for a positional
// argument. Package front stores all named arguments in one map literal, the last argument.
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

// match evaluates the arguments and assigns each to its parameter. At the first surplus argument it reports a mistake and
// stops.
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
			// Write the counts 0 and 1 in words.
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

// matchNamed evaluates n and assigns it to the parameter that key names. If no parameter has that name, it appends n to
// the further named arguments.
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

// finish converts data and err, which the function's eval returned, to the value of the call. It reports err at the
// argument that caused it. data is a Go value of the function's Result type, or a value. If data and err are both nil,
// eval reported a mistake itself, or the function returns nothing. After an interrupt, eval returns partial data together
// with an error.
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

// failed reports an error that the function returned. An error of a kernel's constructor is shown at the wrong argument;
// other errors are shown at the call.
func (c *call) failed(err error) {
	// If the context has ended, the error is a result of the interrupt. Eval reports the interrupt.
	if stopped := c.e.ctx.Err(); stopped != nil {
		c.e.stopped = stopped
		return
	}
	// A pure call reads no files, so an argument must have caused the error; culprit finds it.
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

// failWith reports the error a at the argument at.
func (c *call) failWith(at argument, a *argumentError) {
	before := len(c.e.errs)
	c.fail(at, a.message, a.hint)
	// Find the mistake that was just recorded; none was recorded if the limit of mistakes is reached.
	for _, e := range c.e.errs[before:] {
		e.Cause, e.Err = a.err.Error(), a.err
	}
}

// withoutMeans returns a hint for a function that needs expected rewards of a problem that has none. The hint names
// parameters of that function.
func withoutMeans(c *call) string {
	switch c.fn.Name {
	case "protocol": // the hint below about the function plan does not apply to real measurements
		return "state norm=, a bound on the norm of the expected rewards, and gap=, the smallest difference to detect; CoBayesFC and " +
			"CoTestFC need neither"
	case "design", "spectrum": // these two functions need the means only for xi
		return `write xi=0.01, or another number; or give norm= and gap=, from which "auto" computes it`
	}
	return "plan(p, gaps=…) predicts the samples of runs from assumed gaps"
}

// culprit returns the argument that caused err. For a list written in the script, it returns the wrong element. If err
// names no parameter, it returns the first argument. Errors of package kernels contain the catalogue's parameter names.
func (c *call) culprit(err error) argument {
	at, _ := lists.First(c.args, func(a argument) bool { return a.Node != nil })
	var wrong *kernels.ParamError
	if !errors.As(err, &wrong) {
		return at
	}
	if i := c.fn.param(wrong.Param); i >= 0 && c.args[i].Node != nil {
		at = c.args[i]
		// Only a list literal has a source position for each element.
		if list, ok := at.Node.(*ast.ArrayNode); ok && wrong.Index >= 0 && wrong.Index < len(list.Nodes) {
			at.Node = list.Nodes[wrong.Index]
		}
	}
	return at
}
