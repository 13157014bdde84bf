package dsl

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// complete reports whether every parameter has what it needs and every value is
// known; a missing argument is an error.
func (c *call) complete() bool {
	known := true
	for i, p := range c.fn.Params {
		switch a := c.args[i]; {
		case a.Node == nil && a.Type == anything && p.Default == "":
			c.e.fail(c.node, c.fn.Result, fmt.Sprintf("%s needs %s", c.fn.Name, p.Name), "write "+c.fn.Signature())
			return false
		case a.Node != nil && !a.known():
			known = false
		}
	}
	for _, a := range slices.Concat(c.rest, c.named) {
		known = known && a.known()
	}
	return known || c.e.dry && !c.pure()
}

// pure reports whether the call can be made while a script is checked: it reads no file and runs
// nothing.
func (c *call) pure() bool {
	for i, p := range c.fn.Params {
		if _, text := c.args[i].Data.(string); text && p.words == wordsData {
			return false
		}
	}
	return c.fn.pure
}

// checkArgument compares an argument with what a parameter accepts.
func (c *call) checkArgument(p Param, a *argument) {
	if a.Type == anything {
		return
	}
	if a.Type == Free && !p.accepts(Free) && (p.accepts(Kernel) || p.accepts(Joint)) {
		a.Type = Kernel
	}
	if p.accepts(Joint) && !p.accepts(Kernel) && a.Type == Kernel {
		if !a.known() {
			return
		}
		if own := c.e.st; a.st != nil { // the value stands in another statement
			c.e.st = a.st
			defer func() { c.e.st = own }()
		}
		text := c.e.st.Text(a.Node)
		if j, ok := c.e.lift(a.Node, a.value, fmt.Sprintf("write task(identity()) * arm(%s) for tasks that share nothing, arm(%s) for tasks that are all alike", text, text)); ok {
			a.value = jointValue(j)
		}
		return
	}
	if !p.accepts(a.Type) {
		hint := cmp.Or(p.elsewhere[string(a.Type)], p.instead(a.Type), p.meaning(c.fn))
		if a.Type == Number && p.accepts(Kernel) && a.Node != nil {
			hint = fmt.Sprintf("write constant(%s) for the kernel that has this value for all pairs", c.e.st.Text(a.Node))
		}
		c.fail(a, fmt.Sprintf("%s: %s is %s; it must be %s", c.fn.Name, p.Name, a.Type.a(), p.wants()), hint)
		return
	}
	switch data := a.Data.(type) {
	case string:
		if len(p.Choices) > 0 && !slices.Contains(p.Choices, data) {
			c.fail(a, fmt.Sprintf("%s: %s is %q; it must be %s", c.fn.Name, p.Name, data, p.wants()), p.suggestChoice(data))
		}
	case float64:
		if _, ok := whole(data); p.Whole && !p.IsSwitch() && !ok && (data != math.Trunc(data) || p.Range.Contains(data)) {
			c.fail(a, fmt.Sprintf("%s: %s is %s; it must be a whole number", c.fn.Name, p.Name, formatNumber(data)), "")
		} else if len(p.Types) > 0 && !p.Range.Contains(data) {
			c.fail(a, fmt.Sprintf("%s: %s is %s; it must be %s", c.fn.Name, p.Name, formatNumber(data), p.rule()), "")
		} else if !p.Whole && p.Range.MaxOpen && math.IsInf(p.Range.Max, 1) && kernels.Extreme(data) {
			c.fail(a, fmt.Sprintf("%s: %s is %s; %s", c.fn.Name, p.Name, formatNumber(data), kernels.ExtremeRule), "")
		}
	}
}

// fail reports a mistake under an argument; under the call when the argument does
// not stand in the script, as with Options.Seed.
func (c *call) fail(a *argument, message, hint string) {
	st, n := c.e.st, a.Node
	if a.st != nil {
		st = a.st
	}
	if n == nil {
		n = c.node
	}
	c.e.report(st.Source.At(st.Span(n), message, hint))
}

// builtKernel builds a kernel of the catalogue.
func builtKernel(c *call, entry kernels.Entry) (any, error) {
	args := kernels.Args{}
	if !c.pure() {
		return gramKernel(c, entry)
	}
	for i, p := range c.fn.Params {
		if !c.args[i].known() {
			continue
		}
		args[p.Name] = c.args[i].plain()
		if mixed, isMixed := args[p.Name].([]any); isMixed {
			if free, ok := freeNumbers(mixed); ok {
				args[p.Name] = free
				continue
			}
			return nil, &kernels.ParamError{Kernel: c.fn.Name, Param: p.Name, Index: -1, Message: fmt.Sprintf("is a list of different things; it must be %s", entry.Params[i].Kind)}
		}
	}
	return given(entry.Build(args))
}

// The readers below return an argument by name, or the zero value where it is not
// given. A name that is not a parameter is a mistake in the catalogue.

func (c *call) arg(name string) argument {
	i := c.fn.param(name)
	if i < 0 {
		panic("dsl: " + c.fn.Name + " has no parameter " + name)
	}
	return c.args[i]
}

// has reports whether an argument is given, by the script or by a sweep.
func (c *call) has(name string) bool {
	a := c.arg(name)
	return a.Node != nil || a.known()
}

// move gives a parameter the argument of another one, which then has none.
func (c *call) move(from, to string) {
	i, j := c.fn.param(from), c.fn.param(to)
	c.args[i], c.args[j] = argument{}, c.args[i]
}

func (c *call) text(name string) string {
	s, _ := c.arg(name).Data.(string)
	return s
}
