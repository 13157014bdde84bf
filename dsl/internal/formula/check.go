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

// Env gives Check access to the script around a formula; package dsl implements it. Check calls its methods in the order
// of the text. If a name occurs several times, it calls Number for each.
type Env interface {
	// Number returns the value of a name that is not a point. If the name is not bound to a number, it reports a mistake
	// and returns false.
	Number(n *ast.IdentifierNode) (float64, bool)
	// Fail reports a mistake at a node.
	Fail(n ast.Node, message, hint string)
	// UnknownFunction reports a call of a function that formulas cannot call.
	UnknownFunction(callee *ast.IdentifierNode)
	// Place returns the source position of a node as text. It is used by errors that occur later, when the
	// formula is applied to points.
	Place(n ast.Node) string
}

// Definition is a formula of two points that has passed Check. It never changes. With returns a copy with other numbers,
// which shares all maps except numbers.
type Definition struct {
	name string   // name of the formula, for messages
	x, y string   // names of the two points
	body ast.Node // syntax tree; its nodes are the keys of kinds

	kinds   map[ast.Node]kind  // kind of each node that has a value
	numbers map[string]float64 // values of names of the script that the formula reads
	columns []column           // the expressions that read one element of a vector
	chooses map[string]bool    // names that determine a column number
}

// column is an expression x[…], which reads one element of a vector. The element is given by a column's name or number.
type column struct {
	node  *ast.MemberNode // the node of the whole expression
	name  string          // column name; "" if the column is given by number
	place string          // source position for messages, from Env.Place
}

// kind is the type of a part of a formula.
type kind uint8

const (
	wrong     kind = iota // a mistake in this part is already reported
	scalar                // a number, such as an element of a vector or the result of sum(…)
	vector                // a vector with one element per feature column
	condition             // result of a comparison, allowed only before ?
)

// String returns the kind as messages name it, after "this is".
func (k kind) String() string {
	return [...]string{"nothing", "a number", "a vector", "a condition"}[k]
}

// Check checks the formula name(x, y) = body and returns its Definition. It reports every mistake to env, and returns nil
// if there is one. x and y are the names of the points, and must differ. The caller must not change body afterwards.
func Check(name, x, y string, body ast.Node, env Env) *Definition {
	c := &checker{env: env, ok: true, Definition: &Definition{
		name: name, x: x, y: y, body: body,
		kinds: map[ast.Node]kind{}, numbers: map[string]float64{}, chooses: map[string]bool{},
	}}
	switch k := c.kind(body); {
	case !c.ok:
		return nil
	case k != scalar: // the formula has no mistake in its parts, but its value is not a number
		env.Fail(body, fmt.Sprintf("the formula gives %s, but a kernel is a number for each pair of points", k),
			"sum(…), dot(x, y) and x[0] give numbers")
		return nil
	}
	return c.Definition
}

// checker fills in a Definition, starting with inner expressions. It continues after a mistake, to report all mistakes.
type checker struct {
	*Definition // not used after a mistake
	env         Env
	ok          bool // whether there is no mistake so far
}

// fail reports a mistake and returns the kind wrong. For a part of this kind, no further mistakes are reported.
func (c *checker) fail(n ast.Node, message, hint string) kind {
	c.ok = false
	c.env.Fail(n, message, hint)
	return wrong
}

// kind determines the kind of a node, and stores it in c.kinds.
func (c *checker) kind(n ast.Node) kind {
	k := c.find(n)
	c.kinds[n] = k
	return k
}

// find determines the kind of a node. It reports node types that a formula must not contain, such as lists and texts.
func (c *checker) find(n ast.Node) kind {
	switch n := n.(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		return scalar
	case *ast.IdentifierNode:
		// A point hides a name of the script that is equal.
		if n.Value == c.x || n.Value == c.y {
			return vector
		}
		v, ok := c.env.Number(n)
		if !ok {
			c.ok = false
			return wrong
		}
		c.numbers[n.Value] = v // With can replace this value
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

// values returns the kind of an operation on parts, and reports a part that is not a number or a vector.
func (c *checker) values(parts ...ast.Node) kind {
	return joined(lists.Map(parts, func(p ast.Node) kind {
		k := c.kind(p)
		if k == condition {
			k = c.fail(p, "a condition is not a number", "write condition ? a : b")
		}
		return k
	}))
}

// joined returns the kind of an operation on numbers and vectors. If one is wrong, the result is wrong. Otherwise it is a
// vector if one is a vector, and a number if none is.
func joined(kinds []kind) kind {
	switch {
	case slices.Contains(kinds, wrong):
		return wrong
	case slices.Contains(kinds, vector):
		return vector
	}
	return scalar
}

// binary returns the kind of a binary operation. A comparison must compare numbers, and its kind is condition.
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
	// The parser represents a < b < c as (a < b) && (b < c). Scripts cannot contain && themselves.
	case "&&":
		return c.fail(n, "comparisons cannot be chained", "write a < b ? (b < c ? … : …) : …")
	}
	return c.fail(n, fmt.Sprintf("formulas have no operator %s", n.Operator), "")
}

