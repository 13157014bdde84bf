package cotest

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/individual"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// NewIndTestFC returns CoTestFC by each agent alone on its own task at δ/V: best-arm identification
// task by task.
func NewIndTestFC(m *model.Model, opt engine.Options) (engine.Algorithm, error) {
	if m.Problem.Block != nil {
		return newSideBySide(m, opt)
	}
	return newIndTest(m, opt)
}

func newIndTest(m *model.Model, opt engine.Options) (*individual.Algorithm, error) {
	opt, err := opt.Checked(engine.ModeFC)
	if err != nil {
		return nil, err
	}
	opt.Delta /= float64(m.Problem.V())
	return individual.New(m, opt, NewCoTestFC)
}

// NewIndUniformFC returns the test of CoTestFC on sample means, with equally many pulls of every
// arm of a task until the task is decided: the baseline without sharing and without designed
// allocation.
func NewIndUniformFC(m *model.Model, opt engine.Options) (engine.Algorithm, error) {
	apart, err := m.Independent()
	if err != nil {
		return nil, err
	}
	return newCoTest(apart, opt, uniformPlanner{})
}

// uniformPlanner pulls the arms of an open contest equally often.
type uniformPlanner struct{}

// Next returns the stage with as many pulls of every arm as the neediest of its contest asks for.
func (uniformPlanner) next(q ask) (*rounds.Stage, error) {
	m := q.scales.Model
	st := newStage(m)
	var widest float64 // variance of a gap
	for _, w := range q.wants {
		each := 0
		if !q.oriented && !w.closed {
			each = roundOne
		}
		for _, need := range w.needs {
			n := need.Weight * (1/m.Precision[need.I] + 1/m.Precision[need.J])
			if !(n <= float64(q.most)) {
				return nil, engine.LimitError{Samples: n}
			}
			each = max(each, int(math.Ceil(n)))
		}
		for _, i := range w.arms {
			st.Rounding.Counts[i] = each
			if each > 0 {
				widest = max(widest, 2/m.Precision[i]/float64(each))
			}
		}
	}
	n := float64(engine.PullsOf(st.Rounding.Counts))
	if n == 0 { // every open contest is exhausted
		return nil, engine.LimitError{Samples: math.Inf(1)}
	}
	st.Design.Value, st.Design.Lower = n*widest, n*widest
	q.scales.Replicate(st.Rounding.Counts)
	var err error
	st.Estimate, err = model.NewEstimator(m, 0, st.Rounding.Counts)
	return st, err
}

// pulls predicts them in the proportions of those so far.
func (uniformPlanner) pulls(_ terms, needs []design.Pair, sofar pulled) float64 {
	return sofar.more(needs)
}
