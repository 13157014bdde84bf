package formula

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Env provides the names of the script around a formula. The language implements it. Check calls it in the order of the text; for
// a repeated name it calls Number again.
type Env interface {
	// Number returns the value of a name that is not a point. If the name is not bound to a number, Number reports that and
	// returns false.
	Number(n *ast.IdentifierNode) (float64, bool)
	// Fail reports a mistake at a node.
	Fail(n ast.Node, message, hint string)
	// UnknownFunction reports a call of a function that formulas do not have.
	UnknownFunction(callee *ast.IdentifierNode)
	// Place returns the place of a node as a text, for errors that are found later, when points are given.
	Place(n ast.Node) string
}

// Definition is a formula of two points that passed the check. It is immutable; With returns a copy with other numbers, which
// shares all maps except numbers.
type Definition struct {
	name string   // name of the formula, for messages
	x, y string   // names of the two points
	body ast.Node // syntax tree; its nodes are the keys of kinds

	kinds   map[ast.Node]kind  // kind of every node that has a value
	numbers map[string]float64 // values of the script's names that the formula reads
	columns []column           // places where elements of vectors are read
	chooses map[string]bool    // names on which the number of a column depends
}

// column is an expression x[…] that reads one element of a vector, by column name or by number.
type column struct {
	node  *ast.MemberNode // node of x[…], or of (expression)[…]
	name  string          // column name; "" if the column is given by number
	place string          // place for messages, from Env.Place
}

// kind is the kind of value of a part of a formula.
type kind uint8

const (
	wrong     kind = iota // the mistake is already reported
	scalar                // a number: also an element of a vector, and the result of a reduction such as sum(…)
	vector                // one element per feature column
	condition             // result of a comparison, allowed only before ?
)

// String returns the kind for messages: "this is a number".
func (k kind) String() string {
	return [...]string{"nothing", "a number", "a vector", "a condition"}[k]
}

// Check checks a formula name(x, y) = body. It reports every mistake to env, and returns nil if there was one. x and y are the
// names of the points and must differ. The tree must not change afterwards.
func Check(name, x, y string, body ast.Node, env Env) *Definition {
	c := &checker{env: env, ok: true, Definition: &Definition{
		name: name, x: x, y: y, body: body,
		kinds: map[ast.Node]kind{}, numbers: map[string]float64{}, chooses: map[string]bool{},
	}}
	switch k := c.kind(body); {
	case !c.ok:
		return nil
	case k != scalar: // every part is valid, but the whole is not a number
		env.Fail(body, fmt.Sprintf("the formula gives %s, but a kernel is a number for each pair of points", k),
			"sum(…), dot(x, y) and x[0] give numbers")
		return nil
	}
	return c.Definition
}

// checker fills in a Definition, inner expressions first. It continues after a mistake, so that all mistakes are reported.
type checker struct {
	*Definition // dropped after a mistake
	env         Env
	ok          bool // whether there was no mistake so far
}

// fail reports a mistake and returns the kind wrong, so that no other mistake is reported about the same part.
func (c *checker) fail(n ast.Node, message, hint string) kind {
	c.ok = false
	c.env.Fail(n, message, hint)
	return wrong
}

// kind determines the kind of a node and stores it for the compiler.
func (c *checker) kind(n ast.Node) kind {
	k := c.find(n)
	c.kinds[n] = k
	return k
}

// find determines the kind of a node. Lists, texts and other expressions not listed here are not allowed in a formula.
func (c *checker) find(n ast.Node) kind {
	switch n := n.(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		return scalar
	case *ast.IdentifierNode:
		// The names of the points hide equal names of the script.
		if n.Value == c.x || n.Value == c.y {
			return vector
		}
		v, ok := c.env.Number(n)
		if !ok {
			c.ok = false
			return wrong
		}
		c.numbers[n.Value] = v // With can replace the value
		return scalar
	case *ast.UnaryNode:
		return c.values(n.Node)
	case *ast.BinaryNode:
		return c.binary(n)
	case *ast.ConditionalNode:
		return c.choice(n)
	case *ast.MemberNode:
		return c.element(n)
	case *ast.CallNode:
		return c.call(n)
	case *ast.StringNode:
		return c.fail(n, "a formula cannot compute with a text", `columns are read as x["name"]`)
	}
	return c.fail(n, "this is not part of a formula", "")
}

// values returns the kind of an operation on the given parts, each of which must be a number or a vector.
func (c *checker) values(parts ...ast.Node) kind {
	return joined(lists.Map(parts, func(p ast.Node) kind {
		k := c.kind(p)
		if k == condition {
			k = c.fail(p, "a condition is not a number", "write condition ? a : b")
		}
		return k
	}))
}

// joined returns the kind of an operation on numbers and vectors: a vector if one of them is a vector. If one is wrong, the
// result is wrong, so that a mistake is reported only once.
func joined(kinds []kind) kind {
	switch {
	case slices.Contains(kinds, wrong):
		return wrong
	case slices.Contains(kinds, vector):
		return vector
	}
	return scalar
}

// binary returns the kind of a binary operation. A comparison accepts only numbers, and its result is a condition.
func (c *checker) binary(n *ast.BinaryNode) kind {
	switch n.Operator {
	case "+", "-", "*", "/", "^":
		return c.values(n.Left, n.Right)
	case "<", "<=", ">", ">=", "==", "!=":
		switch k := c.values(n.Left, n.Right); k {
		case vector:
			return c.fail(n, "vectors cannot be compared", "compare numbers, such as x[0] < y[0]")
		case wrong:
			return wrong
		}
		return condition
	// expr parses a < b < c as (a < b) && (b < c); && itself is rejected as a token.
	case "&&":
		return c.fail(n, "comparisons cannot be chained", "write a < b ? (b < c ? … : …) : …")
	}
	return c.fail(n, fmt.Sprintf("formulas have no operator %s", n.Operator), "")
}

