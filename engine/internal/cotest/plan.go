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
)

// A planner chooses the pulls of a coTest.
type planner interface {
	// Next returns the stage of the coming round: its pulls and the estimator they give, all
	// known before its data.
	Next(a *coTest) (*rounds.Stage, error)
	// pulls predicts how many pulls give every contrast the information it is weighted by.
	pulls(a *coTest, needs []design.Pair) float64
}

// minimaxPlanner shares the pulls of a round between all contests by minimax designs. The arms of a
// contest that are better measured by their own means get their own pulls.
type minimaxPlanner struct{}

// Next returns the stage of the coming round.
func (minimaxPlanner) Next(a *coTest) (*rounds.Stage, error) {
	if !a.oriented() {
		return a.explore()
	}
	m := a.scales.Model
	priced, err := a.priced(m)
	if err != nil {
		return nil, err
	}
	st := newStage(m)
	var pairs []design.Pair
	for _, c := range a.contests {
		needs, direct := a.needs(c)
		if direct {
			a.addDirect(needs, st)
			continue
		}
		pairs = append(pairs, needs...)
	}
	if len(pairs) == 0 && !(st.Design.Value > 0) { // every open contest is exhausted
		return nil, engine.LimitError{Samples: math.Inf(1)}
	}
	if !(st.Design.Value <= float64(a.opt.MaxSamples)) { // and then addDirect has added none
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
		d = a.inPulls(part.Arms, d)
		// n pulls bring every need w to w‖y‖² ≤ 1 when the value is at most n.
		if !(d.Value <= float64(a.opt.MaxSamples)) {
			return nil, engine.LimitError{Samples: d.Value}
		}
		st.Design.Value, st.Design.Lower = st.Design.Value+d.Value, st.Design.Lower+d.Lower
		// Only their sum is rounded up: a pull too many in each part would add up.
		n := int(math.Ceil(st.Design.Value)) - pulled
		if pulled += n; n == 0 {
			continue
		}
		if err := a.pull(st, space, contrasts, part.Arms, d.Weights, n); err != nil {
			return nil, err
		}
	}
	a.scales.Replicate(st.Rounding.Counts)
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

// explore plans round 1: the minimax design over all pairs of the open contests, remembered.
func (a *coTest) explore() (*rounds.Stage, error) {
	m := a.Model
	var groups [][]int
	for _, c := range a.contests {
		if !c.closed {
			groups = append(groups, c.left())
		}
	}
	n, kind := roundOne*m.Rank(), canon.KindExplore
	if a.estimates != nil { // for arms that came later, or got no pulls
		n = roundOne * min(m.Rank(), len(slices.Concat(groups...)))
	}
	if a.misfit.data != nil {
		kind = canon.KindExploreMisfit
	}
	priced, err := a.priced(m)
	if err != nil {
		return nil, err
	}
	return model.Remembered(priced, canon.Key{Kind: kind, Pulls: n, Sets: groups}, func() (*rounds.Stage, error) {
		d, err := priced.Design(0, groups)
		if err != nil {
			return nil, err
		}
		d = a.inPulls(all(m.Problem.N()), d)
		st, r := newStage(m), priced.Layout.Reduce(groups)
		st.Design = d
		// all the same to the kernel, which may be wrong: only their own means tell them apart
		if len(r.Arms) == 0 {
			return st, a.equalStage(st, groups)
		}
		weights := make([]float64, len(r.Arms))
		for k, i := range r.Arms {
			weights[k] = d.Weights[i] * float64(priced.Layout.Copies[i])
		}
		pulls, err := model.Remembered(priced, canon.Key{Kind: canon.KindExploreRounding, From: kind, Pulls: n, Sets: groups}, func() (design.Rounding, error) {
			err := a.pull(st, r.Space(m.Space(0)), design.Contrasts{Groups: r.Groups}, r.Arms, weights, n)
			return st.Rounding, err
		})
		if err != nil {
			return nil, err
		}
		st.Rounding = pulls
		st.Rounding.Counts = slices.Clone(pulls.Counts)
		if a.misfit.data != nil {
			// what the kernel misses shows in arms beyond its rank
			for _, i := range slices.Concat(groups...) {
				st.Rounding.Counts[i] = max(st.Rounding.Counts[i], 1)
			}
		}
		if err := a.probe(st, slices.Concat(groups...)); err != nil {
			return nil, err
		}
		a.scales.Replicate(st.Rounding.Counts)
		st.Estimate, err = model.NewEstimator(m, 0, st.Rounding.Counts)
		return st, err
	})
}

// probe adds pulls of one further arm where the round would measure no more arms than their
// features have dimensions: then no data would speak against a kernel that is wrong. It is the arm
// whose reward the others predict best.
func (a *coTest) probe(st *rounds.Stage, open []int) error {
	m, counts := a.Model, st.Rounding.Counts
	measured := 0
	for _, c := range counts {
		measured += min(c, 1)
	}
	if measured > m.Rank() || m.Cut() {
		return nil
	}
	e, err := model.NewEstimator(m, 0, counts)
	if err != nil {
		return err
	}
	best, least := -1, math.Inf(1)
	for _, i := range open {
		if variance := model.SquaredNorm(e.White.RawRowView(i)); counts[i] == 0 && e.Spans(i) && variance < least {
			best, least = i, variance
		}
	}
	if best >= 0 {
		counts[best] = roundOne
	}
	return nil
}

// equalStage makes round 1 of these arms one by their own means.
func (a *coTest) equalStage(st *rounds.Stage, groups [][]int) (err error) {
	m := a.scales.Model
	widest, n := 0.0, 0
	for _, i := range slices.Concat(groups...) {
		st.Rounding.Counts[i] = roundOne
		widest, n = max(widest, 2/m.Precision[i]/roundOne), n+roundOne
	}
	st.Design.Value, st.Design.Lower = float64(n)*widest, float64(n)*widest
	a.scales.Replicate(st.Rounding.Counts)
	st.Estimate, err = model.NewEstimator(m, 0, st.Rounding.Counts)
	return err
}

// all returns the numbers of n arms.
func all(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func newStage(m *model.Model) *rounds.Stage {
	return &rounds.Stage{Rounding: design.Rounding{Counts: make([]int, m.Problem.N())}}
}

// pull adds n pulls to the stage, or as many more as it takes to measure every
// contrast. Weights belong to arms without copies: rounding those first keeps small rounds small.
func (a *coTest) pull(st *rounds.Stage, s design.Space, c design.Contrasts, arms []int, weights []float64, n int) error {
	for {
		r, err := design.Round(a.Model.Context(), s, c, weights, n, pullEpsilon)
		if few := (*design.RatioError)(nil); errors.As(err, &few) {
			n += max(1, n/8)
			continue
		}
		if err != nil {
			return err
		}
		st.Rounding.Ratio = max(st.Rounding.Ratio, r.Ratio)
		a.addCopies(arms, r.Counts, st.Rounding.Counts)
		return nil
	}
}

// pullEpsilon is ε of ROUND here: apportionment is taken up to a ratio of 1+ε. Between 0.25 and 3
// it changes the samples by less than 0.3 %, and at 0.25 regret minimisation takes two thirds of
// the time of a run with 180 arms.
const pullEpsilon = 0.5

// addCopies adds the pulls of each arm to those of the arms that equal it, so that the
// agents' loads differ as little as they can.
func (a *coTest) addCopies(arms, counts, to []int) {
	taskOf := a.Model.Problem.TaskOf
	load := make([]int, a.Model.Problem.V())
	for i, c := range to {
		load[taskOf[i]] += c
	}
	for k, i := range arms {
		copies := a.layout().Same[i]
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
