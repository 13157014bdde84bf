package dsl

import (
	"fmt"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// runsPlan returns the runs that a call of sweep or compare makes. It returns nil after a reported mistake, or if a list
// is not known yet while the script is checked.
func runsPlan(c *call) *swept {
	switch r := c.args[0].Type; {
	case r == Problem:
		return problemPlan(c)
	case r == anything && c.e.dry && c.fn.Name == "compare": // the type of the first argument is known only when the script runs
		return nil
	}
	return sweepPlan(c)
}

// problemPlan returns the runs of compare(p, algorithm=[…], …). Its other named arguments are passed to fc, or to fb
// if budget or total is given. All runs use one seed, so every algorithm meets the same random rewards.
func problemPlan(c *call) *swept {
	fn := index[engine.ModeFC]
	if slices.ContainsFunc(c.named, func(a argument) bool { return a.Name == "budget" || a.Name == "total" }) {
		fn = index[engine.ModeFB]
	}
	args := make([]argument, len(fn.Params))
	args[0] = c.args[0]
	s := &swept{at: make([]int, 1)}
	for _, a := range c.named {
		switch i := fn.param(a.Name); {
		case a.Name == "algorithm":
			s.axes = []axis{{argument: a, values: sweepSteps(c, a), call: c.node}}
		case i < 0:
			c.e.fail(a.key, Table, fmt.Sprintf("compare: %s has no parameter %q for runs of a problem", fn.Name, a.Name), fn.suggestParam(a.Name))
			return nil
		case args[i].Node != nil: // the first argument of compare is already the problem
			c.e.fail(a.key, Table, fmt.Sprintf("compare: %s is given twice", a.Name), "")
			return nil
		default:
			a.st = c.e.st // statement at which reportLacking reports an option that no algorithm has
			args[i] = a
		}
	}
	// If algorithm is missing, checkCompare reports it; if its list is empty, sweepSteps does.
	if len(s.axes) == 0 || len(s.axes[0].values) == 0 {
		return nil
	}
	s.cells = len(s.axes[0].values)
	s.evaluate = func() value {
		run := &call{e: c.e, fn: fn, node: c.node, args: slices.Clone(args)}
		return run.invoke(c.e.mistakes)
	}
	return s
}

// sweepPlan returns what a call of sweep varies. It reports names that a sweep cannot vary. It runs when the script is
// checked and again when the sweep runs, because a list may be known only then. It returns nil after a reported mistake,
// or if a list is not known yet while the script is checked.
func sweepPlan(c *call) *swept {
	before := c.e.mistakes
	// The sweep evaluates the definition of its first argument again, so that argument must be a bound name.
	r, ok := c.args[0].Node.(*ast.IdentifierNode)
	if !ok || c.e.scope[r.Value] == nil {
		c.e.fail(c.args[0].Node, Sweep, "a sweep needs the name of a result", "bind it first: r = fc(…), then "+c.fn.Name+"(r, …)")
		return nil
	}
	root := c.e.scope[r.Value]
	if len(c.named) == 0 {
		c.e.fail(c.node, Sweep, "the sweep has no values to vary", "write "+c.fn.Signature()+" with a list of values")
		return nil
	}
	s := &swept{at: make([]int, len(c.named)), depends: map[string][]int{}, memo: map[string]value{}, cells: 1}
	for _, a := range c.named { // limit the number of combinations first; this also prevents overflow of the product
		list, _ := c.labelled(a)
		s.cells = min(s.cells*max(len(list), 1), maxCells+1)
	}
	if s.cells > maxCells {
		c.e.fail(c.node, Sweep, fmt.Sprintf("the sweep has more than %d combinations", maxCells), "")
		return nil
	}
	for _, a := range c.named {
		x := axis{argument: a}
		x.call, ok = sweepTarget(c, root, a)
		if ok {
			x.values = sweepSteps(c, a)
		}
		s.axes = append(s.axes, x)
	}
	if c.e.mistakes > before || slices.ContainsFunc(s.axes, func(x axis) bool { return len(x.values) == 0 }) {
		return nil
	}
	s.find(c.e.scope, root.name) // record which axes each name depends on
	s.evaluate = func() value {
		v, _ := s.lookup(c.e, root.name)
		return v
	}
	return s
}

// sweepSteps returns the values of one swept name: numbers, texts, kernels or problems. A list that is not known during
// the check is validated when the sweep runs.
func sweepSteps(c *call, a argument) []labelled {
	steps, known := c.labelled(a)
	switch {
	case !known && c.e.dry && (a.Type == List || a.Type == anything): // known only when the script runs
		return nil
	case len(steps) == 0:
		c.e.fail(a.Node, Sweep, fmt.Sprintf("%s needs a list of values to try", a.Name), "write "+a.Name+"=[…], or a range such as 1..20")
		return nil
	}
	seen := map[any]bool{} // labels so far, to find repeated values
	for _, x := range steps {
		switch {
		case x.Type != Number && x.Type != Text && !x.Type.isKernel() && x.Type != Problem && x.Type != Algorithm && x.Type != anything:
			c.fail(x.argument, fmt.Sprintf("a swept value is a number, a text, a kernel, a problem or an algorithm, not %s", x.Type.a()), "")
			return nil
		case x.label != nil && seen[x.label]: // a value without a label is not known yet
			hint := "the repeated runs would count as independent. Raise runs, or sweep seed"
			if x.Type == Algorithm {
				hint += ". Two different algorithms need two names"
			}
			c.fail(x.argument, fmt.Sprintf("%s is swept over %v twice", a.Name, x.label), hint)
			return nil
		}
		seen[x.label] = true
	}
	return steps
}

// sweepTarget returns the call whose parameter the argument a sweeps, or nil if a sweeps a bound name. It tries these
// meanings in order. First: a name that the result depends on, or an argument written in a call that the result
// depends on. Second: a parameter that such a call leaves out. Third: a parameter of the result's own call. Thus
// sweep(r, gap=…) varies the gap of paper(case=2), and not the gap that fc assumes.
func sweepTarget(c *call, root *binding, a argument) (*ast.CallNode, bool) {
	scope, names := c.e.scope, c.e.scope.below(root.name)
	var found []target
	// The name of the result cannot be swept, because the sweep computes its value.
	if b := scope[a.Name]; b != root && slices.Contains(names, a.Name) {
		if b.st.Params != nil {
			c.e.fail(a.key, Sweep, fmt.Sprintf("%s is a formula and cannot be swept", a.Name), "sweep a number that the formula uses")
			return nil, false
		}
		found = append(found, target{text: "the name " + a.Name})
	}
	known := lists.Where(names, func(name string) bool { return name != root.name }) // names that the sweep could vary
	for _, name := range names {
		st := scope[name].st
		if st.Params != nil { // arguments of calls in a formula are vectors
			continue
		}
		for _, k := range scope.callsIn(st.Node) {
			for i, p := range k.fn.Params {
				if known = lists.Add(known, p.Name); p.Name != a.Name {
					continue
				}
				written := k.fn.written(k.node, a.Name)                                // nil if the call does not give the parameter
				if id, is := written.(*ast.IdentifierNode); is && id.Value == a.Name { // in gap=gap, sweep the bound name gap
					continue
				}
				t := target{call: k.node, text: st.Text(k.node), param: &k.fn.Params[i]}
				if written == nil { // a parameter that the call leaves out has a lower priority than a written argument
					t.rank = 1 + indices.Indicator(k.node == root.st.Node)
				}
				found = append(found, t)
			}
		}
	}
	// the smallest rank is 2 - least, because lists.Max returns at least 0
	least := lists.Max(found, func(t target) int { return 2 - t.rank })
	found = lists.Where(found, func(t target) bool { return 2-t.rank == least })
	if steps, _ := c.labelled(a); len(found) > 1 { // skip parameters that do not accept the swept values
		if fit := lists.Where(found, func(t target) bool { return t.takes(steps) }); len(fit) > 0 {
			found = fit
		}
	}
	// If several meanings are left, report that the script must choose one.
	switch len(found) {
	case 1:
		return found[0].call, true
	case 0:
		c.e.fail(a.key, Sweep, fmt.Sprintf("%s does not depend on %s", root.name, a.Name), suggest(a.Name, known))
	default:
		texts := lists.Map(found, func(t target) string { return t.text })
		c.e.fail(a.key, Sweep, fmt.Sprintf("%s can mean %s", a.Name, orList(texts)),
			"bind the value to a name, use that name in the call, and sweep it")
	}
	return nil, false
}

// target is one possible meaning of a swept name: a bound name, or a parameter of a call.
type target struct {
	call  *ast.CallNode // nil for a bound name
	text  string        // description, for a message that lists several meanings
	param *Param        // parameter of the call; nil for a bound name
	rank  int           // 0: written in the script; 1: left out by a call that the result depends on; 2: left out by the result's own call
}

// takes reports whether the parameter accepts the values in steps. A bound name accepts all values. A parameter for a
// joint kernel also accepts a kernel of one space.
func (t target) takes(steps []labelled) bool {
	return t.param == nil || !slices.ContainsFunc(steps, func(x labelled) bool {
		return x.Type != anything && !t.param.accepts(x.Type) && !(x.Type.isKernel() && t.param.accepts(Joint))
	})
}

// written returns the expression that call n gives for the named parameter, by position or by name; nil if there is none.
func (f *Function) written(n *ast.CallNode, param string) ast.Node {
	position := 0
	for key, a := range argumentsOf(n) {
		switch {
		case key == nil && position == f.param(param), key != nil && key.(*ast.StringNode).Value == param:
			return a
		case key == nil:
			position++
		}
	}
	return nil
}

// callOf returns n as a call together with the name of its function. It returns nil and "" if n is not a call, or is a
// method call such as p.f(x).
func callOf(n ast.Node) (*ast.CallNode, string) {
	call, _ := n.(*ast.CallNode)
	if call == nil {
		return nil, ""
	}
	callee, named := call.Callee.(*ast.IdentifierNode)
	if !named {
		return nil, ""
	}
	return call, callee.Value
}

// callsIn returns the calls of known functions in an expression, including bound formulas with parameters.
func (s scope) callsIn(n ast.Node) []knownCall {
	v := calls{scope: s}
	ast.Walk(&n, &v)
	return v.found
}

// knownCall is a call of a function that the catalogue or a formula defines.
type knownCall struct {
	node *ast.CallNode // the node identifies the call for swept.override
	fn   *Function     // from the catalogue, or made from a formula
}

// calls is an AST visitor that collects the function calls in an expression, inner calls first.
type calls struct {
	scope scope       // finds formulas by their names
	found []knownCall // in the order of the visit
}

func (v *calls) Visit(n *ast.Node) {
	call, name := callOf(*n)
	if fn := v.scope.function(name); fn != nil {
		v.found = append(v.found, knownCall{call, fn})
	}
}

// below returns the bound name and all bound names that its definition uses, directly or indirectly, oldest first. It
// returns nil for an unbound name.
func (s scope) below(name string) []string {
	var all []string
	seen := map[string]bool{}
	var visit func(string)
	visit = func(name string) {
		if s[name] == nil || seen[name] {
			return
		}
		seen[name] = true
		all = append(all, name)
		for used := range s[name].uses {
			visit(used)
		}
	}
	visit(name)
	slices.SortFunc(all, func(a, b string) int { return s[a].time - s[b].time })
	return all
}

// find sets s.depends for root and for all names that root depends on.
func (s *swept) find(scope scope, root string) {
	for _, name := range scope.below(root) { // below returns a name after all names that it uses
		calls := scope.callsIn(scope[name].st.Node)
		var axes []int
		for i, x := range s.axes {
			own := x.call == nil && scope[name].uses[x.Name] != 0 || // 0: the definition does not use the name
				slices.ContainsFunc(calls, func(k knownCall) bool { return k.node == x.call })
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
