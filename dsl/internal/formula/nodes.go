package formula

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// block is the number of points that are evaluated together. A few arrays of this length fit into the first-level cache.
const block = 256

// node is a part of a compiled formula. Nodes never change; the state of an evaluation is in the frame. A node with a
// constant is also uniform.
type node struct {
	// values returns the part's values for the points of the current block; a uniform part has one value. It writes them
	// to dst, whose length is that of the block, or returns a read-only view of other data.
	values   func(f *frame, dst []float64) []float64
	uniform  bool      // whether the value is the same for all y
	constant *float64  // the value, if it is the same for all x and y; otherwise nil
	shape    shape     // role of the node in a squared distance, see shape
	multiple *multiple // set if the node is another node times or divided by a number; otherwise nil
}

// multiple describes a node that is another node times, or divided by, a number. exponential uses it to combine constant
// factors of the exponent.
type multiple struct {
	operator string  // "*" or "/"
	number   float64 // the factor or divisor
	of       node    // the other node
}

// shape marks the parts of a squared distance, for which reduce has a fast loop. apply and operation set the shape.
type shape int

const (
	other      shape = iota
	elementX         // element of x in the loop's column
	elementY         // element of y in the loop's column
	difference       // difference of these two elements
	square           // square of that difference
)

// frame is the state of one evaluation. Only one goroutine at a time uses a frame. A Program keeps frames for later calls.
type frame struct {
	x        []float64   // features of the first point, one per column
	ys       [][]float64 // features of the other points: ys[column][point]; must not be changed
	from, to int         // range of points in the current block
	column   int         // current column of the innermost loop
	slots    [][]float64 // values computed before loops: one value or one block per slot
	free     [][]float64 // buffers that are not in use, see buffer
}

// newFrame returns a frame with allocated slots, so that evaluating a row does not allocate. Other buffers are allocated
// when they are first needed.
func newFrame(slots int) *frame {
	return &frame{slots: lists.Make(slots, func(int) []float64 { return make([]float64, block) })}
}

// buffer returns an unused array whose length is that of a block. The caller must return it with give.
func (f *frame) buffer() []float64 {
	if len(f.free) == 0 {
		return make([]float64, block)[:f.to-f.from]
	}
	last := len(f.free) - 1
	b := f.free[last]
	f.free = f.free[:last]
	return b[:f.to-f.from]
}

// give makes an array from buffer available again.
func (f *frame) give(b []float64) { f.free = append(f.free, b[:block]) }

// all returns the values of a node for every point of the block. It repeats the value of a uniform node. The result is
// dst, or a read-only view of other data.
func (n node) all(f *frame, dst []float64) []float64 {
	values := n.values(f, dst)
	if n.uniform {
		return repeat(dst, values[0])
	}
	return values
}

// repeat sets every element of dst to v, and returns dst.
func repeat(dst []float64, v float64) []float64 {
	for j := range dst {
		dst[j] = v
	}
	return dst
}

// constant returns a node for a number that is known when the formula is compiled.
func constant(v float64) node {
	return node{uniform: true, constant: &v, values: func(_ *frame, dst []float64) []float64 { return repeat(dst[:1], v) }}
}

