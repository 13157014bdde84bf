package dsl

import (
	"fmt"
	"math"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// checkOptions reports an argument for an option that the algorithm does not have. In a sweep over algorithms, it passes
// an option only to the algorithms that have it. reportLacking then reports a swept option that no algorithm has; the
// check of the call reports an option that the call itself states.
func checkOptions(c *call) {
	mode := engine.ModeFC
	if c.fn.Name == engine.ModeFB {
		mode = engine.ModeFB
	}
	if a := c.arg("algorithm"); a.Node != nil && !a.known() {
		return // the algorithm is not known yet
	}
	if ownOf(c) != nil {
		totalToBudget(c)
		return // a user-defined algorithm may use any option
	}
	entry, err := algorithms.Named(mode, algorithmOf(c, mode))
	if err != nil {
		return // the unknown algorithm was reported before
	}
	// In a sweep, remove an argument for an option that the algorithm lacks. The mistake, if any, is reported elsewhere.
	for i := range c.fn.Params {
		a, p := &c.args[i], c.fn.Params[i]
		if a.Node == nil && !a.known() || p.Name == "p" {
			continue
		}
		_, isNumber := a.Data.(float64)
		has := p.hasOption(entry) && (p.takesNumber(entry) || !isNumber) // some algorithms accept only a word for some options
		switch s := c.e.swept; {
		case s != nil && c.fn.Name == engine.ModeFB && p.Name == "total" && !has:
			if !totalToBudget(c) {
				refuseTotal(c, p)
			}
		case s != nil:
			// Keep a swept option for reportLacking. The check of the call reports other options.
			if given := *a; given.st != nil {
				s.note(c.node, p.Name, has, func() { lacksOption(c, entry, p, given) })
			}
			if !has {
				*a = argument{}
			}
		case !has:
			lacksOption(c, entry, p, *a)
		}
	}
}

// totalToBudget is called for an algorithm that reads budget, the samples of each agent. In a call of fb it replaces the
// argument total by budget = total / number of agents. If total is not a multiple of the number of agents, it changes
// nothing and returns false.
func totalToBudget(c *call) bool {
	if c.fn.Name != engine.ModeFB || !c.has("total") || c.has("budget") { // if both are given, oneBudget reports it
		return true
	}
	total := &c.args[c.fn.param("total")]
	budget := *total
	budget.Name, budget.value = "budget", unknown(Number)
	n, given := total.Data.(float64)
	p, known := c.arg("p").Data.(*problem.Problem)
	if given && known {
		if math.Mod(n, float64(p.V())) != 0 {
			return false
		}
		budget.value = numberValue(n / float64(p.V()))
	}
	c.args[c.fn.param("budget")], *total = budget, argument{}
	return true
}

// refuseTotal reports a total that is not a multiple of the number of agents, for an algorithm of a sweep that needs equal
// shares.
func refuseTotal(c *call, p Param) {
	agents := c.arg("p").Data.(*problem.Problem).V()
	total := int(c.arg("total").Data.(float64))
	hint := fmt.Sprintf("write total=%d", (total/agents+1)*agents)
	if total > agents {
		hint = fmt.Sprintf("write total=%d or total=%d", total/agents*agents, (total/agents+1)*agents)
	}
	able := algorithms.Having(engine.ModeFB, p.hasOption)
	c.refuse(c.arg("total"), hint, "total is %d, not a multiple of the %d agents; only %s can divide samples unequally",
		total, agents, andList(able))
}

// lacksOption reports that an algorithm does not have the option of argument a. The message quotes the argument, lists the
// algorithms that have the option, and suggests a change.
func lacksOption(c *call, entry algorithms.Entry, p Param, a argument) {
	st := c.e.st
	if a.st != nil {
		st = a.st
	}
	shown := st.Text(a.Node)
	if _, name := a.Node.(*ast.IdentifierNode); name { // show the value of a name too
		switch data := a.Data.(type) {
		case float64:
			shown += " = " + formatNumber(data)
		case string:
			shown += fmt.Sprintf(" = %q", data)
		}
	}
	what, hint, does := "has no "+p.Name, "", [2]string{"has", "have"}
	able := algorithms.Having(entry.Mode, p.hasOption)
	// The algorithm has the option, but accepts a word for it and not a number.
	if p.hasOption(entry) {
		what, hint, does = "does not accept a number for "+p.Name, fmt.Sprintf("write %s=%q", p.Name, engine.RidgeGP), [2]string{"does", "do"}
		able = algorithms.Having(entry.Mode, p.takesNumber)
	} else {
		hint = fmt.Sprintf("write algorithm=%q", able[0])
	}
	c.refuse(a, hint+", or leave "+p.Name+" out", "%s %s, got %s; %s %s", entry.Name, what, shown, andList(able), does[min(len(able), 2)-1])
}

// optionUse is a use of an option in a call inside a sweep, for an option that at least one swept algorithm lacks.
type optionUse struct {
	call   *ast.CallNode // call and option identify the use
	option string        // name of the parameter
	had    bool          // whether at least one swept algorithm has the option
	report func()        // reports that no algorithm has the option; nil if no algorithm lacks it
}

// note records whether the algorithm of the current combination has an option that a call uses. If no algorithm has
// it, reportLacking calls report, after all combinations were tried. If note gets several report functions for the
// same use, it keeps the first.
func (s *swept) note(call *ast.CallNode, option string, has bool, report func()) {
	at := slices.IndexFunc(s.options, func(o optionUse) bool { return o.call == call && o.option == option })
	if at < 0 {
		at, s.options = len(s.options), append(s.options, optionUse{call: call, option: option})
	}
	if o := &s.options[at]; has {
		o.had = true
	} else if o.report == nil {
		o.report = report
	}
}

// reportLacking reports each recorded option that no algorithm of the sweep has.
func (s *swept) reportLacking() {
	for _, o := range s.options {
		if !o.had {
			o.report()
		}
	}
}

// ofSome sets Param.only of each parameter to the algorithms of the mode that have the option, or to those that lack it if
// they are fewer. It leaves Param.only empty if all algorithms have the option. It changes the elements of params.
func ofSome(mode string, params []Param) []Param {
	for i, p := range params {
		able := algorithms.Having(mode, p.hasOption)
		lacking := algorithms.Having(mode, func(e algorithms.Entry) bool { return !p.hasOption(e) })
		switch {
		case len(lacking) == 0:
		case len(lacking) < len(able): // most algorithms have the option, so list those that do not
			params[i].only = "; not for " + orList(lacking)
		default:
			params[i].only = "; for " + andList(able)
		}
	}
	return params
}

// ownOptions lists the options that this algorithm has and another algorithm of its mode lacks.
func ownOptions(e algorithms.Entry) []string {
	var names []string
	for _, p := range index[e.Mode].Params {
		if p.hasOption(e) && len(algorithms.Having(e.Mode, func(x algorithms.Entry) bool { return !p.hasOption(x) })) > 0 {
			names = append(names, p.Name)
		}
	}
	return names
}
