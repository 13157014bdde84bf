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

// Runner makes the runs of experiments on other machines, like farm.Runner.
type Runner interface {
	Hand(ctx context.Context, w farm.Work) (*farm.Job, error)
}

// workRecipe returns what workers need to make the experiments of a call: the definitions that it depends on, the call, and the
// files that were read. Root is the swept result, or nil. If workers cannot make the experiments, it returns the reason. A worker
// builds the same session with Remake, from texts and files alone, and compares the keys of the experiments.
func workRecipe(c *call, root *binding) (w farm.Work, why string) {
	e, s := c.e, c.e.session
	used, text, missing := definitionsFor(c)
	if len(missing) > 0 {
		return w, fmt.Sprintf("it depends on %s, a value of a Go cell", missing[0])
	}
	if why := dependsOnRuns(c, used, root); why != "" {
		return w, why
	}
	// The call is the last statement, without a name.
	w.Recipe = farm.Recipe{Name: e.st.Source.File, Folder: s.opt.Folder, Script: text + e.st.Text(c.node) + "\n", Seed: s.opt.Seed}
	if _, errs := Parse(w.Recipe.Name, w.Recipe.Script); len(errs) > 0 {
		return w, "the text of the statement is not a complete script"
	}
	w.Files = map[string][]byte{}
	// All files of the session are sent, since it is unknown which ones the definitions read.
	for _, f := range s.sources {
		content, err := e.read(f.Path)
		if err != nil {
			return w, fmt.Sprintf("%s cannot be read again", f.Path)
		}
		w.Files[f.Path] = content
	}
	return w, ""
}

// definitionsFor returns the names that a call uses, in the order of their binding; a script with their definitions, in an order in
// which they can be evaluated; and the names that are values of Go cells.
func definitionsFor(c *call) (used []string, text string, missing []string) {
	read := namesIn(c.node)
	used = lists.Where(c.e.scope.names(), func(name string) bool { return read[name] })
	text, missing = c.e.session.Closure(used...)
	return used, text, missing
}

// dependsOnRuns returns which other result the experiments of a call depend on: a worker would have to make its runs first.
func dependsOnRuns(c *call, used []string, root *binding) string {
	scope := c.e.scope
	runs := func(n ast.Node) int { // number of results of runs in an expression
		return lists.Count(scope.callsIn(n), func(k knownCall) bool { return k.fn.Result == Result || k.fn.Result == Sweep })
	}
	if runs(c.node) > 1 { // a call inside a call
		return "it depends on the result of other runs"
	}
	for _, name := range used {
		for _, below := range scope.below(name) {
			b := scope[below]
			switch { // the swept result is one call, which the sweep repeats
			case b == root && runs(b.st.Node) > 1:
				return fmt.Sprintf("%s depends on the result of other runs", below)
			case b != root && runs(b.st.Node) > 0:
				return fmt.Sprintf("it depends on %s, the result of other runs", below)
			}
		}
	}
	return ""
}

// notifyLocalRuns notifies that the runs of a call are made locally, and why. It is not an error: the results are the same.
func notifyLocalRuns(c *call, why string) {
	c.e.session.notice(fmt.Sprintf("the runs of %s are made on this machine instead of by workers: %s", c.e.st.Text(c.node), why))
}

// performOnWorkers lets workers make the runs of an experiment. Made is false if they must be made locally. A sweep has submitted its
// combinations before; fc or fb submits one experiment here, unless it has a single run.
func performOnWorkers(c *call, x sim.Experiment) (r engine.Result, made bool, err error) {
	e := c.e
	switch s := e.swept; {
	case s != nil && s.remote != nil:
		r, made, err = s.remote.result(e, s.cell)
		s.fresh = s.fresh || made
	case s == nil && e.session.opt.Runner != nil && x.Runs > 1:
		r, made, err = performOne(c, x)
	}
	if errors.Is(err, farm.ErrElsewhere) { // this experiment is made locally, the others continue on workers
		notifyLocalRuns(c, strings.TrimPrefix(err.Error(), farm.ErrElsewhere.Error()+": "))
		return engine.Result{}, false, nil
	}
	return r, made, err
}

