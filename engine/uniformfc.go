package engine

import "math"

// NewIndTestFC is CoTestFC by each agent alone on its own task at δ/V: best-arm
// identification task by task.
func NewIndTestFC(m *Model, opt Options) (Algorithm, error) {
	opt, err := opt.withDefaults(ModeFC)
	if err != nil {
		return nil, err
	}
	opt.Delta /= float64(m.Problem.V())
	return newIndividual(m, opt, NewCoTestFC)
}

// NewIndUniformFC is the test of CoTestFC on sample means, with equally many pulls of
// every arm of a task until the task is decided: what neither sharing nor allocation takes.
func NewIndUniformFC(m *Model, opt Options) (Algorithm, error) {
	apart, err := m.independent()
	if err != nil {
		return nil, err
	}
	a, err := newCoTest(apart, opt)
	if err == nil {
		a.uniform = true
	}
	return a, err
}

// uniformly is the stage of the coming round with equal pulls within every open contest: those
// that its neediest arm asks for.
func (a *coTest) uniformly() (*stage, error) {
	m := a.law.model
	st := newStage(m)
	var widest float64 // variance of a gap
	for _, c := range a.contests {
		each := 0
		if a.round == 0 && !c.closed {
			each = roundOne
		}
		if a.round > 0 {
			needs, _ := c.needs(a)
			for _, q := range needs {
				n := q.Weight * (1/m.Precision[q.I] + 1/m.Precision[q.J])
				if !(n <= float64(a.opt.MaxSamples)) {
					return nil, errLimit{samples: n}
				}
				each = max(each, int(math.Ceil(n)))
			}
		}
		for _, i := range c.arms {
			st.rounding.Counts[i] = each
			if each > 0 {
				widest = max(widest, 2/m.Precision[i]/float64(each))
			}
		}
	}
	n := float64(Plan{Counts: st.rounding.Counts}.Pulls())
	if n == 0 { // every open contest is exhausted
		return nil, errLimit{samples: math.Inf(1)}
	}
	st.design.Value, st.design.Lower = n*widest, n*widest
	a.law.replicate(st.rounding.Counts)
	var err error
	st.estimate, err = NewEstimator(m, 0, st.rounding.Counts)
	return st, err
}
