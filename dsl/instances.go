package dsl

import (
	"fmt"
	"math"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// infinite is the text for a length scale without end.
const infinite = "inf"

// What classic makes at most, so that a short script cannot take all memory.
const (
	maxAgents = 1000
	maxArms   = 100_000 // of all agents together
)

// checkPaper reports a call of paper that does not say, or says twice, how similar the tasks are.
// It reports whether the call is right.
func checkPaper(c *call) bool {
	scale := c.arg("lengthscale")
	switch {
	case c.has("case") && c.has("lengthscale"):
		c.fail(&scale, "paper: case and lengthscale both say how similar the tasks are", "give one of them")
	case !c.has("case") && !c.has("lengthscale"):
		c.e.fail(c.node, c.fn.Result, "paper needs case or lengthscale", "write paper(case=2), or paper(lengthscale=1)")
	default:
		return checkNoise(c)
	}
	return false
}

// evalPaper makes one of the cases of [Du23, App. A], or an instance between them.
func evalPaper(c *call) (any, error) {
	if !checkPaper(c) {
		return nil, nil // reported
	}
	gap := 0.1
	if c.arg("gap").known() {
		gap = c.number("gap")
	}
	var p *problem.Problem
	var err error
	switch scale := c.arg("lengthscale").Data.(type) {
	case float64:
		p, err = problem.PaperFamily(scale, gap)
	case string:
		p, err = problem.PaperFamily(math.Inf(1), gap)
	default:
		p, err = problem.PaperCase(c.whole("case"), gap)
	}
	if err != nil {
		return nil, err
	}
	p, err = p.WithNoise(noiseModel(c))
	return p, noiseError(c, err)
}

// checkClassic reports means that are not numbers, and too many of them. It reports whether the
// call is right.
func checkClassic(c *call) bool {
	means := c.arg("means")
	list, known := means.Data.([]value)
	if !known {
		return true
	}
	if _, ok := every[float64](list); ok && len(list) > 0 {
		if n := len(list) * agentsOf(c); n > maxArms {
			c.fail(&means, fmt.Sprintf("%s: %d arms for each of %d agents are more than %d", c.fn.Name, len(list), agentsOf(c), maxArms), "")
			return false
		}
		return true
	}
	c.fail(&means, fmt.Sprintf("%s: means must be a list of numbers, one for each arm", c.fn.Name), "write "+c.fn.Example)
	return false
}

// evalClassic makes collaborative best-arm identification without features.
func evalClassic(c *call) (any, error) {
	if !checkClassic(c) {
		return nil, nil // reported
	}
	means, _ := every[float64](c.arg("means").Data.([]value))
	p, err := problem.Classic(means, agentsOf(c))
	if err == nil && goalOf(c) == problem.GoalMin {
		p = p.Minimised()
	}
	return given(p, err)
}

// agentsOf returns the number of agents of a call of classic.
func agentsOf(c *call) int {
	if c.arg("agents").known() {
		return c.whole("agents")
	}
	return 5
}
