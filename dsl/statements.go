package dsl

import (
	"fmt"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
)

// kept says what an interrupt left of a statement that binds a name: a later cell
// must not take a part, or what was there before, for the whole.
func (e *evaluator) kept(st *front.Statement) string {
	b := e.scope[st.Name]
	switch {
	case st.Name == "":
		return ""
	case b == nil:
		return st.Name + " is not bound: nothing was finished"
	case b.st != st:
		return st.Name + " keeps the value that it had: nothing was finished"
	}
	return st.Name + " is bound to what was finished, shown above; run it again for the whole"
}

// checkName reports a name that cannot be bound here. own has the statements of
// the same script that bind names.
func (e *evaluator) checkName(st *front.Statement, own map[string]*front.Statement) {
	if st.Name == "" {
		return
	}
	first := own[st.Name]
	own[st.Name] = st
	_, bound := e.scope[st.Name]
	switch {
	case taken(st.Name):
		e.failAt(st.NameAt, fmt.Sprintf("%s is a name of the language and cannot be bound", st.Name), "choose another name")
	case first != nil:
		line, _ := first.Source.Position(first.NameAt.From)
		e.failAt(st.NameAt, fmt.Sprintf("%s is bound twice; it was bound in line %d", st.Name, line), "choose another name: a name keeps its value")
	case bound && !e.session.opt.Rebind:
		e.failAt(st.NameAt, fmt.Sprintf("%s is bound already", st.Name), "choose another name: a name keeps its value")
	}
}

// taken reports whether a name is one of the language. A true that is bound would never be read:
// the parser knows it for a value.
func taken(name string) bool {
	_, constant := constants[name]
	return index[name] != nil || constant || name == "true" || name == "false"
}

// statement evaluates one statement and binds its name.
func (e *evaluator) statement(st *front.Statement) value {
	e.st, e.own, e.uses = st, st, map[string]bool{}
	v := e.define(st)
	if v.Type == Nothing && st.Name != "" {
		return e.fail(st.Node, Nothing, "this gives no value that a name could be bound to", "write it without "+st.Name+" =")
	}
	if st.Name == "" {
		return v
	}
	v = named(v, st.Name)
	b := &binding{name: st.Name, st: st, value: v, uses: map[string]int{}}
	for name := range e.uses {
		if used, ok := e.scope[name]; ok {
			b.uses[name] = used.time
		}
	}
	if cyclic(e, st.Name, b.uses) {
		e.failAt(st.NameAt, fmt.Sprintf("%s would be defined by itself", st.Name), "choose another name: a name stands for its definition")
		return v
	}
	if v.known() || e.dry {
		e.session.clock++
		b.time = e.session.clock
		e.scope[st.Name] = b
		renumber(e, st.Name, b.uses)
	}
	return v
}

// define returns the value of the right side of a statement.
func (e *evaluator) define(st *front.Statement) value {
	if st.Params != nil {
		return evalFormula(e, st)
	}
	return e.eval(st.Node)
}
