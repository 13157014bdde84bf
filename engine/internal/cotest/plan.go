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

// minimaxPlanner plans one minimax design for all contests together. Contests whose gaps are estimated from the arms' own
// means get separate pulls.
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
		// n pulls bring w‖y‖² to at most 1 for every need w if n is at least the value.
		if !(d.Value <= float64(q.most)) {
			try.To(engine.LimitError{Samples: d.Value})
		}
		st.Design.Value, st.Design.Lower = st.Design.Value+d.Value, st.Design.Lower+d.Lower
		// Only the sum over the parts is rounded up: one extra pull in every part would be many.
		n := int(math.Ceil(st.Design.Value)) - pulled
		if pulled += n; n == 0 {
			continue
		}
		q.pull(st, space, contrasts, part.Arms, d.Weights, n)
	}
	return q.complete(st)
}

// needTolerance is the relative duality gap of designs. It costs at most a two-hundredth of the samples.
const needTolerance = 5e-3

// NewIndUniformFC returns the test of CoTestFC on sample means. Every arm of an undecided task gets the same number of
// pulls. It is the baseline without shared data and without designs.
func NewIndUniformFC(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	independent, err := m.Independent()
	if err != nil {
		return nil, err
	}
	opt.Misfit = 0 // as in newApart
	return newCoTest(independent, opt, uniformPlanner{})
}

// uniformPlanner gives the same number of pulls to all arms of an open contest.
type uniformPlanner struct{ proportional }

// proportional is the part of planners that predict pulls in the proportions of the pulls so far.
type proportional struct{}

func (proportional) pulls(_ terms, needs []design.Pair, sofar pulled) float64 {
	return sofar.more(needs)
}

// next returns a stage in which every arm of a contest gets the pulls that the contest's largest need requires.
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

// newApart returns CoTestFC with bets on the difference of two arms' own means. All its formulas are in closed form, so
// the number of arms is not limited, and it is valid under any kernel. Options.Misfit is ignored because it bounds only
// the errors of the kernel's estimates.
func newApart(m *model.Model, opt model.Terms) (_ *coTest, err error) {
	defer try.Caught(&err)
	independent := try.Of(m.Independent())
	opt.Misfit = 0
	a := try.Of(newCoTest(independent, opt, apartPlanner{}))
	a.estimator = &ownMeans{features{coTest: a}}
	if !m.Relations().Unrelated() {
		a.said = []engine.Warning{{Kind: engine.WarnTestsMeans, Names: byNorm(opt), Numbers: []float64{float64(m.Problem.N())}}}
	}
	return a, nil
}

// apartPlanner plans the fewest pulls with which the own means of leader and arms reach the needed information, contest by
// contest.
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

// pulls predicts the number of pulls that the needs require. Needs of one leader must follow each other.
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

// between holds the fewest pulls with which every gap between the leader's mean and an arm's mean has variance 1/need. An
// arm x needs n_x = v_x/(1/need_x - v_b/n_b) pulls, where v are variances of one reward. The leader's n_b minimises the
// total cost, which is convex in n_b.
type between struct {
	leader float64
	rivals []float64 // of the pairs, in order
	total  float64
}

// fewestBetween returns these pulls for the needs of one contest; all are 0 without needs.
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

// addDirect adds to st the fewest pulls with which own means meet the needs of a contest. If they exceed t.most, it adds
// only their total to Design.Value, and the planner returns an error.
func (t terms) addDirect(pairs []design.Pair, st *rounds.Stage) {
	d := fewestBetween(t, pairs)
	st.Design.Value, st.Design.Lower = st.Design.Value+d.total, st.Design.Lower+d.total
	if len(pairs) == 0 || !(d.total <= float64(t.most)) {
		return // int may not hold numbers above t.most
	}
	st.Rounding.Counts[pairs[0].I] += int(math.Ceil(d.leader))
	for k, q := range pairs {
		st.Rounding.Counts[q.J] += int(math.Ceil(d.rivals[k]))
	}
}
