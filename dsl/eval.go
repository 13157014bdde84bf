package dsl

import (
	"context"
	"fmt"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/dsl/internal/formula"
	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
)

// maxElements is the maximum number of list elements in one evaluation, so that a short script cannot use all memory.
const maxElements = 2_000_000

// maxNesting is the maximum depth of nested lists.
const maxNesting = 20

// evaluator computes the values of expressions. It is used to check a script and to run it. In a check (dry is true), it
// skips calls that read files or make runs, and knows only the types of their results. It evaluates everything else, so
// that for example an invalid length scale is found before any run.
type evaluator struct {
	ctx      context.Context // context of Eval or of a check; its end stops computations
	session  *Session        // has the options and the bound names, and keeps designs
	dry      bool            // whether the script is only checked: nothing is read or run
	scope    scope           // the names bound so far
	order    order           // order of the bound names, see cyclic; nil until it is needed
	errs     front.Errors    // the first mistakes, up to front.MaxErrors
	mistakes int             // number of all mistakes, including those not in errs

	st *front.Statement // statement that is being evaluated; it contains the nodes
	// statement of the script that is being evaluated. It differs from st while a sweep evaluates another definition again
	own      *front.Statement
	elements int                // number of list elements made so far, see spend
	uses     map[string]bool    // names that the statement has used so far; nil if they are not recorded
	all      []*front.Statement // all statements of the script, to find names that are bound further below
	swept    *swept             // the sweep in progress; nil outside sweeps
	inputs   map[string]bool    // in a check: paths of the data files that the script reads
	contents map[string][]byte  // contents of the files read, by path
	teller   *teller            // reports progress; nil if progress is not reported

	stopped error // why a call returned a partial result early; nil if none did

	divided *division // state of a part of a script; nil for a whole script
}

// fail records a mistake at node n. It returns a value of type t without data, so that evaluation continues without
// follow-up errors.
func (e *evaluator) fail(n ast.Node, t Type, message, hint string) value {
	// Finding the position of a node visits the whole tree. Skip it if the mistake will not be shown.
	if e.full() {
		e.mistakes++
		return unknown(t)
	}
	e.failAt(e.st.Span(n), message, hint)
	return unknown(t)
}

// full reports whether front.MaxErrors mistakes are recorded.
func (e *evaluator) full() bool { return len(e.errs) == front.MaxErrors }

// failAt records a mistake at a position in the current statement.
func (e *evaluator) failAt(at front.Span, message, hint string) {
	e.report(e.st.Source.At(at, message, hint))
}

// report records a mistake, unless the maximum number is recorded. If a sweep finds the same mistake in several
// combinations, it is recorded once.
func (e *evaluator) report(err *front.Error) {
	e.mistakes++ // counts mistakes that are not recorded too
	known := slices.ContainsFunc(e.errs, func(x *front.Error) bool {
		return x.File == err.File && x.Span == err.Span && x.Message == err.Message
	})
	if !known && len(e.errs) < front.MaxErrors {
		e.errs = append(e.errs, err)
	}
}

// eval returns the value of an expression. The value has no data after a mistake. In a check, it also has none if it
// depends on files or runs.
func (e *evaluator) eval(n ast.Node) value {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return numberValue(float64(n.Value))
	case *ast.FloatNode:
		return numberValue(n.Value)
	case *ast.StringNode:
		return value{Type: Text, Data: n.Value}
	case *ast.BoolNode: // true and false are 1 and 0
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
	return e.fail(n, anything, "the language does not have this", "")
}

// name returns the value of a name and records that the statement uses the name. Scripts cannot bind names of the
// language, so the order of lookups does not matter.
func (e *evaluator) name(n *ast.IdentifierNode) value {
	e.use(n.Value)
	w, gone := e.session.withdrawn[n.Value]
	if gone = gone && w.binding == e.scope[n.Value]; gone && w.binding != nil { // a withdrawn name is valid again when this script has bound it
		return e.fail(n, anything, w.message(n.Value), w.hint(e.session.giver()))
	}
	if v, ok := e.lookup(n.Value); ok {
		return v
	}
	if c, ok := constants[n.Value]; ok { // such as pi
		return numberValue(c)
	}
	if f := index[n.Value]; f != nil {
		return e.fail(n, f.Result, fmt.Sprintf("%s is a function and needs its brackets", n.Value), "write "+f.Signature())
	}
	if gone {
		return e.fail(n, anything, w.message(n.Value), w.hint(e.session.giver()))
	}
	hint := ""
	if !e.full() { // finding a similar name takes long
		hint = suggestName(e, n.Value)
	}
	return e.fail(n, anything, fmt.Sprintf("unknown name %q", n.Value), hint)
}

// use records that the current statement uses a name. It records nothing if e.uses is nil, while a definition is evaluated
// again.
func (e *evaluator) use(name string) {
	if e.uses != nil {
		e.uses[name] = true
	}
}

// lookup returns the value of a bound name, or its current value in a sweep if the sweep changes it. It returns false if
// the name is not bound.
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

