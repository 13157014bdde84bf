package dsl

import (
	"errors"
	"fmt"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// maxParts is the largest number of parts of one kernel. A script that doubles a
// kernel in every line would soon fill the memory.
const maxParts = 1000

// maxExponent is the largest exponent of a kernel.
const maxExponent = 1000

const notAKernel = "the difference of two kernels is not a kernel in general; use +, or a positive scale"

// kernels evaluates an operator between two kernels.
func (e *evaluator) kernels(n *ast.BinaryNode, l, r value) value {
	t := Kernel
	if l.Type == Joint || r.Type == Joint {
		t = Joint
	}
	switch n.Operator {
	case "-":
		return e.fail(n, t, "cannot subtract kernels", notAKernel)
	case "/":
		return e.fail(n, t, "cannot divide kernels", "the quotient of two kernels is not a kernel in general; multiply by a number, such as 0.5*k")
	case "^":
		return e.fail(n.Right, t, "the exponent of a kernel is a kernel", "k^2 is k * k; exponents are whole numbers from 1")
	}
	if !l.known() || !r.known() {
		return unknown(t)
	}
	if t == Kernel {
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
	product, err := kernels.MulJoint(a, b)
	if err != nil {
		return e.fail(n, Joint, err.Error(), "")
	}
	return e.bounded(n, jointValue(product))
}

// bounded refuses a kernel of too many parts.
func (e *evaluator) bounded(n ast.Node, v value) value {
	count := 0
	if j, ok := v.Data.(kernels.Joint); ok {
		for _, t := range j.Terms {
			count += parts(t.Task) + parts(t.Arm)
		}
	} else {
		count = parts(v.Data.(kernels.Kernel))
	}
	if count > maxParts {
		return e.fail(n, v.Type, fmt.Sprintf("the kernel has more than %d parts", maxParts), "")
	}
	return v
}

// parts counts the kernels that a kernel is made of.
func parts(k kernels.Kernel) int {
	n := 1
	switch k := k.(type) {
	case nil:
		return 0
	case kernels.Sum:
		for _, t := range k.Terms {
			n += parts(t)
		}
	case kernels.Product:
		for _, f := range k.Factors {
			n += parts(f)
		}
	case kernels.Scaled:
		n += parts(k.Kernel)
	case kernels.Power:
		n += parts(k.Kernel)
	}
	return n
}

// kernelNumber evaluates an operator between a kernel and a number.
func (e *evaluator) kernelNumber(n *ast.BinaryNode, l, r value) value {
	k, c, numberNode, left := l, r, n.Right, false // left: the number stands on the left
	if l.Type == Number {
		k, c, numberNode, left = r, l, n.Left, true
	}
	switch {
	case n.Operator == "-":
		return e.fail(n, k.Type, "cannot subtract with kernels", notAKernel)
	case n.Operator == "/":
		hint := "one over a kernel is not a kernel in general"
		if !left {
			hint = fmt.Sprintf("multiply instead: (1/%s) * …", e.st.Text(numberNode))
		}
		return e.fail(n, k.Type, "cannot divide with kernels", hint)
	case n.Operator == "^" && left:
		return e.fail(n, k.Type, "a number cannot have a kernel as its exponent", "exponents are whole numbers from 1")
	case !k.known() || !c.known():
		return unknown(k.Type)
	}
	out, err := combine(n.Operator, k.Data, c.Data.(float64), left)
	if err != nil {
		return e.fail(numberNode, k.Type, err.Error(), "")
	}
	return e.bounded(n, value{Type: k.Type, Data: out})
}

// combine returns k+c, c*k or k^c of a kernel or joint kernel k; first tells that c
// stands first, which a sum keeps.
func combine(operator string, k any, c float64, first bool) (any, error) {
	joint, isJoint := k.(kernels.Joint)
	single, _ := k.(kernels.Kernel)
	constant := kernels.Constant{Value: c}
	switch {
	case operator == "^":
		i, ok := whole(c)
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
	case !(c >= 0):
		return nil, errors.New("a negative number added to a kernel does not leave a kernel in general; add 0 or more")
	case !isJoint && first:
		return kernels.Add(constant, single), nil
	case !isJoint:
		return kernels.Add(single, constant), nil
	}
	lifted, err := kernels.LiftBoth(constant)
	if first {
		return kernels.AddJoint(lifted, joint), err
	}
	return kernels.AddJoint(joint, lifted), err
}

// lift makes a joint kernel of a kernel that means the same in both spaces; any
// other must say which space it is for, as the hint tells.
func (e *evaluator) lift(n ast.Node, v value, hint string) (kernels.Joint, bool) {
	switch k := v.Data.(type) {
	case kernels.Joint:
		return k, true
	case kernels.Kernel:
		j, err := kernels.LiftBoth(k)
		if err == nil {
			return j, true
		}
		if text := e.st.Text(n); hint == "" {
			hint = fmt.Sprintf("write arm(%s) where it compares arms, task(%s) where it compares tasks", text, text)
		}
		e.fail(n, Joint, "a joint kernel needs to know which space this kernel is for", hint)
	}
	return kernels.Joint{}, false
}
