package cotest

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/internal/bounded"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// shrinkage lists the prior variances that a bet chooses from, in units of S². Value 1 minimises bias² + variance. Larger
// values reduce the bias and increase the variance; the last is close to least squares.
var shrinkage = [...]float64{1, 4, 16, 256, 65536}

// choice is the estimate that a bet uses.
type choice struct {
	kind  int     // index in shrinkage, or the constant direct
	scale float64 // factor a: the expectation of the estimate is about a times the gap
	norm  float64 // norm of the error functional G of the walk's sum, including this estimate
	off   float64 // ‖C‖₁ of the walk's sum, see off; 0 if rewards cannot deviate from the kernel
}

// direct is the kind of a bet on the difference of the two arms' own means, which has no bias. It is not an index of
// shrinkage.
const direct = -1

// fixed holds a round whose pulls are fixed. section and system are nil if there are no bets on the round.
type fixed struct {
	section *bounded.Section
	system  *bounded.System
	choices []choice                  // one element per element of bets
	first   map[*sequential.Walk]bool // walks whose first step is in this round, which also fixes their clocks
}

// together is the number of walks whose bets are computed in one matrix product.
const together = 512

// normBets holds the bets on the next round and the error functionals of earlier bets.
type normBets struct {
	guess
	fixed fixed // the next round
	sums  sums
}

// fix fixes the bets on a round. Round 1 has no bets.
func (a *normBets) fix(st *rounds.Stage) {
	counts := st.Rounding.Counts
	a.stage, a.bets, a.fixed = st, a.bets[:0], fixed{first: map[*sequential.Walk]bool{}}
	if a.estimates == nil || !slices.ContainsFunc(counts, func(n int) bool { return n > 0 }) {
		return
	}
	f := &a.fixed
	if f.section = a.section; !a.covers(counts) {
		f.section = try.Of(bounded.NewSection(a.ctx(), a.Model.Problem, a.involved(counts, a.sums.involved())))
	}
	var support []int
	var noise []float64
	for i, n := range counts {
		if n > 0 {
			support = append(support, f.section.Find(i))
			noise = append(noise, 1/(float64(n)*a.scales.Model.Precision[i]))
		}
	}
	rows := try.Of(f.section.Rows(a.ctx(), support))
	f.system = try.Of(bounded.NewSystem(a.ctx(), support, rows, noise))
	view := a.view(rows)
	for _, c := range a.contests {
		if c.closed {
			continue
		}
		for _, l := range c.claims() {
			if l.vacant() {
				continue
			}
			var open []int // positions in the claim
			for k, w := range l.walks {
				if k != l.leader && !w.Out {
					open = append(open, k)
				}
			}
			for part := range slices.Chunk(open, together) {
				a.betOn(l, part, view)
			}
		}
	}
}

// covers reports whether the posterior's section contains all arms with pulls.
func (a *normBets) covers(counts []int) bool {
	for i, n := range counts {
		if n > 0 && !a.section.Has(i) {
			return false
		}
	}
	return true
}

// view holds kernel values k and positions of two sets of arms: the support s of the round and the arms u of earlier
// rounds (sums.arms).
type view struct {
	rows      [][]float64 // one row per arm of the support: k(s, x) for all x of the section
	past      [][]float64 // one row per arm of sums: k(u, x) for all x of the section
	pastAt    []int       // positions of the arms of sums in the section
	onSupport *mat.Dense  // k(u, s); nil without sums

	arms      []int // arms of sums and of the support, ascending; only if rewards may deviate from the kernel
	ofPast    []int // positions of the arms of sums in arms
	ofSupport []int // positions of the arms of the support in arms
}

func (a *normBets) view(rows [][]float64) *view {
	v := &view{rows: rows}
	if a.misfit > 0 {
		support := indices.Of(a.fixed.section.Arms, a.fixed.system.Support)
		v.arms = slices.Compact(slices.Sorted(slices.Values(slices.Concat(a.sums.arms, support))))
		place := func(arm int) int { return sort.SearchInts(v.arms, arm) }
		v.ofPast, v.ofSupport = lists.Map(a.sums.arms, place), lists.Map(support, place)
	}
	if len(a.sums.arms) == 0 {
		return v
	}
	v.pastAt = lists.Map(a.sums.arms, a.fixed.section.Find)
	v.onSupport = mat.NewDense(len(v.pastAt), len(rows), nil)
	for u, k := range v.pastAt {
		for j := range rows {
			v.onSupport.Set(u, j, rows[j][k])
		}
	}
	v.past = try.Of(a.fixed.section.Rows(a.ctx(), v.pastAt))
	return v
}

// gaps returns (k_b - k_x)(s): one row per element of positions, one column per arm s of the support. b is the leader and
// x the arm at the position.
func (v *view) gaps(a *normBets, c *claim, leader int, positions []int) *mat.Dense {
	s := a.fixed.section
	first := s.Find(leader)
	out := mat.NewDense(len(positions), len(v.rows), nil)
	for t, k := range positions {
		x, row := s.Find(c.arms[k]), out.RawRowView(t)
		for j, values := range v.rows {
			row[j] = values[first] - values[x]
		}
	}
	return out
}

