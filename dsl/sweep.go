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

// axis is one swept name (a bound name, or a parameter of one call) with its values.
type axis struct {
	argument               // the swept name and the expression of its list
	values   []labelled    // the values, each with its position in the script
	call     *ast.CallNode // call whose parameter is swept; nil for a bound name
}

// swept is the state of a sweep. It holds the current combination of values, and the values of names that were computed
// for it. A name is evaluated again only if it depends on a swept value, and only once for each combination of the values
// that it depends on.
type swept struct {
	axes    []axis           // in the order of the arguments; the last axis varies fastest
	at      []int            // index of the current value of each axis
	depends map[string][]int // for each bound name, the indices of the axes that it depends on
	memo    map[string]value // values already computed; lookup builds the keys
	cell    int              // index of the current combination, from 0
	cells   int              // number of combinations, at most maxCells
	steps   int              // progress steps per combination, equal for all; 0 before the first combination

	evaluate func() value // evaluates the result for the current combination

	store  Store // nil without a store
	stored int   // number of combinations that the store had
	fresh  bool  // whether the current combination made runs, rather than reading stored ones
	hit    bool  // whether the store had a result of the current combination

	options []optionUse // uses of options that at least one algorithm lacks, in the order of their first use
}

// names returns the swept names, in the order of the arguments.
func (s *swept) names() []string {
	return lists.Map(s.axes, func(x axis) string { return x.Name })
}

// lookup returns the value of a name in the current combination. It returns false if the name does not depend on a swept
// value. It evaluates the name's definition once for each combination of the axis values that the definition depends on.
func (s *swept) lookup(e *evaluator, name string) (value, bool) {
	for i, x := range s.axes {
		if x.call == nil && x.Name == name {
			return x.values[s.at[i]].value, true // the name is an axis of the sweep
		}
	}
	if len(s.depends[name]) == 0 { // the value is the same in every combination; the scope has it
		return value{}, false
	}
	// The key is the name, followed by "axis:index" for each axis that the name depends on, for example "p 0:1 2:0".
	key := name
	for _, i := range s.depends[name] {
		key += fmt.Sprintf(" %d:%d", i, s.at[i])
	}
	if v, ok := s.memo[key]; ok {
		return v, true
	}
	// Store the value of the scope first. A script with a mistake may use a name before its definition, and the recursion
	// would not end.
	s.memo[key] = e.scope[name].value
	st, uses := e.st, e.uses
	// Do not record used names here; they were recorded when the name was bound.
	e.st, e.uses = e.scope[name].st, nil
	v := e.define(e.st)
	e.st, e.uses = st, uses
	s.memo[key] = v
	return v, true
}

// override replaces the swept arguments of call c by their current values. c.node identifies the call.
func (s *swept) override(c *call) {
	for i, x := range s.axes {
		if x.call == c.node {
			c.args[c.fn.param(x.Name)] = x.values[s.at[i]].argument // the value and its position, for messages
		}
	}
}

// under evaluates the result for the current combination. It sets e.swept during the evaluation and then restores it,
// because a definition may contain another sweep.
func (s *swept) under(e *evaluator) value {
	outer := e.swept
	e.swept = s
	v := s.evaluate()
	e.swept = outer
	return v
}

// checkSweep evaluates each swept value once, without making runs. It varies one axis at a time, because there may be
// thousands of combinations. Therefore a mistake that needs a combination of two values is found only when the sweep runs.
func checkSweep(c *call) {
	s := runsPlan(c)
	if s == nil || c.fn.param("store") >= 0 && !checkStore(c) {
		return
	}
	for i, x := range s.axes {
		for j := range x.values {
			s.at[i] = j
			if s.under(c.e); c.e.full() || c.e.ctx.Err() != nil { // stop after the maximum number of mistakes, or at the end of the context
				return
			}
		}
		s.at[i] = 0
	}
	// Every algorithm was tried, so report options that no algorithm has.
	s.reportLacking()
}

// evalSweep evaluates sweep(...).
func evalSweep(c *call) (any, error) { return runSweep(c, c.text("store"), c.text("rows")) }

