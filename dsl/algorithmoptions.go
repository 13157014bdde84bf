package dsl

import (
	"fmt"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
)

// hasOptions reports arguments for options that the algorithm does not have. In a sweep over algorithms an option goes
// to those that have it. One that is swept is a mistake where none has it, see reportLacking; one of the call itself is
// checked with the call.
func hasOptions(c *call) {
	mode := engine.ModeFC
	if c.fn.Name == engine.ModeFB {
		mode = engine.ModeFB
	}
	if a := c.arg("algorithm"); a.Node != nil && !a.known() {
		return // not known before the script runs
	}
	entry, err := algorithms.Named(mode, algorithmOf(c, mode))
	if err != nil {
		return // reported
	}
	for i := range c.fn.Params {
		a, p := &c.args[i], c.fn.Params[i]
		if a.Node == nil && !a.known() || p.Name == "p" {
			continue
		}
		_, isNumber := a.Data.(float64)
		has := p.had(entry) && (p.takesNumber(entry) || !isNumber)
		switch s := c.e.swept; {
		case s != nil:
			if given := *a; given.st != nil {
				s.note(optionUse{c.node, p.Name}, has, func() { lacksOption(c, entry, p, given) })
			}
			if !has {
				*a = argument{}
			}
		case !has:
			lacksOption(c, entry, p, *a)
		}
	}
}

// lacksOption reports an option that an algorithm does not have.
func lacksOption(c *call, entry algorithms.Entry, p Param, a argument) {
	st := c.e.st
	if a.st != nil {
		st = a.st
	}
	shown := st.Text(a.Node)
	if _, name := a.Node.(*ast.IdentifierNode); name {
		switch data := a.Data.(type) {
		case float64:
			shown += " = " + formatNumber(data)
		case string:
			shown += fmt.Sprintf(" = %q", data)
		}
	}
	option := p.Name
	if p.had(entry) {
		able := able(algorithms.Having(entry.Mode, p.takesNumber))
		c.fail(a, fmt.Sprintf("%s: %s takes no number for %s, got %s; %s", c.fn.Name, entry.Name, option, shown, able.that("does", "do")),
			fmt.Sprintf("write %s=%q, or leave %s out", option, engine.RidgeGP, option))
		return
	}
	able := able(algorithms.Having(entry.Mode, p.had))
	c.fail(a, fmt.Sprintf("%s: %s has no %s, got %s; %s", c.fn.Name, entry.Name, option, shown, able.that("has", "have")),
		fmt.Sprintf("write algorithm=%q, or leave %s out", able[0], option))
}

// able lists the algorithms that can do something.
type able []string

// that returns the list with the verb for one of them, or for several.
func (a able) that(one, several string) string {
	if len(a) == 1 {
		several = one
	}
	return andList(a) + " " + several
}

// optionUse is an option in a call.
type optionUse struct {
	call   *ast.CallNode
	option string
}

// note records whether the algorithm of a combination has an option that is swept, and how to report
// that it does not.
func (s *swept) note(use optionUse, has bool, report func()) {
	if s.had == nil {
		s.had, s.lacked = map[optionUse]bool{}, map[optionUse]func(){}
	}
	if has {
		s.had[use] = true
	} else if s.lacked[use] == nil {
		s.lacked[use] = report
		s.lacking = append(s.lacking, use)
	}
}

// reportLacking reports the options that no algorithm of the sweep has.
func (s *swept) reportLacking() {
	for _, use := range s.lacking {
		if !s.had[use] {
			s.lacked[use]()
		}
	}
}

// ofSome adds to the parameters of a function that runs algorithms of a mode which of them have
// the option, where not all do.
func ofSome(mode string, params []Param) []Param {
	all := algorithms.Having(mode, func(algorithms.Entry) bool { return true })
	for i, p := range params {
		able := algorithms.Having(mode, p.had)
		lacking := algorithms.Having(mode, func(e algorithms.Entry) bool { return !p.had(e) })
		switch {
		case len(able) == len(all):
		case len(lacking) < len(able):
			params[i].only = "; not for " + orList(lacking)
		default:
			params[i].only = "; for " + andList(able)
		}
	}
	return params
}

// ownOptions lists the options that an algorithm has and others do not have.
func ownOptions(e algorithms.Entry) []string {
	var names []string
	for _, p := range index[e.Mode].Params {
		able := algorithms.Having(e.Mode, p.had)
		all := algorithms.Having(e.Mode, func(algorithms.Entry) bool { return true })
		if p.had(e) && len(able) < len(all) {
			names = append(names, p.Name)
		}
	}
	return names
}
