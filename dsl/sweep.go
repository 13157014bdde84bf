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

// maxCells is the largest number of combinations of one sweep.
const maxCells = 10_000

// axis is one swept name: a bound name, or a parameter of one call.
type axis struct {
	argument               // the name and its list, as written
	values   []labelled    // one per step, with the place it is from
	call     *ast.CallNode // the call whose parameter is swept; nil for a bound name
}

// swept is a sweep under way: the values of the current combination, and what was
// evaluated again under them. As in a spreadsheet only what depends on a swept
// value is evaluated again, and once for each combination of the values that it
// depends on.
type swept struct {
	axes    []axis           // in the order of the arguments; the last one changes fastest
	at      []int            // index of the current value of each axis
	depends map[string][]int // axes that a bound name depends on
	memo    map[string]value // by name and the values it depends on
	cell    int              // number of the combination, from 0, for progress
	cells   int              // how many combinations there are, at most maxCells
	steps   int              // steps of a combination, the same for all of them; 0 before the first one

	store  Store        // nil without one
	stored int          // combinations so far that it had
	fresh  bool         // whether the current one took runs
	hit    bool         // whether it was there
	remote *remoteSweep // who makes the runs; nil for those that are made here

	options []optionUse // in the order in which they were met
}

// names returns what is swept, in the order of the arguments.
func (s *swept) names() []string {
	return lists.Map(s.axes, func(x axis) string { return x.Name })
}

// lookup returns a name under the current combination; false when it does not
// depend on a swept value.
// It makes a definition again where that is needed, and remembers the value under the values of its own axes alone.
func (s *swept) lookup(e *evaluator, name string) (value, bool) {
	for i, x := range s.axes {
		if x.call == nil && x.Name == name {
			return x.values[s.at[i]].value, true // the name itself is swept
		}
	}
	if len(s.depends[name]) == 0 { // its value is the one of the scope
		return value{}, false
	}
	// The key has the name, and of each axis that counts the number of its value: "p 0:1 2:0".
	key := name
	for _, i := range s.depends[name] {
		key += fmt.Sprintf(" %d:%d", i, s.at[i])
	}
	if v, ok := s.memo[key]; ok {
		return v, true
	}
	// A wrong script may use a name before its definition; in a second evaluation
	// that would go round in circles.
	s.memo[key] = e.scope[name].value
	st, uses := e.st, e.uses
	// The names that a definition uses were noted when it was bound.
	e.st, e.uses = e.scope[name].st, nil
	v := e.define(e.st)
	e.st, e.uses = st, uses
	s.memo[key] = v
	return v, true
}

// override puts swept values into a call.
// The node of a call is the same in every evaluation of its statement, so it tells which call is meant.
func (s *swept) override(c *call) {
	for i, x := range s.axes {
		if x.call == c.node {
			c.args[c.fn.param(x.Name)] = x.values[s.at[i]].argument // with its place, for messages
		}
	}
}

// under evaluates the result for the current combination.
// A definition may hold a sweep of its own; the outer one comes back after it.
func (s *swept) under(e *evaluator, root *binding) value {
	outer := e.swept
	e.swept = s
	v, _ := s.lookup(e, root.name)
	e.swept = outer
	return v
}

// checkSweep tries every value once, without running anything.
// The axes are tried one by one, as there may be thousands of combinations. A mistake that needs two values at once
// is found when the sweep runs.
func checkSweep(c *call) {
	s, root := sweepPlan(c)
	if s == nil || !checkStore(c) {
		return
	}
	for i, x := range s.axes {
		for j := range x.values {
			s.at[i] = j
			if s.under(c.e, root); c.e.full() || c.e.ctx.Err() != nil { // enough mistakes are told, or nobody waits any more
				return
			}
		}
		s.at[i] = 0
	}
	// Only now all algorithms of the sweep were seen, and an option that none of them has is a mistake.
	s.reportLacking()
}

