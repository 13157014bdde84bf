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
	values   []labelled    // one per step, with its place
	call     *ast.CallNode // the call with the swept parameter; nil for a bound name
}

// swept is a sweep in progress: the values of the current combination, and what was evaluated with them. As in a spreadsheet, only
// what depends on a swept value is evaluated again, once for each combination of the values that it depends on.
type swept struct {
	axes    []axis           // in the order of the arguments; the last one changes fastest
	at      []int            // index of the current value of each axis
	depends map[string][]int // axes that a bound name depends on
	memo    map[string]value // by name and the values that it depends on
	cell    int              // number of the combination, from 0, for progress
	cells   int              // number of combinations, at most maxCells
	steps   int              // steps per combination, the same for all; 0 before the first one

	store  Store        // nil if there is none
	stored int          // combinations found in the store so far
	fresh  bool         // whether the current combination needed runs
	hit    bool         // whether the store had it
	remote *remoteSweep // makes the runs on workers; nil if they are made here

	options []optionUse // in the order of their first use
}

// names returns the swept names, in the order of the arguments.
func (s *swept) names() []string {
	return lists.Map(s.axes, func(x axis) string { return x.Name })
}

// lookup returns the value of a name in the current combination; false if it does not depend on a swept value. It evaluates the
// definition again if necessary, and stores the value by the values of the axes that it depends on.
func (s *swept) lookup(e *evaluator, name string) (value, bool) {
	for i, x := range s.axes {
		if x.call == nil && x.Name == name {
			return x.values[s.at[i]].value, true // the name itself is swept
		}
	}
	if len(s.depends[name]) == 0 { // unchanged: the scope has its value
		return value{}, false
	}
	// The key has the name, and the number of the value on each relevant axis: "p 0:1 2:0".
	key := name
	for _, i := range s.depends[name] {
		key += fmt.Sprintf(" %d:%d", i, s.at[i])
	}
	if v, ok := s.memo[key]; ok {
		return v, true
	}
	// A wrong script may use a name before its definition, which would cause endless recursion in the second evaluation.
	s.memo[key] = e.scope[name].value
	st, uses := e.st, e.uses
	// The names used by a definition were recorded when it was makeFunction.
	e.st, e.uses = e.scope[name].st, nil
	v := e.define(e.st)
	e.st, e.uses = st, uses
	s.memo[key] = v
	return v, true
}

// override puts swept values into a call, which is identified by its node.
func (s *swept) override(c *call) {
	for i, x := range s.axes {
		if x.call == c.node {
			c.args[c.fn.param(x.Name)] = x.values[s.at[i]].argument // with its place, for messages
		}
	}
}

// under evaluates the result for the current combination. A definition may contain a sweep itself; the outer one is restored
// afterwards.
func (s *swept) under(e *evaluator, root *binding) value {
	outer := e.swept
	e.swept = s
	v, _ := s.lookup(e, root.name)
	e.swept = outer
	return v
}

// checkSweep tries every value once, without running anything. It tries the axes separately, as there may be thousands of
// combinations. A mistake in a combination of two values is found when the sweep runs.
func checkSweep(c *call) {
	s, root := sweepPlan(c)
	if s == nil || c.fn.param("store") >= 0 && !checkStore(c) {
		return
	}
	for i, x := range s.axes {
		for j := range x.values {
			s.at[i] = j
			if s.under(c.e, root); c.e.full() || c.e.ctx.Err() != nil { // enough mistakes were found, or the context has ended
				return
			}
		}
		s.at[i] = 0
	}
	// All algorithms were tried, so an option that none of them has is a mistake.
	s.reportLacking()
}

// evalSweep evaluates a sweep.
func evalSweep(c *call) (any, error) { return runSweep(c, c.text("store"), c.text("rows")) }

