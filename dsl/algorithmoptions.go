package dsl

import (
	"fmt"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
)

// checkOptions reports arguments for options that the algorithm does not have. In a sweep over algorithms, an option is passed only
// to the algorithms that have it; if none has it, reportLacking reports a swept option, and the check of the call reports an option
// of the call itself. It covers written arguments and swept ones; "p" is not an option.
func checkOptions(c *call) {
	mode := engine.ModeFC
	if c.fn.Name == engine.ModeFB {
		mode = engine.ModeFB
	}
	if a := c.arg("algorithm"); a.Node != nil && !a.known() {
		return // not known before the script runs
	}
	if ownOf(c) != nil {
		return // it may read every option
	}
	entry, err := algorithms.Named(mode, algorithmOf(c, mode))
	if err != nil {
		return // reported
	}
	// In a sweep, an argument for an option that the algorithm lacks is removed here and reported elsewhere.
	for i := range c.fn.Params {
		a, p := &c.args[i], c.fn.Params[i]
		if a.Node == nil && !a.known() || p.Name == "p" {
			continue
		}
		_, isNumber := a.Data.(float64)
		has := p.hasOption(entry) && (p.takesNumber(entry) || !isNumber) // some options take a number with some algorithms only
		switch s := c.e.swept; {
		case s != nil:
			// Swept options have a statement of their own; options of the call were checked with the call.
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

// lacksOption reports an option that an algorithm does not have. The message quotes the script, lists the algorithms that have the
// option, and states what to write.
func lacksOption(c *call, entry algorithms.Entry, p Param, a argument) {
	st := c.e.st
	if a.st != nil {
		st = a.st
	}
	shown := st.Text(a.Node)
	if _, name := a.Node.(*ast.IdentifierNode); name { // also show the value of a name
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

// optionUse is an option in a call of a sweep that at least one algorithm lacks.
type optionUse struct {
	call   *ast.CallNode // identifies the use, together with option
	option string        // name of the parameter
	had    bool          // whether another algorithm of the sweep has it
	report func()        // reports that the option is lacking; nil if every algorithm has it
}

// note records whether the algorithm of a combination has a swept option, and how to report the mistake otherwise. It keeps the
// first report, which runs after all combinations were tried.
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

// ofSome adds to each parameter which algorithms of a mode have the option, unless all have it. It changes the parameters in place;
// each call builds new ones.
func ofSome(mode string, params []Param) []Param {
	for i, p := range params {
		able := algorithms.Having(mode, p.hasOption)
		lacking := algorithms.Having(mode, func(e algorithms.Entry) bool { return !p.hasOption(e) })
		switch {
		case len(lacking) == 0:
		case len(lacking) < len(able): // fewer algorithms lack it than have it, so the text names those
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