// choice returns the kind of condition ? a : b. The condition must be a comparison, not a number.
func (c *checker) choice(n *ast.ConditionalNode) kind {
	if k := c.kind(n.Cond); k != condition {
		if k != wrong {
			return c.fail(n.Cond, fmt.Sprintf("a choice needs a condition, and this is %s", k), "compare numbers, such as x[0] < y[0] ? a : b")
		}
		return wrong
	}
	return c.values(n.Exp1, n.Exp2)
}

// element checks v[i] or v["column"]. The number of a column must be known in the definition. Whether the column exists is
// checked when points are given.
func (c *checker) element(n *ast.MemberNode) kind {
	k := c.kind(n.Node)
	at := column{node: n, place: c.env.Place(n)}
	switch p := n.Property.(type) {
	case *ast.StringNode:
		at.name = p.Value
	// A column number may depend on names of the script, but a fit must not change those names.
	default:
		if c.kind(p) == wrong {
			return wrong
		}
		ast.Walk(&n.Property, choosing(c.chooses))
		if _, ok := c.number(p); !ok { // number needs the kinds of p, which are known now
			return c.fail(p, ColumnRule, "columns are numbered from 0, or named: "+c.x+`["name"]`)
		}
	}
	switch k {
	case wrong:
		return wrong
	case vector:
		c.columns = append(c.columns, at)
		return scalar
	}
	return c.fail(n.Node, fmt.Sprintf("%s has no elements", k), fmt.Sprintf("%s and %s are the vectors of features", c.x, c.y))
}

// ColumnRule is the error message for an invalid column number.
const ColumnRule = "the column is not a whole number from 0"

// number returns a column number, which must not depend on the points; false if it is invalid. It compiles the expression for an
// arbitrary number of columns and tests that the result is constant. The upper limit of the number ensures that an int represents
// it exactly.
func (d *Definition) number(n ast.Node) (int, bool) {
	if d.kinds[n] != scalar {
		return 0, false
	}
	v := (&compiler{Definition: d}).compile(n, 0).constant
	if v == nil || *v != math.Trunc(*v) || !(*v >= 0 && *v <= 1e6) {
		return 0, false
	}
	return int(*v), true
}

// Misplaced returns an invalid column number; nil if there is none. Check rejects invalid numbers, so they occur only after With.
func (d *Definition) Misplaced() ast.Node {
	for _, c := range d.columns {
		if _, ok := d.number(c.node.Property); c.name == "" && !ok {
			return c.node.Property
		}
	}
	return nil
}

// choosing is an ast.Visitor that collects names.
type choosing map[string]bool

func (c choosing) Visit(n *ast.Node) {
	if id, ok := (*n).(*ast.IdentifierNode); ok {
		c[id.Value] = true
	}
}

// Chooses reports whether the number of a column depends on a name. Such a name cannot be fitted, since there is nothing between
// two columns.
func (d *Definition) Chooses(name string) bool { return d.chooses[name] }

// call returns the kind of a call. A function of one number keeps the kind of its argument; a reduction of vectors returns a
// number.
func (c *checker) call(n *ast.CallNode) kind {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return c.fail(n, "only a function can be called", "")
	}
	if strings.HasPrefix(callee.Value, "$") { // a text with values in braces
		return c.fail(n, "a text with values cannot be used in a formula",
			"read columns by their names or numbers; write {{ for a brace in a name")
	}
	var kinds []kind
	for _, a := range n.Arguments {
		if _, named := a.(*ast.MapNode); named { // package front represents named arguments by a map literal
			return c.fail(n, "functions of formulas have no named arguments", "")
		}
		kinds = append(kinds, c.values(a))
	}
	name, result := callee.Value, joined(kinds)
	takes, reduces := reductions[name]
	// Report an unknown function even if its arguments have mistakes too.
	switch {
	case elementwise[name] == nil && !reduces:
		c.ok = false
		c.env.UnknownFunction(callee)
		return wrong
	case result == wrong:
		return wrong
	case !reduces && len(kinds) != 1:
		return c.fail(n, fmt.Sprintf("%s takes one argument", name), "")
	case !reduces:
		return result
	// several arguments are compared element by element; a single argument is reduced
	case (name == "min" || name == "max") && len(kinds) > 1:
		return result
	case len(kinds) != takes:
		return c.fail(n, fmt.Sprintf("%s takes %s", name, [...]string{"", "one argument", "two arguments"}[takes]), "")
	}
	for i, k := range kinds {
		if k != vector {
			return c.fail(n.Arguments[i], fmt.Sprintf("%s needs a vector, and this is %s", name, k),
				fmt.Sprintf("%s, %s and %s-%s are vectors", c.x, c.y, c.x, c.y))
		}
	}
	return scalar
}

// Names returns the names of the script that the formula reads, in alphabetical order.
func (d *Definition) Names() []string { return slices.Sorted(maps.Keys(d.numbers)) }

// Numbers returns a copy of the values of the names that the formula reads.
func (d *Definition) Numbers() map[string]float64 { return maps.Clone(d.numbers) }

// With returns the formula with new values of these names. A column number may become invalid, see Misplaced. Names that the
// formula does not read have no effect on values of the formula.
func (d *Definition) With(numbers map[string]float64) *Definition {
	other := *d
	other.numbers = maps.Clone(d.numbers)
	maps.Copy(other.numbers, numbers)
	return &other
}
