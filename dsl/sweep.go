package dsl

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// maxCells limits the number of combinations of one sweep.
const maxCells = 10_000

// axis is one swept name: a bound name, or a parameter of one call.
type axis struct {
	argument               // the name and its list, as written
	values   []labelled    // the values, each with its place in the script
	call     *ast.CallNode // call whose parameter is swept; nil for a bound name
}

// swept is a sweep in progress: the current combination of values, and the values that were computed for it. As in a spreadsheet,
// only names that depend on swept values are evaluated again, once for each combination of the values that they depend on.
type swept struct {
	axes    []axis           // in the order of the arguments; the last axis changes fastest
	at      []int            // index of the current value of each axis
	depends map[string][]int // indices of the axes that each bound name depends on
	memo    map[string]value // computed values, by name and the axis values that it depends on
	cell    int              // number of the current combination, from 0
	cells   int              // number of combinations, at most maxCells
	steps   int              // progress steps per combination, the same for all; 0 before the first one

	evaluate func() value // evaluates the result for the current combination

	store  Store // nil without a store
	stored int   // number of combinations found in the store so far
	fresh  bool  // whether the current combination made runs
	hit    bool  // whether the store had the current combination

	options []optionUse // uses of options that some algorithm lacks, in the order of their first use
}

// names returns the swept names, in the order of the arguments.
func (s *swept) names() []string {
	return lists.Map(s.axes, func(x axis) string { return x.Name })
}

// lookup returns the value of a name in the current combination; false if the name does not depend on a swept value. It evaluates
// the name's definition if needed, once for each combination of the axis values that the name depends on.
func (s *swept) lookup(e *evaluator, name string) (value, bool) {
	for i, x := range s.axes {
		if x.call == nil && x.Name == name {
			return x.values[s.at[i]].value, true // the name itself is swept
		}
	}
	if len(s.depends[name]) == 0 { // the value does not depend on the sweep, so the scope has it
		return value{}, false
	}
	// The key is the name, followed by the value index of each axis that it depends on: "p 0:1 2:0".
	key := name
	for _, i := range s.depends[name] {
		key += fmt.Sprintf(" %d:%d", i, s.at[i])
	}
	if v, ok := s.memo[key]; ok {
		return v, true
	}
	// Store the present value first: a faulty script may use a name before its definition, which would cause endless recursion.
	s.memo[key] = e.scope[name].value
	st, uses := e.st, e.uses
	// Record no names: those that the definition uses were recorded when the name was bound.
	e.st, e.uses = e.scope[name].st, nil
	v := e.define(e.st)
	e.st, e.uses = st, uses
	s.memo[key] = v
	return v, true
}

// override replaces arguments of a call by swept values. The call is identified by its node.
func (s *swept) override(c *call) {
	for i, x := range s.axes {
		if x.call == c.node {
			c.args[c.fn.param(x.Name)] = x.values[s.at[i]].argument // the value with its place, for messages
		}
	}
}

// under evaluates the result for the current combination. It restores the outer sweep afterwards, because a definition may
// contain a sweep itself.
func (s *swept) under(e *evaluator) value {
	outer := e.swept
	e.swept = s
	v := s.evaluate()
	e.swept = outer
	return v
}

// checkSweep tests every swept value once without running anything. It varies one axis at a time, because there may be thousands
// of combinations. A mistake that only a combination of two values causes is found when the sweep runs.
func checkSweep(c *call) {
	s := runsPlan(c)
	if s == nil || c.fn.param("store") >= 0 && !checkStore(c) {
		return
	}
	for i, x := range s.axes {
		for j := range x.values {
			s.at[i] = j
			if s.under(c.e); c.e.full() || c.e.ctx.Err() != nil { // stop if enough mistakes were found, or the context has ended
				return
			}
		}
		s.at[i] = 0
	}
	// All algorithms were tested, so an option that none of them has is a mistake.
	s.reportLacking()
}

// evalSweep evaluates sweep(...).
func evalSweep(c *call) (any, error) { return runSweep(c, c.text("store"), c.text("rows")) }