// choice returns the kind of condition ? a : b. It reports a condition that is not a comparison.
func (c *checker) choice(n *ast.ConditionalNode) kind {
	if k := c.kind(n.Cond); k != condition {
		if k != wrong {
			return c.fail(n.Cond, fmt.Sprintf("a choice needs a condition, and this is %s", k), "compare numbers, such as x[0] < y[0] ? a : b")
		}
		return wrong
	}
	return c.values(n.Exp1, n.Exp2)
}

// element checks v[i] and v["column"]. A column number must be known from the definition. Whether the column exists is
// checked later, when the formula is applied to points.
func (c *checker) element(n *ast.MemberNode) kind {
	k := c.kind(n.Node)
	at := column{node: n, place: c.env.Place(n)}
	switch p := n.Property.(type) {
	case *ast.StringNode:
		at.name = p.Value
	// A column number may depend on names of the script. c.chooses records these names, because a fit must not change
	// them.
	default:
		if c.kind(p) == wrong {
			return wrong
		}
		ast.Walk(&n.Property, choosing(c.chooses))
		if _, ok := c.number(p); !ok { // number needs the kinds of the nodes in p, which are known now
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

// number returns the value of a column number. It returns false if the value depends on the points, or is not a whole
// number from 0 to 10⁶.
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

// Misplaced returns the node of an invalid column number; nil if there is none. Check rejects invalid numbers, so only
// With can cause one.
func (d *Definition) Misplaced() ast.Node {
	for _, c := range d.columns {
		if _, ok := d.number(c.node.Property); c.name == "" && !ok {
			return c.node.Property
		}
	}
	return nil
}

// choosing is an AST visitor that collects names.
type choosing map[string]bool

func (c choosing) Visit(n *ast.Node) {
	if id, ok := (*n).(*ast.IdentifierNode); ok {
		c[id.Value] = true
	}
}

// Chooses reports whether a column number depends on the given name. Such a name cannot be fitted, because column numbers
// are not continuous.
func (d *Definition) Chooses(name string) bool { return d.chooses[name] }

// call returns the kind of a function call. A function of one number returns the kind of its argument. A reduction returns
// a number.
func (c *checker) call(n *ast.CallNode) kind {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return c.fail(n, "only a function can be called", "")
	}
	if strings.HasPrefix(callee.Value, "$") { // the call represents a text with values in braces
		return c.fail(n, "a text with values cannot be used in a formula",
			"read columns by their names or numbers; write {{ for a brace in a name")
	}
	var kinds []kind
	for _, a := range n.Arguments {
		if _, named := a.(*ast.MapNode); named { // package front represents named arguments as a map literal
			return c.fail(n, "functions of formulas have no named arguments", "")
		}
		kinds = append(kinds, c.values(a))
	}
	name, result := callee.Value, joined(kinds)
	takes, reduces := reductions[name]
	// Report an unknown function even if an argument has a mistake.
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
	// With several arguments, min and max work element by element. With one, they reduce it to a number.
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

// Names returns, in alphabetical order, the names of the script that the formula reads.
func (d *Definition) Names() []string { return slices.Sorted(maps.Keys(d.numbers)) }

// Numbers returns a copy of the map from these names to their values.
func (d *Definition) Numbers() map[string]float64 { return maps.Clone(d.numbers) }

// With returns a copy of the formula with the given values of its names. It ignores names that the formula does not read.
// A column number may become invalid, see Misplaced.
func (d *Definition) With(numbers map[string]float64) *Definition {
	other := *d
	other.numbers = maps.Clone(d.numbers)
	maps.Copy(other.numbers, numbers)
	return &other
}
