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

// A planner chooses the pulls of the next round. It reads only an ask, not the state of the tests or the rewards.
type planner interface {
	// next returns the stage of the next round: the pulls, and the estimator computed from them. Both are fixed before
	// the round's rewards.
	next(q ask) *rounds.Stage
	// pulls predicts the number of pulls that give every contrast the information in its weight.
	pulls(t terms, needs []design.Pair, sofar pulled) float64
}

// ask holds what all contests need from the next round. It is the input of a planner.
type ask struct {
	terms
	wants    []want
	oriented bool // the data give an estimate of the gap between every open arm and its leader; needs are nil otherwise
	begun    bool // rewards were already measured
}

// want holds what one contest needs from the next round.
type want struct {
	closed     bool
	arms       []int // arms of the contest
	candidates []int // arms that may still be best; nil if the contest is closed
	// pairs of the leader and an open arm; Weight is the information about their gap that the contest needs
	needs  []design.Pair
	direct bool // estimate these gaps from the two arms' own means, without the kernel
}

// terms hold the model, the noise scales, the costs and the limit that a planner uses.
type terms struct {
	model   *model.Model   // model with the stated or guessed noise scales
	scales  *rounds.Scales // noise scales, with the model for the next round
	pricing *pricing
	misfit  bool // rewards may deviate from the kernel; only the arms' own means show such a deviation
	most    int  // Options.MaxSamples: largest number of pulls of a run
}

// ask returns the needs of all contests for the next round.
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

// terms returns the current inputs of a planner.
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

// pricing converts design problems with costs per pull into problems without costs. A pull of arm i costs c_i and has
// precision 1/σ_i². Its precision per unit of cost is therefore 1/(c_i σ_i²). A design with these precisions minimises the
// total cost. Its weights are shares of the cost; division by c_i gives the shares of pulls.
type pricing struct {
	relative []float64    // N costs divided by their mean; nil if all costs are equal
	of       *model.Model // model of the last call of priced
	model    *model.Model // the model that this call returned, with precisions per unit of cost
}

// priced returns m with precisions per unit of cost, or m itself if all costs are equal. The last result is cached.
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

// inPulls converts a design over cost into a design over pulls. Weights become shares of pulls, and Value and Lower become
// numbers of pulls. arms[k] is the arm of d.Weights[k].
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

// layout returns the classes of arms that a design treats as equal. Arms with different costs are never in one class.
func (t terms) layout() *canon.Layout {
	if t.pricing.relative == nil {
		return t.scales.Model.Layout
	}
	return t.pricing.model.Layout
}

func newStage(m *model.Model) *rounds.Stage {
	return &rounds.Stage{Rounding: design.Rounding{Counts: make([]int, m.Problem.N())}}
}

// pull adds about n pulls to the stage: see rounded. It spreads the pulls of each arm over its copies.
func (t terms) pull(st *rounds.Stage, s design.Space, c design.Contrasts, arms []int, weights []float64, n int) {
	t.add(st, arms, t.rounded(s, c, weights, n))
}

// rounded returns about n pulls in the proportions of weights. If n pulls cannot measure every contrast, it increases n
// until they can.
func (t terms) rounded(s design.Space, c design.Contrasts, weights []float64, n int) design.Rounding {
	for {
		r, err := design.Round(t.model.Context(), s, c, weights, n, pullEpsilon)
		if few := (*design.RatioError)(nil); errors.As(err, &few) {
			n += max(1, n/8)
			continue
		}
		try.To(err)
		return r
	}
}

// add adds a rounding to the stage; arms[k] is the arm of its count k.
func (t terms) add(st *rounds.Stage, arms []int, r design.Rounding) {
	st.Rounding.Ratio = max(st.Rounding.Ratio, r.Ratio)
	t.addCopies(arms, r.Counts, st.Rounding.Counts)
}

// pullEpsilon is the ε of the rounding procedure ROUND: design.Round accepts a ratio up to 1+ε. Values between 0.25 and 3
// change the number of samples by less than 0.3 %. With 0.25, regret minimisation takes two thirds of the time of a run
// with 180 arms.
const pullEpsilon = 0.5

