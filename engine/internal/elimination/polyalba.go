package elimination

import (
	"cmp"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// NewIndPolyALBA returns PolyALBA [Du21] run by each agent on its own task at confidence δ/V. A
// first epoch only looks for the d best arms, d the rank of the arms' span: rounds s = 1, 2, … on
// one static allocation over all arms discard nothing until the best estimate is ahead of every arm
// outside the d best ones by the threshold; then those d arms are kept. The phases q = 1, 2, … of
// ALBA follow on them. A task with at most d arms begins there.
//
// The paper is about arms that are too many to list. Here they can be listed, and the static
// allocation is the G-optimal one over all of them. Schedules, least squares and parts of δ are as
// in IndALBA.
func NewIndPolyALBA(m *model.Model, opt engine.Options) (engine.Algorithm, error) {
	opt.Ridge = engine.Ridge{Kind: engine.RidgeValue}
	return newIndividualFC(m, opt, func() method { return &polyALBA{alba{allocation: gOptimal()}} })
}

// polyALBA is ALBA with another way to discard arms in its phase 0.
type polyALBA struct{ alba }

func (a *polyALBA) cut(e *elimination, v int) {
	if a.phase > 0 {
		e.eliminate(v)
		return
	}
	ranked := slices.Clone(e.Sets[v])
	slices.SortStableFunc(ranked, func(i, j int) int { return cmp.Compare(e.estimates[j], e.estimates[i]) })
	first, d := ranked[0], a.target(e)
	for _, i := range ranked[d:] {
		if gap := e.estimates[first] - e.estimates[i]; gap < e.width(i, first) {
			return // not told apart yet
		}
	}
	for _, i := range ranked[d:] {
		e.Drop(e.round, i, first, e.estimates[first]-e.estimates[i], e.width(i, first), e.rule())
	}
	e.Sets[v] = ranked[:d]
	slices.Sort(e.Sets[v])
}
