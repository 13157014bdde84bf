package cotest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// sideBySide is CoTestFC where the arms of a task are measured side by side (docs/theory/blocks.md): the open
// arms of a task share blocks with its leader, and are compared within them, where what the blocks add cancels. Each agent tests alone, on its arms' own means.
type sideBySide struct{ *coTest }

var (
	_ engine.Algorithm = (*sideBySide)(nil)
	_ engine.Explainer = (*sideBySide)(nil)
	_ engine.Loner     = (*sideBySide)(nil)
	_ engine.Arranger  = (*sideBySide)(nil)
)

func newSideBySide(m *model.Model, opt engine.Options) (engine.Algorithm, error) {
	if opt.Misfit > 0 || opt.Robust {
		return nil, errors.New("misfit and robust are for tests that go by the kernel; arms that are measured side by side " +
			"are compared by their own rewards: leave them out")
	}
	apart, err := m.Independent()
	if err != nil {
		return nil, err
	}
	planner, err := newBlockPlanner(apart.Problem)
	if err != nil {
		return nil, err
	}
	a, err := newCoTest(apart, opt, planner)
	if err != nil {
		return nil, err
	}
	a.within = newWithin(apart, a.limits)
	return &sideBySide{a}, nil
}

// Alone reports that the agents exchange nothing.
func (a *sideBySide) Alone() bool { return true }

// Plan says which arms share blocks.
func (a *sideBySide) Plan() (engine.Plan, error) {
	plan, err := a.coTest.Plan()
	plan.WantSquares = false
	return plan, err
}

// Amend refuses counts, which do not say what was measured together.
func (a *sideBySide) Amend([]int) error {
	return fmt.Errorf("%w: arms are measured side by side, and counts do not say which of them together", engine.ErrFixedPlans)
}

// Arrange fixes the bets on the round from its blocks. An arm that no block compares with its leader sits out.
func (a *sideBySide) Arrange(sides []engine.Side) error {
	if a.stage == nil {
		return errors.New("no round is planned")
	}
	for _, s := range sides {
		if err := a.check(s); err != nil {
			return err
		}
	}
	st := *a.stage
	st.Sides, st.Rounding.Counts = sides, engine.CountsOf(sides, a.Model.Problem.N())
	if err := a.within.planned(sides); err != nil {
		return err
	}
	a.loose = true
	a.fix(&st)
	return nil
}

// check reports a side that has none or other arms than those of one task.
func (a *sideBySide) check(s engine.Side) error {
	p := a.Model.Problem
	switch {
	case len(s.Arms) == 0 || s.Blocks < 1:
		return fmt.Errorf("a block needs an arm, and a set of arms a block, got %d arms and %d blocks", len(s.Arms), s.Blocks)
	case !slices.IsSorted(s.Arms) || s.Arms[0] < 0 || s.Arms[len(s.Arms)-1] >= p.N() ||
		len(slices.Compact(slices.Clone(s.Arms))) != len(s.Arms):
		return fmt.Errorf("the arms of a block must be different ones of 0 to %d in rising order, got %v", p.N()-1, s.Arms)
	case p.TaskOf[s.Arms[0]] != p.TaskOf[s.Arms[len(s.Arms)-1]]:
		return fmt.Errorf("the arms of a block must be of one task, got %s and %s", p.Where(s.Arms[0]), p.Where(s.Arms[len(s.Arms)-1]))
	}
	return nil
}

// learnWithin takes rewards of blocks in that estimates go by.
func learnWithin(a *coTest, b engine.Batch, means []float64) error {
	first := a.estimates == nil
	var err error
	if a.estimates, err = a.within.learn(b); err != nil {
		return err
	}
	if first {
		a.clock.Origin = a.within.origin()
		if err := foresee(a); err != nil {
			return err
		}
	}
	a.pooled, err = a.pool(means)
	return err
}

// Continue is not there: arms that are added were in no block so far.
func (a *sideBySide) Continue(engine.Algorithm, []int) error {
	return fmt.Errorf("%w: arms that are measured side by side", engine.ErrFixedQuestion)
}

// Guided reports that rewards of no block are of no use.
func (a *sideBySide) Guided() bool { return false }
