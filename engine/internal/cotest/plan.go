package cotest

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/internal/individual"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// minimaxPlanner shares the pulls of a round between all contests by minimax designs. The arms of a
// contest that are better measured by their own means get their own pulls.
type minimaxPlanner struct{}

// Next returns the stage of the coming round.
func (minimaxPlanner) next(q ask) (*rounds.Stage, error) {
	if !q.oriented {
		return q.explore()
	}
	m := q.scales.Model
	priced, err := q.priced(m)
	if err != nil {
		return nil, err
	}
	st := newStage(m)
	var pairs []design.Pair
	for _, w := range q.wants {
		if w.direct {
			q.addDirect(w.needs, st)
			continue
		}
		pairs = append(pairs, w.needs...)
	}
	if len(pairs) == 0 && !(st.Design.Value > 0) { // every open contest is exhausted
		return nil, engine.LimitError{Samples: math.Inf(1)}
	}
	if !(st.Design.Value <= float64(q.most)) { // and then addDirect has added none
		return nil, engine.LimitError{Samples: st.Design.Value}
	}
	pulled := int(math.Ceil(st.Design.Value))
	for _, part := range priced.Layout.Parts(pairs) {
		reduced := canon.Reduced{Arms: part.Arms, Columns: part.Columns}
		space, contrasts := reduced.Space(m.Space(0)), design.Contrasts{Pairs: part.Pairs}
		d, err := design.Minimax(reduced.Space(priced.Space(0)), contrasts, m.Solver(needTolerance))
		if err != nil {
			return nil, err
		}
		d = q.inPulls(part.Arms, d)
		// n pulls bring every need w to w‖y‖² ≤ 1 when the value is at most n.
		if !(d.Value <= float64(q.most)) {
			return nil, engine.LimitError{Samples: d.Value}
		}
		st.Design.Value, st.Design.Lower = st.Design.Value+d.Value, st.Design.Lower+d.Lower
		// Only their sum is rounded up: a pull too many in each part would add up.
		n := int(math.Ceil(st.Design.Value)) - pulled
		if pulled += n; n == 0 {
			continue
		}
		if err := q.pull(st, space, contrasts, part.Arms, d.Weights, n); err != nil {
			return nil, err
		}
	}
	q.scales.Replicate(st.Rounding.Counts)
	st.Estimate, err = model.NewEstimator(m, 0, st.Rounding.Counts)
	return st, err
}

// needs returns the contrasts of a contest's open arms with its leader, each weighted by the
// information it should gain in the coming round, and whether the arms had better be measured by
// their own means. A contest whose clock has run out for some open arm needs nothing: it cannot be
// decided.
func (a *coTest) needs(c *contest) (pairs []design.Pair, direct bool) {
	if c.closed || c.exhausted(a.clock, a.epsilon) {
		return nil, false
	}
	first := c.arms[c.leader]
	var arms []int
	var gaps []float64
	for k, i := range c.arms {
		if c.open(k, a.clock, a.epsilon) {
			arms, gaps = append(arms, i), append(gaps, a.optimisticGap(a.estimates, first, i, a.variance(first, i)))
		}
	}
	direct = a.prefersDirect(first, arms, gaps)
	gap := make(map[int]float64, len(arms))
	for n, i := range arms {
		gap[i] = gaps[n]
	}
	return c.needs(a.clock, a.epsilon, above(a), func(_, i int) float64 { return gap[i] }, a.variance), direct
}

// above returns how far above z the next look is meant to find a walk: the farther, the larger a part of the samples
// one more round takes, which is about a pull of every arm that may be best.
func above(a *coTest) float64 {
	arms := 0
	for _, c := range a.contests {
		if !c.closed {
			arms += len(c.left())
		}
	}
	return min(overshootTop, overshoot+overshootArm*float64(arms)/float64(engine.PullsOf(a.Counts)))
}

// needTolerance is the relative gap of designs: a thousandth of the samples.
const needTolerance = 1e-3

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

// pulls predicts them in the proportions of the pulls so far.
func (uniformPlanner) pulls(_ terms, needs []design.Pair, sofar pulled) float64 {
	return sofar.more(needs)
}

// newApart returns CoTestFC on arms for which a test uses nothing but their own rewards: every bet is on two arms'
// own means. All numbers of it are at hand in closed form, so that there is no limit to the arms, and it is valid
// under any kernel. Misfit is of estimates by the kernel, and there are none.
func newApart(m *model.Model, opt engine.Options) (*coTest, error) {
	apart, err := m.Independent()
	if err != nil {
		return nil, err
	}
	opt.Misfit = 0
	a, err := newCoTest(apart, opt, apartPlanner{})
	if err == nil && !m.Relations().Unrelated() {
		a.said = []engine.Warning{{Kind: engine.WarnTestsMeans, Numbers: []float64{float64(m.Problem.N())}}}
	}
	return a, err
}

// apartPlanner gives every contest the least pulls by which the means of its arms and of its leader bring what is needed.
type apartPlanner struct{}

// next returns the stage of the coming round.
func (apartPlanner) next(q ask) (*rounds.Stage, error) {
	st := newStage(q.scales.Model)
	if !q.oriented {
		return st, q.equalStage(st, q.groups())
	}
	for _, w := range q.wants {
		q.addDirect(w.needs, st)
	}
	switch n := st.Design.Value; {
	case n == 0: // every open contest is exhausted
		return nil, engine.LimitError{Samples: math.Inf(1)}
	case !(n <= float64(q.most)):
		return nil, engine.LimitError{Samples: n}
	}
	q.scales.Replicate(st.Rounding.Counts)
	var err error
	st.Estimate, err = model.NewEstimator(q.scales.Model, 0, st.Rounding.Counts)
	return st, err
}

// pulls predicts what the needs take, leader by leader.
func (apartPlanner) pulls(t terms, needs []design.Pair, _ pulled) float64 {
	total := 0.0
	for len(needs) > 0 {
		n := 1
		for n < len(needs) && needs[n].I == needs[0].I {
			n++
		}
		total += fewestBetween(t, needs[:n]).total
		needs = needs[n:]
	}
	return math.Ceil(total)
}

// scoreApart returns the evidence of a round on a bet on two arms' own means; it reads no other arm.
func scoreApart(a *coTest, bet sequential.Bet, b engine.Batch) sequential.Score {
	i, j := bet.Leader, bet.Arm
	if a.limits != nil {
		return a.limits.StakeApart(bet, a.Model.Unit, a.centre, b)
	}
	return a.scales.ScoreApart(bet, (b.Means[i]-b.Means[j])/a.Model.Unit, b)
}
