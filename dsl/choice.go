package dsl

import (
	"fmt"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/dsl/internal/formula"
)

// isComparison reports whether an operator compares.
func isComparison(operator string) bool {
	return slices.Contains([]string{"<", "<=", ">", ">=", "==", "!="}, operator)
}

// compare evaluates a comparison, which is 1 where it holds and 0 where it does not: of numbers, of
// lists element by element, and of texts whether they are the same.
func (e *evaluator) compare(n *ast.BinaryNode, l, r value) value {
	if l.Type != Text || r.Type != Text {
		return e.arithmetic(n, l, r)
	}
	if n.Operator != "==" && n.Operator != "!=" {
		return e.fail(n, Number, fmt.Sprintf("%s does not go between texts", n.Operator), "texts are the same or not: == and !=")
	}
	if !l.known() || !r.known() {
		return unknown(Number)
	}
	same := 0.0
	if l.Data == r.Data {
		same = 1
	}
	return numberValue(formula.Operate(n.Operator, same, 1))
}

// choice evaluates condition ? a : b. While it checks, both are evaluated, because both may hold
// mistakes; when it runs, only the one that is chosen.
func (e *evaluator) choice(n *ast.ConditionalNode) value {
	condition := e.eval(n.Cond)
	if condition.Type != Number && condition.Type != anything {
		return e.fail(n.Cond, anything, fmt.Sprintf("here is %s; a choice needs a condition", condition.Type.a()), "compare numbers or texts: a > b ? c : d")
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
	a, b := e.eval(n.Exp1), e.eval(n.Exp2)
	switch {
	case known && x != 0:
		return a
	case known:
		return b
	case a.Type == b.Type && a.of == b.of:
		return value{Type: a.Type, of: a.of}
	case a.Type == b.Type:
		return unknown(a.Type)
	}
	return unknown(anything)
}

// mention notes the names of an expression that is not evaluated: the value depends on them, since
// another condition would choose them.
func (e *evaluator) mention(n ast.Node) { ast.Walk(&n, mentioned{e}) }

type mentioned struct{ e *evaluator }

// Visit notes a name.
func (m mentioned) Visit(n *ast.Node) {
	if id, ok := (*n).(*ast.IdentifierNode); ok {
		m.e.use(id.Value)
	}
}
