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

// maxRange is the maximum number of elements in a range a..b.
const maxRange = 1_000_000

// whole returns x as an int, and true, if x is a whole number with |x| ≤ 2^53. Above that, float64 cannot represent every
// whole number.
func whole(x float64) (int, bool) {
	if x != math.Trunc(x) || math.Abs(x) > 1<<53 {
		return 0, false
	}
	return int(x), true
}

// formatNumber prints the shortest decimal that parses to the same number.
func formatNumber(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// unary evaluates -x and +x. It applies them to each element of a list.
func (e *evaluator) unary(n *ast.UnaryNode) value {
	v := e.eval(n.Node)
	switch v.Type {
	case Kernel, Joint:
		return e.fail(n, v.Type, "a kernel cannot have a minus sign", "a negative multiple of a kernel is not a kernel; scales are 0 or more")
	case Number, List, anything: // the type anything means an unknown value, or one with a reported mistake
	default:
		return e.fail(n, Number, fmt.Sprintf("%s has no sign", v.Type.a()), "")
	}
	if n.Operator == "+" {
		return v
	}
	return e.each(n, v, func(x float64) float64 { return -x })
}

// isNumeric reports whether the type is number or list. It does not examine the elements of a list.
func (t Type) isNumeric() bool { return t == Number || t == List }

// each applies f to a number, or to every number of a list. It reports a mistake in an element at the whole expression n.
// It returns an unknown value unchanged.
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
	case []value: // also for nested lists
		return e.listOf(n, len(data), func(i int) value { return e.each(n, data[i], f) })
	}
	return e.fail(n, v.Type, fmt.Sprintf("arithmetic needs numbers, but this is %s", v.Type.a()), "")
}

// listOf returns the list of at(i) for i below elements. It stops at the first unknown element, whose mistake is already
// reported. It returns an unknown list then, and also if there are too many elements.
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

