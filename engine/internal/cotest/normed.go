package cotest

import (
	"context"
	"errors"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/bounded"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// normed is CoTestFC if the norm of the reward function is bounded. It uses the same walks on the same clock. Bets use
// ridge estimates, from which the largest bias under the bound is subtracted (docs/theory/norm.md).
//
//	normed.go      the rounds
//	normbelief.go  the posterior that determines leaders and sizes of rounds
//	normclaims.go  the claims of a contest, and the beginnings of their clocks
//	normplan.go    the information that each walk needs from a round
//	normdesign.go  the pulls that give this information
//	normbets.go    the bets of a round
//	normsettle.go  the settlement of bets, and the bias that they leave for later rounds
type normed struct {
	normBets
	bound Bound
	since []int // N: pulls since round 1
}

var (
	_ engine.Detailed  = (*normed)(nil)
	_ engine.Amender   = (*normed)(nil)
	_ engine.DataAdder = (*normed)(nil)
)

// newNormed returns the test under a bound on the norm.
func newNormed(m *model.Model, opt model.Terms, bound Bound) (_ *normed, err error) {
	defer try.Caught(&err)
	m = m.ByValues().Own()
	d := newDecisions(m, opt, opt.Misfit == 0)
	n := m.Problem.N()
	a := &normed{bound: bound, since: make([]int, n)}
	a.guess = guess{decisions: d, norm: bound.Norm, misfit: bound.Misfit, spread: make([]float64, n)}
	a.rules = a
	a.sums = sums{at: map[int]int{}, walks: map[*sequential.Walk]*bounded.Combined{}}
	a.clock.Origin = 1 / (4 * m.Diagonal * a.norm * a.norm)
	if a.scales.Groups == nil {
		a.clock.Early = normEarly
	}
	a.contend()
	if a.alpha > 0 {
		a.clock.Z, a.clock.Within = a.heights(0), map[int][]float64{}
	}
	return a, nil
}

// Plan fixes the pulls of the next round and the bets on them.
func (a *normed) Plan(ctx context.Context) (_ engine.Plan, err error) {
	defer try.Caught(&err)
	defer a.Model.During(ctx)()
	plan := a.next
	if a.estimates == nil {
		plan = a.explorePivots
	}
	return a.commit(plan(), a.fix), nil
}

// Amend replaces the counts of the planned round and fixes its bets again. It must be called after Plan and before the
// data.
func (a *normed) Amend(counts []int) (err error) {
	defer try.Caught(&err)
	if a.stage == nil {
		return errors.New(rounds.LearnedEarly)
	}
	st := *a.stage
	st.Rounding.Counts = counts
	a.fix(&st)
	return nil
}

// Learn settles the bets with the round's data, and chooses the leaders from all data.
func (a *normed) Learn(ctx context.Context, b engine.Batch) (err error) {
	defer try.Caught(&err)
	defer a.Model.During(ctx)()
	if err := rounds.CheckBatch(a.stage.Plan(a.round), b); err != nil || b.Empty() {
		return err // nil if Amend has set all counts to 0
	}
	if a.fixed.system != nil {
		a.settle(b)
		for i, c := range b.Counts {
			a.since[i] += c
		}
	}
	a.learn(b)
	a.conclude()
	return nil
}

// AddData adds rewards from outside the rounds. They change leaders, gaps and needs, but no walk moves.
func (a *normed) AddData(b engine.Batch) (err error) {
	defer try.Caught(&err)
	try.To(rounds.CheckInform(a.Model.Problem, b))
	a.scales.Aside()
	a.learn(b)
	bets := a.bets
	a.bets = nil
	a.conclude()
	a.bets = bets
	return nil
}

// learn updates the posterior with a batch.
func (a *normed) learn(b engine.Batch) {
	means := a.Add(b)
	try.To(a.scales.Learn(b))
	a.believe(means, a.sums.involved())
}

// conclude chooses the leaders of the open contests, and closes decided contests.
func (a *normed) conclude() {
	open := a.open()
	for _, c := range open {
		a.choose(c)
	}
	a.startClocks()
	a.record(open)
}

// State implements engine.Algorithm.
func (a *normed) State() engine.State { return engine.StateOf(a) }

// Answers returns one answer per task, decided if no other arm is open.
func (a *normed) Answers() []engine.Answer { return a.answers(everyArm) }

// Warnings returns the warnings of the tests, and warnings about the kernel, costs, and a bound on the norm that was not
// stated.
func (a *normed) Warnings() []engine.Warning {
	out := a.warnings()
	if a.bound.Misfit == 0 && !a.Model.Truth().Witnessed(a.opt, float64(lists.Total(a.since))) {
		out = append(model.MisfitWarnings(a.Model, a.opt), out...)
	}
	if a.Model.Problem.RelativeCost() != nil {
		out = append(out, engine.Warning{Kind: engine.WarnCostNorm})
	}
	switch numbers := []float64{a.norm * a.Model.Unit, a.norm}; {
	case a.bound.Known && a.bound.Misfit > a.opt.Misfit:
		out = append(out, engine.Warning{Kind: engine.WarnNormNear, Numbers: append(numbers, a.bound.Misfit*a.Model.Unit)})
	case a.bound.Known:
		out = append(out, engine.Warning{Kind: engine.WarnNormKnown, Numbers: numbers})
	}
	return out
}

// FitCheck returns a test of the kernel, or nil if the model has no features.
func (a *normed) FitCheck() engine.FitCheck {
	if a.Model.Features == nil {
		return nil
	}
	return a.decisions.FitCheck()
}

// sized returns the predicted number of pulls, in the proportions of the pulls so far.
func (a *normed) sized(needs []design.Pair) float64 {
	return pulled{engine.PullsOf(a.Counts), a.variance}.more(needs)
}
