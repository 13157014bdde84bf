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

// checkOptions reports an argument for an option that the algorithm does not have. A sweep over algorithms passes each option
// only to the algorithms that have it. If none has it, reportLacking reports a swept option; for an option that the call itself
// states, the check of the call reports it.
func checkOptions(c *call) {
	mode := engine.ModeFC
	if c.fn.Name == engine.ModeFB {
		mode = engine.ModeFB
	}
	if a := c.arg("algorithm"); a.Node != nil && !a.known() {
		return // the algorithm is known only when the script runs
	}
	if ownOf(c) != nil {
		totalToBudget(c)
		return // a user-defined algorithm may read every option
	}
	entry, err := algorithms.Named(mode, algorithmOf(c, mode))
	if err != nil {
		return // an unknown algorithm was already reported
	}
	// In a sweep, an argument for an option that the algorithm lacks is removed here and reported elsewhere.
	for i := range c.fn.Params {
		a, p := &c.args[i], c.fn.Params[i]
		if a.Node == nil && !a.known() || p.Name == "p" {
			continue
		}
		_, isNumber := a.Data.(float64)
		has := p.hasOption(entry) && (p.takesNumber(entry) || !isNumber) // some options accept a number only for some algorithms
		switch s := c.e.swept; {
		case s != nil && c.fn.Name == engine.ModeFB && p.Name == "total" && !has:
			if !totalToBudget(c) {
				refuseTotal(c, p)
			}
		case s != nil:
			// Only a swept option is stored for reportLacking; the check of the call reports the others.
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

// totalToBudget replaces total in a call of fb by the same number of samples for each agent, for an algorithm that reads budget. It
// returns false, and changes nothing, if total is not a multiple of the number of agents.
func totalToBudget(c *call) bool {
	if c.fn.Name != engine.ModeFB || !c.has("total") || c.has("budget") { // oneBudget reports two budgets
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

// refuseTotal reports a total that some algorithm of a sweep cannot divide among the agents.
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

// lacksOption reports an option that an algorithm does not have. The message quotes the script, lists the algorithms with the
// option, and proposes a change.
func lacksOption(c *call, entry algorithms.Entry, p Param, a argument) {
	st := c.e.st
	if a.st != nil {
		st = a.st
	}
	shown := st.Text(a.Node)
	if _, name := a.Node.(*ast.IdentifierNode); name { // the argument is a name, so also show its value
		switch data := a.Data.(type) {
		case float64:
			shown += " = " + formatNumber(data)
		case string:
			shown += fmt.Sprintf(" = %q", data)
		}
	}
	what, hint, does := "has no "+p.Name, "", [2]string{"has", "have"}
	able := algorithms.Having(entry.Mode, p.hasOption)
	// The algorithm has the option but accepts only a word.
	if p.hasOption(entry) {
		what, hint, does = "does not accept a number for "+p.Name, fmt.Sprintf("write %s=%q", p.Name, engine.RidgeGP), [2]string{"does", "do"}
		able = algorithms.Having(entry.Mode, p.takesNumber)
	} else {
		hint = fmt.Sprintf("write algorithm=%q", able[0])
	}
	c.refuse(a, hint+", or leave "+p.Name+" out", "%s %s, got %s; %s %s", entry.Name, what, shown, andList(able), does[min(len(able), 2)-1])
}

// optionUse describes an option in a call inside a sweep, where at least one swept algorithm lacks the option.
type optionUse struct {
	call   *ast.CallNode // the call, which with option identifies the use
	option string        // name of the parameter
	had    bool          // whether at least one algorithm of the sweep has the option
	report func()        // reports that no algorithm has the option; nil if every algorithm has it
}

// note records whether the algorithm of the current combination has a swept option. report is called after all combinations were
// tried, if none has it; the first report is kept.
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

// reportLacking reports the options that no algorithm of the sweep has.
func (s *swept) reportLacking() {
	for _, o := range s.options {
		if !o.had {
			o.report()
		}
	}
}

// ofSome adds to the description of each parameter which algorithms of a mode have the option, unless all have it. It changes the
// elements of params, which every call builds anew.
func ofSome(mode string, params []Param) []Param {
	for i, p := range params {
		able := algorithms.Having(mode, p.hasOption)
		lacking := algorithms.Having(mode, func(e algorithms.Entry) bool { return !p.hasOption(e) })
		switch {
		case len(lacking) == 0:
		case len(lacking) < len(able): // fewer algorithms lack the option than have it, so list those that lack it
			params[i].only = "; not for " + orList(lacking)
		default:
			params[i].only = "; for " + andList(able)
		}
	}
	return params
}

// ownOptions lists the options of an algorithm that other algorithms of its mode lack.
func ownOptions(e algorithms.Entry) []string {
	var names []string
	for _, p := range index[e.Mode].Params {
		if p.hasOption(e) && len(algorithms.Having(e.Mode, func(x algorithms.Entry) bool { return !p.hasOption(x) })) > 0 {
			names = append(names, p.Name)
		}
	}
	return names
}
