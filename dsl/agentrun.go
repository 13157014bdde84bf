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
)

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
func performByAgents(c *call, x sim.Experiment) (r engine.Result, made bool, err error) {
	e := c.e
	agents := e.session.opt.Agents
	if agents == nil || e.swept != nil || x.Runs > 1 {
		return r, false, nil
	}
	a := AgentRun{Experiment: x, Tell: func(sim.Step, string) {}}
	if a.Recipe, err = agentRecipe(c, x); err != nil {
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
	name := e.st.Name
	for free := "asked"; name == ""; free += "_" {
		if e.scope[free] == nil {
			name = free
		}
	}
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
func asProtocol(c *call, name, algorithm string) string {
	var args []string
	named := false
	for i, p := range c.fn.Params {
		a := c.args[i]
		if a.Node == nil || slices.Contains(simulationParams, p.Name) {
			continue
		}
		named = named || p.Name == "algorithm"
		st := c.e.st
		if a.st != nil {
			st = a.st
		}
		args = append(args, p.Name+"="+st.Text(a.Node))
	}
	if !named {
		args = append(args, fmt.Sprintf("algorithm=%q", algorithm))
	}
	return name + " = protocol(" + strings.Join(args, ", ") + ")\n"
}
