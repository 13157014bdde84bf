package dsl

import (
	"context"
	"fmt"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/dsl/internal/formula"
	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
)

// maxElements limits the list elements that one evaluation may make, so that a short script cannot
// take all memory.
const maxElements = 2_000_000

// maxNesting limits how deep lists nest.
const maxNesting = 20

// evaluator computes the values of expressions. One evaluator serves both to
// check and to run: while it checks (dry), calls that read files or run anything
// are not made, and their values are known by type only. What depends on numbers
// and kernels alone is computed in both, so a wrong length scale is found before
// anything runs.
type evaluator struct {
	ctx      context.Context // of Eval or of a check; computations end with it
	session  *Session        // whose options, files and memory count
	dry      bool            // the script is checked, and nothing is read or run
	scope    scope           // names bound so far
	order    order           // of these names; nil until it is needed
	errs     front.Errors    // the first of the mistakes
	mistakes int             // how many there were

	st *front.Statement // being evaluated; nodes belong to it
	// the statement of the script that is evaluated: st, or what evaluates st again
	own      *front.Statement
	elements int                // list elements made so far
	uses     map[string]bool    // names that the statement read
	all      []*front.Statement // of the script, to tell names that are bound too late
	swept    *swept             // overrides of a sweep; nil outside one
	inputs   map[string]bool    // while checking: the files that problems are read from
	contents map[string][]byte  // of the files read, by path
	teller   *teller            // of progress; nil when nobody is told

	stopped error // why a call ended early with a partial value

	collect func(sim.Experiment) // takes experiments in place of making their runs; nil where they are made
}

// fail records an error at a node and returns a value of the type that the expression would have
// had, so that evaluation can go on without a second error.
func (e *evaluator) fail(n ast.Node, t Type, message, hint string) value {
	// The place of a node takes a walk through its tree, which is left out for a mistake that is not shown.
	if e.full() {
		e.mistakes++
		return unknown(t)
	}
	e.failAt(e.st.Span(n), message, hint)
	return unknown(t)
}

// full reports whether as many mistakes were found as are told.
func (e *evaluator) full() bool { return len(e.errs) == front.MaxErrors }

// failAt records an error at a place of the statement that is evaluated.
func (e *evaluator) failAt(at front.Span, message, hint string) {
	e.report(e.st.Source.At(at, message, hint))
}

// report records an error, as long as fewer than front.MaxErrors are there.
func (e *evaluator) report(err *front.Error) {
	e.mistakes++ // counts all, so that callers see whether a part had one
	if len(e.errs) < front.MaxErrors {
		e.errs = append(e.errs, err)
	}
}

// eval returns the value of an expression; its data is nil after an error.
// While a script is checked it is nil, too, where the value follows from something that is read or run.
func (e *evaluator) eval(n ast.Node) value {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return numberValue(float64(n.Value))
	case *ast.FloatNode:
		return numberValue(n.Value)
	case *ast.StringNode:
		return value{Type: Text, Data: n.Value}
	case *ast.BoolNode: // true and false are other ways to write 1 and 0
		return numberValue(float64(indices.Indicator(n.Value)))
	case *ast.IdentifierNode:
		return e.name(n)
	case *ast.ArrayNode:
		return e.list(n)
	case *ast.UnaryNode:
		return e.unary(n)
	case *ast.BinaryNode:
		return e.binary(n)
	case *ast.CallNode:
		return e.call(n)
	case *ast.MemberNode:
		return evalMember(e, n)
	case *ast.ConditionalNode:
		return e.choice(n)
	}
	return e.fail(n, anything, "this is not part of the language", "")
}

// name looks a name up.
// Names of the language cannot be bound, so the order of the questions does not matter. A name is noted as used in any
// case.
func (e *evaluator) name(n *ast.IdentifierNode) value {
	e.use(n.Value)
	w, gone := e.session.withdrawn[n.Value]
	if gone = gone && w.binding == e.scope[n.Value]; gone && w.binding != nil { // not what this script bound since
		return e.fail(n, anything, w.message(n.Value), w.hint(e.session.giver()))
	}
	if v, ok := e.lookup(n.Value); ok {
		return v
	}
	if c, ok := constants[n.Value]; ok { // as pi
		return numberValue(c)
	}
	if f := index[n.Value]; f != nil {
		return e.fail(n, f.Result, fmt.Sprintf("%s is a function and needs its brackets", n.Value), "write "+f.Signature())
	}
	if gone {
		return e.fail(n, anything, w.message(n.Value), w.hint(e.session.giver()))
	}
	hint := ""
	if !e.full() { // to find the nearest name takes long
		hint = suggestName(e, n.Value)
	}
	return e.fail(n, anything, fmt.Sprintf("unknown name %q", n.Value), hint)
}

// use notes a name that the statement reads; statement keeps the ones that are bound. A second evaluation notes none.
func (e *evaluator) use(name string) {
	if e.uses != nil {
		e.uses[name] = true
	}
}

// lookup finds a bound name, under the overrides of a sweep if there is one.
func (e *evaluator) lookup(name string) (value, bool) {
	if e.swept != nil {
		if v, ok := e.swept.lookup(e, name); ok {
			return v, true
		}
	}
	b, ok := e.scope[name]
	if !ok {
		return value{}, false
	}
	return b.value, true
}

