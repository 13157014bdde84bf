package individual

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// SetEpsilon sets it for every agent.
func (a *Algorithm) SetEpsilon(epsilon float64) error {
	return a.change(func(_ int, c engine.QuestionChanger) error { return c.SetEpsilon(epsilon) })
}

// SetDelta gives every agent its part.
func (a *Algorithm) SetDelta(delta float64) error {
	return a.change(func(_ int, c engine.QuestionChanger) error { return c.SetDelta(delta / float64(len(a.Parts))) })
}

// change hands a change to all agents; none is changed where some cannot.
func (a *Algorithm) change(change func(v int, c engine.QuestionChanger) error) error {
	for _, part := range a.Parts {
		if _, able := part.(engine.QuestionChanger); !able {
			return engine.ErrFixedQuestion
		}
	}
	return a.each(func(v int, part engine.Detailed) error { return change(v, part.(engine.QuestionChanger)) })
}

// own returns the arms of task v by their numbers within it.
func (a *Algorithm) own(v int, arms []int) (out []int) {
	lo, hi := a.model.Problem.ArmsOf(v)
	mine := lists.Where(arms, func(i int) bool { return i >= lo && i < hi })
	return lists.Map(mine, func(i int) int { return i - lo })
}

// CanWithdraw asks the agents.
func (a *Algorithm) CanWithdraw(arms []int) error {
	for _, i := range arms {
		if i < 0 || i >= a.model.Problem.N() {
			return fmt.Errorf("arm %d does not exist", i)
		}
	}
	return a.change(func(v int, c engine.QuestionChanger) error { return c.CanWithdraw(a.own(v, arms)) })
}

// Withdraw removes its arms from every agent.
func (a *Algorithm) Withdraw(arms []int) error {
	if err := a.CanWithdraw(arms); err != nil {
		return err
	}
	return a.change(func(v int, c engine.QuestionChanger) error {
		if one, ok := c.(interface{ Among(int) }); ok {
			one.Among(len(a.Parts))
		}
		if own := a.own(v, arms); len(own) > 0 {
			return c.Withdraw(own)
		}
		return nil
	})
}

// Bound returns the sum of the agents' error probabilities; 0 where one of them states nothing.
func (a *Algorithm) Bound() float64 {
	sum := 0.0
	for _, part := range a.Parts {
		c, able := part.(engine.QuestionChanger)
		if !able {
			return 0
		}
		sum += c.Bound()
	}
	return min(sum, 1)
}

// Continue lets the agents of tasks that were there go on; agents of new tasks begin.
func (a *Algorithm) Continue(from engine.Algorithm, at []int) error {
	if w, ok := from.(interface{ Agents() *Algorithm }); ok {
		from = w.Agents()
	}
	old, same := from.(*Algorithm)
	if !same || len(at) != old.model.Problem.N() {
		return fmt.Errorf("%w. With the added arms each task would be tested separately, because the kernel does not relate them. So far they "+
			"are tested together. The two test statistics cannot be combined. Start another campaign", engine.ErrFixedQuestion)
	}
	for u, part := range old.Parts {
		lo, hi := old.model.Problem.ArmsOf(u)
		v, places := -1, make([]int, hi-lo)
		for k := range places {
			if places[k] = at[lo+k]; places[k] >= 0 {
				v = a.model.Problem.TaskOf[places[k]]
				first, _ := a.model.Problem.ArmsOf(v)
				places[k] -= first
			}
		}
		if v < 0 {
			continue
		}
		c, able := a.Parts[v].(engine.Continuer)
		if !able {
			return engine.ErrFixedQuestion
		}
		if err := c.Continue(part, places); err != nil {
			return fmt.Errorf("task %q: %w", a.model.Problem.Tasks.Names[v], err)
		}
	}
	if len(a.Parts) > len(old.Parts) {
		for _, part := range a.Parts {
			if one, ok := part.(interface{ Grown() }); ok {
				one.Grown()
			}
		}
	}
	a.round = old.round
	return nil
}

// Agents returns the agents, also where an algorithm holds them.
func (a *Algorithm) Agents() *Algorithm { return a }

// Amend hands every agent that takes part in the round its own counts. Pulls of an agent that does not
// are of no use to anyone.
func (a *Algorithm) Amend(counts []int) error {
	if a.plans == nil {
		return errors.New(rounds.LearnedEarly)
	}
	before := slices.Clone(a.plans)
	return a.each(func(v int, part engine.Detailed) (err error) {
		if a.plans[v].Counts == nil {
			return nil
		}
		lo, hi := a.model.Problem.ArmsOf(v)
		own := slices.Clone(counts[lo:hi])
		if amender, able := part.(engine.Amender); !able {
			err = engine.ErrFixedPlans
		} else {
			err = amender.Amend(own)
		}
		if err != nil {
			a.restore(before[:v])
			return err
		}
		a.plans[v].Counts = own
		return nil
	})
}

// restore gives the first agents back the plans that they had.
func (a *Algorithm) restore(plans []engine.Plan) {
	for v, plan := range plans {
		if plan.Counts != nil && a.Parts[v].(engine.Amender).Amend(slices.Clone(plan.Counts)) == nil {
			a.plans[v] = plan
		}
	}
}

// AddData gives every agent the rewards of its own arms.
func (a *Algorithm) AddData(b engine.Batch) error {
	if err := rounds.CheckInform(a.model.Problem, b); err != nil {
		return err
	}
	return a.each(func(v int, part engine.Detailed) error {
		own := b.Part(a.model.Problem.ArmsOf(v))
		if own.Empty() || part.Done() {
			return nil
		}
		return part.(engine.DataAdder).AddData(own)
	})
}

// UsesAddedData reports whether the agents' algorithm uses such rewards.
func (a *Algorithm) UsesAddedData() bool {
	return !slices.ContainsFunc(a.Parts, func(part engine.Detailed) bool { return !engine.UsesAddedData(part) })
}

// ArmEstimates joins what the agents say; NaN for the arms of one who says nothing.
func (a *Algorithm) ArmEstimates() engine.ArmEstimates {
	n := a.model.Problem.N()
	nothing := func() []float64 { return slices.Repeat([]float64{math.NaN()}, n) }
	out := engine.ArmEstimates{Mean: nothing(), Half: nothing()}
	for v, part := range a.Parts {
		x, ok := part.(engine.ArmEstimator)
		if !ok {
			continue
		}
		own := x.ArmEstimates()
		lo, _ := a.model.Problem.ArmsOf(v)
		copy(out.Mean[lo:], own.Mean)
		copy(out.Half[lo:], own.Half)
		out.Posterior = out.Posterior || own.Posterior
	}
	return out
}