// list evaluates [a, b, …]. It evaluates all elements even after a mistake, to report every mistake.
func (e *evaluator) list(n *ast.ArrayNode) value {
	out := make([]value, len(n.Nodes))
	known, size := true, 0
	for i, element := range n.Nodes {
		out[i] = e.eval(element)
		known = known && out[i].known()
		size += out[i].size(maxElements) // counts the elements of nested lists too
		if out[i].Type == Nothing {
			e.fail(element, anything, "this has no value, so it cannot be in a list", "")
			known = false
		}
	}
	list := value{Type: List, Data: out}
	if !known || !e.spend(n, size) {
		return unknown(List)
	}
	if list.depth() > maxNesting { // printing and comparing recurse this deeply
		return e.fail(n, List, fmt.Sprintf("more than %d lists inside each other", maxNesting), "")
	}
	return list
}

// spend adds to the number of list elements, or of characters of joined texts, in this evaluation. If the number exceeds
// maxElements, it reports a mistake at node n and returns false.
func (e *evaluator) spend(n ast.Node, elements int) bool {
	if elements > maxElements-e.elements {
		e.fail(n, List, fmt.Sprintf("the lists of the script have more than %d elements", maxElements), "put data into a CSV file")
		return false
	}
	e.elements += elements
	return true
}

// element returns list[i], with i from 0. If the list is unknown, the result has the type of the elements, if that is
// known.
func (e *evaluator) element(n *ast.MemberNode, list, at value) value {
	switch {
	case list.Type != List:
		if e.session.isTable(list) {
			return e.fail(n.Node, anything, "a table has no elements here", "write "+tableExample(e, n.Node))
		}
		return e.fail(n.Node, anything, fmt.Sprintf("%s has no elements", list.Type.a()), "")
	case at.Type != Number && at.Type != anything:
		return e.fail(n.Property, anything, fmt.Sprintf("choose an element by its number, not by %s", at.Type.a()), "")
	case !list.known() || !at.known():
		t, of := typeFor(list.of)
		return value{Type: t, of: of}
	}
	elements := list.Data.([]value)
	i, ok := whole(at.Data.(float64)) // an index must be a whole number
	if !ok || i < 0 || i >= len(elements) {
		return e.fail(n.Property, anything, fmt.Sprintf("the list has %[2]d elements, but no element %[1]s", formatNumber(at.Data.(float64)),
			len(elements)), "elements are numbered from 0")
	}
	return elements[i]
}

// read returns the contents of a data file. It reads each file once per evaluation, so that all combinations of a sweep
// use the same data. path is a path of the operating system.
func (e *evaluator) read(path string) ([]byte, error) {
	if data, known := e.contents[path]; known {
		return data, nil
	}
	read := e.session.opt.readFile
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
	// Later reads in this evaluation return these contents, even if the file changes.
	e.contents[path] = data
	return data, nil
}

// compare evaluates a comparison; the result is 1 or 0. Lists are compared element by element. Texts can only be compared
// with == and !=.
func (e *evaluator) compare(n *ast.BinaryNode, l, r value) value {
	switch {
	case l.Type.isNumeric() && r.Type.isNumeric():
		return e.arithmetic(n, l, r)
	case l.Type != Text || r.Type != Text:
		return e.fail(n, Number, fmt.Sprintf("%s does not compare %s with %s", n.Operator, l.Type.a(), r.Type.a()),
			"numbers, lists of numbers and texts are compared")
	case n.Operator != "==" && n.Operator != "!=":
		return e.fail(n, Number, fmt.Sprintf("%s cannot combine texts", n.Operator), "compare texts with == or !=")
	case !l.known() || !r.known():
		return unknown(Number)
	}
	// For texts, equality is the number 1 or 0; compare it with 1.
	return numberValue(formula.Operate(n.Operator, float64(indices.Indicator(l.Data == r.Data)), 1))
}

// choice evaluates condition ? a : b. A check evaluates both a and b, to find the mistakes of both. A run evaluates only
// the chosen one.
func (e *evaluator) choice(n *ast.ConditionalNode) value {
	condition := e.eval(n.Cond) // usually 1 or 0; any other number counts as true
	if condition.Type != Number && condition.Type != anything {
		return e.fail(n.Cond, anything, fmt.Sprintf("a choice needs a condition, but this is %s", condition.Type.a()),
			"compare numbers or texts: a > b ? c : d")
	}
	x, known := condition.Data.(float64)
	switch {
	case !e.dry && !known:
		return unknown(anything)
	case !e.dry && x != 0:
		e.mention(n.Exp2)
		return e.eval(n.Exp1)
	case !e.dry:
		e.mention(n.Exp1)
		return e.eval(n.Exp2)
	}
	// If the condition is known, the value has the type of the chosen expression.
	a, b := e.eval(n.Exp1), e.eval(n.Exp2)
	switch {
	case known && x != 0:
		return a
	case known:
		return b
	case a.Type != b.Type: // the type is known only when the script runs
		return unknown(anything)
	case a.of != b.of:
		a.of = nil
	}
	return value{Type: a.Type, of: a.of}
}

// mention records the names in an expression that is not evaluated. The statement's value depends on them, because another
// condition would choose that expression.
func (e *evaluator) mention(n ast.Node) {
	for name := range namesIn(n) {
		e.use(name)
	}
}
