package dsl

import (
	"fmt"
	"math"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// infinite is the text for an infinite length scale.
const infinite = "inf"

// These limits of the function classic keep a short script from using all memory.
const (
	maxAgents = 1000
	maxArms   = 100_000 // arms of all agents together
)

// paperArgs are the arguments of paper.
type paperArgs struct {
	noiseArgs
	Case        int     // 0 if not given
	Gap         float64 `arg:"default"` // in reward units
	Lengthscale any     // a float64 or "inf"; nil if not given
}

// checkPaper reports a call of paper unless it gives exactly one of case and lengthscale. Both set how similar the tasks
// are.
func checkPaper(c *call, a paperArgs) {
	switch {
	case c.has("case") && c.has("lengthscale"):
		c.fail(c.arg("lengthscale"), "paper: case and lengthscale both state how similar the tasks are", "give one of them")
	case !c.has("case") && !c.has("lengthscale"):
		c.e.fail(c.node, c.fn.Result, "paper needs case or lengthscale", "write paper(case=2), or paper(lengthscale=1)")
	default:
		checkNoise(c, a.noiseArgs)
	}
}

// evalPaper makes the problem of one case of [Du23, App. A], or of the family between the cases for a length scale.
func evalPaper(c *call, a paperArgs) (any, error) {
	var p *problem.Problem
	var err error
	// The length scale 0 gives case 3, and "inf" gives case 1.
	switch scale := a.Lengthscale.(type) {
	case float64:
		p, err = problem.PaperFamily(scale, a.Gap)
	case string:
		p, err = problem.PaperFamily(math.Inf(1), a.Gap)
	default:
		p, err = problem.PaperCase(a.Case, a.Gap) // case is given, see checkPaper
	}
	if err != nil {
		return nil, err
	}
	p, err = p.WithNoise(a.model())
	return p, noiseError(c, err)
}

// classicArgs are the arguments of classic.
type classicArgs struct {
	Means  []float64 // expected reward of each arm, the same for all agents
	Agents int       `arg:"default"`
	Goal   string    // "max" or "" if high rewards are good, "min" if low ones are
}

// checkClassic reports means that are not numbers, and too many means. In a check the list may be unknown; then the
// mistake is reported at run time.
func checkClassic(c *call, a classicArgs) {
	means := c.arg("means")
	switch list, known := means.Data.([]value); {
	case !known:
	case len(a.Means) == 0:
		c.refuse(means, "write "+c.fn.Example, "means must be a list of numbers, one for each arm")
	case len(list)*a.Agents > maxArms:
		c.refuse(means, "", "%d arms for each of %d agents are more than %d", len(list), a.Agents, maxArms)
	}
}

// evalClassic makes a problem without features, in which all agents look for the best of the same arms. With goal="min" it
// negates the rewards.
func evalClassic(_ *call, a classicArgs) (any, error) {
	p, err := problem.Classic(a.Means, a.Agents)
	if err == nil && goalOf(a.Goal) == problem.GoalMin {
		p = p.Minimised()
	}
	return dropOnError(p, err)
}

// maxDimension limits the argument dimension of family, the number of feature columns.
const maxDimension = 1000

// familyArgs are the arguments of family.
type familyArgs struct {
	noiseArgs
	Tasks, Dimension, Arms, Rank int     `arg:"default"`
	Gap                          float64 `arg:"default"`
	Seed                         uint64  `arg:"default"`
}

// checkFamily reports sizes that are not possible. An unknown size is 0 in a check, and is checked at run time.
func checkFamily(c *call, a familyArgs) {
	rank, most := c.arg("rank"), min(a.Tasks, a.Dimension)
	switch {
	case a.Tasks*a.Arms > maxArms:
		c.refuse(c.arg("arms"), "", "%d arms of each of %d tasks are more than %d in all", a.Arms, a.Tasks, maxArms)
	case most > 0 && a.Rank > most:
		c.refuse(rank, fmt.Sprintf("%d tasks in dimension %d span at most rank %d", a.Tasks, a.Dimension, most),
			"rank is %d; it must be at most %d, the smaller of tasks and dimension", a.Rank, most)
	default:
		checkNoise(c, a.noiseArgs)
	}
}

// evalFamily makes a random linear problem.
func evalFamily(c *call, a familyArgs) (any, error) {
	size := problem.FamilySize{Tasks: a.Tasks, Dimension: a.Dimension, Arms: a.Arms, Rank: a.Rank}
	p, err := problem.Family(size, a.Gap, a.Seed)
	if err != nil {
		return nil, err
	}
	p, err = p.WithNoise(a.model())
	return p, noiseError(c, err)
}

// maxDrawn limits the number of arms N for the function drawn, which takes O(N³) time.
const maxDrawn = 2000

// drawnArgs are the arguments of drawn.
type drawnArgs struct {
	P    *problem.Problem
	Seed uint64 `arg:"default"`
}

// checkDrawn reports a problem with too many arms.
func checkDrawn(c *call, a drawnArgs) {
	if a.P != nil && a.P.N() > maxDrawn {
		c.refuse(c.arg("p"), "", "the problem has %d arms; rewards can be drawn for at most %d", a.P.N(), maxDrawn)
	}
}

// evalDrawn draws the expected rewards of a problem from a Gaussian process with the problem's kernel.
func evalDrawn(c *call, a drawnArgs) (any, error) {
	return dropOnError(awaitResult(c, func() (*problem.Problem, error) { return a.P.Drawn(c.e.ctx, a.Seed) }))
}
