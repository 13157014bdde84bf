package rounds

import (
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// regroupLevel is the level of the tests of equal scales after each round. It is large, because a false alarm costs samples
// only, and a difference that is found late costs wrong answers (docs/adr/0009).
const regroupLevel = 0.1

// fewestTested is the smallest number of pulls of a pulled arm in round 1 if scales are tested: engine.NewScaleTest compares
// variances with at least two degrees of freedom.
const fewestTested = 3

// grouping chooses which arms share an unknown noise scale: first all, later the arms of each task, or none. After each
// round, tests of equal scales on all data so far decide about the later rounds. So the groups of a round are fixed before
// its data. The first round, which no score uses, already shows large differences of the arms that it pulls.
type grouping struct {
	all, within engine.NoiseCheck // tests of equal scales, of all arms and of the arms of each task
	own         *replicates
	rounds      int
	by          string          // the present groups: problem.UnknownProblem, UnknownTask or UnknownArm
	scored      string          // the coarsest groups of a score; "" before the first one
	found       *engine.Warning // why groups are finer than at first; nil if they are not
}

func newGrouping(p *problem.Problem) *grouping {
	return &grouping{
		all:    engine.NewScaleTest(p, make([]int, p.N()), regroupLevel),
		within: engine.NewScaleTest(p, p.TaskOf, regroupLevel),
		own:    newReplicates(p.N()), by: problem.UnknownProblem,
	}
}

// replicate adds pulls to the arms that round 1 pulls, so that their scales can be compared.
func (g *grouping) replicate(counts []int) {
	if g == nil || g.rounds > 0 {
		return
	}
	for i, c := range counts {
		if c > 0 {
			counts[i] = max(c, fewestTested)
		}
	}
}

// score records that a score uses the present groups.
func (g *grouping) score() {
	if g != nil && g.scored == "" { // groups only become finer
		g.scored = g.by
	}
}

// regroup adds a round's data, and chooses the groups of the next rounds.
func (n *Scales) regroup(b engine.Batch) {
	g, p := n.tested, n.Model.Problem
	g.rounds++
	g.own.add(p.Noise.Scales, b)
	all, within := g.all.Learn(nil, b), g.within.Learn(nil, b)
	before := g.by
	switch {
	case within != nil && g.by != problem.UnknownArm:
		g.by, g.found = problem.UnknownArm, within
	case all != nil && g.by == problem.UnknownProblem:
		g.by, g.found = problem.UnknownTask, all
	}
	if g.by != before {
		n.group(problem.NoiseModel{UnknownBy: g.by}.Groups(p.TaskOf))
	}
	clear(n.freedom)
	clear(n.squares)
	for i, of := range n.Groups {
		n.freedom[of] += g.own.freedom[i]
		n.squares[of] += g.own.squares[i]
	}
}

// Aside states that the next call of Learn is not a round but has rewards from outside the rounds.
func (n *Scales) Aside() {
	if n.tested != nil {
		n.tested.rounds--
	}
}

// Grouped returns the warning that states which arms had a common noise scale, and why; nil if that was stated.
func (n *Scales) Grouped() []engine.Warning {
	g := n.tested
	switch {
	case g == nil || g.rounds == 0:
		return nil
	case g.found == nil:
		return []engine.Warning{{Kind: engine.WarnScaleCommon}}
	}
	kind := engine.WarnScalesByTask
	if g.by == problem.UnknownArm {
		kind = engine.WarnScalesByArm
	}
	if g.scored != "" && g.scored != g.by {
		kind = engine.WarnScalesLate
	}
	return []engine.Warning{{Kind: kind, Names: g.found.Names, Numbers: g.found.Numbers}}
}

// Tested reports whether the data choose which arms share a noise scale.
func (n *Scales) Tested() bool { return n.tested != nil }
