package formula

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// block is the number of points that are evaluated together: a few arrays of this length fit into the first-level cache.
const block = 256

// node is a part of a compiled formula. Nodes are immutable; the frame has all state of an evaluation. A constant node is also
// uniform.
type node struct {
	// values returns the values of the part for the points of the block; one value if the part is uniform. It writes them to dst,
	// which has the length of the block, or returns a read-only view of other data.
	values   func(f *frame, dst []float64) []float64
	uniform  bool      // whether the value does not depend on y
	constant *float64  // the value if it depends on neither point; otherwise nil
	shape    shape     // role of the node in a squared distance
	multiple *multiple // nil if it is not a multiple of another node
}

// multiple describes a node that is the product or quotient of another node and a number. exponential reads it to combine
// constant factors of the exponent.
type multiple struct {
	operator string  // "*" or "/"
	number   float64 // the factor or divisor
	of       node    // the other node
}

// shape marks the parts of a squared distance, for which there is a fast loop. apply and operation set it; reduce looks for
// square.
type shape int

const (
	other      shape = iota
	elementX         // element of x in the column of the loop
	elementY         // element of y in the column of the loop
	difference       // difference of the two elements
	square           // square of the difference
)

// frame is the state of one evaluation. Only one goroutine uses a frame at a time; a Program reuses frames for later calls.
type frame struct {
	x        []float64   // features of the first point, one per column
	ys       [][]float64 // features of the other points: ys[column][point]; read-only
	from, to int         // the block of points
	column   int         // current column of the innermost loop over columns
	slots    [][]float64 // values computed before the loops, by slot: one value or a block
	free     [][]float64 // buffers that are not in use
}

// newFrame allocates the buffers of the slots, so that evaluating a row does not allocate. Other buffers are allocated on first
// use.
func newFrame(slots int) *frame {
	return &frame{slots: lists.Make(slots, func(int) []float64 { return make([]float64, block) })}
}

// buffer returns an unused array of the block's length. The caller must return it by give before its own return, so that later
// evaluations reuse it.
func (f *frame) buffer() []float64 {
	if len(f.free) == 0 {
		return make([]float64, block)[:f.to-f.from]
	}
	last := len(f.free) - 1
	b := f.free[last]
	f.free = f.free[:last]
	return b[:f.to-f.from]
}

// give returns an array from buffer to the frame.
func (f *frame) give(b []float64) { f.free = append(f.free, b[:block]) }

// all returns the values of a node for all points of the block, with a uniform value repeated. The result is dst or a read-only
// view of other data.
func (n node) all(f *frame, dst []float64) []float64 {
	values := n.values(f, dst)
	if n.uniform {
		return repeat(dst, values[0])
	}
	return values
}

// repeat fills dst with one value and returns it.
func repeat(dst []float64, v float64) []float64 {
	for j := range dst {
		dst[j] = v
	}
	return dst
}

// constant returns the node of a number that is known at compile time.
func constant(v float64) node {
	return node{uniform: true, constant: &v, values: func(_ *frame, dst []float64) []float64 { return repeat(dst[:1], v) }}
}

// element returns the element of x or of y in a fixed column, or in the column of the surrounding loop if column is everyColumn.
// Only the latter has a shape, because a distance extends over all columns.
func element(ofX bool, column int) node {
	at := func(f *frame) int {
		if column == everyColumn {
			return f.column
		}
		return column
	}
	// an element of x is one number for the whole block
	n := node{uniform: true, values: func(f *frame, dst []float64) []float64 { return repeat(dst[:1], f.x[at(f)]) }}
	if !ofX {
		n = node{values: func(f *frame, _ []float64) []float64 { return f.ys[at(f)][f.from:f.to] }} // a view of the column, without a copy
	}
	switch {
	case column != everyColumn:
	case ofX:
		n.shape = elementX
	default:
		n.shape = elementY
	}
	return n
}

// made returns a node that computes its values from those of parts. It is uniform if all parts are uniform, and constant if all
// are constant; values is then called with a dst of one element.
func made(values func(f *frame, dst []float64) []float64, parts ...node) node {
	n := node{uniform: !slices.ContainsFunc(parts, func(p node) bool { return !p.uniform })}
	if n.values = values; n.uniform {
		n.values = func(f *frame, dst []float64) []float64 { return values(f, dst[:1]) }
	}
	// Constants need no points, so this frame has only buffers.
	if !slices.ContainsFunc(parts, func(p node) bool { return p.constant == nil }) {
		return constant(n.values(&frame{to: 1}, make([]float64, 1))[0])
	}
	return n
}

// apply returns a function of a node; "-" is negation, and "square" the square. exp, negation and square have faster forms; other
// functions are called for each value. name must be a function of one number.
func apply(name string, a node) node {
	f := elementwise[name]
	switch name {
	case "-":
		return operation("*", constant(-1), a) // a product with -1, so that exponential can combine the factor with others
	case "square":
		f = func(v float64) float64 { return v * v }
	case "exp":
		return exponential(a)
	}
	n := made(func(fr *frame, dst []float64) []float64 {
		for j, v := range a.values(fr, dst) {
			dst[j] = f(v)
		}
		return dst
	}, a)
	if name == "square" && a.shape == difference { // reduce has a fast loop for the sum over columns
		n.shape = square
	}
	return n
}

