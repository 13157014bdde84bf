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

// definitionsFor returns the names that a call uses, in the order of their binding; a script with their definitions, in an order in
// which they can be evaluated; and the names that are values of Go cells.
func definitionsFor(c *call) (used []string, text string, missing []string) {
	read := namesIn(c.node)
	used = lists.Where(c.e.scope.names(), func(name string) bool { return read[name] })
	text, missing = c.e.session.Closure(used...)
	return used, text, missing
}

// dependsOnRuns returns which other result the experiment of a call depends on; "" if there is none.
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
	if why := dependsOnRuns(c, used); why != "" {
		return question.Recipe{}, fmt.Errorf("%s, which agents would have to repeat", why)
	}
	// If the call is a bare expression, choose an unused name for the protocol.
	name := e.st.Name
	for free := "asked"; name == ""; free += "_" {
		if e.scope[free] == nil {
			name = free
		}
	}
	// Evaluate the protocol only: no forecast, overrides, displays, store or agents.
	opt := s.opt
	opt.noForecast, opt.Set, opt.Seed, opt.Shown, opt.Progress, opt.Store, opt.Agents = true, nil, nil, nil, nil, nil, nil
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
