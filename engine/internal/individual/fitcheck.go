package individual

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
)

// FitCheck tests the kernel of each agent on its own data, at its part of the level; nil where no data would
// speak against any of them.
func (a *Algorithm) FitCheck() engine.FitCheck {
	c := &fitChecks{algorithm: a, parts: make([]engine.FitCheck, len(a.Parts)), least: make([]float64, len(a.Parts))}
	some := false
	for v, part := range a.Parts {
		c.least[v] = math.Inf(1)
		if r, ok := part.(engine.KernelReliant); ok {
			c.parts[v] = r.FitCheck()
			some = some || c.parts[v] != nil
		}
	}
	if !some {
		return nil
	}
	return c
}

// fitChecks are the tests of the agents.
type fitChecks struct {
	algorithm *Algorithm
	parts     []engine.FitCheck
	least     []float64 // p-value of all data of an agent so far; infinite where there is nothing to test
	found     *engine.LackOfFit
}

// Learn implements engine.FitCheck. The p-value is that of the agent that has the smallest, times the number of
// agents with data to test.
func (c *fitChecks) Learn(round int, b engine.Batch) (*float64, *engine.LackOfFit) {
	against := make([]*engine.LackOfFit, len(c.parts))
	for v, part := range c.parts {
		lo, hi := c.algorithm.model.Problem.ArmsOf(v)
		own := engine.Batch{Counts: b.Counts[lo:hi], Means: b.Means[lo:hi]}
		if len(b.Squares) == len(b.Counts) {
			own.Squares = b.Squares[lo:hi]
		}
		if part == nil || own.Empty() {
			continue
		}
		var p *float64
		if p, against[v] = part.Learn(round, own); p != nil {
			c.least[v] = *p
		}
	}
	tested, at := 0, -1
	for v, p := range c.least {
		if math.IsInf(p, 1) {
			continue
		}
		tested++
		if at < 0 || p < c.least[at] {
			at = v
		}
	}
	if at < 0 {
		return nil, c.found
	}
	p := min(1, float64(tested)*c.least[at])
	if level := engine.LackLevel / float64(round*(round+1)); p <= level && c.found == nil && against[at] != nil {
		found := *against[at]
		found.Round, found.PValue, found.Level = round, p, level
		c.found = &found
	}
	return &p, c.found
}
