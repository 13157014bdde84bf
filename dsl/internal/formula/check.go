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

// Env knows the names that surround a formula in its script.
type Env interface {
	// Number returns the value of a name that is not a point. When it is not bound to
	// a number the environment reports that and returns false.
	Number(n *ast.IdentifierNode) (float64, bool)
	// Fail reports a mistake at a node.
	Fail(n ast.Node, message, hint string)
	// UnknownFunction reports a call of a function that formulas do not have.
	UnknownFunction(callee *ast.IdentifierNode)
	// Place says where a node is, for errors that appear when points are met.
	Place(n ast.Node) string
}

// Definition is a formula of two points that passed the check.
type Definition struct {
	name string
	x, y string // the names of the points
	body ast.Node

	kinds   map[ast.Node]kind
	numbers map[string]float64 // the names of the script that the formula reads
	columns []column           // where elements are read
	chooses map[string]bool    // names that say which column that is
}

// column is a place x[…] that reads one element.
type column struct {
	node  *ast.MemberNode
	name  string // where the column is given by name, and not by a number
	place string
}

// kind is the kind of a part of a formula.
type kind uint8

const (
	wrong kind = iota // reported already
	scalar
	vector
	condition
)

func (k kind) String() string {
	return [...]string{"nothing", "a number", "a vector", "a condition"}[k]
}

// Check checks a formula name(x, y) = body. It reports every mistake to the
// environment and returns nil if there was one.
func Check(name, x, y string, body ast.Node, env Env) *Definition {
	c := &checker{env: env, ok: true, Definition: &Definition{
		name: name, x: x, y: y, body: body,
		kinds: map[ast.Node]kind{}, numbers: map[string]float64{}, chooses: map[string]bool{},
	}}
	switch k := c.kind(body); {
	case !c.ok:
		return nil
	case k != scalar:
		env.Fail(body, fmt.Sprintf("the formula gives %s, but a kernel is a number for each pair of points", k),
			"sum(…), dot(x, y) and x[0] give numbers")
		return nil
	}
	return c.Definition
}

type checker struct {
	*Definition
	env Env
	ok  bool
}

func (c *checker) fail(n ast.Node, message, hint string) kind {
	c.ok = false
	c.env.Fail(n, message, hint)
	return wrong
}

// kind finds and remembers the kind of a node.
func (c *checker) kind(n ast.Node) kind {
	k := c.find(n)
	c.kinds[n] = k
	return k
}

func (c *checker) find(n ast.Node) kind {
	switch n := n.(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		return scalar
	case *ast.IdentifierNode:
		if n.Value == c.x || n.Value == c.y {
			return vector
		}
		v, ok := c.env.Number(n)
		if !ok {
			c.ok = false
			return wrong
		}
		c.numbers[n.Value] = v
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
		return c.fail(n, "a text cannot be computed with", `columns are read as x["name"]`)
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

// joined returns the kind of an operation on numbers and vectors: a vector if one of them is.
func joined(kinds []kind) kind {
	switch {
	case slices.Contains(kinds, wrong):
		return wrong
	case slices.Contains(kinds, vector):
		return vector
	}
	return scalar
}

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
	case "&&":
		return c.fail(n, "comparisons cannot be chained", "write a < b ? (b < c ? … : …) : …")
	}
	return c.fail(n, fmt.Sprintf("there is no %s in formulas", n.Operator), "")
}

func (c *checker) choice(n *ast.ConditionalNode) kind {
	if k := c.kind(n.Cond); k != condition {
		if k != wrong {
			return c.fail(n.Cond, fmt.Sprintf("here is %s; a choice needs a condition", k), "compare numbers, such as x[0] < y[0] ? a : b")
		}
		return wrong
	}
	return c.values(n.Exp1, n.Exp2)
}

// element checks v[i] or v["column"].
func (c *checker) element(n *ast.MemberNode) kind {
	k := c.kind(n.Node)
	at := column{node: n, place: c.env.Place(n)}
	switch p := n.Property.(type) {
	case *ast.StringNode:
		at.name = p.Value
	default:
		if c.kind(p) == wrong {
			return wrong
		}
		ast.Walk(&n.Property, choosing(c.chooses))
		if _, ok := c.number(p); !ok {
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

// ColumnRule says what is wrong with the number of a column.
const ColumnRule = "the column is not a whole number from 0"

// number returns the number of a column, which depends on neither point; false where it is none.
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

// Misplaced returns the number of a column that ColumnRule refuses, as it may under other numbers; nil where there is none.
func (d *Definition) Misplaced() ast.Node {
	for _, c := range d.columns {
		if _, ok := d.number(c.node.Property); c.name == "" && !ok {
			return c.node.Property
		}
	}
	return nil
}

// choosing collects names.
type choosing map[string]bool

func (c choosing) Visit(n *ast.Node) {
	if id, ok := (*n).(*ast.IdentifierNode); ok {
		c[id.Value] = true
	}
}

// Chooses reports whether the formula reads a column whose number depends on a name.
func (d *Definition) Chooses(name string) bool { return d.chooses[name] }

func (c *checker) call(n *ast.CallNode) kind {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return c.fail(n, "only a function can be called", "")
	}
	if strings.HasPrefix(callee.Value, "$") { // a text with values
		return c.fail(n, "a text with values cannot stand in a formula",
			"columns are read by their names or numbers; write {{ for a brace in a name")
	}
	var kinds []kind
	for _, a := range n.Arguments {
		if _, named := a.(*ast.MapNode); named {
			return c.fail(n, "functions of formulas have no named arguments", "")
		}
		kinds = append(kinds, c.values(a))
	}
	name, result := callee.Value, joined(kinds)
	takes, reduces := reductions[name]
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
	case (name == "min" || name == "max") && len(kinds) > 1:
		return result
	case len(kinds) != takes:
		return c.fail(n, fmt.Sprintf("%s takes %s", name, [...]string{"", "one argument", "two arguments"}[takes]), "")
	}
	for i, k := range kinds {
		if k != vector {
			return c.fail(n.Arguments[i], fmt.Sprintf("%s needs a vector, but here is %s", name, k),
				fmt.Sprintf("%s, %s and %s-%s are vectors", c.x, c.y, c.x, c.y))
		}
	}
	return scalar
}

// Names returns the names of the script that the formula reads, in alphabetical order.
func (d *Definition) Names() []string { return slices.Sorted(maps.Keys(d.numbers)) }

// Numbers returns the values of the names that the formula reads.
func (d *Definition) Numbers() map[string]float64 { return maps.Clone(d.numbers) }

// With returns the formula with other numbers behind these names.
func (d *Definition) With(numbers map[string]float64) *Definition {
	other := *d
	other.numbers = maps.Clone(d.numbers)
	maps.Copy(other.numbers, numbers)
	return &other
}
