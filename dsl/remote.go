package dsl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/cluster/farm"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// Runner makes the runs of experiments somewhere else, as farm.Runner.
type Runner interface {
	Hand(ctx context.Context, w farm.Work) (*farm.Job, error)
}

// workRecipe returns what workers make the experiments of a call from: the definitions that it rests on,
// the call itself, and the files that were read. Root is the result that it sweeps, nil for no
// sweep. Where workers cannot make them, it says why.
// A worker makes the same session of it by Remake, from texts and files alone, and compares the keys of the experiments.
func workRecipe(c *call, root *binding) (w farm.Work, why string) {
	e, s := c.e, c.e.session
	used, text, missing := definitionsFor(c)
	if len(missing) > 0 {
		return w, fmt.Sprintf("it rests on %s, a value of a Go cell", missing[0])
	}
	if why := restsOnRuns(c, used, root); why != "" {
		return w, why
	}
	// The call is the last statement, without a name.
	w.Recipe = farm.Recipe{Name: e.st.Source.File, Folder: s.opt.Folder, Script: text + e.st.Text(c.node) + "\n", Seed: s.opt.Seed}
	if _, errs := Parse(w.Recipe.Name, w.Recipe.Script); len(errs) > 0 {
		return w, "its text cannot stand by itself"
	}
	w.Files = map[string][]byte{}
	// Every file of the session travels, as nothing says which ones the definitions read.
	for _, f := range s.sources {
		content, err := e.read(f.Path)
		if err != nil {
			return w, fmt.Sprintf("%s cannot be read again", f.Path)
		}
		w.Files[f.Path] = content
	}
	return w, ""
}

// definitionsFor returns the names that a call uses, in the order of their binding, a script with the definitions behind them, and the
// names in it that are values of Go cells.
// The text has the definitions in an order in which they can be evaluated.
func definitionsFor(c *call) (used []string, text string, missing []string) {
	read := namesIn(c.node)
	used = lists.Where(c.e.scope.names(), func(name string) bool { return read[name] })
	text, missing = c.e.session.Closure(used...)
	return used, text, missing
}

// restsOnRuns says which other result the experiments of a call go by: a worker would have to make its
// runs first.
func restsOnRuns(c *call, used []string, root *binding) string {
	scope := c.e.scope
	runs := func(n ast.Node) int { // how many results of runs an expression makes
		return lists.Count(scope.callsIn(n), func(k knownCall) bool { return k.fn.Result == Result || k.fn.Result == Sweep })
	}
	if runs(c.node) > 1 { // a call within a call
		return "it rests on the result of other runs"
	}
	for _, name := range used {
		for _, below := range scope.below(name) {
			b := scope[below]
			switch { // the swept result is one call, which the sweep makes again
			case b == root && runs(b.st.Node) > 1:
				return fmt.Sprintf("%s rests on the result of other runs", below)
			case b != root && runs(b.st.Node) > 0:
				return fmt.Sprintf("it rests on %s, the result of other runs", below)
			}
		}
	}
	return ""
}

// madeHere says that the runs of a call are made here, and why.
// It is a notice and no error: the results are the same wherever the runs are made.
func madeHere(c *call, why string) {
	c.e.session.notice(fmt.Sprintf("the runs of %s are made here and not by workers: %s", c.e.st.Text(c.node), why))
}

// performAway has workers make the runs of an experiment. Made is false where they are to be made here.
// In a sweep the combination was handed in before; by itself fc or fb hands in one experiment, unless it has a single run.
func performAway(c *call, x sim.Experiment) (r engine.Result, made bool, err error) {
	e := c.e
	switch s := e.swept; {
	case s != nil && s.remote != nil:
		r, made, err = s.remote.result(e, s.cell)
		s.fresh = s.fresh || made
	case s == nil && e.session.opt.Runner != nil && x.Runs > 1:
		r, made, err = performOne(c, x)
	}
	if errors.Is(err, farm.ErrElsewhere) { // this one is made here, and the others go on elsewhere
		madeHere(c, strings.TrimPrefix(err.Error(), farm.ErrElsewhere.Error()+": "))
		return engine.Result{}, false, nil
	}
	return r, made, err
}

