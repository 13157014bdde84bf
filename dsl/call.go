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
	e     *evaluator    // that evaluates the call; its st is the statement of node
	fn    *Function     // of the catalogue, or made of a formula with parameters
	node  *ast.CallNode // as written; also the call that a sweep varies is known by it
	args  []argument    // one per parameter; Node is nil where it is not given
	rest  []argument    // further positional arguments
	named []argument    // further named arguments, in the order given
}

// argument is a value and the expression it is from.
// The embedded value has no type where no argument is given.
type argument struct {
	value
	Name string           // the parameter's, or as written among further named arguments; "" in rest
	Node ast.Node         // nil where the script gives none
	key  ast.Node         // the name where it is written out, f(key=node)
	st   *front.Statement // the statement of Node, where that is not the one of the call
}

// argumentError holds an error of a file or a computation, to be shown under one argument.
// Functions return it in place of a plain error, which is shown under the whole call.
type argumentError struct {
	param   string // under whose argument it is shown; under the call where that is not given
	message string // the mistake, in a sentence that does not repeat err
	err     error  // the cause, which is shown below; never nil
	hint    string // what to write instead; may be ""
}

// The cause is added by failWith.
func (e *argumentError) Error() string { return e.message }

// call evaluates a call. Arguments are evaluated even where the function is not known, since they
// may hold mistakes, too.
// A mistake among the arguments leaves a value of the function's type, so that no second one follows from it.
func (e *evaluator) call(n *ast.CallNode) value {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok { // p.best() and the like
		hint := "values have parts and no methods: write f(p) in place of p.f()"
		if m, is := n.Callee.(*ast.MemberNode); is {
			if s, is := m.Property.(*ast.StringNode); is && foreignWord(s.Value) != "" {
				hint = foreignWord(s.Value)
			}
		}
		return e.fail(n, anything, "only a function can be called", hint)
	}
	if callee.Value == front.TextCall { // of braces in quotes, which front writes as a call
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
	// Arguments are matched, then replaced from outside, then compared with their parameters: what a sweep sets is
	// compared, too.
	c := &call{e: e, fn: fn, node: n, args: make([]argument, len(fn.Params))}
	before := e.mistakes
	c.match()
	c.override()
	for i, p := range fn.Params {
		c.checkArgument(p, &c.args[i])
	}
	for i := range c.rest { // what further arguments are like is said by the last parameter
		c.checkArgument(fn.Params[len(fn.Params)-1], &c.rest[i])
	}
	// A missing argument is told only where all that is written is right: a wrong name may be why it is missing.
	if e.mistakes > before || !c.complete() {
		return unknown(c.result())
	}
	// Whether arguments fit together is asked in the check and before the call runs: some values are known only then.
	pure := c.pure()
	if fn.check != nil {
		fn.check(c)
	}
	c.checkWriting()
	// In the check, a call that reads or runs something is only looked at.
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

// checkWriting reports a call that writes files where the caller allows none. Opening a campaign counts: it writes to the folder.
func (c *call) checkWriting() {
	if !c.e.session.opt.ReadOnly {
		return
	}
	const hint = "run the script without --no-write to allow it"
	for i, p := range c.fn.Params {
		if path, given := c.args[i].Data.(string); given && (p.words == wordsOutput || p.words == wordsStore) {
			c.fail(c.args[i], fmt.Sprintf("%s: %q would be written, and this run may write nothing", c.fn.Name, path), hint)
			return
		}
	}
	if c.fn.Section == SectionCampaign && c.fn.Name != "protocol" {
		c.e.fail(c.node, c.fn.Result, c.fn.Name+": a campaign's folder would be written, and this run may write nothing", hint)
	}
}

// result returns the type of a value that is not known: a function of numbers makes a list of a list.
func (c *call) result() Type {
	if c.fn.each && c.args[0].Type == List {
		return List
	}
	return c.fn.Result
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
		e.use(callee.Value) // its definition counts, like the one of a name that is read
	}
	return fn
}

// override replaces arguments from outside the script: the seed of the session, and
// what a sweep sets.
func (c *call) override() {
	// A sweep comes second, so that it may vary the seed.
	if i := c.fn.param("seed"); i >= 0 && c.e.session.opt.Seed != nil {
		c.args[i].value = numberValue(float64(*c.e.session.opt.Seed))
	}
	if c.e.swept != nil {
		c.e.swept.override(c)
	}
}

// argumentsOf goes through the arguments of a call, each with the node of its name, nil for one without.
// Package front has written the named arguments as one map literal, which is the last argument.
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
// It stops at the first argument too many.
func (c *call) match() {
	e, position := c.e, 0
	for key, n := range argumentsOf(c.node) {
		// A name finds its parameter wherever it stands.
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
			// "takes no arguments" and "takes one argument" read better than a number.
			most := fmt.Sprintf("at most %d arguments", len(c.fn.Params))
			if few := []string{"no arguments", "one argument"}; len(c.fn.Params) < len(few) {
				most = few[len(c.fn.Params)]
			}
			e.fail(n, c.fn.Result, fmt.Sprintf("%s takes %s", c.fn.Name, most), "write "+c.fn.Signature())
			return
		}
		position++ // named arguments do not count
	}
}

// matchNamed gives a named argument to its parameter, or to the further named ones. Its value is evaluated first.
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
// Data is a Go value of the type that the function's Result says, or a value where eval makes that itself.
// Nil without an error says that eval reported a mistake, or that there is nothing to return.
func (c *call) finish(data any, err error) value {
	if err != nil {
		c.failed(err)
	}
	if data == nil || err != nil && c.e.stopped == nil { // after an interrupt, a part of the value may have come
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
	// After the end of the context every error is taken for the interrupt, which Eval reports.
	if stopped := c.e.ctx.Err(); stopped != nil {
		c.e.stopped = stopped
		return
	}
	// Errors of a call that reads nothing are about its arguments; they name the parameter, see culprit.
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
	at := argument{Node: c.node} // the whole call
	if i := c.fn.param(a.param); i >= 0 && c.args[i].Node != nil {
		at = c.args[i]
	}
	c.failWith(at, a)
}

// failWith reports the error of a file or a computation under an argument.
func (c *call) failWith(at argument, a *argumentError) {
	before := len(c.e.errs)
	c.fail(at, a.message, a.hint)
	// None where as many mistakes were reported as are told.
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
// It relies on errors of kernels, which name parameters as the catalogue does.
func (c *call) culprit(err error) argument {
	at, _ := lists.First(c.args, func(a argument) bool { return a.Node != nil })
	var wrong *kernels.ParamError
	if !errors.As(err, &wrong) {
		return at
	}
	if i := c.fn.param(wrong.Param); i >= 0 && c.args[i].Node != nil {
		at = c.args[i]
		// An index counts elements of the list as written; another list has one place.
		if list, ok := at.Node.(*ast.ArrayNode); ok && wrong.Index >= 0 && wrong.Index < len(list.Nodes) {
			at.Node = list.Nodes[wrong.Index]
		}
	}
	return at
}
