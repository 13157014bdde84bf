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

// Env provides the names around a formula in its script. The language implements it. Check calls it in the order of the text, and
// Number again for a repeated name.
type Env interface {
	// Number returns the value of a name that is not a point. If the name is not bound to a number, the environment reports that
	// and returns false.
	Number(n *ast.IdentifierNode) (float64, bool)
	// Fail reports a mistake at a node.
	Fail(n ast.Node, message, hint string)
	// UnknownFunction reports a call of a function that formulas lack.
	UnknownFunction(callee *ast.IdentifierNode)
	// Place returns the place of a node, for errors that appear when points are given.
	Place(n ast.Node) string
}

// Definition is a formula of two points that passed the check. It does not change after Check; With makes another one, which shares
// the maps that only Check writes.
type Definition struct {
	name string   // name of the formula, for messages
	x, y string   // the names of the points
	body ast.Node // the tree of the script; its nodes are the keys of kinds

	kinds   map[ast.Node]kind  // of every node with a value; none is the constant wrong after Check
	numbers map[string]float64 // the names of the script that the formula reads
	columns []column           // where elements are read
	chooses map[string]bool    // names that determine the number of a column
}

// column is a place x[…] that reads one element, either by name or by the number that the property of node evaluates to.
type column struct {
	node  *ast.MemberNode // the tree of x[…], or of an expression in brackets before […]
	name  string          // "" if the column is given by number
	place string          // for messages; from Env.Place
}

// kind is the kind of a part of a formula.
type kind uint8

const (
	wrong     kind = iota // reported already
	scalar                // also an element of a vector, and the result of sum(…) and similar
	vector                // an element for each feature column
	condition             // only from a comparison, and only before a ?
)

// String returns the kind for messages: "this is a number".
func (k kind) String() string {
	return [...]string{"nothing", "a number", "a vector", "a condition"}[k]
}

// Check checks a formula name(x, y) = body. It reports every mistake to the environment, and returns nil if there was one. x and y
// are the different names of the points. The tree must not change afterwards.
func Check(name, x, y string, body ast.Node, env Env) *Definition {
	c := &checker{env: env, ok: true, Definition: &Definition{
		name: name, x: x, y: y, body: body,
		kinds: map[ast.Node]kind{}, numbers: map[string]float64{}, chooses: map[string]bool{},
	}}
	switch k := c.kind(body); {
	case !c.ok:
		return nil
	case k != scalar: // all parts are right, but the whole is not a kernel
		env.Fail(body, fmt.Sprintf("the formula gives %s, but a kernel is a number for each pair of points", k),
			"sum(…), dot(x, y) and x[0] give numbers")
		return nil
	}
	return c.Definition
}

// checker fills the definition from the leaves up. It continues after a mistake, so that all are reported.
type checker struct {
	*Definition // discarded after a mistake
	env         Env
	ok          bool // no mistake so far
}

// fail reports a mistake, and returns the kind that prevents a second report about the same part.
func (c *checker) fail(n ast.Node, message, hint string) kind {
	c.ok = false
	c.env.Fail(n, message, hint)
	return wrong
}

// kind finds and stores the kind of a node, for the compiler.
func (c *checker) kind(n ast.Node) kind {
	k := c.find(n)
	c.kinds[n] = k
	return k
}

// find returns the kind of a node by its form. Other forms, such as lists and texts, are not allowed in a formula.
func (c *checker) find(n ast.Node) kind {
	switch n := n.(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		return scalar
	case *ast.IdentifierNode:
		// The names of the points shadow names of the script.
		if n.Value == c.x || n.Value == c.y {
			return vector
		}
		v, ok := c.env.Number(n)
		if !ok {
			c.ok = false
			return wrong
		}
		c.numbers[n.Value] = v // With can change the value
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

// values returns the kind of an operation on parts, which must be numbers or vectors.
func (c *checker) values(parts ...ast.Node) kind {
	return joined(lists.Map(parts, func(p ast.Node) kind {
		k := c.kind(p)
		if k == condition {
			k = c.fail(p, "a condition is not a number", "write condition ? a : b")
		}
		return k
	}))
}

// joined returns the kind of an operation on numbers and vectors: a vector if one of them is. The kind wrong has priority, so that
// a mistake causes only one message.
func joined(kinds []kind) kind {
	switch {
	case slices.Contains(kinds, wrong):
		return wrong
	case slices.Contains(kinds, vector):
		return vector
	}
	return scalar
}

// binary returns the kind of an operation. A comparison takes only numbers, and gives a condition.
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
	// expr parses a < b < c as (a < b) && (b < c); the tokens do not allow && itself.
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

// element checks v[i] or v["column"]. The number of a column must be known at definition; whether the column exists is known when
// points are given.
func (c *checker) element(n *ast.MemberNode) kind {
	k := c.kind(n.Node)
	at := column{node: n, place: c.env.Place(n)}
	switch p := n.Property.(type) {
	case *ast.StringNode:
		at.name = p.Value
	// A number may depend on names of the script; a fit must not change these.
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

// ColumnRule is the message about an invalid number of a column.
const ColumnRule = "the column is not a whole number from 0"

// number returns the number of a column, which must not depend on the points; false if it is not a valid number. It compiles the
// expression with an arbitrary number of columns, and checks that the result is constant. The upper limit keeps the number exact as
// an int.
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

// Misplaced returns a column number that violates ColumnRule; nil if there is none. Check rejects such numbers, so they occur only
// after With.
func (d *Definition) Misplaced() ast.Node {
	for _, c := range d.columns {
		if _, ok := d.number(c.node.Property); c.name == "" && !ok {
			return c.node.Property
		}
	}
	return nil
}

// choosing is a visitor of ast.Walk that collects names.
type choosing map[string]bool

func (c choosing) Visit(n *ast.Node) {
	if id, ok := (*n).(*ast.IdentifierNode); ok {
		c[id.Value] = true
	}
}

// Chooses reports whether the formula reads a column whose number depends on a name. Such a name cannot be fitted, since columns
// have no values in between.
func (d *Definition) Chooses(name string) bool { return d.chooses[name] }

// call returns the kind of a call. Functions of numbers keep the kind of their argument; reductions make a number of vectors.
func (c *checker) call(n *ast.CallNode) kind {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return c.fail(n, "only a function can be called", "")
	}
	if strings.HasPrefix(callee.Value, "$") { // a text with values
		return c.fail(n, "a text with values cannot be used in a formula",
			"read columns by their names or numbers; write {{ for a brace in a name")
	}
	var kinds []kind
	for _, a := range n.Arguments {
		if _, named := a.(*ast.MapNode); named { // package front writes named arguments as a map literal
			return c.fail(n, "functions of formulas have no named arguments", "")
		}
		kinds = append(kinds, c.values(a))
	}
	name, result := callee.Value, joined(kinds)
	takes, reduces := reductions[name]
	// An unknown function is reported even if its arguments also have mistakes.
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
	case (name == "min" || name == "max") && len(kinds) > 1: // several arguments: element by element; one argument: a reduction
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

// With returns the formula with other values of these names. A number of a column may become invalid, see Misplaced. Names that the
// formula does not read only affect Names and Numbers.
func (d *Definition) With(numbers map[string]float64) *Definition {
	other := *d
	other.numbers = maps.Clone(d.numbers)
	maps.Copy(other.numbers, numbers)
	return &other
}