// binary evaluates a binary operator. It evaluates both operands even if one has a mistake, to report the mistakes of
// both.
func (e *evaluator) binary(n *ast.BinaryNode) value {
	l, r := e.eval(n.Left), e.eval(n.Right)
	// Test in this order: operators the language lacks, unknown types, comparisons, texts, free hyperparameters.
	switch compares := slices.Contains([]string{"<", "<=", ">", ">=", "==", "!="}, n.Operator); {
	case n.Operator == "..":
		return e.rangeOf(n, l, r)
	case n.Operator == "&&": // chained comparison: a < b < c
		return e.fail(n, Number, "comparisons cannot be chained", "write (a < b) * (b < c)")
	case !compares && !slices.Contains([]string{"+", "-", "*", "/", "^"}, n.Operator):
		return e.fail(n, anything, fmt.Sprintf("the language has no %s", n.Operator), "")
	case l.Type == anything || r.Type == anything:
		return unknown(anything)
	case compares:
		return e.compare(n, l, r)
	case l.Type == Text && r.Type == Text:
		return joinTexts(e, n, l, r)
	case l.Type != Free && r.Type != Free: // numbers, lists, kernels, or types that cannot be combined
	case n.Operator == "-" || n.Operator == "/" || n.Operator == "^" && r.Type == Free:
		return e.fail(n, anything, fmt.Sprintf("%s cannot compute with a free hyperparameter, which is a part of a kernel", n.Operator),
			"use it as a factor or summand of kernels, as a parameter of a kernel, or in a formula")
	}
	// In arithmetic with kernels, a free hyperparameter is a constant kernel.
	l, r = freeKernel(l), freeKernel(r)
	switch {
	case l.Type.isNumeric() && r.Type.isNumeric():
		return e.arithmetic(n, l, r)
	case l.Type.isKernel() && r.Type.isKernel():
		return e.kernels(n, l, r)
	case l.Type.isKernel() && r.Type == Number, l.Type == Number && r.Type.isKernel():
		return e.kernelNumber(n, l, r)
	}
	// The types cannot be combined. Give a hint for texts and for records, which users mistake for numbers.
	hint := ""
	switch {
	case e.session.isTable(l) || e.session.isTable(r):
		hint = "a table is read by " + tableExample(e, n.Left)
	case l.Type == Text && r.Type.isNumeric() || r.Type == Text && l.Type.isNumeric():
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

// rangeOf evaluates a..b, the list of whole numbers from a to b, including both.
func (e *evaluator) rangeOf(n *ast.BinaryNode, l, r value) value {
	for _, side := range []struct {
		node ast.Node
		value
	}{{n.Left, l}, {n.Right, r}} {
		if side.Type != Number && side.Type != anything {
			return e.fail(side.node, List, fmt.Sprintf("the ends of a range a..b must be whole numbers, but this is %s", side.Type.a()), "")
		}
		if x, ok := side.Data.(float64); ok && x != math.Trunc(x) { // the value may be unknown in a check
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
	case to-from >= maxRange: // computed as float64, because an int could overflow
		return e.fail(n, List, fmt.Sprintf("the range has more than %d numbers", maxRange), "")
	}
	return e.listOf(n, int(to-from)+1, func(i int) value { return numberValue(from + float64(i)) })
}

// arithmetic evaluates an arithmetic operator on numbers and lists. It works element by element; two lists must have equal
// lengths.
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
	// Overflow, 0^-1 and (-8)^(1/3) have no finite real value; the message shows both operands.
	z := formula.Operate(n.Operator, x, y)
	if math.IsNaN(z) || math.IsInf(z, 0) {
		return e.fail(n, Number, fmt.Sprintf("%s %s %s is not a finite number", formatNumber(x), n.Operator, formatNumber(y)), "")
	}
	return numberValue(z)
}

// pair evaluates an arithmetic operator on two elements of lists. The elements may be lists themselves.
func (e *evaluator) pair(n *ast.BinaryNode, l, r value) value {
	if !l.Type.isNumeric() || !r.Type.isNumeric() {
		return e.fail(n, Number, fmt.Sprintf("%s cannot combine %s and %s", n.Operator, l.Type.a(), r.Type.a()), "")
	}
	return e.arithmetic(n, l, r)
}

// maxParts limits the number of parts of one kernel, so that a script that doubles a kernel in each line cannot use all
// memory.
const maxParts = 1000

// maxExponent is the largest exponent to which a script can raise a kernel.
const maxExponent = 1000

const notAKernel = "the difference of two kernels is not a kernel in general; use +, or a positive scale"

// kernels evaluates an operator on two kernels. Two kernels of one space give a kernel of that space. If one operand is a
// joint kernel, lift converts the other to a joint kernel.
func (e *evaluator) kernels(n *ast.BinaryNode, l, r value) value {
	t := Kernel
	if l.Type == Joint || r.Type == Joint {
		t = Joint
	}
	switch n.Operator {
	// A check reports subtraction even if the kernels are unknown.
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
		// Package kernels simplifies the result: it merges nested sums and products and multiplies numbers.
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
	product, err := kernels.MulJoint(a, b) // fails for too many terms, or if it would copy a free hyperparameter without a name
	if err != nil {
		return e.fail(n, Joint, err.Error(), "")
	}
	return e.bounded(n, jointValue(product))
}

// bounded reports a mistake if the terms of a kernel have more than maxParts parts in total.
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

// parts returns the number of kernels inside k, including k itself; 0 for nil.
func parts(k kernels.Kernel) int {
	if k == nil {
		return 0
	}
	return 1 + lists.Sum(kernels.Parts(k), parts)
}

// kernelNumber evaluates an operator on a kernel and a number, in either order.
func (e *evaluator) kernelNumber(n *ast.BinaryNode, l, r value) value {
	// Find which operand is the number, because some operators accept only one order.
	k, c, numberNode, numberFirst := l, r, n.Right, false // numberFirst: the number is the left operand
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
	case !k.known() || !c.known(): // the mistakes that do not depend on the values were tested above
		return unknown(k.Type)
	}
	// The kernel is valid, so show an error at the number.
	out, err := combine(n.Operator, k.Data, c.Data.(float64), numberFirst)
	if err != nil {
		return e.fail(numberNode, k.Type, err.Error(), "")
	}
	return e.bounded(n, value{Type: k.Type, Data: out})
}

// combine returns k+c, c*k or k^c, where k is a kernel or a joint kernel. It returns an error if c < 0 for a sum or
// product, or if the exponent c is not a whole number ≥ 1. If first is true, the sum is written with c before k.
func combine(operator string, k any, c float64, first bool) (any, error) {
	joint, isJoint := k.(kernels.Joint)
	single, _ := k.(kernels.Kernel)
	constant := kernels.Constant{Value: c}
	switch {
	case operator == "^":
		i, ok := whole(c) // with other exponents, k^c need not be a kernel
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
	// As a kernel, a number is the same constant in both spaces.
	lifted, err := kernels.LiftBoth(constant)
	if first {
		return kernels.AddJoint(lifted, joint), err
	}
	return kernels.AddJoint(joint, lifted), err
}

// lift converts a kernel of one space to a joint kernel, if the kernel means the same in both spaces. Otherwise it reports
// that the script must write task(…) or arm(…), with the given hint. The kernel must be known.
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
