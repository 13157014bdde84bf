package cotest

import (
	"errors"
	"math"

	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A planner chooses the pulls of a coTest. It sees the needs of the contests and the information of
// a pull, but neither walks nor rewards.
type planner interface {
	// next returns the stage of the next round: the pulls, and the estimator computed from them. Both are fixed before
	// the round's rewards.
	next(q ask) *rounds.Stage
	// pulls predicts the number of pulls that give every contrast the information in its weight.
	pulls(t terms, needs []design.Pair, sofar pulled) float64
}

// ask holds the wishes of all contests for the next round; a planner reads them.
type ask struct {
	terms
	wants    []want
	oriented bool // the data separate the open arms from their leaders, so that needs are known
	begun    bool // rewards were already measured
}

// want holds the wishes of one contest for a round.
type want struct {
	closed     bool
	arms       []int // arms of the contest
	candidates []int // arms that may still be best; nil if the contest is closed
	// contrasts of the open arms with the leader; a weight is the information that the contrast should gain
	needs  []design.Pair
	direct bool // the arms should be measured by their own means, without the kernel
}

// terms hold the inputs of a planner: the information and the cost of a pull, and the limit on
// pulls.
type terms struct {
	model   *model.Model   // model with the stated or guessed noise scales
	scales  *rounds.Scales // noise scales, with the model for the next round
	pricing *pricing
	misfit  bool // rewards may deviate from the kernel; only the arms' own means show such a deviation
	most    int  // largest number of pulls of a run
}

// ask returns the wishes of all contests for the next round.
func (a *coTest) ask() ask {
	q := ask{terms: a.terms(), oriented: a.oriented(), begun: a.estimates != nil}
	for _, c := range a.contests {
		w := want{closed: c.closed, arms: c.arms}
		if !c.closed {
			w.candidates = c.candidates()
		}
		if q.oriented {
			w.needs, w.direct = a.needs(c)
		}
		q.wants = append(q.wants, w)
	}
	return q
}

// terms returns the inputs of a planner.
func (a *coTest) terms() terms {
	return terms{model: a.Model, scales: &a.scales, pricing: &a.pricing, misfit: a.misfit.stated(), most: a.opt.MaxSamples}
}

// groups returns, for each open contest, the arms that may still be best.
func (q ask) groups() [][]int {
	var out [][]int
	for _, w := range q.wants {
		if !w.closed {
			out = append(out, w.candidates)
		}
	}
	return out
}

// pricing makes designs that take the costs of pulls into account. With costs c_i a pull of arm i
// brings the information 1/(c_i σ_i²) for each unit of cost, so a design in which arms have these
// precisions shares out cost, and its value is the least cost. The pulls are its shares over c_i.
type pricing struct {
	relative []float64    // N costs divided by their mean; nil if all costs are equal
	of       *model.Model // the model whose precisions were computed last
	model    *model.Model // the same model with precisions per unit of cost
}

// priced returns the model whose designs share out cost.
func (t terms) priced(m *model.Model) (*model.Model, error) {
	p := t.pricing
	switch {
	case p.relative == nil:
		return m, nil
	case p.of == m:
		return p.model, nil
	}
	precision := lists.Make(len(m.Precision), func(i int) float64 { return m.Precision[i] / p.relative[i] })
	priced, err := m.Reweighted(precision)
	if err == nil {
		p.of, p.model = m, priced
	}
	return priced, err
}

// inPulls returns a design that shares out cost as one that shares out pulls: its value is then the
// value of its pulls. The weights are of these arms.
func (t terms) inPulls(arms []int, d design.Design) design.Design {
	if t.pricing.relative == nil {
		return d
	}
	sum, weights := 0.0, make([]float64, len(d.Weights))
	for k, i := range arms {
		weights[k] = d.Weights[k] / t.pricing.relative[i]
		sum += weights[k]
	}
	for k := range weights {
		weights[k] /= sum
	}
	d.Weights, d.Value, d.Lower = weights, d.Value*sum, d.Lower*sum
	return d
}

// layout reports which arms are the same to a design; arms of different costs are not.
func (t terms) layout() *canon.Layout {
	if t.pricing.relative == nil {
		return t.scales.Model.Layout
	}
	return t.pricing.model.Layout
}

func newStage(m *model.Model) *rounds.Stage {
	return &rounds.Stage{Rounding: design.Rounding{Counts: make([]int, m.Problem.N())}}
}

// pull adds n pulls to the stage, or as many more as it takes to measure every
// contrast. Weights belong to arms without copies: rounding those first keeps small rounds small.
func (t terms) pull(st *rounds.Stage, s design.Space, c design.Contrasts, arms []int, weights []float64, n int) {
	for {
		r, err := design.Round(t.model.Context(), s, c, weights, n, pullEpsilon)
		if few := (*design.RatioError)(nil); errors.As(err, &few) {
			n += max(1, n/8)
			continue
		}
		try.To(err)
		st.Rounding.Ratio = max(st.Rounding.Ratio, r.Ratio)
		t.addCopies(arms, r.Counts, st.Rounding.Counts)
		return
	}
}

// pullEpsilon is ε of ROUND here: apportionment is taken up to a ratio of 1+ε. Between 0.25 and 3
// it changes the samples by less than 0.3 %, and at 0.25 regret minimisation takes two thirds of
// the time of a run with 180 arms.
const pullEpsilon = 0.5

// addCopies adds the pulls of each arm to the pulls of the arms that equal it, so that the
// agents' loads differ as little as they can.
func (t terms) addCopies(arms, counts, to []int) {
	taskOf := t.model.Problem.TaskOf
	load := make([]int, t.model.Problem.V())
	for i, c := range to {
		load[taskOf[i]] += c
	}
	for k, i := range arms {
		copies := t.layout().Same[i]
		each, rest := counts[k]/len(copies), counts[k]%len(copies)
		for _, j := range copies {
			to[j] += each
			load[taskOf[j]] += each
		}
		for range rest {
			least := copies[0]
			for _, j := range copies[1:] {
				if load[taskOf[j]] < load[taskOf[least]] {
					least = j
				}
			}
			to[least]++
			load[taskOf[least]]++
		}
	}
}

// needs returns the contrasts of a contest's open arms with its leader, each weighted by the
// information it should gain in the coming round, and whether the arms had better be measured by
// their own means. A contest whose clock has run out for some open arm needs nothing: it cannot be
// decided.
func (a *coTest) needs(c *contest) (pairs []design.Pair, direct bool) {
	if c.closed || c.exhausted(a.clock, a.opt.Epsilon) {
		return nil, false
	}
	first := c.arms[c.leader]
	var arms []int
	var gaps []float64
	for k, i := range c.arms {
		if c.open(k, a.clock, a.opt.Epsilon) {
			arms, gaps = append(arms, i), append(gaps, a.optimisticGap(a.estimates, first, i, a.variance(first, i)))
		}
	}
	direct = a.prefersDirect(first, arms, gaps)
	gap := make(map[int]float64, len(arms))
	for n, i := range arms {
		gap[i] = gaps[n]
	}
	return c.needs(a.clock, a.opt.Epsilon, above(a), a.share(), func(_, i int) float64 { return gap[i] }, a.variance), direct
}

// above returns how far above the boundary a round should bring a walk. It is larger if one more round, of about one
// pull for every arm that may be best, costs a large part of the samples.
func above(a *coTest) float64 {
	arms := 0
	for _, c := range a.contests {
		if !c.closed {
			arms += len(c.candidates())
		}
	}
	return min(overshootTop, overshoot+overshootArm*float64(arms)/float64(engine.PullsOf(a.Counts)))
}

// prefersDirect reports whether the arms had better be measured by their own means: where the bias
// to allow for takes more of some gap than sharing saves. Otherwise it takes the bias off the gaps.
func (a *coTest) prefersDirect(leader int, arms []int, gaps []float64) bool {
	if !a.misfit.any() {
		return false
	}
	reduced := make([]float64, len(gaps))
	shared := math.Sqrt(float64(a.Model.Rank()) / float64(a.Model.Problem.N()))
	for k, i := range arms {
		variance := a.pooled.Variance(leader, i)
		reduced[k] = a.optimisticGap(a.misfit.fitted, leader, i, variance) - a.misfit.bias(a.pooled.Weights(leader, i), leader, i)
		if a.Model.Relations().Same(leader, i) || reduced[k] < gaps[k]*shared {
			return true
		}
	}
	copy(gaps, reduced)
	return false
}

// explore plans round 1 by the minimax design over all pairs of the open contests. The design is cached.
func (q ask) explore() *rounds.Stage {
	m, groups := q.model, q.groups()
	n, kind := roundOne*m.Rank(), canon.KindExplore
	if q.begun { // for arms that were added later or got no pulls
		n = roundOne * min(m.Rank(), len(slices.Concat(groups...)))
	}
	if q.misfit {
		kind = canon.KindExploreMisfit
	}
	priced := try.Of(q.priced(m))
	return try.Of(model.Remembered(priced, canon.Key{Kind: kind, Pulls: n, Sets: groups}, try.Returning(func() *rounds.Stage {
		d := try.Of(priced.Designs().Design(0, groups))
		d = q.inPulls(indices.All(m.Problem.N()), d)
		st, r := newStage(m), priced.Layout.Reduce(groups)
		st.Design = d
		// the kernel, which may be wrong, makes all arms equal: only their own means distinguish them
		if len(r.Arms) == 0 {
			return q.equalStage(st, groups)
		}
		weights := lists.Map(r.Arms, func(i int) float64 { return d.Weights[i] * float64(priced.Layout.Copies[i]) })
		k := canon.Key{Kind: canon.KindExploreRounding, From: kind, Pulls: n, Sets: groups}
		st.Rounding = try.Of(model.Remembered(priced, k, try.Returning(func() design.Rounding {
			q.pull(st, r.Space(m.Space(0)), design.Contrasts{Groups: r.Groups}, r.Arms, weights, n)
			return st.Rounding
		})))
		st.Rounding.Counts = slices.Clone(st.Rounding.Counts)
		if q.misfit {
			// pull every arm once: a misfit shows only with more arms than the kernel's rank
			for _, i := range slices.Concat(groups...) {
				st.Rounding.Counts[i] = max(st.Rounding.Counts[i], 1)
			}
		}
		q.probe(st, slices.Concat(groups...))
		q.scales.Replicate(st.Rounding.Counts)
		st.Estimate = try.Of(model.NewEstimator(m, 0, st.Rounding.Counts))
		return st
	})))
}

// probe adds pulls of one further arm where the round would measure no more arms than their
// features have dimensions: then no data would speak against a kernel that is wrong. It is the arm
// whose reward the others predict best.
func (t terms) probe(st *rounds.Stage, open []int) {
	m, counts := t.model, st.Rounding.Counts
	measured := lists.Sum(counts, func(c int) int { return min(c, 1) })
	if measured > m.Rank() || m.Cut() {
		return
	}
	e := try.Of(model.NewEstimator(m, 0, counts))
	best, least := -1, math.Inf(1)
	for _, i := range open {
		if variance := model.SquaredNorm(e.White.RawRowView(i)); counts[i] == 0 && e.Spans(i) && variance < least {
			best, least = i, variance
		}
	}
	if best >= 0 {
		counts[best] = roundOne
	}
}

// equalStage makes round 1 pull these arms equally, and compares them by their own means.
func (t terms) equalStage(st *rounds.Stage, groups [][]int) *rounds.Stage {
	widest, n := 0.0, 0
	for _, i := range slices.Concat(groups...) {
		st.Rounding.Counts[i] = roundOne
		widest, n = max(widest, 2/t.scales.Model.Precision[i]/roundOne), n+roundOne
	}
	st.Design.Value, st.Design.Lower = float64(n)*widest, float64(n)*widest
	return t.complete(st)
}

// complete returns a stage with the replicates that noise scales need, and with the stage's estimator.
func (t terms) complete(st *rounds.Stage) *rounds.Stage {
	t.scales.Replicate(st.Rounding.Counts)
	st.Estimate = try.Of(model.NewEstimator(t.scales.Model, 0, st.Rounding.Counts))
	return st
}
