package formula

import (
	"fmt"
	"math"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// pair interprets a formula for two points, straight from the syntax tree. It is
// the plain form that the compiled rows are tested against.
type pair struct {
	*Definition
	at     map[*ast.MemberNode]int // column of each v[…]
	px, py []float64
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
		return combine(func(v []float64) float64 { return Operate(n.Operator, v[0], v[1]) }, p.eval(n.Left), p.eval(n.Right))
	case *ast.ConditionalNode:
		return combine(func(v []float64) float64 {
			if v[0] != 0 {
				return v[1]
			}
			return v[2]
		}, p.eval(n.Cond), p.eval(n.Exp1), p.eval(n.Exp2))
	case *ast.MemberNode:
		return result{number: p.eval(n.Node).element(p.at[n])}
	case *ast.CallNode:
		return p.call(n)
	}
	panic(fmt.Sprintf("formula: %T passed the check", n))
}

func (p *pair) call(n *ast.CallNode) result {
	name := n.Callee.(*ast.IdentifierNode).Value
	args := lists.Map(n.Arguments, p.eval)
	if f := elementwise[name]; f != nil {
		return combine(func(v []float64) float64 { return f(v[0]) }, args...)
	}
	if len(args) > 1 && (name == "min" || name == "max") {
		return combine(func(v []float64) float64 { return extreme(name, v) }, args...)
	}
	a := args[0].vector
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
func combine(f func([]float64) float64, parts ...result) result {
	values, length := make([]float64, len(parts)), -1
	for i, p := range parts {
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

func extreme(name string, v []float64) float64 {
	if name == "min" {
		return slices.Min(v)
	}
	return slices.Max(v)
}

// reduce combines the elements of a vector: their sum, or the smallest or largest.
type reduce struct {
	operator string // "" for the sum, "min", "max"
	columns  int
	before   []hoisted
	body     node // element of the column f.column
	distance bool // the body is (x - y)²
}

// hoisted is a number with the slot that holds it during the loop.
type hoisted struct {
	slot
	value node
}

// finish looks for the body (x - y)², which has its own loop.
func (n *reduce) finish() {
	s, ok := n.body.(square)
	if !ok || n.operator != "" {
		return
	}
	d, ok := s.a.(*binary)
	if !ok || d.operator != "-" {
		return
	}
	x, y := d.a, d.b
	if _, swapped := y.(xAt); swapped {
		x, y = y, x
	}
	n.distance = x == node(xAt(everyColumn)) && y == node(yAt(everyColumn))
}

func (n *reduce) uniform() bool { return n.body.uniform() }

// prepare computes what the body reads from slots.
func (n *reduce) prepare(f *frame) {
	for _, h := range n.before {
		if h.same {
			f.slots[h.index][0] = h.value.one(f)
			continue
		}
		own := f.slots[h.index][:f.to-f.from]
		if out := h.value.rows(f, own); &out[0] != &own[0] {
			copy(own, out)
		}
	}
}

func (n *reduce) one(f *frame) float64 {
	n.prepare(f)
	f.column = 0
	total := n.body.one(f)
	for f.column = 1; f.column < n.columns; f.column++ {
		total = accumulate(n.operator, total, n.body.one(f))
	}
	return total
}

func accumulate(operator string, a, b float64) float64 {
	switch operator {
	case "min":
		return min(a, b)
	case "max":
		return max(a, b)
	}
	return a + b
}

func (n *reduce) rows(f *frame, dst []float64) []float64 {
	if n.distance {
		squares(dst, f.x, f.ys, f.from)
		return dst
	}
	n.prepare(f)
	f.column = 0
	if first := n.body.rows(f, dst); &first[0] != &dst[0] {
		copy(dst, first)
	}
	spare := f.buffer()
	for f.column = 1; f.column < n.columns; f.column++ {
		values := n.body.rows(f, spare)[:len(dst)]
		if n.operator == "" {
			for j := range dst {
				dst[j] += values[j]
			}
			continue
		}
		for j := range dst {
			dst[j] = accumulate(n.operator, dst[j], values[j])
		}
	}
	f.give(spare)
	return dst
}

// squares sets dst[j] = Σ_c (x_c - ys_c[from+j])², four columns a pass.
func squares(dst, x []float64, ys [][]float64, from int) {
	clear(dst)
	c := 0
	for ; c+4 <= len(x); c += 4 {
		x0, x1, x2, x3 := x[c], x[c+1], x[c+2], x[c+3]
		y0, y1 := ys[c][from:][:len(dst)], ys[c+1][from:][:len(dst)]
		y2, y3 := ys[c+2][from:][:len(dst)], ys[c+3][from:][:len(dst)]
		for j := range dst {
			d0, d1, d2, d3 := x0-y0[j], x1-y1[j], x2-y2[j], x3-y3[j]
			dst[j] += (d0*d0 + d1*d1) + (d2*d2 + d3*d3)
		}
	}
	for ; c < len(x); c++ {
		xc, yc := x[c], ys[c][from:][:len(dst)]
		for j := range dst {
			d := xc - yc[j]
			dst[j] += d * d
		}
	}
}