// evalSweep evaluates the result for every combination, the last axis fastest. When it
// is interrupted, or one cannot be run, the combinations finished so far are returned.
func evalSweep(c *call) (any, error) {
	s, root := sweepPlan(c)
	if s == nil { // reported
		return nil, nil
	}
	if m := c.e.session.opt.making; m != nil { // a worker makes experiments of single combinations, when it is asked to
		m.call, m.sweep, m.root = c, s, root
		return sim.Sweep{Names: s.names()}, nil
	}
	if path := c.text("store"); path != "" {
		store, err := openStore(c, c.e.session.path(path))
		if err != nil {
			return nil, &argumentError{param: "store", message: fmt.Sprintf("cannot use the store %q", path), err: err}
		}
		defer store.Close() // every result in it was written when it was there
		s.store = store
	}
	out := sim.Sweep{Names: s.names(), Per: c.text("rows")}
	// All combinations are given to workers before the first result is waited for.
	if err := handIn(c, s, root); err != nil {
		return nil, err
	}
	if s.remote != nil {
		defer s.remote.job.Close() // what it would say of the server was said before
	}
	for s.cell = range s.cells {
		values, before := s.choose(s.cell), len(c.e.errs)
		s.fresh, s.hit = false, false // whether it was run or was in the store is not known yet
		v := s.under(c.e, root)
		// The line of the script is the same for all combinations, so a mistake says in which one it was found.
		for _, err := range c.e.errs[before:] {
			err.Cause = strings.TrimPrefix(err.Cause+"\nin the sweep with "+s.describe(), "\n")
		}
		result, ok := v.Data.(engine.Result)
		if c.e.stopped != nil || !ok { // what is wrong is reported, what is finished is kept
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

// openStore opens the store, and closes one again that an interrupt came before.
// What is opened must be closed even when nobody waits for it any more.
func openStore(c *call, path string) (Store, error) {
	return computed(c, func() (Store, error) {
		store, err := c.e.session.opt.Host.Store(path)
		if stopped := c.e.ctx.Err(); err == nil && stopped != nil {
			return nil, errors.Join(stopped, store.Close())
		}
		return store, err
	})
}

// choose sets the values of a combination, and returns them.
// A combination is a number in a system whose digits are the axes.
func (s *swept) choose(cell int) []any {
	values := make([]any, len(s.axes))
	for i := len(s.axes) - 1; i >= 0; i-- {
		n := len(s.axes[i].values)
		s.at[i], cell = cell%n, cell/n
		values[i] = s.axes[i].values[s.at[i]].label
	}
	return values
}

// perform makes the runs of an experiment. In a sweep they are kept one by one, for
// comparisons in pairs, and the store is asked first.
// The ways, in their order: a collector, agents, workers, the store, here. The first that fits makes the runs.
func perform(c *call, x sim.Experiment) (engine.Result, error) {
	e := c.e
	s := e.swept
	x.Memory = &e.session.memory
	x.Detail, x.Estimates = s != nil, s == nil // thousands of results do not keep what a figure of one shows
	if e.collect != nil {                      // of a worker, or a sweep that hands in its combinations
		e.collect(x)
		return engine.Result{Mode: x.Mode, Algorithm: x.Algorithm, Problem: x.Problem.Name}, nil
	}
	if r, made, err := performByAgents(c, x); made || err != nil {
		return r, err
	}
	if r, made, err := performAway(c, x); made || err != nil {
		return r, err
	}
	tell := progressOf(e, c.fn.Name, x.Algorithm, x.Runs)
	if s != nil && s.remote != nil {
		tell = nil // the workers' progress is told
	}
	if tell != nil {
		// the first run pays for the designs: say at once what is under way
		tell(sim.Step{Total: x.Runs})
	}
	var begun atomic.Bool // the first step that the experiment tells says that its runs begin
	x.Progress = noting(tell, &begun, func(sim.Step) bool { return true })
	if s == nil || s.store == nil {
		return simulated(c, &begun, func() (engine.Result, error) { return sim.Run(e.ctx, x) })
	}
	stored := false // in the store before
	result, err := simulated(c, &begun, func() (engine.Result, error) {
		r, found, err := s.store.Run(e.ctx, x)
		if err == nil {
			stored = found
		}
		return r, err
	})
	if err != nil {
		return result, err
	}
	// A definition may hold several experiments. The combination took no time if all of them were in the store.
	s.fresh = s.fresh || !stored
	s.hit = !s.fresh
	if stored && tell != nil { // a bar of progress moves on without a run
		tell(sim.Step{Done: x.Runs, Total: x.Runs})
	}
	return result, nil
}

// checkStore reports a store that is not named as one, because it may be another kind of file. It
// reports whether the name is right.
// It is asked in the check, before anything is written.
func checkStore(c *call) bool {
	a := c.arg("store")
	path, given := a.Data.(string)
	if !given || strings.HasSuffix(strings.ToLower(path), storeEnding) {
		return true
	}
	c.refuse(a, "the store is a file of its own, not a table; save(…) writes tables",
		"store is %q; its name must end in %s", path, storeEnding)
	return false
}

// storeEnding ends the name of a store.
const storeEnding = ".jsonl"

// describe names the current combination.
func (s *swept) describe() string {
	return strings.Join(lists.Make(len(s.axes), func(i int) string {
		return fmt.Sprintf("%s=%v", s.axes[i].Name, s.axes[i].values[s.at[i]].label)
	}), ", ")
}