// performOne hands the experiment of fc or fb to the workers.
// It waits for the result. Made is true once the work was handed in, even if that failed.
func performOne(c *call, x sim.Experiment) (engine.Result, bool, error) {
	e := c.e
	if x.Draw != nil {
		madeHere(c, "their rewards are drawn by a function of a Go cell")
		return engine.Result{}, false, nil
	}
	w, why := workRecipe(c, nil)
	if why != "" {
		madeHere(c, why)
		return engine.Result{}, false, nil
	}
	// One order, for the only experiment.
	w.Orders = []farm.Order{{Cell: farm.Single, Experiment: x}}
	job, err := hand(e, w, c.fn.Name+" "+x.Algorithm, x.Runs, 0)
	if err != nil {
		return engine.Result{}, true, err
	}
	defer job.Close() // what it would say of the server was said before
	r, err := job.Result(e.ctx, 0)
	return r, true, err
}

// hand gives work to the workers, and tells how many of all runs are made, with the ones that were stored before.
// The bar of progress appears at once, with a note that workers are awaited.
func hand(e *evaluator, w farm.Work, label string, total, stored int) (*farm.Job, error) {
	if e.teller != nil {
		w.Progress = func(p farm.Progress) {
			e.teller.update(Activity{Label: label, Done: stored + p.Done, Total: total, Stored: stored, Note: noteOfWorkers(p.Workers)})
		}
		w.Progress(farm.Progress{})
	}
	return e.session.opt.Runner.Hand(e.ctx, w)
}

// noteOfWorkers names who makes runs.
// More than four are counted and not named.
func noteOfWorkers(names []string) string {
	if len(names) == 0 {
		return "waiting for workers"
	}
	return sentence.Count(len(names), "worker") + ": " + sentence.List(names, 4)
}

// Remake evaluates a recipe of experiments without making any run, and without writing files. It is
// the Maker of engine/cluster/farm.
// The last experiment counts, or the sweep that the script ends in.
func Remake(ctx context.Context, r farm.Recipe, read func(path string) ([]byte, error)) (farm.Source, error) {
	script, errs := Parse(r.Name, r.Script)
	if len(errs) > 0 {
		return nil, errs
	}
	m := new(remade)
	// Paths, seed and files are as the recipe says.
	session := NewSession(Options{Folder: r.Folder, Seed: r.Seed, Host: reading{}, readFile: read, making: m})
	if _, err := session.Eval(ctx, script); err != nil {
		return nil, err
	}
	if m.sweep == nil && m.last == nil { // such as a script that only defines problems
		return nil, errors.New("the script makes no experiment")
	}
	return m, nil
}

// remade is a farm.Source: a session whose experiments are made and not run.
type remade struct {
	last  *sim.Experiment // the latest that was met; nil before the first
	call  *call           // of the sweep, with the evaluator to go on with; nil without one
	sweep *swept          // nil without a sweep
	root  *binding        // the result that is swept; nil without a sweep
}

// take keeps an experiment in place of making its runs.
func (m *remade) take(x sim.Experiment) { m.last = &x }

// Experiment implements farm.Source.
func (m *remade) Experiment(ctx context.Context, cell int) (sim.Experiment, error) {
	switch {
	case cell == farm.Single && m.sweep == nil:
		return *m.last, nil
	case cell == farm.Single || m.sweep == nil || cell < 0 || cell >= m.sweep.cells:
		return sim.Experiment{}, fmt.Errorf("the script makes no experiment number %d", cell)
	}
	e := m.call.e
	e.ctx, m.last = ctx, nil // the context of this question, and not the one of Remake
	x, err := experimentAt(e, m.sweep, m.root, cell)
	if err != nil {
		return sim.Experiment{}, err
	}
	return *x, nil
}

// experimentAt makes the experiment of a combination of a sweep and no run of it, and forgets that it
// did. It is an error where the combination has none, or more than one.
// The evaluator is left as it was: mistakes, an interrupt and remembered values of the result are taken back.
func experimentAt(e *evaluator, s *swept, root *binding, cell int) (*sim.Experiment, error) {
	var found []sim.Experiment
	outer, before, mistakes := e.collect, len(e.errs), e.mistakes
	e.collect = func(x sim.Experiment) { found = append(found, x) }
	s.cell = cell
	s.choose(cell)
	s.under(e, root)
	s.forget(root.name)
	e.collect = outer
	errs := e.errs[before:]
	e.errs, e.mistakes = e.errs[:before:before], mistakes // with no room, so that later mistakes do not write over errs
	stopped := e.stopped
	e.stopped = nil
	switch {
	case stopped != nil:
		return nil, stopped
	case len(errs) > 0:
		return nil, errs
	case len(found) != 1:
		return nil, fmt.Errorf("a combination of the sweep makes %d experiments", len(found))
	}
	return &found[0], nil
}

// reading is the file system for those who must not write.
// It reads by what Options.readFile gives, and every write is an error.
type reading struct{ files }