// runSweep evaluates the result for every combination and returns the rows. store is the path of a store; "" means no
// store. per becomes Sweep.Per: whether a row of the table is a combination or a run. After an interrupt or a failure it
// returns the rows of finished combinations. It returns nil if there are no rows, or after a reported mistake.
func runSweep(c *call, store, per string) (any, error) {
	s := runsPlan(c)
	if s == nil { // runsPlan has reported a mistake
		return nil, nil
	}
	if store != "" && c.e.session.opt.Store == nil {
		opened, err := openStore(c, c.e.session.path(store))
		if err != nil {
			return nil, &argumentError{param: "store", message: fmt.Sprintf("cannot use the store %q", store), err: err}
		}
		defer opened.Close() // the store writes each result when the result is finished
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
		// All combinations share one source position, so add the combination to the message.
		for _, err := range c.e.errs[before:] {
			err.Cause = strings.TrimPrefix(err.Cause+"\nin the "+what+" with "+s.describe(), "\n")
		}
		result, ok := v.Data.(engine.Result)
		if !ok && c.e.divided != nil && c.e.stopped == nil && len(c.e.errs) == before {
			continue // other parts of the script make some of its runs
		}
		if c.e.stopped != nil || !ok { // keep the finished combinations; the mistake is already reported
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

// openStore opens the store at path. If an interrupt ends the wait, the store is closed as soon as it opens.
func openStore(c *call, path string) (Store, error) {
	return awaitResult(c, func() (Store, error) {
		store, err := c.e.session.opt.Host.Store(path)
		if stopped := c.e.ctx.Err(); err == nil && stopped != nil {
			return nil, errors.Join(stopped, store.Close())
		}
		return store, err
	})
}

// choose makes the combination with index cell the current one, and returns its values. It reads cell as a mixed-radix
// number with one digit per axis.
func (s *swept) choose(cell int) []any {
	values := make([]any, len(s.axes))
	for i := len(s.axes) - 1; i >= 0; i-- {
		n := len(s.axes[i].values)
		s.at[i], cell = cell%n, cell/n
		values[i] = s.axes[i].values[s.at[i]].label
	}
	return values
}

// perform makes the runs of an experiment. Agents make them, or this process, unless a store already has the result. In a
// sweep, the result keeps its single runs, for paired comparisons.
func perform(c *call, x sim.Experiment) (engine.Result, error) {
	e := c.e
	s := e.swept
	x.Memory = &e.session.memory
	// Only the figure of a single result shows details, so a sweep does not keep them.
	x.Detail, x.ForecastNorm = s != nil, s == nil
	if r, made, err := performByAgents(c, x); made || err != nil {
		return r, err
	}
	tell := progressOf(e, c.fn.Name, x.Algorithm, x.Runs)
	if tell != nil {
		// Show the label now, because the first run may compute designs for some time.
		tell(sim.Step{Total: x.Runs})
	}
	var begun atomic.Bool // set by the first step of the experiment
	x.Progress = noteFirstStep(tell, &begun, func(sim.Step) bool { return true })
	store := e.session.opt.Store
	if store == nil && s != nil {
		store = s.store
	}
	if store == nil {
		return awaitRuns(c, &begun, func() (engine.Result, error) { return sim.Run(e.ctx, x) })
	}
	stored := false // whether the store already had the result
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
	// A combination may make several experiments; it counts as stored only if the store had all of them. A store of the
	// whole script (Options.Store) does not change the display, so it does not count.
	if s != nil && e.session.opt.Store == nil {
		s.fresh = s.fresh || !stored
		s.hit = !s.fresh
	}
	if stored && tell != nil { // advance the progress bar, because no run does
		tell(sim.Step{Done: x.Runs, Total: x.Runs})
	}
	return result, nil
}

// checkStore reports a store path with another extension than storeEnding, because that file may hold something else. It
// returns true if the extension is right. It runs in the check, before any file is written.
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

// describe returns the current combination as text, for messages.
func (s *swept) describe() string {
	return strings.Join(lists.Make(len(s.axes), func(i int) string {
		return fmt.Sprintf("%s=%v", s.axes[i].Name, s.axes[i].values[s.at[i]].label)
	}), ", ")
}
