package dsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/report"
)

// checkPlot finds an x, a y or a file ending that plot would refuse, before hours of
// runs are spent on what it is to draw.
func (c *call) checkPlot() {
	defer c.checkEnding("file")
	sample := c.sample(c.arg("value"))
	if sample == nil {
		return
	}
	xs, _ := report.Axes(sample, "")
	x := c.text("x")
	if len(xs) > 0 && !c.offered("x", xs) { // a sweep whose names are not known has none
		return
	}
	_, ys := report.Axes(sample, x)
	c.offered("y", ys)
}

// offered reports whether a text is one of those that a parameter takes here, and
// says which those are when it is not.
func (c *call) offered(param string, words []string) bool {
	a := c.arg(param)
	word, given := a.Data.(string)
	if !given || slices.Contains(words, word) {
		return true
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = fmt.Sprintf("%q", w)
	}
	hint := ""
	if best := nearest(word, words); best != "" {
		hint = suggest(word, words)
	}
	c.fail(&a, fmt.Sprintf("%s: %s is %q; here it must be %s", c.fn.Name, param, word, orList(quoted)), hint)
	return false
}

// sample is a value with the axes that an argument will have: the argument itself
// where it is known, else one of its type; nil where nothing can be said.
func (c *call) sample(a argument) any {
	switch data := a.Data.(type) {
	case nil:
	case []value:
		if found, err := results(data); err == nil {
			return found
		}
		return nil
	default:
		return data
	}
	switch a.Type {
	case Sweep:
		return sim.Sweep{Names: c.e.sweptNames(a.Node)}
	case Result:
		return engine.Result{}
	case List:
		return []engine.Result{}
	case Bounds:
		return bounds.Report{}
	case Hardness:
		return bounds.Hardness{}
	case Spectrum:
		return bounds.Spectrum{}
	case Design:
		return bounds.Allocation{}
	}
	return nil
}

// sweptNames returns the names that a sweep varies, by the text of its call; none
// where the expression is not, and does not name, such a call.
func (e *evaluator) sweptNames(n ast.Node) []string {
	if id, ok := n.(*ast.IdentifierNode); ok {
		if e.scope[id.Value] == nil {
			return nil
		}
		n = e.scope[id.Value].st.Node
	}
	call, ok := n.(*ast.CallNode)
	if !ok {
		return nil
	}
	if callee, ok := call.Callee.(*ast.IdentifierNode); !ok || callee.Value != "sweep" {
		return nil
	}
	var names []string
	for _, a := range call.Arguments {
		if m, ok := a.(*ast.MapNode); ok {
			for _, p := range m.Pairs {
				names = append(names, p.(*ast.PairNode).Key.(*ast.StringNode).Value)
			}
		}
	}
	return names
}

// checkSave finds a file that save would refuse.
func (c *call) checkSave() {
	if !c.checkEnding("path") {
		return
	}
	v, path := c.arg("value"), c.arg("path")
	drawing := slices.ContainsFunc([]string{".svg", ".pdf", ".png"}, func(e string) bool { return strings.HasSuffix(strings.ToLower(c.text("path")), e) })
	switch v.Type {
	case Number, Text, Kernel, Joint, Problem, Plan, Table:
		if drawing {
			c.fail(&path, fmt.Sprintf("%s cannot be drawn", v.Type.a()), "save it as .txt, .md, .html, .tex or .json")
		}
	}
}

// checkEnding reports whether values can be saved to the file that a parameter names.
func (c *call) checkEnding(param string) bool {
	a := c.arg(param)
	path, given := a.Data.(string)
	if !given || report.CheckEnding(path) == nil {
		return true
	}
	c.fail(&a, fmt.Sprintf("cannot save to %q: the ending says the format", path), "one of "+strings.Join(report.Endings(), " "))
	return false
}
