package elimination

import (
	"errors"
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

var (
	_ engine.Amender = (*elimination)(nil)
	_ engine.Amender = (*CoKernelFB)(nil)
)

// estimator returns the estimator of a round of these pulls.
func (allocation) estimator(m *model.Model, ridge float64, counts []int) (*model.Estimator, error) {
	return model.NewEstimator(m, ridge, counts)
}

// estimator returns the sample means of the arms by name.
func (equal) estimator(m *model.Model, _ float64, counts []int) (*model.Estimator, error) {
	names, err := byName(m)
	if err != nil {
		return nil, err
	}
	return model.NewEstimator(names, 0, counts)
}

// amended returns a stage of other pulls; without an estimator where there are none.
func amended(own allocator, m *model.Model, ridge float64, planned *rounds.Stage, counts []int) (*rounds.Stage, error) {
	if planned == nil {
		return nil, errors.New(rounds.LearnedEarly)
	}
	st := *planned
	st.Rounding.Counts, st.Estimate = counts, nil
	if engine.PullsOf(counts) == 0 {
		return &st, nil
	}
	var err error
	st.Estimate, err = own.estimator(m, ridge, counts)
	return &st, err
}

// Amend fixes the round's estimator from the counts, and with it the width of every gap: the tuned
// schedule eliminates by these, for any counts. An arm that no pull measures has an infinite width and
// stays. The literal schedule eliminates at 2^-r, which holds for the pulls that it planned.
func (e *elimination) Amend(counts []int) error {
	if e.opt.Schedule == engine.SchedulePaper {
		return fmt.Errorf("schedule %q eliminates at gaps of 2^-r, which holds for the planned pulls only; schedule %q takes others: %w",
			engine.SchedulePaper, engine.ScheduleTuned, engine.ErrFixedPlans)
	}
	st, err := amended(e.own, e.Model, e.ridge, e.stage, counts)
	if err != nil {
		return err
	}
	e.stage = st
	return nil
}

// Amend goes on with the counts as they are: what the data support is judged by the counts
// (rounds.Evidence), and Theorem 2, which is about the planned ones, no longer covers the run.
func (a *CoKernelFB) Amend(counts []int) error {
	st, err := amended(a.own, a.Model, a.ridge, a.stage, counts)
	if err != nil {
		return err
	}
	a.stage = st
	if n := len(a.amended); n == 0 || a.amended[n-1] != a.round {
		a.amended = append(a.amended, a.round)
	}
	return nil
}