// addCopies adds counts[k] pulls of arms[k] to the counts in to. It divides them among all arms with equal features and
// gives remainders to the agents with the fewest pulls.
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

// needs returns the pairs of the contest's leader with its open arms, weighted by the information that each needs in the
// next round. direct reports whether these gaps should be estimated from the arms' own means. Both are empty if the
// contest is closed or the clock of an open arm has no looks left.
func (a *coTest) needs(c *contest) (pairs []design.Pair, direct bool) {
	if c.closed || c.exhausted(a.clock, a.opt.Epsilon) {
		return nil, false
	}
	leader := c.arms[c.leader]
	var arms []int
	var gaps []float64
	for k, i := range c.arms {
		if c.open(k, a.clock, a.opt.Epsilon) {
			arms, gaps = append(arms, i), append(gaps, a.optimisticGap(a.estimates, leader, i, a.variance(leader, i)))
		}
	}
	direct = a.prefersDirect(leader, arms, gaps)
	gap := make(map[int]float64, len(arms))
	for n, i := range arms {
		gap[i] = gaps[n]
	}
	return c.needs(a.clock, a.opt.Epsilon, above(a), a.share(), func(_, i int) float64 { return gap[i] }, a.variance), direct
}

// above returns the target distance of a walk above its boundary after the next round. The distance grows if one more
// round would be expensive. Such a round has about one pull per candidate, compared with all samples so far.
func above(a *coTest) float64 {
	arms := 0
	for _, c := range a.contests {
		if !c.closed {
			arms += len(c.candidates())
		}
	}
	return min(overshootTop, overshoot+overshootArm*float64(arms)/float64(engine.PullsOf(a.Counts)))
}

// prefersDirect reports whether gaps should be estimated from the arms' own means. gaps[k] is the optimistic gap to
// arms[k]. The answer is yes if the bound on the kernel's bias costs more of some gap than sharing data saves. If the
// answer is no, it subtracts the bias bounds from gaps.
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

// explore plans round 1 with the design that minimises the largest variance over all pairs of candidates. The stage is
// cached.
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
		// the kernel treats all arms as equal and may be wrong: only the arms' own means distinguish them
		if len(r.Arms) == 0 {
			return q.equalStage(st, groups)
		}
		weights := lists.Map(r.Arms, func(i int) float64 { return d.Weights[i] * float64(priced.Layout.Copies[i]) })
		round := func() design.Rounding {
			return q.rounded(r.Space(m.Space(0)), design.Contrasts{Groups: r.Groups}, weights, n)
		}
		if m == priced { // the canonical form then determines the rounding, also for other tasks
			k := canon.Key{Kind: canon.KindExploreRounding, Of: r.Identity, Pulls: n}
			q.add(st, r.Arms, try.Of(canon.Remember(m.Context(), m.Memory, k, try.Returning(round))))
		} else {
			q.add(st, r.Arms, round())
		}
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

// probe adds roundOne pulls of one more arm if the round measures no more arms than there are feature dimensions. Without
// this arm, no data could contradict a wrong kernel. It chooses the unmeasured arm whose reward the other arms predict
// with the least variance.
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

// equalStage returns st with roundOne pulls of every arm in groups. Design.Value is the number of pulls times the largest
// variance of a gap between two means.
func (t terms) equalStage(st *rounds.Stage, groups [][]int) *rounds.Stage {
	widest, n := 0.0, 0
	for _, i := range slices.Concat(groups...) {
		st.Rounding.Counts[i] = roundOne
		widest, n = max(widest, 2/t.scales.Model.Precision[i]/roundOne), n+roundOne
	}
	st.Design.Value, st.Design.Lower = float64(n)*widest, float64(n)*widest
	return t.complete(st)
}

// complete adds the replicates that unknown noise scales need, sets the stage's estimator and returns the stage.
func (t terms) complete(st *rounds.Stage) *rounds.Stage {
	t.scales.Replicate(st.Rounding.Counts)
	st.Estimate = try.Of(model.NewEstimator(t.scales.Model, 0, st.Rounding.Counts))
	return st
}