var errWriting = errors.New("nothing is written where experiments are only made")

func (reading) Save(string, any) error      { return errWriting }
func (reading) Store(string) (Store, error) { return nil, errWriting }

// Agents have a run made by agents that are apart. Each measures the arms of one task.
type Agents interface {
	// Measure returns the result of a run. With an error, as the context's, comes what the run
	// has come to so far.
	Measure(ctx context.Context, a AgentRun) (engine.Result, error)
}

// AgentRun is one run of fc or fb that agents make.
type AgentRun struct {
	Experiment sim.Experiment // with one run
	// the script whose one protocol(...) asks the same, and the data that it reads
	Recipe question.Recipe
	// Tell shows how far the run is, with a note on the agents
	Tell func(s sim.Step, note string)
}

// performByAgents has agents make a single run. Made is false where it is to be made here.
// It is for fc and fb with one run outside of sweeps; whatever else is simulated.
func performByAgents(c *call, x sim.Experiment) (r engine.Result, made bool, err error) {
	e := c.e
	agents := e.session.opt.Agents
	if agents == nil || e.swept != nil || x.Runs > 1 {
		return r, false, nil
	}
	a := AgentRun{Experiment: x, Tell: func(sim.Step, string) {}} // nobody is told unless there is a teller
	if a.Recipe, err = agentRecipe(c, x); err != nil {
		// Made is true with an error: a run that was to be measured is not simulated instead.
		return r, true, fmt.Errorf("%s: agents cannot make this run: %w", c.fn.Name, err)
	}
	if e.teller != nil {
		label := fmt.Sprintf("%s %s by agents", c.fn.Name, x.Algorithm)
		a.Tell = func(s sim.Step, note string) {
			e.teller.update(Activity{Label: label, Total: 1, Note: strings.TrimPrefix(noteOf(s)+", "+note, ", ")})
		}
	}
	var begun atomic.Bool
	begun.Store(true) // what was measured is kept
	r, err = simulated(c, &begun, func() (engine.Result, error) { return agents.Measure(e.ctx, a) })
	return r, true, err
}

// The parameters of fc and fb that say something of simulations alone.
var simulationParams = []string{"runs", "seed", "rewards"}

// agentRecipe returns a script that asks by a protocol what the call asks: the definitions that the call
// rests on, and protocol(...) with its arguments.
func agentRecipe(c *call, x sim.Experiment) (question.Recipe, error) {
	e, s := c.e, c.e.session
	if x.Draw != nil {
		return question.Recipe{}, errors.New("its rewards are drawn by a function of a Go cell; leave rewards out")
	}
	used, text, missing := definitionsFor(c)
	if len(missing) > 0 {
		return question.Recipe{}, fmt.Errorf("it rests on %s, a value of a Go cell, which they cannot make", missing[0])
	}
	if why := restsOnRuns(c, used, nil); why != "" {
		return question.Recipe{}, fmt.Errorf("%s, which they would have to make again", why)
	}
	// A call that is displayed has no name; the protocol gets one that is free in the script.
	name := e.st.Name
	for free := "asked"; name == ""; free += "_" {
		if e.scope[free] == nil {
			name = free
		}
	}
	// The protocol is made for its question alone: without forecast, overrides, displays and other ways to make runs.
	opt := s.opt
	opt.noForecast, opt.Set, opt.Seed, opt.Shown, opt.Progress, opt.Runner, opt.Agents = true, nil, nil, nil, nil, nil, nil
	file := e.st.Source.File
	_, recipe, err := ReadProtocol(e.ctx, file, text+asProtocol(c, name, x.Algorithm), opt)
	if err != nil {
		return recipe, fmt.Errorf("they are given a protocol, which knows no expected rewards: %w", err)
	}
	return recipe, nil
}

// asProtocol returns the call as the statement of a protocol.
// What the session sets, such as the seed, and the parameters of simulations are left out.
func asProtocol(c *call, name, algorithm string) string {
	var args []string
	// Arguments that are written, each by its name.
	for i, p := range c.fn.Params {
		a := c.args[i]
		if a.Node == nil || slices.Contains(simulationParams, p.Name) {
			continue
		}
		st := c.e.st // where the argument was written
		if a.st != nil {
			st = a.st
		}
		args = append(args, p.Name+"="+st.Text(a.Node))
	}
	// The default of protocol is another one as soon as there is a budget.
	if c.arg("algorithm").Node == nil {
		args = append(args, fmt.Sprintf("algorithm=%q", algorithm))
	}
	return name + " = protocol(" + strings.Join(args, ", ") + ")\n"
}