// errors returns G(s) in the same layout. The walks at these positions must have sums.
func (v *view) errors(a *normBets, c *claim, positions []int) *mat.Dense {
	coefficients := mat.NewDense(len(positions), len(v.pastAt), nil)
	for t, k := range positions {
		copy(coefficients.RawRowView(t), a.sums.walks[c.walks[k]].Coefficients)
	}
	out := mat.NewDense(len(positions), len(v.rows), nil)
	out.Mul(coefficients, v.onSupport)
	for t, k := range positions {
		sum, row := a.sums.walks[c.walks[k]], out.RawRowView(t)
		add := func(arm int, scale float64) {
			x := a.fixed.section.Find(arm)
			for j, values := range v.rows {
				row[j] += scale * values[x]
			}
		}
		for _, l := range sum.Leaders {
			add(l.Arm, -l.Scale)
		}
		add(c.arms[k], sum.Own)
	}
	return out
}

// betOn adds bets on the walks of a claim at the positions in open.
func (a *normBets) betOn(c *claim, open []int, v *view) {
	s := a.fixed.section
	first, arms := s.Find(c.arms[c.leader]), lists.Map(open, func(k int) int { return s.Find(c.arms[k]) })
	towards := map[int][]float64{} // by leader b: k(b, x) for each x of arms, then for the present leader
	near := func(leader int) []float64 {
		if towards[leader] == nil {
			towards[leader] = s.Near(s.Find(leader), append(arms, first))
		}
		return towards[leader]
	}
	leader := near(c.arms[c.leader])
	gaps := a.fixed.system.Coordinates(v.gaps(a, c, c.arms[c.leader], open))
	before := map[int]*bounded.Before{} // by position, for walks that have sums
	if history := lists.Where(open, func(k int) bool { return a.sums.walks[c.walks[k]] != nil }); len(history) > 0 {
		errors := a.fixed.system.Coordinates(v.errors(a, c, history))
		for t, k := range history {
			before[k] = &bounded.Before{Values: errors.RawRowView(t), Square: a.sums.walks[c.walks[k]].Square}
		}
	}
	for t, k := range open {
		x := arms[t]
		if b := before[k]; b != nil {
			sum := a.sums.walks[c.walks[k]]
			b.Cross = sum.Own * (leader[t] - s.Diagonal[x])
			for u, w := range sum.Coefficients {
				b.Cross += w * (v.past[u][first] - v.past[u][x])
			}
			for _, l := range sum.Leaders {
				b.Cross -= l.Scale * (near(l.Arm)[len(arms)] - near(l.Arm)[t])
			}
		}
		a.bet(c, k, v, bounded.Contrast{
			Values: gaps.RawRowView(t), Square: max(s.Diagonal[first]+s.Diagonal[x]-2*leader[t], 0), Before: before[k],
		})
	}
	try.To(a.ctx().Err())
}

// bet adds a bet on the walk at position k. It chooses the estimate and the look that bring the walk nearest to its
// boundary if the gap equals its optimistic estimate. It adds no bet if no estimate brings the walk nearer.
func (a *normBets) bet(c *claim, k int, v *view, of bounded.Contrast) {
	w, leader, arm := c.walks[k], c.arms[c.leader], c.arms[k]
	gap := a.optimistic(c, k)
	a.sooner(w, leader, arm, gap, of)
	clock := a.clock.Of(w)
	now, raw, best := clock.Time(w.Look), w.Sum+w.Allowed, 0.0
	if w.Look >= 0 {
		best = w.Sum / clock.Height(w.Look)
	}
	look, chosen := w.Look, choice{}
	for kind := direct; kind < len(shrinkage); kind++ {
		alone, possible := a.alone(kind, leader, arm, of)
		if !possible {
			continue
		}
		off := a.off(v, kind, w, leader, arm, of)
		f, back := alone, 0
		if of.Before != nil {
			f, _ = a.family(kind, leader, arm, of)
			back = looksBack
		}
		to := clock.Next(w.Look, a.worth(alone, gap), a.round)
		for next := max(to-back, w.Look+1); next <= to; next++ {
			scale, ok := f.Scale(clock.Time(next) - now)
			if !ok {
				continue
			}
			how := choice{kind: kind, scale: scale, norm: f.Norm(scale), off: off(scale)}
			if z := (raw + scale*gap - a.allowed(how)) / clock.Height(next); z > best {
				best, look, chosen = z, next, how
			}
		}
	}
	if look == w.Look {
		return
	}
	b := sequential.Bet{Walk: w, Opponent: leader, Arm: arm, Variance: (clock.Time(look) - now) / (chosen.scale * chosen.scale), Look: look}
	if a.scales.Groups == nil {
		b.Allowed = a.allowed(chosen)
	} else {
		b.Bias = a.allowed(chosen) / chosen.scale
	}
	b.Direct = chosen.kind == direct
	if w.Look < 0 {
		a.fixed.first[w] = true
	}
	a.bets, a.fixed.choices = append(a.bets, b), append(a.fixed.choices, chosen)
}

