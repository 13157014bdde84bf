package dsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// plan finds what the call sweeps, and reports what cannot be swept.
func (c *call) plan() (*swept, *binding) {
	before := c.e.mistakes
	r, ok := c.args[0].Node.(*ast.IdentifierNode)
	if !ok || c.e.scope[r.Value] == nil {
		c.e.fail(c.args[0].Node, Sweep, "a sweep needs the name of a result", "bind it first: r = fc(…), then sweep(r, …)")
		return nil, nil
	}
	root := c.e.scope[r.Value]
	if len(c.named) == 0 {
		c.e.fail(c.node, Sweep, "nothing is swept", "write "+c.fn.Signature()+" with a list of values")
		return nil, nil
	}
	s := &swept{at: make([]int, len(c.named)), depends: map[string][]int{}, memo: map[string]value{}, cells: 1}
	for _, a := range c.named {
		x := axis{argument: a}
		x.call, ok = c.target(root, a)
		if ok {
			x.values = c.steps(a)
		}
		s.axes = append(s.axes, x)
		s.cells = min(s.cells*max(len(x.values), 1), maxCells+1)
	}
	if s.cells > maxCells {
		c.e.fail(c.node, Sweep, fmt.Sprintf("the sweep has more than %d combinations", maxCells), "")
	}
	if c.e.mistakes > before {
		return nil, nil
	}
	s.find(c.e.scope, root.name)
	return s, root
}

// steps returns the values of a swept name: numbers and texts.
func (c *call) steps(a argument) []argument {
	list, ok := a.Data.([]value)
	if !ok || len(list) == 0 {
		c.e.fail(a.Node, Sweep, fmt.Sprintf("%s needs a list of values to try", a.Name), "write "+a.Name+"=[…], or a range such as 1..20")
		return nil
	}
	literal, _ := a.Node.(*ast.ArrayNode)
	steps := make([]argument, len(list))
	for i, v := range list {
		node := a.Node
		if literal != nil {
			node = literal.Nodes[i]
		}
		if v.Type != Number && v.Type != Text {
			c.e.fail(node, Sweep, fmt.Sprintf("a swept value is a number or a text, not %s", v.Type.a()), "")
			return nil
		}
		steps[i] = argument{value: v, Name: a.Name, Node: node, st: c.e.st}
	}
	return steps
}

// target finds what a swept name means: a parameter of the call that r is bound
// to, a name that r depends on, or a parameter of the only call below that has it.
func (c *call) target(root *binding, a argument) (*ast.CallNode, bool) {
	if n, ok := root.st.Node.(*ast.CallNode); ok && hasParam(n, a.Name) {
		return n, true
	}
	names := c.e.scope.below(root.name)
	if slices.Contains(names, a.Name) && a.Name != root.name {
		if c.e.scope[a.Name].st.Params == nil {
			return nil, true
		}
		c.e.fail(a.key, Sweep, fmt.Sprintf("%s is a formula and cannot be swept", a.Name), "sweep a number that the formula uses")
		return nil, false
	}
	var calls, texts = []*ast.CallNode{}, []string{}
	known := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == root.name })
	for _, name := range names {
		st := c.e.scope[name].st
		for _, n := range callsIn(st.Node) {
			fn := index[n.Callee.(*ast.IdentifierNode).Value]
			for _, p := range fn.Params {
				if !slices.Contains(known, p.Name) {
					known = append(known, p.Name)
				}
			}
			if fn.param(a.Name) >= 0 {
				calls, texts = append(calls, n), append(texts, st.Text(n))
			}
		}
	}
	switch len(calls) {
	case 1:
		return calls[0], true
	case 0:
		c.e.fail(a.key, Sweep, fmt.Sprintf("%s does not depend on anything called %s", root.name, a.Name), suggest(a.Name, known))
	default:
		c.e.fail(a.key, Sweep, fmt.Sprintf("%s is a parameter of %s", a.Name, strings.Join(texts, " and of ")), "bind the value to a name, use the name in the call, and sweep the name")
	}
	return nil, false
}

func hasParam(n *ast.CallNode, name string) bool {
	callee, _ := n.Callee.(*ast.IdentifierNode)
	return callee != nil && index[callee.Value] != nil && index[callee.Value].param(name) >= 0
}

// callsIn returns the calls of known functions in an expression.
func callsIn(n ast.Node) []*ast.CallNode {
	var v calls
	ast.Walk(&n, &v)
	return v
}

type calls []*ast.CallNode

func (v *calls) Visit(n *ast.Node) {
	call, ok := (*n).(*ast.CallNode)
	if !ok {
		return
	}
	if callee, ok := call.Callee.(*ast.IdentifierNode); ok && index[callee.Value] != nil {
		*v = append(*v, call)
	}
}

// below returns a name and all bound names that its definition uses, directly or
// not, oldest first.
func (s scope) below(name string) []string {
	var all []string
	var visit func(string)
	visit = func(name string) {
		if s[name] == nil || slices.Contains(all, name) {
			return
		}
		all = append(all, name)
		for used := range s[name].uses {
			visit(used)
		}
	}
	visit(name)
	slices.SortFunc(all, func(a, b string) int { return s[a].time - s[b].time })
	return all
}

// find fills depends for a name and all below it.
func (s *swept) find(scope scope, root string) {
	for _, name := range scope.below(root) { // oldest first, so what is used comes before
		var axes []int
		for i, x := range s.axes {
			own := x.call == nil && scope[name].uses[x.Name] != 0 || slices.Contains(callsIn(scope[name].st.Node), x.call)
			for used := range scope[name].uses {
				own = own || slices.Contains(s.depends[used], i)
			}
			if own {
				axes = append(axes, i)
			}
		}
		s.depends[name] = axes
	}
}
