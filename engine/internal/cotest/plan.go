package cotest

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// minimaxPlanner shares the pulls of a round between all contests by minimax designs. The arms of a
// contest that are better measured by their own means get their own pulls.
type minimaxPlanner struct{}

// next returns the stage of the coming round.
func (minimaxPlanner) next(q ask) *rounds.Stage {
	if !q.oriented {
		return q.explore()
	}
	m := q.scales.Model
	priced := try.Of(q.priced(m))
	st := newStage(m)
	var pairs []design.Pair
	for _, w := range q.wants {
		if w.direct {
			q.addDirect(w.needs, st)
			continue
		}
		pairs = append(pairs, w.needs...)
	}
	if len(pairs) == 0 && !(st.Design.Value > 0) { // the clocks of all open contests are exhausted
		try.To(engine.LimitError{Samples: math.Inf(1)})
	}
	if !(st.Design.Value <= float64(q.most)) { // in this case addDirect has added no pulls
		try.To(engine.LimitError{Samples: st.Design.Value})
	}
	pulled := int(math.Ceil(st.Design.Value))
	for _, part := range priced.Layout.Parts(pairs) {
		space, contrasts := part.Space(m.Space(0)), design.Contrasts{Pairs: part.Pairs}
		d := try.Of(design.Minimax(part.Space(priced.Space(0)), contrasts, m.Solver(needTolerance)))
		d = q.inPulls(part.Arms, d)
		// n pulls bring every need w to w‖y‖² ≤ 1 when the value is at most n.
		if !(d.Value <= float64(q.most)) {
			try.To(engine.LimitError{Samples: d.Value})
		}
		st.Design.Value, st.Design.Lower = st.Design.Value+d.Value, st.Design.Lower+d.Lower
		// Only their sum is rounded up: a pull too many in each part would add up.
		n := int(math.Ceil(st.Design.Value)) - pulled
		if pulled += n; n == 0 {
			continue
		}
		q.pull(st, space, contrasts, part.Arms, d.Weights, n)
	}
	return q.complete(st)
}

// needTolerance is the relative gap of designs: a thousandth of the samples.
const needTolerance = 1e-3

// NewIndUniformFC returns the test of CoTestFC on sample means, with equally many pulls of every
// arm of a task until the task is decided: the baseline without sharing and without designed
// allocation.
func NewIndUniformFC(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	independent, err := m.Independent()
	if err != nil {
		return nil, err
	}
	opt.Misfit = 0 // as in newApart
	return newCoTest(independent, opt, uniformPlanner{})
}

// uniformPlanner pulls the arms of an open contest equally often.
type uniformPlanner struct{ proportional }

// proportional predicts pulls in the proportions of the pulls so far.
type proportional struct{}

func (proportional) pulls(_ terms, needs []design.Pair, sofar pulled) float64 {
	return sofar.more(needs)
}

// next returns the stage with as many pulls of every arm as the neediest of its contest asks for.
func (uniformPlanner) next(q ask) *rounds.Stage {
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
				try.To(engine.LimitError{Samples: n})
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
	if n == 0 { // the clocks of all open contests are exhausted
		try.To(engine.LimitError{Samples: math.Inf(1)})
	}
	st.Design.Value, st.Design.Lower = n*widest, n*widest
	return q.complete(st)
}

// newApart returns CoTestFC on arms for which a test uses nothing but their own rewards: every bet is on two arms'
// own means. All numbers of it are at hand in closed form, so that there is no limit to the arms, and it is valid
// under any kernel. Misfit is of estimates by the kernel, and there are none.
func newApart(m *model.Model, opt model.Terms) (*coTest, error) {
	independent, err := m.Independent()
	if err != nil {
		return nil, err
	}
	opt.Misfit = 0
	a, err := newCoTest(independent, opt, apartPlanner{})
	if err != nil {
		return nil, err
	}
	a.estimator = &ownMeans{features{coTest: a}}
	if !m.Relations().Unrelated() {
		a.said = []engine.Warning{{Kind: engine.WarnTestsMeans, Numbers: []float64{float64(m.Problem.N())}}}
	}
	return a, nil
}

// apartPlanner gives every contest the least pulls by which the means of its arms and of its leader bring what is needed.
type apartPlanner struct{}

// next returns the stage of the coming round.
func (apartPlanner) next(q ask) *rounds.Stage {
	st := newStage(q.scales.Model)
	if !q.oriented {
		return q.equalStage(st, q.groups())
	}
	for _, w := range q.wants {
		q.addDirect(w.needs, st)
	}
	switch n := st.Design.Value; {
	case n == 0: // the clocks of all open contests are exhausted
		try.To(engine.LimitError{Samples: math.Inf(1)})
	case !(n <= float64(q.most)):
		try.To(engine.LimitError{Samples: n})
	}
	return q.complete(st)
}

// pulls predicts the pulls that the needs require, leader by leader.
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

// between is the least pulls that bring the variance of every gap to a leader, between two means, to 1/need: n_x =
// v_x/(1/need_x - v_b/n_b) for the leader's n_b that makes the sum of their costs least, which is convex in it.
type between struct {
	leader float64
	rivals []float64 // of the pairs, in order
	total  float64
}

// fewestBetween returns them for the needs of one contest; without needs there are none.
func fewestBetween(t terms, pairs []design.Pair) (d between) {
	if len(pairs) == 0 {
		return d
	}
	precision, leader := t.scales.Model.Precision, pairs[0].I
	cost := func(i int) float64 {
		if t.pricing.relative == nil {
			return 1
		}
		return t.pricing.relative[i]
	}
	rival := func(q design.Pair, n float64) float64 {
		return 1 / precision[q.J] / (1/q.Weight - 1/precision[leader]/n)
	}
	spent := func(n float64) float64 {
		sum := n * cost(leader)
		for _, q := range pairs {
			sum += rival(q, n) * cost(q.J)
		}
		return sum
	}
	least := lists.Max(pairs, func(q design.Pair) float64 { return q.Weight / precision[leader] })
	const golden = 0.381966
	lo, hi := math.Log(least), math.Log(least*float64(2+len(pairs)))
	for range 40 {
		if x, y := lo+golden*(hi-lo), hi-golden*(hi-lo); spent(math.Exp(x)) < spent(math.Exp(y)) {
			hi = y
		} else {
			lo = x
		}
	}
	d.leader = math.Exp(hi)
	d.total = d.leader
	for _, q := range pairs {
		d.rivals = append(d.rivals, rival(q, d.leader))
		d.total += d.rivals[len(d.rivals)-1]
	}
	return d
}

// addDirect adds the pulls that the needs of a contest take between means.
func (t terms) addDirect(pairs []design.Pair, st *rounds.Stage) {
	d := fewestBetween(t, pairs)
	st.Design.Value, st.Design.Lower = st.Design.Value+d.total, st.Design.Lower+d.total
	if len(pairs) == 0 || !(d.total <= float64(t.most)) {
		return // more than whole numbers hold, and than the run may take: the planner states so
	}
	st.Rounding.Counts[pairs[0].I] += int(math.Ceil(d.leader))
	for k, q := range pairs {
		st.Rounding.Counts[q.J] += int(math.Ceil(d.rivals[k]))
	}
}
