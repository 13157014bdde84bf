package formula

import (
	"math"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// block is the number of points that are worked on at a time: a few arrays of
// this length stay in the first-level cache.
const block = 256

// node is a part of a compiled formula. A part that does not depend on y is
// uniform: one number for the whole row.
type node interface {
	uniform() bool
	one(f *frame) float64 // the value of a uniform node
	// rows returns the values of a node that is not uniform, for the points of the
	// block: in dst, or a view that must not be written to.
	rows(f *frame, dst []float64) []float64
}

// frame is the state of one evaluation.
type frame struct {
	x        []float64
	ys       [][]float64
	from, to int // the block of points
	column   int // of the innermost loop over columns
	slots    [][]float64
	free     [][]float64 // buffers not in use
}

func newFrame(slots int) *frame {
	return &frame{slots: lists.Make(slots, func(int) []float64 { return make([]float64, block) })}
}

// buffer lends an array as long as the block; give returns it.
func (f *frame) buffer() []float64 {
	if len(f.free) == 0 {
		return make([]float64, block)[:f.to-f.from]
	}
	last := len(f.free) - 1
	b := f.free[last]
	f.free = f.free[:last]
	return b[:f.to-f.from]
}

func (f *frame) give(b []float64) { f.free = append(f.free, b[:block]) }

// never panics: the methods of the other kind call it.
func never() float64 { panic("formula: a node was evaluated in the wrong way") }

// constant is a number.
type constant float64

func (c constant) uniform() bool                    { return true }
func (c constant) one(*frame) float64               { return float64(c) }
func (c constant) rows(*frame, []float64) []float64 { never(); return nil }

// xAt is a feature of x: of a fixed column, or of the loop's.
type xAt int

func (c xAt) uniform() bool { return true }
func (c xAt) one(f *frame) float64 {
	if c == everyColumn {
		return f.x[f.column]
	}
	return f.x[c]
}
func (c xAt) rows(*frame, []float64) []float64 { never(); return nil }

// yAt is a feature of y: of a fixed column, or of the loop's.
type yAt int

func (c yAt) uniform() bool      { return false }
func (c yAt) one(*frame) float64 { return never() }
func (c yAt) rows(f *frame, _ []float64) []float64 {
	if c == everyColumn {
		return f.ys[f.column][f.from:f.to]
	}
	return f.ys[c][f.from:f.to]
}

// slot is a number computed before the loop.
type slot struct {
	index int
	same  bool
}

func (s slot) uniform() bool                        { return s.same }
func (s slot) one(f *frame) float64                 { return f.slots[s.index][0] }
func (s slot) rows(f *frame, _ []float64) []float64 { return f.slots[s.index][:f.to-f.from] }

// function is f of each value.
type function struct {
	f func(float64) float64
	a node
}

// apply returns a function of a node; "-" is the sign and "square" the square.
func apply(name string, a node) node {
	var out node
	switch name {
	case "-":
		out = &binary{"*", constant(-1), a}
	case "square":
		out = square{a}
	case "exp":
		out = newExponential(a)
	default:
		out = &function{elementwise[name], a}
	}
	return fold(out, a)
}

// fold computes a node of constants right away.
func fold(n node, parts ...node) node {
	for _, p := range parts {
		if _, ok := p.(constant); !ok {
			return n
		}
	}
	return constant(n.one(nil))
}

func (n *function) uniform() bool        { return n.a.uniform() }
func (n *function) one(f *frame) float64 { return n.f(n.a.one(f)) }
func (n *function) rows(f *frame, dst []float64) []float64 {
	for j, v := range n.a.rows(f, dst) {
		dst[j] = n.f(v)
	}
	return dst
}

// exponential is exp(scale·a), computed for a block at a time.
type exponential struct {
	scale float64
	a     node
}

// newExponential takes constant factors of the exponent into the scale.
func newExponential(a node) node {
	scale := 1.0
	for {
		b, ok := a.(*binary)
		if !ok {
			break
		}
		left, isLeft := b.a.(constant)
		right, isRight := b.b.(constant)
		switch {
		case b.operator == "*" && isLeft:
			scale, a = scale*float64(left), b.b
		case b.operator == "*" && isRight:
			scale, a = scale*float64(right), b.a
		case b.operator == "/" && isRight:
			scale, a = scale/float64(right), b.a
		default:
			return &exponential{scale, a}
		}
	}
	return &exponential{scale, a}
}

func (n *exponential) uniform() bool        { return n.a.uniform() }
func (n *exponential) one(f *frame) float64 { return math.Exp(n.scale * n.a.one(f)) }
func (n *exponential) rows(f *frame, dst []float64) []float64 {
	copy(dst, n.a.rows(f, dst)) // a view must not be written to
	kernels.ExpScaled(dst, n.scale)
	return dst
}

// square is a².
type square struct{ a node }

func (n square) uniform() bool { return n.a.uniform() }
func (n square) one(f *frame) float64 {
	v := n.a.one(f)
	return v * v
}
func (n square) rows(f *frame, dst []float64) []float64 {
	for j, v := range n.a.rows(f, dst) {
		dst[j] = v * v
	}
	return dst
}

// choice is a where the condition is not 0, else b. Both are computed.
type choice struct{ condition, a, b node }

func newChoice(condition, a, b node) node { return fold(&choice{condition, a, b}, condition, a, b) }

func (n *choice) uniform() bool { return n.condition.uniform() && n.a.uniform() && n.b.uniform() }
func (n *choice) one(f *frame) float64 {
	if n.condition.one(f) != 0 {
		return n.a.one(f)
	}
	return n.b.one(f)
}
func (n *choice) rows(f *frame, dst []float64) []float64 {
	spare, other := f.buffer(), f.buffer()
	condition, a, b := expand(n.condition, f, dst), expand(n.a, f, spare), expand(n.b, f, other)
	for j, v := range condition {
		if v != 0 {
			dst[j] = a[j]
		} else {
			dst[j] = b[j]
		}
	}
	f.give(spare)
	f.give(other)
	return dst
}

// expand returns the values of any node, a uniform one repeated in dst.
func expand(n node, f *frame, dst []float64) []float64 {
	if n.uniform() {
		fill(dst, n.one(f))
		return dst
	}
	return n.rows(f, dst)
}

// binary is an operator between two nodes: + - * / ^, a comparison, "min" or "max".
type binary struct {
	operator string
	a, b     node
}

// operation returns the node of an operator; a square has a separate node.
func operation(operator string, a, b node) node {
	if operator == "^" && b == node(constant(2)) {
		return apply("square", a)
	}
	return fold(&binary{operator, a, b}, a, b)
}

func (n *binary) uniform() bool { return n.a.uniform() && n.b.uniform() }

func (n *binary) one(f *frame) float64 { return n.value(n.a.one(f), n.b.one(f)) }

func (n *binary) value(a, b float64) float64 {
	if n.operator == "min" || n.operator == "max" {
		return accumulate(n.operator, a, b)
	}
	return Operate(n.operator, a, b)
}

func (n *binary) rows(f *frame, dst []float64) []float64 {
	switch {
	case n.a.uniform():
		n.left(dst, n.a.one(f), n.b.rows(f, dst)[:len(dst)])
	case n.b.uniform():
		n.right(dst, n.a.rows(f, dst)[:len(dst)], n.b.one(f))
	default:
		spare := f.buffer()
		n.both(dst, n.a.rows(f, dst)[:len(dst)], n.b.rows(f, spare)[:len(dst)])
		f.give(spare)
	}
	return dst
}

// left sets dst = a operator b with a number a.
func (n *binary) left(dst []float64, a float64, b []float64) {
	switch n.operator {
	case "+":
		for j, v := range b {
			dst[j] = a + v
		}
	case "-":
		for j, v := range b {
			dst[j] = a - v
		}
	case "*":
		for j, v := range b {
			dst[j] = a * v
		}
	case "/":
		for j, v := range b {
			dst[j] = a / v
		}
	default:
		for j, v := range b {
			dst[j] = n.value(a, v)
		}
	}
}

// right sets dst = a operator b with a number b.
func (n *binary) right(dst []float64, a []float64, b float64) {
	switch n.operator {
	case "+", "*":
		n.left(dst, b, a)
	case "-":
		for j, v := range a {
			dst[j] = v - b
		}
	case "/":
		for j, v := range a {
			dst[j] = v / b
		}
	default:
		for j, v := range a {
			dst[j] = n.value(v, b)
		}
	}
}

// both sets dst = a operator b.
func (n *binary) both(dst, a, b []float64) {
	switch n.operator {
	case "+":
		for j := range dst {
			dst[j] = a[j] + b[j]
		}
	case "-":
		for j := range dst {
			dst[j] = a[j] - b[j]
		}
	case "*":
		for j := range dst {
			dst[j] = a[j] * b[j]
		}
	case "/":
		for j := range dst {
			dst[j] = a[j] / b[j]
		}
	default:
		for j := range dst {
			dst[j] = n.value(a[j], b[j])
		}
	}
}