// element returns a node for the element of x (if ofX) or y in a column. everyColumn means the current column of the loop.
// An element of one fixed column has no shape: shapes mark parts of a squared distance, which is a sum over all columns.
func element(ofX bool, column int) node {
	at := func(f *frame) int {
		if column == everyColumn {
			return f.column
		}
		return column
	}
	// An element of x is the same for all points of a block.
	n := node{uniform: true, values: func(f *frame, dst []float64) []float64 { return repeat(dst[:1], f.x[at(f)]) }}
	if !ofX {
		n = node{values: func(f *frame, _ []float64) []float64 { return f.ys[at(f)][f.from:f.to] }} // a view of the column, not a copy
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

// made returns a node whose function values computes from parts. The node is uniform if all parts are uniform; then dst
// has one element. If all parts are constant, made computes the value and returns a constant node.
func made(values func(f *frame, dst []float64) []float64, parts ...node) node {
	n := node{uniform: !slices.ContainsFunc(parts, func(p node) bool { return !p.uniform })}
	if n.values = values; n.uniform {
		n.values = func(f *frame, dst []float64) []float64 { return values(f, dst[:1]) }
	}
	// If all parts are constant, compute the value now. That needs no points.
	if !slices.ContainsFunc(parts, func(p node) bool { return p.constant == nil }) {
		return constant(n.values(&frame{to: 1}, make([]float64, 1))[0])
	}
	return n
}

// apply returns a node for a function of one number, applied to node a. name may also be "-" for negation and "square".
// exp, negation and square have faster code than other functions.
func apply(name string, a node) node {
	f := elementwise[name]
	switch name {
	case "-":
		return operation("*", constant(-1), a) // a product with -1, so that exponential can combine factors
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
	if name == "square" && a.shape == difference { // reduce has a fast loop for the sum of these squares
		n.shape = square
	}
	return n
}

// exponential returns a node for exp(a). It combines all constant factors and divisors of the exponent into one factor,
// which may change the last bits of the result.
func exponential(a node) node {
	// Go from each multiple to the node inside, until a node is not a multiple.
	scale, inner := 1.0, a
	for inner.multiple != nil {
		scale, inner = Operate(inner.multiple.operator, scale, inner.multiple.number), inner.multiple.of
	}
	return made(func(f *frame, dst []float64) []float64 {
		copy(dst, inner.values(f, dst)) // copy, because the values may be a read-only view
		if a.uniform {
			dst[0] = math.Exp(scale * dst[0])
		} else {
			kernels.ExpScaled(dst, scale)
		}
		return dst
	}, a)
}

// choice returns a node for condition ? a : b; a condition that is not 0 selects a. It computes both a and b for the whole
// block, because points may differ in the condition. A NaN in the value that is not selected has no effect.
func choice(condition, a, b node) node {
	return made(func(f *frame, dst []float64) []float64 {
		spare, other := f.buffer()[:len(dst)], f.buffer()[:len(dst)] // dst has one element if the node is uniform, see made
		// holds may be dst itself; each element is read before it is overwritten
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

// operation returns a node for an operator on nodes a and b: + - * / ^, a comparison, "min" or "max". It is uniform if a
// and b are. For a number and an array, it uses a faster function, if there is one, instead of an array that repeats the
// number.
func operation(operator string, a, b node) node {
	if operator == "^" && b.constant != nil && *b.constant == 2 { // x*x is faster than math.Pow, and reduce recognises it
		return apply("square", a)
	}
	combine := combined(operator)
	// The general case: two arrays of equal length. combine may overwrite its operands.
	values := func(f *frame, dst []float64) []float64 {
		spare := f.buffer()[:len(dst)]
		combine(dst, a.all(f, dst), b.all(f, spare))
		f.give(spare)
		return dst
	}
	if a.uniform != b.uniform { // a number and an array
		list, number, sign := a, b, 1.0
		if a.uniform {
			list, number = b, a
		} else if operator == "-" {
			sign = -1 // list - number is list + (-number); number - list has no faster way
		}
		switch {
		case operator == "*":
			values = func(f *frame, dst []float64) []float64 {
				// Read the number first, because dst then receives the list.
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
	case n.constant != nil: // a constant is not marked as a multiple
	case operator == "*" && a.constant != nil:
		n.multiple = &multiple{operator, *a.constant, b}
	case (operator == "*" || operator == "/") && b.constant != nil:
		n.multiple = &multiple{operator, *b.constant, a}
	// The difference may be x - y or y - x; their squares are equal.
	case operator == "-" && min(a.shape, b.shape) == elementX && max(a.shape, b.shape) == elementY:
		n.shape = difference
	}
	return n
}

// combined returns a function that sets dst[j] = a[j] operator b[j]. All three slices have equal lengths; dst may be a or
// b.
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

// reduce returns a node that combines the elements of a vector with an operator, column by column. The order of columns is
// fixed, so that the value of a point does not depend on its block. body computes one element, for the current column. before
// are parts of body that are equal in all columns.
func reduce(operator string, columns int, body node, before []hoisted) node {
	// The squared distance is part of most kernels and has its own loop.
	if operator == "+" && body.shape == square {
		return node{values: func(f *frame, dst []float64) []float64 {
			kernels.SquaredDistances(dst, f.x, f.ys, f.from)
			return dst
		}}
	}
	combine := combined(operator)
	return node{uniform: body.uniform, values: func(f *frame, dst []float64) []float64 {
		spare := f.buffer()
		// Compute the parts in before first. Their own loops may use f.column and spare.
		for _, h := range before {
			f.slots[h.slot] = append(f.slots[h.slot][:0], h.value.values(f, spare)...)
		}
		f.column = 0
		// Start with column 0, because min and max have no neutral element. A uniform body has one value.
		dst = dst[:copy(dst, body.values(f, dst))]
		for f.column = 1; f.column < columns; f.column++ {
			combine(dst, dst, body.values(f, spare))
		}
		f.give(spare)
		return dst
	}}
}

// hoisted is a part of a formula that is computed before a loop, because it does not depend on the loop's column.
type hoisted struct {
	slot  int  // index in frame.slots of the computed value
	value node // computes the value
}

// node returns a node that reads the slot. reduce fills the slot before the loop.
func (h hoisted) node() node {
	return node{uniform: h.value.uniform, values: func(f *frame, _ []float64) []float64 { return f.slots[h.slot] }}
}