// runSweep evaluates the result for every combination, the last axis fastest. store is the path of a store, "" for none; per states what
// a row is. After an interrupt or a failure it returns the combinations finished so far. Without any, or after a reported mistake, it
// returns nil.
func runSweep(c *call, store, per string) (any, error) {
	s, root := sweepPlan(c)
	if s == nil { // reported
		return nil, nil
	}
	if m := c.e.session.opt.making; m != nil { // a worker makes the experiments of single combinations on request
		m.call, m.sweep, m.root = c, s, root
		return sim.Sweep{Names: s.names()}, nil
	}
	if store != "" {
		opened, err := openStore(c, c.e.session.path(store))
		if err != nil {
			return nil, &argumentError{param: "store", message: fmt.Sprintf("cannot use the store %q", store), err: err}
		}
		defer opened.Close() // each result was written when it was finished
		s.store = opened
	}
	out := sim.Sweep{Names: s.names(), Per: per}
	// All combinations are submitted before waiting for the first result.
	if err := submitSweep(c, s, root); err != nil {
		return nil, err
	}
	if s.remote != nil {
		defer s.remote.job.Close() // its message about the server was shown before
	}
	for s.cell = range s.cells {
		values, before := s.choose(s.cell), len(c.e.errs)
		s.fresh, s.hit = false, false // not known yet
		v := s.under(c.e, root)
		// All combinations share a line of the script, so the message names the combination.
		for _, err := range c.e.errs[before:] {
			err.Cause = strings.TrimPrefix(err.Cause+"\nin the sweep with "+s.describe(), "\n")
		}
		result, ok := v.Data.(engine.Result)
		if c.e.stopped != nil || !ok { // the mistake is reported, finished combinations are kept
			if s.rest(&out); len(out.Rows) == 0 {
				return nil, c.e.stopped
			}
			return out, c.e.stopped
		}
		s.stored += indices.Indicator(s.hit)
		out.Rows, out.Stored = append(out.Rows, sim.SweepRow{Values: values, Result: result}), s.stored
	}
	return out, nil
}

// openStore opens the store, and closes it again after an interrupt, also if it opens later.
func openStore(c *call, path string) (Store, error) {
	return awaitResult(c, func() (Store, error) {
		store, err := c.e.session.opt.Host.Store(path)
		if stopped := c.e.ctx.Err(); err == nil && stopped != nil {
			return nil, errors.Join(stopped, store.Close())
		}
		return store, err
	})
}

// choose sets the values of a combination and returns them. The combination's number has one digit per axis.
func (s *swept) choose(cell int) []any {
	values := make([]any, len(s.axes))
	for i := len(s.axes) - 1; i >= 0; i-- {
		n := len(s.axes[i].values)
		s.at[i], cell = cell%n, cell/n
		values[i] = s.axes[i].values[s.at[i]].label
	}
	return values
}

// perform makes the runs of an experiment. The first of these that applies makes them: a collector, agents, workers, the store,
// this process. A sweep keeps single runs for paired comparisons.
func perform(c *call, x sim.Experiment) (engine.Result, error) {
	e := c.e
	s := e.swept
	x.Memory = &e.session.memory
	x.Detail, x.Estimates = s != nil, s == nil // a table of thousands of results does not keep the details for a figure of one
	if e.collect != nil {                      // in a worker, or to submit the combinations of a sweep
		e.collect(x)
		return engine.Result{Mode: x.Mode, Algorithm: x.Algorithm, Problem: x.Problem.Name}, nil
	}
	if r, made, err := performByAgents(c, x); made || err != nil {
		return r, err
	}
	if r, made, err := performOnWorkers(c, x); made || err != nil {
		return r, err
	}
	tell := progressOf(e, c.fn.Name, x.Algorithm, x.Runs)
	if s != nil && s.remote != nil {
		tell = nil // the workers report their own progress
	}
	if tell != nil {
		// the first run computes the designs, so show at once what is running
		tell(sim.Step{Total: x.Runs})
	}
	var begun atomic.Bool // the first step of the experiment marks the begin of its runs
	x.Progress = noteFirstStep(tell, &begun, func(sim.Step) bool { return true })
	if s == nil || s.store == nil {
		return awaitRuns(c, &begun, func() (engine.Result, error) { return sim.Run(e.ctx, x) })
	}
	stored := false // from the store
	result, err := awaitRuns(c, &begun, func() (engine.Result, error) {
		r, found, err := s.store.Run(e.ctx, x)
		if err == nil {
			stored = found
		}
		return r, err
	})
	if err != nil {
		return result, err
	}
	// A definition may contain several experiments. The combination was fast only if all of them were in the store.
	s.fresh = s.fresh || !stored
	s.hit = !s.fresh
	if stored && tell != nil { // advance the progress bar without a run
		tell(sim.Step{Done: x.Runs, Total: x.Runs})
	}
	return result, nil
}

// checkStore reports a store whose name does not end like one, because it may be another kind of file; true if the name is right.
// It runs in the check, before anything is written.
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

// storeEnding is the extension of a store.
const storeEnding = ".jsonl"

// describe names the current combination.
func (s *swept) describe() string {
	return strings.Join(lists.Make(len(s.axes), func(i int) string {
		return fmt.Sprintf("%s=%v", s.axes[i].Name, s.axes[i].values[s.at[i]].label)
	}), ", ")
}
