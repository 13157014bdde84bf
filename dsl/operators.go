package dsl

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/dsl/internal/formula"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// maxRange is the length of the longest range a..b.
const maxRange = 1_000_000

// whole returns x as an int if it is a whole number of absolute value up to 2^53. float64 cannot represent every larger whole
// number.
func whole(x float64) (int, bool) {
	if x != math.Trunc(x) || math.Abs(x) > 1<<53 {
		return 0, false
	}
	return int(x), true
}

// formatNumber prints the shortest decimal that parses to the same number.
func formatNumber(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// unary evaluates -x and +x, element by element for lists.
func (e *evaluator) unary(n *ast.UnaryNode) value {
	v := e.eval(n.Node)
	switch v.Type {
	case Kernel, Joint:
		return e.fail(n, v.Type, "a kernel cannot have a minus sign", "a negative multiple of a kernel is not a kernel; scales are 0 or more")
	case Number, List, anything: // anything is an unknown value, or one whose mistake is reported
	default:
		return e.fail(n, Number, fmt.Sprintf("%s has no sign", v.Type.a()), "")
	}
	if n.Operator == "+" {
		return v
	}
	return e.each(n, v, func(x float64) float64 { return -x })
}

// isNumeric reports whether the type is number or list; the elements of the list are not examined.
func (t Type) isNumeric() bool { return t == Number || t == List }

// each applies f to a number, or to every number of a list. A mistake in an element is reported at the whole expression. An
// unknown value is returned unchanged.
func (e *evaluator) each(n ast.Node, v value, f func(float64) float64) value {
	if !v.known() {
		return v
	}
	switch data := v.Data.(type) {
	case float64:
		y := f(data)
		if math.IsNaN(y) || math.IsInf(y, 0) { // such as math.Log(-1) or math.Exp(1e4)
			return e.fail(n, Number, fmt.Sprintf("the result is not a finite number (the argument is %s)", formatNumber(data)), "")
		}
		return numberValue(y)
	case []value: // includes nested lists
		return e.listOf(n, len(data), func(i int) value { return e.each(n, data[i], f) })
	}
	return e.fail(n, v.Type, fmt.Sprintf("arithmetic needs numbers, but this is %s", v.Type.a()), "")
}

// listOf returns a list of elements. The list is unknown if an element is unknown, or if there are too many. It stops at the
// first unknown element, whose mistake is already reported.
func (e *evaluator) listOf(n ast.Node, elements int, at func(i int) value) value {
	if !e.spend(n, elements) {
		return unknown(List)
	}
	out := make([]value, elements)
	for i := range out {
		if out[i] = at(i); !out[i].known() {
			return unknown(List)
		}
	}
	return value{Type: List, Data: out}
}

// binary evaluates an operator between two values. It evaluates both sides first, because each may have a mistake.
func (e *evaluator) binary(n *ast.BinaryNode) value {
	l, r := e.eval(n.Left), e.eval(n.Right)
	// The cases are tested in this order: missing operators, unknown types, comparisons, texts, free hyperparameters.
	switch compares := slices.Contains([]string{"<", "<=", ">", ">=", "==", "!="}, n.Operator); {
	case n.Operator == "..":
		return e.rangeOf(n, l, r)
	case n.Operator == "&&": // a < b < c
		return e.fail(n, Number, "comparisons cannot be chained", "write (a < b) * (b < c)")
	case !compares && !slices.Contains([]string{"+", "-", "*", "/", "^"}, n.Operator):
		return e.fail(n, anything, fmt.Sprintf("the language has no %s", n.Operator), "")
	case l.Type == anything || r.Type == anything:
		return unknown(anything)
	case compares:
		return e.compare(n, l, r)
	case l.Type == Text && r.Type == Text:
		return joinTexts(e, n, l, r)
	case l.Type != Free && r.Type != Free: // numbers, lists, kernels, or types that do not match
	case n.Operator == "-" || n.Operator == "/" || n.Operator == "^" && r.Type == Free:
		return e.fail(n, anything, fmt.Sprintf("%s cannot compute with a free hyperparameter, which is a part of a kernel", n.Operator),
			"use it as a factor or summand of kernels, as a parameter of a kernel, or in a formula")
	}
	// A free hyperparameter acts as a constant kernel.
	l, r = freeKernel(l), freeKernel(r)
	switch {
	case l.Type.isNumeric() && r.Type.isNumeric():
		return e.arithmetic(n, l, r)
	case l.Type.isKernel() && r.Type.isKernel():
		return e.kernels(n, l, r)
	case l.Type.isKernel() && r.Type == Number, l.Type == Number && r.Type.isKernel():
		return e.kernelNumber(n, l, r)
	}
	// The types do not match. The hint helps with texts, and with records, which users confuse with numbers.
	hint := ""
	switch {
	case e.session.isTable(l) || e.session.isTable(r):
		hint = "a table is read by " + tableExample(e, n.Left)
	case l.Type == Text || r.Type == Text:
		hint = `a text shows values between braces: "took {n} s"`
	case l.Type == Record || r.Type == Record:
		record, node := l, n.Left
		if l.Type != Record {
			record, node = r, n.Right
		}
		if names := record.partNames(); len(names) > 0 {
			hint = fmt.Sprintf("choose a part of the record, such as %s.%s", e.st.Text(node), usualPart(names))
		}
	}
	return e.fail(n, anything, fmt.Sprintf("%s cannot combine %s and %s", n.Operator, l.Type.a(), r.Type.a()), hint)
}

// rangeOf evaluates a..b: the whole numbers from a to b, both included.
func (e *evaluator) rangeOf(n *ast.BinaryNode, l, r value) value {
	for _, side := range []struct {
		node ast.Node
		value
	}{{n.Left, l}, {n.Right, r}} {
		if side.Type != Number && side.Type != anything {
			return e.fail(side.node, List, fmt.Sprintf("the ends of a range a..b must be whole numbers, but this is %s", side.Type.a()), "")
		}
		if x, ok := side.Data.(float64); ok && x != math.Trunc(x) { // a check may not know the value
			return e.fail(side.node, List, fmt.Sprintf("the ends of a range a..b must be whole numbers, but this is %s", formatNumber(x)),
				"divide a range to get fractions: (1..8)/10")
		}
	}
	if !l.known() || !r.known() {
		return unknown(List)
	}
	from, to := l.Data.(float64), r.Data.(float64)
	switch {
	case to < from:
		return e.fail(n, List, fmt.Sprintf("the range falls from %s to %s", formatNumber(from), formatNumber(to)),
			"write the smaller number first")
	case to-from >= maxRange: // compare as float64, because an int could overflow
		return e.fail(n, List, fmt.Sprintf("the range has more than %d numbers", maxRange), "")
	}
	return e.listOf(n, int(to-from)+1, func(i int) value { return numberValue(from + float64(i)) })
}

// arithmetic evaluates an operator between numbers or lists, element by element. Two lists must have equal lengths.
func (e *evaluator) arithmetic(n *ast.BinaryNode, l, r value) value {
	t := Number
	if l.Type == List || r.Type == List {
		t = List
	}
	if !l.known() || !r.known() {
		return unknown(t)
	}
	if ln, rn := l.Data, r.Data; t == List {
		left, leftIsList := ln.([]value)
		right, rightIsList := rn.([]value)
		switch {
		case leftIsList && rightIsList && len(left) != len(right):
			return e.fail(n, List, fmt.Sprintf("lists of %d and %d elements cannot be combined", len(left), len(right)), "")
		case !leftIsList:
			return e.each(n, r, func(x float64) float64 { return formula.Operate(n.Operator, ln.(float64), x) })
		case !rightIsList:
			return e.each(n, l, func(x float64) float64 { return formula.Operate(n.Operator, x, rn.(float64)) })
		}
		return e.listOf(n, len(left), func(i int) value { return e.pair(n, left[i], right[i]) })
	}
	x, y := l.Data.(float64), r.Data.(float64)
	// Report division by zero at the divisor.
	if n.Operator == "/" && y == 0 {
		return e.fail(n.Right, Number, "division by zero", "")
	}
	// Overflow, 0^-1 and (-8)^(1/3) give no number; the message shows both operands.
	z := formula.Operate(n.Operator, x, y)
	if math.IsNaN(z) || math.IsInf(z, 0) {
		return e.fail(n, Number, fmt.Sprintf("%s %s %s is not a finite number", formatNumber(x), n.Operator, formatNumber(y)), "")
	}
	return numberValue(z)
}

// pair evaluates arithmetic between two elements of lists, which may be nested lists.
func (e *evaluator) pair(n *ast.BinaryNode, l, r value) value {
	if !l.Type.isNumeric() || !r.Type.isNumeric() {
		return e.fail(n, Number, fmt.Sprintf("%s cannot combine %s and %s", n.Operator, l.Type.a(), r.Type.a()), "")
	}
	return e.arithmetic(n, l, r)
}

// maxParts limits the number of parts of one kernel. A script that doubles a kernel in every line would soon use all memory.
const maxParts = 1000

// maxExponent is the largest exponent of a kernel.
const maxExponent = 1000

const notAKernel = "the difference of two kernels is not a kernel in general; use +, or a positive scale"

// kernels evaluates an operator between two kernels. Two kernels of one space give a kernel of that space. If one is a joint
// kernel, lift converts the other.
func (e *evaluator) kernels(n *ast.BinaryNode, l, r value) value {
	t := Kernel
	if l.Type == Joint || r.Type == Joint {
		t = Joint
	}
	switch n.Operator {
	// Report a difference even if the kernels are unknown, so that a check finds it.
	case "-":
		return e.fail(n, t, "cannot subtract kernels", notAKernel)
	case "/":
		return e.fail(n, t, "cannot divide kernels", "the quotient of two kernels is not a kernel in general; multiply by a "+
			"number, such as 0.5*k")
	case "^":
		return e.fail(n.Right, t, "the exponent of a kernel must be a number", "k^2 is k * k; exponents are whole numbers from 1")
	}
	if !l.known() || !r.known() {
		return unknown(t)
	}
	if t == Kernel {
		// Package kernels merges nested sums and products, and combines their numbers.
		a, b := l.Data.(kernels.Kernel), r.Data.(kernels.Kernel)
		if n.Operator == "+" {
			return e.bounded(n, kernelValue(kernels.Add(a, b)))
		}
		return e.bounded(n, kernelValue(kernels.Mul(a, b)))
	}
	a, okA := e.lift(n.Left, l, "")
	b, okB := e.lift(n.Right, r, "")
	if !okA || !okB {
		return unknown(Joint)
	}
	if n.Operator == "+" {
		return e.bounded(n, jointValue(kernels.AddJoint(a, b)))
	}
	product, err := kernels.MulJoint(a, b) // fails if there are too many terms, or if a nameless free hyperparameter would be copied
	if err != nil {
		return e.fail(n, Joint, err.Error(), "")
	}
	return e.bounded(n, jointValue(product))
}

// bounded reports a kernel whose terms have too many parts in total.
func (e *evaluator) bounded(n ast.Node, v value) value {
	count := 0
	if j, ok := v.Data.(kernels.Joint); ok {
		count = lists.Sum(j.Terms, func(t kernels.Term) int { return parts(t.Task) + parts(t.Arm) })
	} else {
		count = parts(v.Data.(kernels.Kernel))
	}
	if count > maxParts {
		return e.fail(n, v.Type, fmt.Sprintf("the kernel has more than %d parts", maxParts), "")
	}
	return v
}

// parts counts a kernel and all kernels inside it; nil has none.
func parts(k kernels.Kernel) int {
	if k == nil {
		return 0
	}
	return 1 + lists.Sum(kernels.Parts(k), parts)
}

// kernelNumber evaluates an operator between a kernel and a number.
func (e *evaluator) kernelNumber(n *ast.BinaryNode, l, r value) value {
	// Determine the side of the number, as some operators accept only one order.
	k, c, numberNode, numberFirst := l, r, n.Right, false // numberFirst: the number is on the left
	if l.Type == Number {
		k, c, numberNode, numberFirst = r, l, n.Left, true
	}
	switch {
	case n.Operator == "-":
		return e.fail(n, k.Type, "cannot subtract with kernels", notAKernel)
	case n.Operator == "/":
		hint := "one over a kernel is not a kernel in general"
		if !numberFirst {
			hint = fmt.Sprintf("multiply instead: (1/%s) * …", e.st.Text(numberNode))
		}
		return e.fail(n, k.Type, "cannot divide with kernels", hint)
	case n.Operator == "^" && numberFirst:
		return e.fail(n, k.Type, "a number cannot have a kernel as its exponent", "exponents are whole numbers from 1")
	case !k.known() || !c.known(): // mistakes that need no value were tested above
		return unknown(k.Type)
	}
	// The kernel is valid, so report the mistake at the number.
	out, err := combine(n.Operator, k.Data, c.Data.(float64), numberFirst)
	if err != nil {
		return e.fail(numberNode, k.Type, err.Error(), "")
	}
	return e.bounded(n, value{Type: k.Type, Data: out})
}

// combine returns k+c, c*k or k^c for a kernel or joint kernel k. It returns an error unless c ≥ 0 for sums and products, or a
// whole number ≥ 1 for powers. If first is true, a sum begins with c.
func combine(operator string, k any, c float64, first bool) (any, error) {
	joint, isJoint := k.(kernels.Joint)
	single, _ := k.(kernels.Kernel)
	constant := kernels.Constant{Value: c}
	switch {
	case operator == "^":
		i, ok := whole(c) // other exponents do not give a kernel in general
		if !ok || i < 1 || i > maxExponent {
			return nil, fmt.Errorf("the exponent of a kernel is %s; it must be a whole number from 1 to %d", formatNumber(c), maxExponent)
		}
		if isJoint {
			return kernels.PowJoint(joint, i)
		}
		return kernels.Pow(single, i)
	case operator == "*" && isJoint:
		return kernels.ScaleJoint(c, joint)
	case operator == "*":
		return kernels.Scale(c, single)
	case !(c >= 0): // only sums remain here
		return nil, errors.New("a negative number added to a kernel does not leave a kernel in general; add 0 or more")
	case !isJoint && first:
		return kernels.Add(constant, single), nil
	case !isJoint:
		return kernels.Add(single, constant), nil
	}
	// A number is the same constant kernel in both spaces.
	lifted, err := kernels.LiftBoth(constant)
	if first {
		return kernels.AddJoint(lifted, joint), err
	}
	return kernels.AddJoint(joint, lifted), err
}

// lift converts a kernel to a joint kernel if it has the same meaning in both spaces. Otherwise it reports that the script must
// write task(…) or arm(…), with the hint. v must be known.
func (e *evaluator) lift(n ast.Node, v value, hint string) (kernels.Joint, bool) {
	switch k := v.Data.(type) {
	case kernels.Joint:
		return k, true
	case kernels.Kernel:
		if j, err := kernels.LiftBoth(k); err == nil {
			return j, true
		}
		if text := e.st.Text(n); hint == "" {
			hint = fmt.Sprintf("write arm(%s) to compare arms, or task(%s) to compare tasks", text, text)
		}
		e.fail(n, Joint, "this kernel may be for arms or for tasks", hint)
	}
	return kernels.Joint{}, false
}
