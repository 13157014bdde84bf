package formula

import (
	"fmt"
	"math"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// plain returns the formula of two points by the interpreter below.
// It finds the columns by itself: by name, or by the number that the interpreter computes.
func plain(d *Definition, columns []string, x, y []float64) float64 {
	p := &pair{Definition: d, at: map[*ast.MemberNode]int{}, px: x, py: y}
	for _, c := range d.columns {
		if p.at[c.node] = slices.Index(columns, c.name); c.name == "" {
			p.at[c.node] = int(p.eval(c.node.Property).number)
		}
	}
	return p.eval(d.body).number
}

// pair interprets a formula for two points, straight from the syntax tree. It is
// what the compiled rows are held against.
// It shares Operate and the functions of one number with the compiled rows, but neither loops nor nodes.
type pair struct {
	*Definition
	at     map[*ast.MemberNode]int // column of each v[…]
	px, py []float64               // the features of both points
}

// result is a number, or a vector where vector is not nil. A condition is 1 or 0.
type result struct {
	number float64
	vector []float64
}

// element returns element c; a number is the same in every column.
func (r result) element(c int) float64 {
	if r.vector == nil {
		return r.number
	}
	return r.vector[c]
}

// eval returns the value of a part. It panics at what Check refuses.
func (p *pair) eval(n ast.Node) result {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return result{number: float64(n.Value)}
	case *ast.FloatNode:
		return result{number: n.Value}
	case *ast.IdentifierNode:
		switch n.Value {
		case p.x:
			return result{vector: p.px}
		case p.y:
			return result{vector: p.py}
		}
		return result{number: p.numbers[n.Value]}
	case *ast.UnaryNode:
		if n.Operator == "+" {
			return p.eval(n.Node)
		}
		return combine(func(v []float64) float64 { return -v[0] }, p.eval(n.Node))
	case *ast.BinaryNode:
		// comparisons too, as 1 or 0
		return combine(func(v []float64) float64 { return Operate(n.Operator, v[0], v[1]) }, p.eval(n.Left), p.eval(n.Right))
	case *ast.ConditionalNode:
		return combine(func(v []float64) float64 {
			if v[0] != 0 {
				return v[1]
			}
			return v[2]
		}, p.eval(n.Cond), p.eval(n.Exp1), p.eval(n.Exp2))
	case *ast.MemberNode:
		return result{number: p.eval(n.Node).element(p.at[n])} // of a number, any element is the number itself
	case *ast.CallNode:
		return p.call(n)
	}
	panic(fmt.Sprintf("formula: %T passed the check", n))
}

// call returns the value of a function: element by element first, then over the elements of vectors.
func (p *pair) call(n *ast.CallNode) result {
	name := n.Callee.(*ast.IdentifierNode).Value
	args := lists.Map(n.Arguments, p.eval)
	if f := elementwise[name]; f != nil {
		return combine(func(v []float64) float64 { return f(v[0]) }, args...)
	}
	if len(args) > 1 && (name == "min" || name == "max") { // of several arguments, element by element
		return combine(func(v []float64) float64 { return extreme(name, v) }, args...)
	}
	a := args[0].vector // the checked formula has a vector here
	total := 0.0
	switch name {
	case "min", "max":
		return result{number: extreme(name, a)}
	case "sum", "mean":
		for _, v := range a {
			total += v
		}
		if name == "mean" {
			total /= float64(len(a))
		}
	case "norm":
		for _, v := range a {
			total += v * v
		}
		total = math.Sqrt(total)
	case "dot":
		for i, v := range args[1].vector {
			total += a[i] * v
		}
	case "sqdist":
		for i, v := range args[1].vector {
			total += (a[i] - v) * (a[i] - v)
		}
	}
	return result{number: total}
}

// combine applies f element by element; numbers are repeated.
// f gets one value of each part.
func combine(f func([]float64) float64, parts ...result) result {
	values, length := make([]float64, len(parts)), -1
	for i, p := range parts { // length of the vectors; -1 where all parts are numbers
		values[i] = p.number
		if p.vector != nil {
			length = len(p.vector)
		}
	}
	if length < 0 {
		return result{number: f(values)}
	}
	out := result{vector: make([]float64, length)}
	for c := range out.vector {
		for i, p := range parts {
			values[i] = p.element(c)
		}
		out.vector[c] = f(values)
	}
	return out
}

// extreme returns the smallest or largest of some values.
func extreme(name string, v []float64) float64 {
	if name == "min" {
		return slices.Min(v)
	}
	return slices.Max(v)
}
