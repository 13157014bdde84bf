package formula

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// block is the number of points that are worked on at a time: a few arrays of
// this length stay in the first-level cache.
const block = 256

// node is a part of a compiled formula.
// Nodes are values and share nothing that changes: all state of an evaluation is in the frame.
// If constant is set, uniform is too. values returns one value then, whatever the length of dst.
type node struct {
	// values returns the values of the part for the points of the block, or one value where it is uniform: in dst,
	// which has the length of the block, or in a view that must not be written to.
	values   func(f *frame, dst []float64) []float64
	uniform  bool      // the part does not depend on y
	constant *float64  // its value, where it depends on neither point
	shape    shape     // other, unless it is a part of a squared distance
	multiple *multiple // nil for what is no multiple of another node
}

// multiple says that a node is another one times a number, or divided by it.
// exponential uses it to take constant factors out of the exponent.
type multiple struct {
	operator string  // "*" or "/"
	number   float64 // the factor or divisor
	of       node    // the node without it
}

// shape tells the parts of a squared distance, which has a loop of its own.
// apply and operation set it, where parts with the right shapes meet; reduce looks for square.
type shape int

const (
	other      shape = iota
	elementX         // x in the column of the loop
	elementY         // y in that column
	difference       // of the two
	square           // of the difference
)

// frame is the state of one evaluation.
// One goroutine has it at a time; a Program keeps frames for the next call.
type frame struct {
	x        []float64   // the features of the first point, by column
	ys       [][]float64 // the features of the other points: ys[column][point]; not to be written to
	from, to int         // the block of points
	column   int         // of the innermost loop over columns
	slots    [][]float64 // hoisted numbers of the loops: one value or a block, by slot
	free     [][]float64 // buffers not in use
}

// The buffers of the slots are made at once, so that no row allocates; others are made when first needed.
func newFrame(slots int) *frame {
	return &frame{slots: lists.Make(slots, func(int) []float64 { return make([]float64, block) })}
}

// buffer lends an array as long as the block; give returns it.
// Each buffer is given back in the call that took it, so a frame that was used once makes no more of them.
func (f *frame) buffer() []float64 {
	if len(f.free) == 0 {
		return make([]float64, block)[:f.to-f.from]
	}
	last := len(f.free) - 1
	b := f.free[last]
	f.free = f.free[:last]
	return b[:f.to-f.from]
}

// give takes a buffer back; b must come from buffer, as its capacity is a block.
func (f *frame) give(b []float64) { f.free = append(f.free, b[:block]) }

// all returns the values of any node for the points of the block, a uniform one repeated.
// The result is dst, or a view that must not be written to.
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

// constant returns the node of a number that is known when the formula is compiled.
func constant(v float64) node {
	return node{uniform: true, constant: &v, values: func(_ *frame, dst []float64) []float64 { return repeat(dst[:1], v) }}
}

