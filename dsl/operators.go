package dsl

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/dsl/internal/formula"
)

// maxRange is the length of the longest range a..b.
const maxRange = 1_000_000

// whole returns x as an int when it is a whole number that fits.
func whole(x float64) (int, bool) {
	if x != math.Trunc(x) || math.Abs(x) > 1<<53 {
		return 0, false
	}
	return int(x), true
}

// formatNumber prints the shortest decimal that reads back as the same number.
func formatNumber(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// unary evaluates -x, elementwise for lists.
func (e *evaluator) unary(n *ast.UnaryNode) value {
	v := e.eval(n.Node)
	switch v.Type {
	case Kernel, Joint:
		return e.fail(n, v.Type, "a kernel cannot be negated", "a negative multiple of a kernel is not a kernel; scales are 0 or more")
	case Number, List, anything:
	default:
		return e.fail(n, Number, fmt.Sprintf("%s has no sign", v.Type.a()), "")
	}
	if n.Operator == "+" {
		return v
	}
	return e.each(n, v, func(x float64) float64 { return -x })
}

// each applies f to a number, or to every number of a list.
func (e *evaluator) each(n ast.Node, v value, f func(float64) float64) value {
	if !v.known() {
		return v
	}
	switch data := v.Data.(type) {
	case float64:
		y := f(data)
		if math.IsNaN(y) || math.IsInf(y, 0) {
			return e.fail(n, Number, fmt.Sprintf("the value is not a finite number here (the argument is %s)", formatNumber(data)), "")
		}
		return numberValue(y)
	case []value:
		if !e.spend(n, len(data)) {
			return unknown(List)
		}
		out := make([]value, len(data))
		for i, element := range data {
			if out[i] = e.each(n, element, f); !out[i].known() {
				return unknown(List)
			}
		}
		return value{Type: List, Data: out}
	}
	return e.fail(n, v.Type, fmt.Sprintf("arithmetic needs numbers, but here is %s", v.Type.a()), "")
}

// binary evaluates an operator between two values.
func (e *evaluator) binary(n *ast.BinaryNode) value {
	l, r := e.eval(n.Left), e.eval(n.Right)
	switch {
	case n.Operator == "..":
		return e.rangeOf(n, l, r)
	case n.Operator == "&&": // a < b < c
		return e.fail(n, Number, "comparisons cannot be chained", "write (a < b) * (b < c)")
	case !isComparison(n.Operator) && !slices.Contains([]string{"+", "-", "*", "/", "^"}, n.Operator):
		return e.fail(n, anything, fmt.Sprintf("the language has no %s", n.Operator), "")
	}
	if l.Type == anything || r.Type == anything {
		return unknown(anything)
	}
	compares := isComparison(n.Operator)
	if l.Type == Text && r.Type == Text && !compares {
		return e.joined(n, l, r)
	}
	if (l.Type == Free || r.Type == Free) && !compares {
		if n.Operator == "-" || n.Operator == "/" || n.Operator == "^" && r.Type == Free {
			return e.fail(n, anything, fmt.Sprintf("a free number is a part of a kernel: %s cannot compute with it", n.Operator), "free numbers stand as factors and summands of kernels, as their parameters, and in formulas")
		}
		l, r = freeKernel(l), freeKernel(r)
	}
	isKernel := func(t Type) bool { return t == Kernel || t == Joint }
	isNumber := func(t Type) bool { return t == Number || t == List }
	switch {
	case compares && (isNumber(l.Type) && isNumber(r.Type) || l.Type == Text && r.Type == Text):
		return e.compare(n, l, r)
	case compares:
		return e.fail(n, Number, fmt.Sprintf("%s does not compare %s with %s", n.Operator, l.Type.a(), r.Type.a()), "numbers, lists of numbers and texts are compared")
	case isNumber(l.Type) && isNumber(r.Type):
		return e.arithmetic(n, l, r)
	case isKernel(l.Type) && isKernel(r.Type):
		return e.kernels(n, l, r)
	case isKernel(l.Type) && r.Type == Number, l.Type == Number && isKernel(r.Type):
		return e.kernelNumber(n, l, r)
	}
	hint := ""
	switch {
	case l.Type == Text || r.Type == Text:
		hint = `a text shows values between braces: "took {n} s"`
	case l.Type == Record || r.Type == Record:
		record, node := l, n.Left
		if l.Type != Record {
			record, node = r, n.Right
		}
		if names := record.partNames(); len(names) > 0 {
			hint = fmt.Sprintf("choose a part of the record, as in %s.%s", e.st.Text(node), usualPart(names))
		}
	}
	return e.fail(n, anything, fmt.Sprintf("%s does not go between %s and %s", n.Operator, l.Type.a(), r.Type.a()), hint)
}

func (e *evaluator) rangeOf(n *ast.BinaryNode, l, r value) value {
	for _, side := range []struct {
		node ast.Node
		value
	}{{n.Left, l}, {n.Right, r}} {
		if side.Type != Number && side.Type != anything {
			return e.fail(side.node, List, fmt.Sprintf("a range a..b goes from a whole number to a whole number; here is %s", side.Type.a()), "")
		}
		if x, ok := side.Data.(float64); ok && x != math.Trunc(x) {
			return e.fail(side.node, List, fmt.Sprintf("a range a..b goes from a whole number to a whole number; here is %s", formatNumber(x)), "divide a range to get fractions: (1..8)/10")
		}
	}
	if !l.known() || !r.known() {
		return unknown(List)
	}
	from, to := l.Data.(float64), r.Data.(float64)
	switch {
	case to < from:
		return e.fail(n, List, fmt.Sprintf("the range goes down from %s to %s", formatNumber(from), formatNumber(to)), "the smaller number comes first")
	case to-from >= maxRange:
		return e.fail(n, List, fmt.Sprintf("the range has more than %d numbers", maxRange), "")
	case !e.spend(n, int(to-from)+1):
		return unknown(List)
	}
	out := make([]value, int(to-from)+1)
	for i := range out {
		out[i] = numberValue(from + float64(i))
	}
	return value{Type: List, Data: out}
}

// arithmetic evaluates an operator between numbers, elementwise for lists.
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
			return e.fail(n, List, fmt.Sprintf("lists of %d and %d elements do not go together", len(left), len(right)), "")
		case !leftIsList:
			return e.each(n, r, func(x float64) float64 { return formula.Operate(n.Operator, ln.(float64), x) })
		case !rightIsList:
			return e.each(n, l, func(x float64) float64 { return formula.Operate(n.Operator, x, rn.(float64)) })
		}
		if !e.spend(n, len(left)) {
			return unknown(List)
		}
		out := make([]value, len(left))
		for i := range out {
			if out[i] = e.pair(n, left[i], right[i]); !out[i].known() {
				return unknown(List)
			}
		}
		return value{Type: List, Data: out}
	}
	x, y := l.Data.(float64), r.Data.(float64)
	if n.Operator == "/" && y == 0 {
		return e.fail(n.Right, Number, "division by zero", "")
	}
	z := formula.Operate(n.Operator, x, y)
	if math.IsNaN(z) || math.IsInf(z, 0) {
		return e.fail(n, Number, fmt.Sprintf("%s %s %s is not a finite number", formatNumber(x), n.Operator, formatNumber(y)), "")
	}
	return numberValue(z)
}

// pair evaluates arithmetic between two elements of lists.
func (e *evaluator) pair(n *ast.BinaryNode, l, r value) value {
	if (l.Type != Number && l.Type != List) || (r.Type != Number && r.Type != List) {
		return e.fail(n, Number, fmt.Sprintf("%s does not go between %s and %s", n.Operator, l.Type.a(), r.Type.a()), "")
	}
	return e.arithmetic(n, l, r)
}
