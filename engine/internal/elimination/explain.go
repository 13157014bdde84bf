package elimination

import (
	"errors"
	"fmt"
	"maps"
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Hardest returns the rival in task v whose gap was the smallest fraction of its threshold in the last round.
func (e *elimination) Hardest(v int) engine.Rival {
	first := rounds.Leader(e.Sets[v], e.latest)
	if e.estimates == nil {
		return e.NoData(v, first)
	}
	e = e.atLastData()
	rival, fraction := first, math.Inf(1)
	for _, i := range e.Sets[v] {
		part := (e.estimates[first] - e.estimates[i] + e.opt.Epsilon) / e.width(first, i) // fraction of its threshold
		if i != first && part < fraction {
			rival, fraction = i, part
		}
	}
	return e.Shown(rival, engine.Rival{
		Open: len(e.Sets[v]), Gap: e.estimates[first] - e.estimates[rival],
		Error: math.Sqrt(e.stage.Estimate.Variance(first, rival)), Statistic: fraction, Threshold: 1,
	})
}

// Samples returns the predicted number of pulls until the last of these tasks is decided. It is NaN before any data, and
// -1 if some task is never decided.
func (e *elimination) Samples(tasks []int) float64 {
	if e.estimates == nil {
		return math.NaN()
	}
	e = e.atLastData()
	remaining := lists.Keyed(tasks, func(_ int, v int) (int, int) { return v, e.halvings(v, rounds.Leader(e.Sets[v], e.estimates)) })
	return e.forecast(remaining)
}

// atLastData returns the state after the last data, without a round that may have been planned since.
func (e *elimination) atLastData() *elimination {
	state := *e
	state.planned = e.last
	return &state
}

// halvings returns the number of further rounds, each halving the threshold, until the threshold reaches the estimated
// gaps of task v. It is 0 if the threshold never does. first is the leader.
func (e *elimination) halvings(v, first int) int {
	count := 1
	for _, i := range e.Sets[v] {
		if i == first {
			continue
		}
		width, sd := e.width(first, i), math.Sqrt(e.stage.Estimate.Variance(first, i))
		gap := rounds.MedianGap(e.estimates[first]-e.estimates[i], sd) + e.opt.Epsilon
		if !(gap > 0) || math.IsInf(width, 1) {
			return 0
		}
		count = max(count, int(math.Ceil(math.Log2(width/gap))))
	}
	return count
}

// forecast returns the predicted pulls if task v takes part in rounds[v] further rounds and keeps all its arms until then.
// The value 0 means that a task never stops; the result is then -1. It empties the map rounds.
func (e *elimination) forecast(rounds map[int]int) float64 {
	sum := 0.0
	for k := 1; len(rounds) > 0; k++ {
		alive := make([][]int, len(e.Sets))
		for v, set := range e.Sets {
			if n, open := rounds[v]; !open {
				alive[v] = set[:1] // no contrast
			} else if n == 0 {
				return -1
			} else {
				alive[v] = set
			}
		}
		sum += RoundSamples(e.opt.Schedule, e.step+k, e.designValue(alive), e.logTerm)
		maps.DeleteFunc(rounds, func(_, n int) bool { return n <= k })
	}
	return sum
}

// designValue returns the value of the design of candidate sets. If it cannot be computed, for example after an interrupt,
// it returns the value of the last round. The same holds for very many arms.
func (e *elimination) designValue(alive [][]int) float64 {
	if e.resolution != nil { // later rounds will have another ξ
		return designValue(e.stage.Design)
	}
	d, err := try.Returning(func() design.Design { return e.own.design(e.Model, e.ridge, alive) })()
	if err != nil {
		return e.stage.Design.Value
	}
	return d.Value
}

// estimator returns the least-squares estimator of a round with these counts.
func (allocation) estimator(m *model.Model, ridge float64, counts []int) *model.Estimator {
	return try.Of(model.NewEstimator(m, ridge, counts))
}

// estimator returns the estimator of the sample means of arms by name.
func (equal) estimator(m *model.Model, _ float64, counts []int) *model.Estimator {
	return try.Of(model.NewEstimator(byName(m), 0, counts))
}

// amended returns the planned stage with other counts and the estimator for them, which is nil if all counts are 0. It
// fails if no stage is planned.
func amended(own allocator, m *model.Model, ridge float64, planned *rounds.Stage, counts []int) *rounds.Stage {
	if planned == nil {
		try.To(errors.New(rounds.LearnedEarly))
	}
	st := *planned
	st.Rounding.Counts, st.Estimate = counts, nil
	if engine.PullsOf(counts) == 0 {
		return &st
	}
	st.Estimate = own.estimator(m, ridge, counts)
	return &st
}

// Amend replaces the counts of the planned round, and with them the widths of all gaps. The tuned schedule is valid for
// any counts. An arm without pulls has an infinite width and stays. The literal schedule eliminates at 2^-r, which is
// valid only for the planned counts, so it returns an error.
func (e *elimination) Amend(counts []int) (err error) {
	defer try.Caught(&err)
	if e.opt.Schedule == engine.SchedulePaper {
		return fmt.Errorf("schedule %q eliminates at gaps of 2^-r, which is valid only for the planned pulls. Schedule %q accepts other "+
			"pulls: %w",
			engine.SchedulePaper, engine.ScheduleTuned, engine.ErrFixedPlans)
	}
	e.stage = amended(e.own, e.Model, e.ridge, e.stage, counts)
	return nil
}

// Amend replaces the counts of the planned round. Decisions then use the new counts (rounds.Evidence). Theorem 2 assumes
// planned counts, so it no longer covers the run.
func (a *CoKernelFB) Amend(counts []int) (err error) {
	defer try.Caught(&err)
	a.stage = amended(a.own, a.Model, a.ridge, a.stage, counts)
	if n := len(a.amended); n == 0 || a.amended[n-1] != a.round {
		a.amended = append(a.amended, a.round)
	}
	return nil
}