// element returns a feature of x or of y: of a fixed column, or of the loop's.
// Column is the number of a feature, or everyColumn. Only elements of the loop have a shape: a distance is over all
// columns.
func element(ofX bool, column int) node {
	at := func(f *frame) int {
		if column == everyColumn {
			return f.column
		}
		return column
	}
	// a number for the whole block
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

// made returns a node that works on the values of others: on one value where they are all uniform. It is
// computed right away where they are constants.
// values gets a dst of one element where all parts are uniform, so the same function serves both.
func made(values func(f *frame, dst []float64) []float64, parts ...node) node {
	n := node{uniform: !slices.ContainsFunc(parts, func(p node) bool { return !p.uniform })}
	if n.values = values; n.uniform {
		n.values = func(f *frame, dst []float64) []float64 { return values(f, dst[:1]) }
	}
	// The frame has no points: constants do not look at it but for buffers, which have the length of its block.
	if !slices.ContainsFunc(parts, func(p node) bool { return p.constant == nil }) {
		return constant(n.values(&frame{to: 1}, make([]float64, 1))[0])
	}
	return n
}

// apply returns a function of a node; "-" is the sign and "square" the square.
// The node of exp and of the sign are special; all others go through the values one by one.
// The name must be a function of one number: call and the language check that.
func apply(name string, a node) node {
	f := elementwise[name]
	switch name {
	case "-":
		return operation("*", constant(-1), a) // as a product, so that exponential can take it out
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
	if name == "square" && a.shape == difference { // the sum of these over the columns has a loop of its own
		n.shape = square
	}
	return n
}

// exponential returns exp(a), computed for a block at a time, with constant factors of the exponent as one.
// A chain of constant factors and divisors is multiplied once, in place of once a point; this may change the last bits.
func exponential(a node) node {
	// Go from the exponent inwards, to the node that is no multiple of another.
	scale, inner := 1.0, a
	for inner.multiple != nil {
		scale, inner = Operate(inner.multiple.operator, scale, inner.multiple.number), inner.multiple.of
	}
	return made(func(f *frame, dst []float64) []float64 {
		copy(dst, inner.values(f, dst)) // a view must not be written to
		if a.uniform {
			dst[0] = math.Exp(scale * dst[0])
		} else {
			kernels.ExpScaled(dst, scale)
		}
		return dst
	}, a)
}

// choice returns a where the condition is not 0, else b. Both are computed.
// A block is computed as a whole, so both are needed as soon as points of a block differ in the condition.
// A value that is not a number in the branch not taken does not reach the result.
func choice(condition, a, b node) node {
	return made(func(f *frame, dst []float64) []float64 {
		spare, other := f.buffer()[:len(dst)], f.buffer()[:len(dst)] // dst may be a single value, see made
		// dst may hold the condition too: each element is read before it is overwritten
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

// operation returns an operator between two nodes: + - * / ^, a comparison, "min" or "max".
// Two uniform nodes make a uniform one. A uniform one and a list go by a number and an array where that is faster.
func operation(operator string, a, b node) node {
	if operator == "^" && b.constant != nil && *b.constant == 2 { // a square is a product, not math.Pow, and is recognised in sums
		return apply("square", a)
	}
	combine := combined(operator)
	// The general way: both as arrays of the same length. combine may write over its operands.
	values := func(f *frame, dst []float64) []float64 {
		spare := f.buffer()[:len(dst)]
		combine(dst, a.all(f, dst), b.all(f, spare))
		f.give(spare)
		return dst
	}
	if a.uniform != b.uniform { // a number is not repeated where there is a faster way
		list, number, sign := a, b, 1.0
		if a.uniform {
			list, number = b, a
		} else if operator == "-" {
			sign = -1 // list - number is list + (-number); number - list goes the general way
		}
		switch {
		case operator == "*":
			values = func(f *frame, dst []float64) []float64 {
				// The number is read before dst is used again for the list.
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
	case n.constant != nil: // nothing more is said of a constant
	case operator == "*" && a.constant != nil:
		n.multiple = &multiple{operator, *a.constant, b}
	case (operator == "*" || operator == "/") && b.constant != nil:
		n.multiple = &multiple{operator, *b.constant, a}
	// One of the two is x and the other y in the column of the loop, in either order: the square is the same.
	case operator == "-" && min(a.shape, b.shape) == elementX && max(a.shape, b.shape) == elementY:
		n.shape = difference
	}
	return n
}

// combined returns the function that sets dst[j] = a[j] operator b[j].
// dst may be a or b. All three have the same length.
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

// reduce returns what an operator makes of the elements of a vector, one after the other. Before are the numbers in
// it, which are the same in every column.
// The columns are taken in their order, so the value at a point does not depend on its block.
func reduce(operator string, columns int, body node, before []hoisted) node {
	// The squared distance over all columns, the core of most kernels, has a loop of its own.
	if operator == "+" && body.shape == square {
		return node{values: func(f *frame, dst []float64) []float64 {
			kernels.SquaredDistances(dst, f.x, f.ys, f.from)
			return dst
		}}
	}
	combine := combined(operator)
	return node{uniform: body.uniform, values: func(f *frame, dst []float64) []float64 {
		spare := f.buffer()
		// The numbers first, as they may have loops of their own, which use f.column and spare.
		for _, h := range before {
			f.slots[h.slot] = append(f.slots[h.slot][:0], h.value.values(f, spare)...)
		}
		f.column = 0
		// The first column starts the result, since min and max have no neutral element. A uniform body gives one value.
		dst = dst[:copy(dst, body.values(f, dst))]
		for f.column = 1; f.column < columns; f.column++ {
			combine(dst, dst, body.values(f, spare))
		}
		f.give(spare)
		return dst
	}}
}

// hoisted is a number with the slot that holds it during a loop over columns.
type hoisted struct {
	slot  int  // index into frame.slots; no two hoisted numbers share one
	value node // compiled outside of the loop
}

// node returns the number as it is read in the loop.
// Its value is a view of the slot, which reduce fills before the loop.
func (h hoisted) node() node {
	return node{uniform: h.value.uniform, values: func(f *frame, _ []float64) []float64 { return f.slots[h.slot] }}
}
