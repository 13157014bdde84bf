package individual

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
)

var (
	_ engine.Amender  = (*Algorithm)(nil)
	_ engine.Informer = (*Algorithm)(nil)
)

// Amend hands every agent that takes part in the round its own counts. Pulls of an agent that does not
// are of no use to anyone.
func (a *Algorithm) Amend(counts []int) (err error) {
	if a.plans == nil {
		return errors.New(rounds.LearnedEarly)
	}
	before := slices.Clone(a.plans)
	for v, part := range a.Parts {
		if a.plans[v].Counts == nil {
			continue
		}
		lo, hi := a.model.Problem.ArmsOf(v)
		own := slices.Clone(counts[lo:hi])
		amender, able := part.(engine.Amender)
		if !able {
			err = engine.ErrFixedPlans
		} else {
			err = amender.Amend(own)
		}
		if err != nil {
			a.restore(before[:v])
			return fmt.Errorf("task %q: %w", a.model.Problem.Tasks.Names[v], err)
		}
		a.plans[v].Counts = own
	}
	return nil
}

// restore gives the first agents back the plans that they had.
func (a *Algorithm) restore(plans []engine.Plan) {
	for v, plan := range plans {
		if plan.Counts != nil && a.Parts[v].(engine.Amender).Amend(slices.Clone(plan.Counts)) == nil {
			a.plans[v] = plan
		}
	}
}

// Inform tells every agent the rewards of its own arms.
func (a *Algorithm) Inform(b engine.Batch) error {
	if err := rounds.CheckInform(a.model.Problem, b); err != nil {
		return err
	}
	for v, part := range a.Parts {
		lo, hi := a.model.Problem.ArmsOf(v)
		own := b.Part(lo, hi)
		if own.Empty() || part.Done() {
			continue
		}
		if err := part.(engine.Informer).Inform(own); err != nil {
			return fmt.Errorf("task %q: %w", a.model.Problem.Tasks.Names[v], err)
		}
	}
	return nil
}

// Guided reports whether the agents' algorithm takes such rewards.
func (a *Algorithm) Guided() bool {
	return !slices.ContainsFunc(a.Parts, func(part engine.Algorithm) bool { return !engine.Guided(part) })
}