// performOne submits the experiment of fc or fb to the workers, and waits for the result. Made is true once the work is submitted,
// even if it fails.
func performOne(c *call, x sim.Experiment) (engine.Result, bool, error) {
	e := c.e
	if x.Draw != nil {
		notifyLocalRuns(c, "a function of a Go cell draws their rewards")
		return engine.Result{}, false, nil
	}
	w, why := workRecipe(c, nil)
	if why != "" {
		notifyLocalRuns(c, why)
		return engine.Result{}, false, nil
	}
	// One order, for the only experiment.
	w.Orders = []farm.Order{{Cell: farm.Single, Experiment: x}}
	job, err := submitWork(e, w, c.fn.Name+" "+x.Algorithm, x.Runs, 0)
	if err != nil {
		return engine.Result{}, true, err
	}
	defer job.Close() // its message about the server was shown before
	r, err := job.Result(e.ctx, 0)
	return r, true, err
}

// submitWork submits work to the workers. It reports how many of all runs are made, including stored ones. The progress bar appears at
// once, with a note that workers are awaited.
func submitWork(e *evaluator, w farm.Work, label string, total, stored int) (*farm.Job, error) {
	if e.teller != nil {
		w.Progress = func(p farm.Progress) {
			e.teller.update(Activity{Label: label, Done: stored + p.Done, Total: total, Stored: stored, Note: noteOfWorkers(p.Workers)})
		}
		w.Progress(farm.Progress{})
	}
	return e.session.opt.Runner.Hand(e.ctx, w)
}

// noteOfWorkers names up to four workers, and counts the others.
func noteOfWorkers(names []string) string {
	if len(names) == 0 {
		return "waiting for workers"
	}
	return sentence.Count(len(names), "worker") + ": " + sentence.List(names, 4)
}

// Remake evaluates a recipe of experiments without making runs or writing files. It is the Maker of engine/cluster/farm. The source
// holds the last experiment, or the sweep that ends the script.
func Remake(ctx context.Context, r farm.Recipe, read func(path string) ([]byte, error)) (farm.Source, error) {
	script, errs := Parse(r.Name, r.Script)
	if len(errs) > 0 {
		return nil, errs
	}
	m := new(remade)
	// Paths, seed and files come from the recipe.
	session := NewSession(Options{Folder: r.Folder, Seed: r.Seed, Host: reading{}, readFile: read, making: m})
	if _, err := session.Eval(ctx, script); err != nil {
		return nil, err
	}
	if m.sweep == nil && m.last == nil { // such as a script that only defines problems
		return nil, errors.New("the script makes no experiment")
	}
	return m, nil
}

// remade is a farm.Source: a session that makes experiments without running them.
type remade struct {
	last  *sim.Experiment // the last one seen; nil before the first
	call  *call           // the sweep's call, with its evaluator; nil without a sweep
	sweep *swept          // nil without a sweep
	root  *binding        // the swept result; nil without a sweep
}

// take records an experiment instead of running it.
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
	e.ctx, m.last = ctx, nil // the context of this request, not of Remake
	x, err := experimentAt(e, m.sweep, m.root, cell)
	if err != nil {
		return sim.Experiment{}, err
	}
	return *x, nil
}

// experimentAt makes the experiment of a combination of a sweep without running it. It is an error if the combination has none or
// several. Afterwards it restores the evaluator: mistakes, interrupt and stored values.
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
	e.errs, e.mistakes = e.errs[:before:before], mistakes // without capacity, so that later mistakes do not overwrite errs
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

// reading is a read-only file system. It reads with Options.readFile, and rejects every write.
type reading struct{ files }

var errWriting = errors.New("files cannot be written while experiments are prepared")

func (reading) Save(string, any) error      { return errWriting }
func (reading) Store(string) (Store, error) { return nil, errWriting }

// Agents makes runs with separate agents. Each measures the arms of one task.
type Agents interface {
	// Measure returns the result of a run. With an error, such as the context's, it returns the result so far.
	Measure(ctx context.Context, a AgentRun) (engine.Result, error)
}