// runSweep evaluates the result for every combination. store is the path of a store, "" for none; per describes the unit of a
// row. After an interrupt or a failure it returns the finished combinations. It returns nil if there are none, or after a
// reported mistake.
func runSweep(c *call, store, per string) (any, error) {
	s := runsPlan(c)
	if s == nil { // reported
		return nil, nil
	}
	if store != "" && c.e.session.opt.Store == nil {
		opened, err := openStore(c, c.e.session.path(store))
		if err != nil {
			return nil, &argumentError{param: "store", message: fmt.Sprintf("cannot use the store %q", store), err: err}
		}
		defer opened.Close() // every result was written when it had finished
		s.store = opened
	}
	out, what := sim.Sweep{Names: s.names(), Per: per}, "run"
	if c.fn.Name == "sweep" {
		what = "sweep"
	}
	for s.cell = range s.cells {
		values, before := s.choose(s.cell), len(c.e.errs)
		s.fresh, s.hit = false, false // not known yet
		v := s.under(c.e)
		// All combinations have the same place in the script, so the message states the combination.
		for _, err := range c.e.errs[before:] {
			err.Cause = strings.TrimPrefix(err.Cause+"\nin the "+what+" with "+s.describe(), "\n")
		}
		result, ok := v.Data.(engine.Result)
		if !ok && c.e.divided != nil && c.e.stopped == nil && len(c.e.errs) == before {
			continue // its runs are divided among the parts of the script
		}
		if c.e.stopped != nil || !ok { // the mistake is reported, finished combinations are kept
			break
		}
		s.stored += indices.Indicator(s.hit)
		out.Rows, out.Stored = append(out.Rows, sim.SweepRow{Values: values, Result: result}), s.stored
	}
	if len(out.Rows) == 0 {
		return nil, c.e.stopped
	}
	return out, c.e.stopped
}

// openStore opens a store. If an interrupt ends the wait, the store is closed when it opens later.
func openStore(c *call, path string) (Store, error) {
	return awaitResult(c, func() (Store, error) {
		store, err := c.e.session.opt.Host.Store(path)
		if stopped := c.e.ctx.Err(); err == nil && stopped != nil {
			return nil, errors.Join(stopped, store.Close())
		}
		return store, err
	})
}

// choose makes combination number cell the current one, and returns its values. The digits of the number, one per axis, are
// indices of values.
func (s *swept) choose(cell int) []any {
	values := make([]any, len(s.axes))
	for i := len(s.axes) - 1; i >= 0; i-- {
		n := len(s.axes[i].values)
		s.at[i], cell = cell%n, cell/n
		values[i] = s.axes[i].values[s.at[i]].label
	}
	return values
}

// perform makes the runs of an experiment: by agents, or in this process unless a store has the result. A sweep keeps single runs for
// paired comparisons.
func perform(c *call, x sim.Experiment) (engine.Result, error) {
	e := c.e
	s := e.swept
	x.Memory = &e.session.memory
	// a sweep of thousands of results does not keep the details that only the figure of one result shows
	x.Detail, x.Estimates = s != nil, s == nil
	if r, made, err := performByAgents(c, x); made || err != nil {
		return r, err
	}
	tell := progressOf(e, c.fn.Name, x.Algorithm, x.Runs)
	if tell != nil {
		// the first run computes designs for some time, so show its label at once
		tell(sim.Step{Total: x.Runs})
	}
	var begun atomic.Bool // the first step of the experiment sets it
	x.Progress = noteFirstStep(tell, &begun, func(sim.Step) bool { return true })
	store := e.session.opt.Store
	if store == nil && s != nil {
		store = s.store
	}
	if store == nil {
		return awaitRuns(c, &begun, func() (engine.Result, error) { return sim.Run(e.ctx, x) })
	}
	stored := false // whether the store had the result
	result, err := awaitRuns(c, &begun, func() (engine.Result, error) {
		r, found, err := store.Run(e.ctx, x)
		if err == nil {
			stored = found
		}
		return r, err
	})
	if err != nil {
		return result, err
	}
	// A definition may make several experiments; the combination counts as stored only if the store had all of them. With the store of
	// the whole script, the display is the one of a run without a store.
	if s != nil && e.session.opt.Store == nil {
		s.fresh = s.fresh || !stored
		s.hit = !s.fresh
	}
	if stored && tell != nil { // advance the progress bar without a run
		tell(sim.Step{Done: x.Runs, Total: x.Runs})
	}
	return result, nil
}

// checkStore reports a store whose file extension is wrong, because the file may be something else; true if it is right. It runs
// in the check, before anything is written.
func checkStore(c *call) bool {
	a := c.arg("store")
	path, given := a.Data.(string)
	if !given || strings.HasSuffix(strings.ToLower(path), storeEnding) {
		return true
	}
	c.refuse(a, "the store is a separate file, not a table; save(…) writes tables",
		"store is %q; its name must end in %s", path, storeEnding)
	return false
}

// storeEnding is the file extension of a store.
const storeEnding = ".jsonl"

// describe returns the current combination as a text, for messages.
func (s *swept) describe() string {
	return strings.Join(lists.Make(len(s.axes), func(i int) string {
		return fmt.Sprintf("%s=%v", s.axes[i].Name, s.axes[i].values[s.at[i]].label)
	}), ", ")
}
