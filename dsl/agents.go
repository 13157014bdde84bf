package dsl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// definitionsFor returns the bound names that a call uses, in the order of their binding. text is a script that
// defines them, in an order in which a session can evaluate it. missing lists the names whose values come from Go
// cells.
func definitionsFor(c *call) (used []string, text string, missing []string) {
	read := namesIn(c.node)
	used = lists.Where(c.e.scope.names(), func(name string) bool { return read[name] })
	text, missing = c.e.session.Closure(used...)
	return used, text, missing
}

// dependsOnRuns returns a clause that says which other result the experiment of call c depends on, such as "it depends on
// r, the result of other runs". It returns "" if there is none. used lists the names that the call uses.
func dependsOnRuns(c *call, used []string) string {
	if len(runsIn(c.node)) > 1 { // a call inside a call
		return "it depends on the result of other runs"
	}
	for _, name := range used {
		for _, below := range c.e.scope.below(name) {
			if len(runsIn(c.e.scope[below].st.Node)) > 0 {
				return fmt.Sprintf("it depends on %s, the result of other runs", below)
			}
		}
	}
	return ""
}

// Agents makes runs in which a separate agent measures the arms of each task.
type Agents interface {
	// Measure makes the run and returns its result. If it returns an error, such as that of the context, it also returns
	// the result so far.
	Measure(ctx context.Context, a AgentRun) (engine.Result, error)
}

// AgentRun describes a run of fc or fb that agents make.
type AgentRun struct {
	Experiment sim.Experiment // with one run
	// a script with exactly one protocol(...), which asks the same question as the run, and the script's data files
	Recipe question.Recipe
	// Tell reports the state of the run, with a note about the agents
	Tell func(s sim.Step, note string)
}

// performByAgents lets agents make an experiment. The experiment must consist of one run, outside a sweep. made is false
// if the experiment must be simulated instead.
func performByAgents(c *call, x sim.Experiment) (r engine.Result, made bool, err error) {
	e := c.e
	agents := e.session.opt.Agents
	if agents == nil || e.swept != nil || x.Runs > 1 {
		return r, false, nil
	}
	a := AgentRun{Experiment: x, Tell: func(sim.Step, string) {}} // Tell does nothing unless progress is reported
	if a.Recipe, err = agentRecipe(c, x); err != nil {
		// made is true despite the error: the caller must not simulate measurements that should be real
		return r, true, fmt.Errorf("%s: agents cannot make this run: %w", c.fn.Name, err)
	}
	if e.teller != nil {
		label := fmt.Sprintf("%s %s by agents", c.fn.Name, x.Algorithm)
		a.Tell = func(s sim.Step, note string) {
			e.teller.update(Activity{Label: label, Total: 1, Note: strings.TrimPrefix(noteOf(s)+", "+note, ", ")})
		}
	}
	var begun atomic.Bool
	begun.Store(true) // from now on, an interrupt keeps the measurements
	r, err = awaitRuns(c, &begun, func() (engine.Result, error) { return agents.Measure(e.ctx, a) })
	return r, true, err
}

// simulationParams are the parameters of fc and fb that apply only to simulations.
var simulationParams = []string{"runs", "seed", "rewards"}

// agentRecipe returns a script that asks the same question as the call c. The script has one protocol(...) and the
// definitions that c depends on.
func agentRecipe(c *call, x sim.Experiment) (question.Recipe, error) {
	e, s := c.e, c.e.session
	if x.Draw != nil {
		return question.Recipe{}, errors.New("a function of a Go cell draws its rewards; leave rewards out")
	}
	used, text, missing := definitionsFor(c)
	if len(missing) > 0 {
		return question.Recipe{}, fmt.Errorf("it depends on %s, a value of a Go cell, which agents do not receive", missing[0])
	}
	if why := dependsOnRuns(c, used); why != "" {
		return question.Recipe{}, fmt.Errorf("%s, which agents would have to repeat", why)
	}
	// If the statement binds no name, choose an unused name for the protocol.
	name := e.st.Name
	for free := "asked"; name == ""; free += "_" {
		if e.scope[free] == nil {
			name = free
		}
	}
	// Evaluate only the protocol, without a forecast. Switch off overrides, displays, the store and agents.
	opt := s.opt
	opt.noForecast, opt.Set, opt.Seed, opt.Shown, opt.Progress, opt.Store, opt.Agents = true, nil, nil, nil, nil, nil, nil
	file := e.st.Source.File
	_, recipe, err := ReadProtocol(e.ctx, file, text+asProtocol(c, name, x.Algorithm), opt)
	if err != nil {
		return recipe, fmt.Errorf("agents receive a protocol, which has no expected rewards: %w", err)
	}
	return recipe, nil
}

// asProtocol returns the text of a statement that binds name to a protocol with the arguments of call c. It omits
// arguments that apply only to simulations, and overrides of the session such as the seed.
func asProtocol(c *call, name, algorithm string) string {
	var args []string
	for i, p := range c.fn.Params {
		a := c.args[i]
		if a.Node == nil || slices.Contains(simulationParams, p.Name) {
			continue
		}
		st := c.e.st // the statement that contains the argument's text
		if a.st != nil {
			st = a.st
		}
		args = append(args, p.Name+"="+st.Text(a.Node))
	}
	// With a budget, protocol has another default algorithm. Therefore name the algorithm.
	if c.arg("algorithm").Node == nil {
		args = append(args, fmt.Sprintf("algorithm=%q", algorithm))
	}
	return name + " = protocol(" + strings.Join(args, ", ") + ")\n"
}
