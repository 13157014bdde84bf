package dsl

import (
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// outlineIn holds what the text of a sweep says of its value before anything runs.
type outline struct {
	names []string
	// the texts among the values of each name; nil where the values are not known yet
	texts [][]string
	mode  string // of the result that is swept; "" where that is not known
}

// outlineIn reads what an expression of type sweep will have: from its value where
// there is one, else from the call that it is or names; nil where it is neither.
func outlineIn(e *evaluator, a argument) *outline {
	if s, known := a.Data.(sim.Sweep); known {
		return outlineOf(s)
	}
	n, st := sourceOf(e, a.Node)
	call, ok := n.(*ast.CallNode)
	if !ok {
		return nil
	}
	if callee, ok := call.Callee.(*ast.IdentifierNode); !ok || callee.Value != "sweep" {
		return nil
	}
	o := &outline{}
	for _, a := range call.Arguments {
		m, named := a.(*ast.MapNode)
		if !named {
			o.mode = modeOfNode(e, a)
			continue
		}
		for _, p := range m.Pairs {
			pair := p.(*ast.PairNode)
			switch name := pair.Key.(*ast.StringNode).Value; {
			case name == "r":
				o.mode = modeOfNode(e, pair.Value)
			case index["sweep"].param(name) < 0:
				o.names, o.texts = append(o.names, name), append(o.texts, texts(evalAgain(e, pair.Value, st)))
			}
		}
	}
	return o
}

// outlineOf returns the outline of a sweep that has run, whole or in part.
func outlineOf(s sim.Sweep) *outline {
	o := &outline{names: s.Names, texts: make([][]string, len(s.Names))}
	for _, row := range s.Rows {
		o.mode = row.Result.Mode
		for j, x := range row.Values {
			if name, ok := x.(string); ok && !slices.Contains(o.texts[j], name) {
				o.texts[j] = append(o.texts[j], name)
			}
		}
	}
	return o
}

// sourceOf returns the expression that an expression stands for, and its statement.
func sourceOf(e *evaluator, n ast.Node) (ast.Node, *front.Statement) {
	st := e.st
	for range len(e.scope) + 1 { // a name may stand for a name
		id, ok := n.(*ast.IdentifierNode)
		if !ok || e.scope[id.Value] == nil {
			break
		}
		st = e.scope[id.Value].st
		n = st.Node
	}
	return n, st
}

// evalAgain evaluates an expression of a statement that was evaluated without mistakes,
// and leaves no trace of it.
func evalAgain(e *evaluator, n ast.Node, st *front.Statement) value {
	other := &evaluator{ctx: e.ctx, session: e.session, dry: true, scope: e.scope, st: st}
	return other.eval(n)
}

// modeOfNode returns the mode of a result by the call that it is or names.
func modeOfNode(e *evaluator, n ast.Node) string {
	n, _ = sourceOf(e, n)
	if call, ok := n.(*ast.CallNode); ok {
		if callee, ok := call.Callee.(*ast.IdentifierNode); ok && (callee.Value == engine.ModeFC || callee.Value == engine.ModeFB) {
			return callee.Value
		}
	}
	return ""
}

// texts returns the texts in a list; nil where the list is not known.
func texts(v value) []string {
	list, known := v.Data.([]value)
	if !known {
		return nil
	}
	found := []string{}
	for _, e := range list {
		if text, ok := e.Data.(string); ok {
			found = append(found, text)
		}
	}
	return found
}

// of returns the texts among the values of a swept name: false when it is not swept,
// nil when they are not known.
func (o *outline) of(name string) (texts []string, swept bool) {
	i := slices.Index(o.names, name)
	if i < 0 {
		return nil, false
	}
	return o.texts[i], true
}
