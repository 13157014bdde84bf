package cotest

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
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
	return c.needs(a.clock, a.epsilon, func(_, i int) float64 { return gap[i] }, a.variance), direct
}

// needTolerance is the relative gap of designs: a thousandth of the samples.
const needTolerance = 1e-3
