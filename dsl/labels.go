package dsl

import (
	"fmt"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// labelled is an element of a list with what tables and figures call it.
type labelled struct {
	argument
	// a number or a text as it is; of a kernel or a problem the name that it is bound to, else its text
	label any
}

// labelled returns the elements of a list that is an argument. While a script is checked, a list may be
// known only as it stands in the script; nil and false where it is not known at all.
func (c *call) labelled(a argument) ([]labelled, bool) {
	list, known := a.Data.([]value)
	n, st := sourceOf(c.e, a.Node)
	literal, written := n.(*ast.ArrayNode)
	if !known && (!c.e.dry || !written) {
		return nil, false
	}
	if !known {
		list = make([]value, len(literal.Nodes))
		for i, node := range literal.Nodes {
			list[i] = evalAgain(c.e, node, st)
		}
	}
	out := make([]labelled, len(list))
	for i, v := range list {
		x := labelled{argument: argument{value: v, Name: a.Name, Node: a.Node, st: c.e.st}}
		if written && i < len(literal.Nodes) {
			x.Node, x.st = literal.Nodes[i], st
			x.label = labelOf(v, x.Node, st)
		} else {
			x.label = labelOf(v, nil, nil)
		}
		out[i] = x
	}
	return out, true
}

// elements returns the values of an argument that may be one or a list of them.
func (c *call) elements(name string) []argument {
	a := c.arg(name)
	list, ok := a.Data.([]value)
	if !ok && a.known() {
		return []argument{a}
	}
	out := make([]argument, len(list))
	for i := range list {
		out[i] = c.element(a, i)
	}
	return out
}

// element returns an element of an argument that is a list, with its own place where the list is
// written out; the argument itself where it is no list.
func (c *call) element(a argument, i int) argument {
	list, ok := a.Data.([]value)
	if !ok {
		return a
	}
	a.value = list[i]
	if literal, ok := a.Node.(*ast.ArrayNode); ok && i < len(literal.Nodes) {
		a.Node = literal.Nodes[i]
	}
	return a
}

// labelOf returns what a value is called that stands as n in a statement; n is nil where it does not.
func labelOf(v value, n ast.Node, st *front.Statement) any {
	if v.Type == Number || v.Type == Text {
		return v.Data
	}
	if id, ok := n.(*ast.IdentifierNode); ok {
		return id.Value
	}
	switch data := v.Data.(type) {
	case kernels.Joint:
		return data.String()
	case kernels.Kernel:
		return data.String()
	case *problem.Problem:
		return data.Name
	}
	if n != nil { // not known yet
		return st.Text(n)
	}
	return fmt.Sprint(v.Data)
}

// isKernel reports whether values of the type are kernels.
func (t Type) isKernel() bool { return t == Kernel || t == Joint || t == Free }