// allowed returns the bound on the bias of a walk's sum: S‖G‖, plus η‖C‖₁ if rewards may deviate from the kernel.
func (a *normBets) allowed(how choice) float64 {
	return a.norm*how.norm + a.misfit*how.off
}

// alone returns the same estimates as family, but without a correction for the bias of earlier bets.
func (a *normBets) alone(kind, leader, arm int, of bounded.Contrast) (f bounded.Family, possible bool) {
	of.Before = nil
	return a.family(kind, leader, arm, of)
}

// family returns the estimates of a kind; possible is false if there are none. The kind direct exists only if rewards may
// deviate from the kernel and both arms have pulls. In other cases it would not improve on the ridge estimate with the
// largest prior variance.
func (a *normBets) family(kind, leader, arm int, of bounded.Contrast) (f bounded.Family, possible bool) {
	if kind != direct {
		return a.fixed.system.At(of, a.prior(kind)), true
	}
	b, known := a.supportOf(leader)
	x, too := a.supportOf(arm)
	if a.misfit == 0 || !known || !too {
		return f, false
	}
	return bounded.Means(a.fixed.system.Noise[b]+a.fixed.system.Noise[x], of), true
}

// prior returns the prior variance of an estimate of this kind.
func (a *normBets) prior(kind int) float64 { return shrinkage[kind] * a.norm * a.norm }

// supportOf returns the position of an arm in the round's support, and whether it is there.
func (a *normBets) supportOf(arm int) (int, bool) {
	return slices.BinarySearch(a.fixed.system.Support, a.fixed.section.Find(arm))
}

// off returns a function of the scale that gives ‖C‖₁ of the walk's sum after an estimate of this kind. C_i is the weight
// of arm i's reward in the sum minus its weight in the estimated gaps. The function returns 0 if rewards cannot deviate
// from the kernel.
func (a *normBets) off(v *view, kind int, w *sequential.Walk, leader, arm int, of bounded.Contrast) func(scale float64) float64 {
	if a.misfit == 0 {
		return func(float64) float64 { return 0 }
	}
	before, further := make([]float64, len(v.arms)), map[int]int{} // further: the places of arms that are not in v.arms
	place := func(arm int) int {
		k, has := slices.BinarySearch(v.arms, arm)
		if has {
			return k
		}
		if k, has = further[arm]; !has {
			k = len(before)
			further[arm], before = k, append(before, 0)
		}
		return k
	}
	first, last := place(leader), place(arm)
	if s := a.sums.walks[w]; s != nil {
		for u, c := range s.Coefficients {
			before[v.ofPast[u]] += c
		}
		for _, l := range s.Leaders {
			before[place(l.Arm)] -= l.Scale
		}
		before[last] += s.Own
	}
	if kind == direct {
		return func(float64) float64 { return floats.Norm(before, 1) }
	}
	f := &a.fixed
	n := len(f.system.Support)
	gap := f.system.Weights(mat.NewDense(1, n, slices.Clone(of.Values)), []float64{a.prior(kind)}).RawRowView(0)
	made := make([]float64, n)
	if of.Before != nil {
		made = f.system.Weights(mat.NewDense(1, n, slices.Clone(of.Before.Values)), []float64{a.prior(kind)}).RawRowView(0)
	}
	after := make([]float64, len(before))
	return func(scale float64) float64 {
		copy(after, before)
		for j, k := range v.ofSupport {
			after[k] += scale*gap[j] - made[j]
		}
		after[first] -= scale
		after[last] += scale
		return floats.Norm(after, 1)
	}
}

// worth returns the information of a round's estimates without earlier bets. An unbiased estimate with this information
// would be as accurate as these estimates with their bias and variance.
func (a *normBets) worth(f bounded.Family, gap float64) float64 {
	part := max(1-a.norm*f.Norm(1)/gap, 0)
	return part * part / f.Variance(1)
}

// sooner moves the beginning of the clock of a walk without steps to this round, if the round brings less information than
// planned.
func (a *normBets) sooner(w *sequential.Walk, leader, arm int, gap float64, of bounded.Contrast) {
	if w.Look >= 0 {
		return
	}
	w.Sooner(a.clock, math.MaxFloat64) // the planned beginning
	clock, info := a.clock.Of(w), 0.0
	for kind := direct; kind < len(shrinkage); kind++ {
		if f, possible := a.alone(kind, leader, arm, of); possible {
			info = max(info, a.worth(f, gap))
		}
		if info > 0 && clock.Next(w.Look, info, a.round) >= 0 {
			return
		}
	}
	if info > 0 {
		w.Sooner(a.clock, info)
	}
}

// looksBack is the number of earlier looks that a bet also considers if it can correct earlier bias.
var looksBack = 2