// exponential returns exp(a), computed for a whole block. It combines constant factors and divisors of the exponent into one
// factor, which may change the last bits.
func exponential(a node) node {
	// Follow the multiples inwards to a node that is not a multiple of another.
	scale, inner := 1.0, a
	for inner.multiple != nil {
		scale, inner = Operate(inner.multiple.operator, scale, inner.multiple.number), inner.multiple.of
	}
	return made(func(f *frame, dst []float64) []float64 {
		copy(dst, inner.values(f, dst)) // a view is read-only
		if a.uniform {
			dst[0] = math.Exp(scale * dst[0])
		} else {
			kernels.ExpScaled(dst, scale)
		}
		return dst
	}, a)
}

// choice returns a if the condition is not 0, otherwise b. It computes both for the whole block, since points may differ in the
// condition. NaN in the branch not chosen does not affect the result.
func choice(condition, a, b node) node {
	return made(func(f *frame, dst []float64) []float64 {
		spare, other := f.buffer()[:len(dst)], f.buffer()[:len(dst)] // dst may be a single value, see made
		// dst may also hold the condition: each element is read before it is overwritten
		holds, yes, no := condition.all(f, dst), a.all(f, spare), b.all(f, other)
		for j, v := range holds {
			if v != 0 {
				dst[j] = yes[j]
			} else {
				dst[j] = no[j]
			}
		}
		f.give(spare)
		f.give(other)
		return dst
	}, condition, a, b)
}

// operation returns an operator between two nodes: + - * / ^, a comparison, "min" or "max". It is uniform if both nodes are. A
// number and an array are combined without repeating the number, if there is a fast function for that.
func operation(operator string, a, b node) node {
	if operator == "^" && b.constant != nil && *b.constant == 2 { // x^2 is a product instead of math.Pow, and sums recognise it
		return apply("square", a)
	}
	combine := combined(operator)
	// The general case makes arrays of equal length. combine may overwrite its operands.
	values := func(f *frame, dst []float64) []float64 {
		spare := f.buffer()[:len(dst)]
		combine(dst, a.all(f, dst), b.all(f, spare))
		f.give(spare)
		return dst
	}
	if a.uniform != b.uniform { // avoid repeating a number if there is a faster way
		list, number, sign := a, b, 1.0
		if a.uniform {
			list, number = b, a
		} else if operator == "-" {
			sign = -1 // list - number is list + (-number); number - list uses the general case
		}
		switch {
		case operator == "*":
			values = func(f *frame, dst []float64) []float64 {
				// Read the number first, because dst is reused for the list.
				v := number.values(f, dst)[0]
				return floats.ScaleTo(dst, v, list.values(f, dst))
			}
		case operator == "+" || sign < 0:
			values = func(f *frame, dst []float64) []float64 {
				v := number.values(f, dst)[0]
				copy(dst, list.values(f, dst))
				floats.AddConst(sign*v, dst)
				return dst
			}
		}
	}
	n := made(values, a, b)
	switch {
	case n.constant != nil: // a constant needs no marks
	case operator == "*" && a.constant != nil:
		n.multiple = &multiple{operator, *a.constant, b}
	case (operator == "*" || operator == "/") && b.constant != nil:
		n.multiple = &multiple{operator, *b.constant, a}
	// x - y and y - x have the same square
	case operator == "-" && min(a.shape, b.shape) == elementX && max(a.shape, b.shape) == elementY:
		n.shape = difference
	}
	return n
}

// combined returns a function that sets dst[j] = a[j] operator b[j]. dst may be a or b; all three have the same length.
func combined(operator string) func(dst, a, b []float64) []float64 {
	switch operator {
	case "+":
		return floats.AddTo
	case "-":
		return floats.SubTo
	case "*":
		return floats.MulTo
	case "/":
		return floats.DivTo
	}
	return func(dst, a, b []float64) []float64 {
		for j, v := range a {
			dst[j] = Operate(operator, v, b[j])
		}
		return dst
	}
}

// reduce combines all elements of a vector by an operator, in the order of the columns, so that a value does not depend on its
// block. before lists the parts of the body that are the same in every column.
func reduce(operator string, columns int, body node, before []hoisted) node {
	// The squared distance over all columns is the core of most kernels and has its own loop.
	if operator == "+" && body.shape == square {
		return node{values: func(f *frame, dst []float64) []float64 {
			kernels.SquaredDistances(dst, f.x, f.ys, f.from)
			return dst
		}}
	}
	combine := combined(operator)
	return node{uniform: body.uniform, values: func(f *frame, dst []float64) []float64 {
		spare := f.buffer()
		// Compute the hoisted parts first: they may contain loops of their own, which use f.column and spare.
		for _, h := range before {
			f.slots[h.slot] = append(f.slots[h.slot][:0], h.value.values(f, spare)...)
		}
		f.column = 0
		// Start with the first column, since min and max have no neutral element. A uniform body has one value.
		dst = dst[:copy(dst, body.values(f, dst))]
		for f.column = 1; f.column < columns; f.column++ {
			combine(dst, dst, body.values(f, spare))
		}
		f.give(spare)
		return dst
	}}
}

// hoisted is a part that does not depend on the column of a loop, with the slot that holds its value during the loop.
type hoisted struct {
	slot  int  // index into frame.slots, different for each hoisted part
	value node // compiled outside the loop
}

// node returns the part as the loop reads it: a view of its slot, which reduce fills before the loop.
func (h hoisted) node() node {
	return node{uniform: h.value.uniform, values: func(f *frame, _ []float64) []float64 { return f.slots[h.slot] }}
}
