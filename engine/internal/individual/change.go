package individual

import (
	"errors"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
)

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