// AgentRun is one run of fc or fb that agents make.
type AgentRun struct {
	Experiment sim.Experiment // with one run
	// the script whose one protocol(...) asks the same question, and its data
	Recipe question.Recipe
	// Tell reports the state of the run, with a note on the agents
	Tell func(s sim.Step, note string)
}

// performByAgents lets agents make a single run. Made is false if the run must be simulated. It applies to fc and fb with one run
// outside sweeps; other runs are simulated.
func performByAgents(c *call, x sim.Experiment) (r engine.Result, made bool, err error) {
	e := c.e
	agents := e.session.opt.Agents
	if agents == nil || e.swept != nil || x.Runs > 1 {
		return r, false, nil
	}
	a := AgentRun{Experiment: x, Tell: func(sim.Step, string) {}} // without a teller, nothing is reported
	if a.Recipe, err = agentRecipe(c, x); err != nil {
		// Made is true despite the error: a run that was to be measured is not simulated instead.
		return r, true, fmt.Errorf("%s: agents cannot make this run: %w", c.fn.Name, err)
	}
	if e.teller != nil {
		label := fmt.Sprintf("%s %s by agents", c.fn.Name, x.Algorithm)
		a.Tell = func(s sim.Step, note string) {
			e.teller.update(Activity{Label: label, Total: 1, Note: strings.TrimPrefix(noteOf(s)+", "+note, ", ")})
		}
	}
	var begun atomic.Bool
	begun.Store(true) // measurements are kept
	r, err = awaitRuns(c, &begun, func() (engine.Result, error) { return agents.Measure(e.ctx, a) })
	return r, true, err
}

// The parameters of fc and fb that apply only to simulations.
var simulationParams = []string{"runs", "seed", "rewards"}

// agentRecipe returns a script with the definitions that a call depends on, and a protocol(...) that asks the same question.
func agentRecipe(c *call, x sim.Experiment) (question.Recipe, error) {
	e, s := c.e, c.e.session
	if x.Draw != nil {
		return question.Recipe{}, errors.New("a function of a Go cell draws its rewards; leave rewards out")
	}
	used, text, missing := definitionsFor(c)
	if len(missing) > 0 {
		return question.Recipe{}, fmt.Errorf("it depends on %s, a value of a Go cell, which agents do not receive", missing[0])
	}
	if why := dependsOnRuns(c, used, nil); why != "" {
		return question.Recipe{}, fmt.Errorf("%s, which agents would have to repeat", why)
	}
	// A displayed call has no name; the protocol gets an unused one.
	name := e.st.Name
	for free := "asked"; name == ""; free += "_" {
		if e.scope[free] == nil {
			name = free
		}
	}
	// Only the question of the protocol matters: no forecast, overrides, displays, or other ways to make runs.
	opt := s.opt
	opt.noForecast, opt.Set, opt.Seed, opt.Shown, opt.Progress, opt.Runner, opt.Agents = true, nil, nil, nil, nil, nil, nil
	file := e.st.Source.File
	_, recipe, err := ReadProtocol(e.ctx, file, text+asProtocol(c, name, x.Algorithm), opt)
	if err != nil {
		return recipe, fmt.Errorf("agents receive a protocol, which has no expected rewards: %w", err)
	}
	return recipe, nil
}

// asProtocol returns the call as the statement of a protocol. It leaves out the session's settings, such as the seed, and the
// parameters of simulations.
func asProtocol(c *call, name, algorithm string) string {
	var args []string
	for i, p := range c.fn.Params {
		a := c.args[i]
		if a.Node == nil || slices.Contains(simulationParams, p.Name) {
			continue
		}
		st := c.e.st // the statement of the argument
		if a.st != nil {
			st = a.st
		}
		args = append(args, p.Name+"="+st.Text(a.Node))
	}
	// protocol has another default with a budget, so the algorithm is named.
	if c.arg("algorithm").Node == nil {
		args = append(args, fmt.Sprintf("algorithm=%q", algorithm))
	}
	return name + " = protocol(" + strings.Join(args, ", ") + ")\n"
}
