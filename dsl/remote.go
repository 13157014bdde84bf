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

// Runner makes the runs of experiments on other machines. farm.Runner implements it.
type Runner interface {
	Hand(ctx context.Context, w farm.Work) (*farm.Job, error)
}

// workRecipe returns what workers need to repeat a call: the definitions that it depends on, the call, and the files that were
// read. root is the swept result, or nil. If workers cannot make the experiments, why is the reason. A worker rebuilds the
// session with Remake, and compares the keys of the experiments.
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
	// Send all files of the session, because it is unknown which ones the definitions read.
	for _, f := range s.sources {
		content, err := e.read(f.Path)
		if err != nil {
			return w, fmt.Sprintf("%s cannot be read again", f.Path)
		}
		w.Files[f.Path] = content
	}
	return w, ""
}

// definitionsFor returns the names that a call uses, in the order of their binding; a script that defines them; and those names
// that are values of Go cells and have no definition.
func definitionsFor(c *call) (used []string, text string, missing []string) {
	read := namesIn(c.node)
	used = lists.Where(c.e.scope.names(), func(name string) bool { return read[name] })
	text, missing = c.e.session.Closure(used...)
	return used, text, missing
}

// dependsOnRuns returns the reason why workers cannot make the experiments of a call: they depend on another result, whose runs a
// worker would have to make first. It returns "" if there is none.
func dependsOnRuns(c *call, used []string, root *binding) string {
	scope := c.e.scope
	runs := func(n ast.Node) int { // runs counts the calls in an expression that make runs
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

// notifyLocalRuns reports that the runs of a call are made on this machine, and why. The results are the same.
func notifyLocalRuns(c *call, why string) {
	c.e.session.notice(fmt.Sprintf("the runs of %s are made on this machine instead of by workers: %s", c.e.st.Text(c.node), why))
}

// performOnWorkers lets workers make the runs of an experiment; made is false if this process must make them. A sweep has
// submitted its combinations before. An fc or fb submits its experiment here, unless it has a single run.
func performOnWorkers(c *call, x sim.Experiment) (r engine.Result, made bool, err error) {
	e := c.e
	switch s := e.swept; {
	case s != nil && s.remote != nil:
		r, made, err = s.remote.result(e, s.cell)
		s.fresh = s.fresh || made
	case s == nil && e.session.opt.Runner != nil && x.Runs > 1:
		r, made, err = performOne(c, x)
	}
	if errors.Is(err, farm.ErrElsewhere) { // workers cannot make this experiment, but continue with the others
		notifyLocalRuns(c, strings.TrimPrefix(err.Error(), farm.ErrElsewhere.Error()+": "))
		return engine.Result{}, false, nil
	}
	return r, made, err
}

// performOne submits the experiment of an fc or fb to the workers, and waits for the result. made is true once the work is
// submitted, even if it fails.
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
	// one order for one experiment
	w.Orders = []farm.Order{{Cell: farm.Single, Experiment: x}}
	job, err := submitWork(e, w, c.fn.Name+" "+x.Algorithm, x.Runs, 0)
	if err != nil {
		return engine.Result{}, true, err
	}
	defer job.Close() // messages about the server were shown before
	r, err := job.Result(e.ctx, 0)
	return r, true, err
}

// submitWork submits work to the workers. It reports progress in runs, including the stored ones. At first, the progress bar
// shows a note that it waits for workers.
func submitWork(e *evaluator, w farm.Work, label string, total, stored int) (*farm.Job, error) {
	if e.teller != nil {
		w.Progress = func(p farm.Progress) {
			e.teller.update(Activity{Label: label, Done: stored + p.Done, Total: total, Stored: stored, Note: noteOfWorkers(p.Workers)})
		}
		w.Progress(farm.Progress{})
	}
	return e.session.opt.Runner.Hand(e.ctx, w)
}

// noteOfWorkers returns a note with the names of up to four workers and the number of others.
func noteOfWorkers(names []string) string {
	if len(names) == 0 {
		return "waiting for workers"
	}
	return sentence.Count(len(names), "worker") + ": " + sentence.List(names, 4)
}

// Remake evaluates a recipe without making runs or writing files. The returned source makes the experiments of the script's last
// call, or of the sweep at its end. It implements farm.Maker of engine/cluster/farm.
func Remake(ctx context.Context, r farm.Recipe, read func(path string) ([]byte, error)) (farm.Source, error) {
	script, errs := Parse(r.Name, r.Script)
	if len(errs) > 0 {
		return nil, errs
	}
	m := new(remade)
	// The recipe provides paths, seed and files.
	session := NewSession(Options{Folder: r.Folder, Seed: r.Seed, Host: reading{}, readFile: read, making: m})
	if _, err := session.Eval(ctx, script); err != nil {
		return nil, err
	}
	if m.sweep == nil && m.last == nil { // for example, if the script only defines problems
		return nil, errors.New("the script makes no experiment")
	}
	return m, nil
}

// remade implements farm.Source: a session that makes experiments without running them.
type remade struct {
	last  *sim.Experiment // the experiment made last; nil before the first
	call  *call           // the call of sweep, with its evaluator; nil without a sweep
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

// experimentAt makes the experiment of one combination of a sweep without running it. It returns an error if the combination
// makes no experiment or several. It restores the mistakes, the interrupt and the stored values of the evaluator.
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
	e.errs, e.mistakes = e.errs[:before:before], mistakes // limit the capacity, so that appending does not overwrite errs
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

// reading is a read-only Host. It reads files with Options.readFile, and returns an error for every write.
type reading struct{ files }

var errWriting = errors.New("files cannot be written while experiments are prepared")

func (reading) Save(string, any) error      { return errWriting }
func (reading) Store(string) (Store, error) { return nil, errWriting }

// Agents makes runs with separate agents, each of which measures the arms of one task.
type Agents interface {
	// Measure makes a run and returns its result. Together with an error, such as that of the context, it returns the result so
	// far.
	Measure(ctx context.Context, a AgentRun) (engine.Result, error)
}

// AgentRun is a run of fc or fb that agents make.
type AgentRun struct {
	Experiment sim.Experiment // with one run
	// a script whose only protocol(...) asks the same question, with its data
	Recipe question.Recipe
	// Tell receives the state of the run, with a note about the agents
	Tell func(s sim.Step, note string)
}

// performByAgents lets agents make an experiment of a single run outside sweeps; made is false if the experiment must be
// simulated.
func performByAgents(c *call, x sim.Experiment) (r engine.Result, made bool, err error) {
	e := c.e
	agents := e.session.opt.Agents
	if agents == nil || e.swept != nil || x.Runs > 1 {
		return r, false, nil
	}
	a := AgentRun{Experiment: x, Tell: func(sim.Step, string) {}} // progress is not reported unless there is a teller
	if a.Recipe, err = agentRecipe(c, x); err != nil {
		// made is true despite the error, because real measurements must not be replaced by simulated ones
		return r, true, fmt.Errorf("%s: agents cannot make this run: %w", c.fn.Name, err)
	}
	if e.teller != nil {
		label := fmt.Sprintf("%s %s by agents", c.fn.Name, x.Algorithm)
		a.Tell = func(s sim.Step, note string) {
			e.teller.update(Activity{Label: label, Total: 1, Note: strings.TrimPrefix(noteOf(s)+", "+note, ", ")})
		}
	}
	var begun atomic.Bool
	begun.Store(true) // keep the measurements after an interrupt
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
	// If the call is a bare expression, choose an unused name for the protocol.
	name := e.st.Name
	for free := "asked"; name == ""; free += "_" {
		if e.scope[free] == nil {
			name = free
		}
	}
	// Evaluate the protocol only: no forecast, overrides, displays, workers or agents.
	opt := s.opt
	opt.noForecast, opt.Set, opt.Seed, opt.Shown, opt.Progress, opt.Runner, opt.Agents = true, nil, nil, nil, nil, nil, nil
	file := e.st.Source.File
	_, recipe, err := ReadProtocol(e.ctx, file, text+asProtocol(c, name, x.Algorithm), opt)
	if err != nil {
		return recipe, fmt.Errorf("agents receive a protocol, which has no expected rewards: %w", err)
	}
	return recipe, nil
}

// asProtocol returns the call as a statement that binds a protocol. It leaves out the session's overrides, such as the seed, and
// the parameters of simulations.
func asProtocol(c *call, name, algorithm string) string {
	var args []string
	for i, p := range c.fn.Params {
		a := c.args[i]
		if a.Node == nil || slices.Contains(simulationParams, p.Name) {
			continue
		}
		st := c.e.st // the argument belongs to this statement
		if a.st != nil {
			st = a.st
		}
		args = append(args, p.Name+"="+st.Text(a.Node))
	}
	// With a budget, protocol has another default algorithm, so state the algorithm.
	if c.arg("algorithm").Node == nil {
		args = append(args, fmt.Sprintf("algorithm=%q", algorithm))
	}
	return name + " = protocol(" + strings.Join(args, ", ") + ")\n"
}