// list evaluates [a, b, …]. All elements are evaluated, as each may have a mistake of its own.
func (e *evaluator) list(n *ast.ArrayNode) value {
	out := make([]value, len(n.Nodes))
	known, size := true, 0
	for i, element := range n.Nodes {
		out[i] = e.eval(element)
		known = known && out[i].known()
		size += out[i].size(maxElements) // with lists inside the element
		if out[i].Type == Nothing {
			e.fail(element, anything, "this gives no value that a list could hold", "")
			known = false
		}
	}
	list := value{Type: List, Data: out}
	if !known || !e.spend(n, size) {
		return unknown(List)
	}
	if list.depth() > maxNesting { // printing and comparing go down as deep
		return e.fail(n, List, fmt.Sprintf("more than %d lists inside each other", maxNesting), "")
	}
	return list
}

// spend takes list elements from the budget.
// Characters of texts that are joined count as well. It reports false, with a mistake, where the budget is used up.
func (e *evaluator) spend(n ast.Node, elements int) bool {
	if elements > maxElements-e.elements {
		e.fail(n, List, fmt.Sprintf("the script makes lists of more than %d elements", maxElements), "put data into a CSV file")
		return false
	}
	e.elements += elements
	return true
}

// element returns list[i] with i counted from 0.
// The list may be known by its type alone; the value is then one of the type of its elements, if that is known.
func (e *evaluator) element(n *ast.MemberNode, list, at value) value {
	switch {
	case list.Type != List:
		if e.session.isTable(list) {
			return e.fail(n.Node, anything, "a table has no elements here", "write "+tableExample(e, n.Node))
		}
		return e.fail(n.Node, anything, fmt.Sprintf("%s has no elements", list.Type.a()), "")
	case at.Type != Number && at.Type != anything:
		return e.fail(n.Property, anything, fmt.Sprintf("an element is chosen by a number, not by %s", at.Type.a()), "")
	case !list.known() || !at.known():
		t, of := typeFor(list.of)
		return value{Type: t, of: of}
	}
	// Both are known.
	elements := list.Data.([]value)
	i, ok := whole(at.Data.(float64)) // an index is a whole number
	if !ok || i < 0 || i >= len(elements) {
		return e.fail(n.Property, anything, fmt.Sprintf("there is no element %s in a list of %d", formatNumber(at.Data.(float64)),
			len(elements)), "elements are numbered from 0")
	}
	return elements[i]
}

// read reads a data file, once in an evaluation: a sweep gives all its combinations the same data.
// The path is as the system needs it, and the key of contents.
func (e *evaluator) read(path string) ([]byte, error) {
	if data, known := e.contents[path]; known {
		return data, nil
	}
	read := e.session.opt.readFile
	// Files of the script's folder, or tables of the caller.
	if read == nil {
		read = func(path string) ([]byte, error) { return e.session.opt.file(e.ctx, path) }
	}
	data, err := read(path)
	if err != nil {
		return nil, err
	}
	if e.contents == nil {
		e.contents = map[string][]byte{}
	}
	// Kept for the whole evaluation, so that a change of the file does not come between combinations.
	e.contents[path] = data
	return data, nil
}

// compare evaluates a comparison, which is 1 where it holds and 0 where it does not: of numbers, of
// lists element by element, and of texts whether they are the same.
func (e *evaluator) compare(n *ast.BinaryNode, l, r value) value {
	switch {
	case l.Type.isNumeric() && r.Type.isNumeric():
		return e.arithmetic(n, l, r)
	case l.Type != Text || r.Type != Text:
		return e.fail(n, Number, fmt.Sprintf("%s does not compare %s with %s", n.Operator, l.Type.a(), r.Type.a()),
			"numbers, lists of numbers and texts are compared")
	case n.Operator != "==" && n.Operator != "!=":
		return e.fail(n, Number, fmt.Sprintf("%s does not go between texts", n.Operator), "texts are the same or not: == and !=")
	case !l.known() || !r.known():
		return unknown(Number)
	}
	// 1 where the texts are the same: == and != compare that with 1.
	return numberValue(formula.Operate(n.Operator, float64(indices.Indicator(l.Data == r.Data)), 1))
}

// choice evaluates condition ? a : b. While it checks, both are evaluated, because both may hold
// mistakes; when it runs, only the one that is chosen.
func (e *evaluator) choice(n *ast.ConditionalNode) value {
	condition := e.eval(n.Cond) // 1 or 0 of a comparison, but any number will do
	if condition.Type != Number && condition.Type != anything {
		return e.fail(n.Cond, anything, fmt.Sprintf("here is %s; a choice needs a condition", condition.Type.a()),
			"compare numbers or texts: a > b ? c : d")
	}
	x, known := condition.Data.(float64)
	switch {
	// When the script runs, only the branch that is chosen is evaluated.
	case !e.dry && !known:
		return unknown(anything)
	case !e.dry && x != 0:
		e.mention(n.Exp2)
		return e.eval(n.Exp1)
	case !e.dry:
		e.mention(n.Exp1)
		return e.eval(n.Exp2)
	}
	// In a check both branches are; a condition of numbers alone is known already.
	a, b := e.eval(n.Exp1), e.eval(n.Exp2)
	switch {
	case known && x != 0:
		return a
	case known:
		return b
	case a.Type != b.Type: // the type is known when it runs
		return unknown(anything)
	case a.of != b.of:
		a.of = nil
	}
	return value{Type: a.Type, of: a.of}
}

// mention notes the names of an expression that is not evaluated: the value depends on them, since
// another condition would choose them.
func (e *evaluator) mention(n ast.Node) {
	for name := range namesIn(n) {
		e.use(name)
	}
}
