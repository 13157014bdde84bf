package cotest

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/bounded"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Constants that determine the sizes of rounds. The guarantee does not depend on them.
var (
	normAbove     = 0.9  // intended distance of a walk above its boundary after the next look; it also covers the bias
	normLeast     = 0.07 // smallest new information relative to the posterior's information, as stretchLeast
	normRise      = 1.35
	spreadGrowth  = 0.8  // largest new information relative to the information of the posterior
	certainGrowth = 20.0 // largest new information relative to the information under the prior variance S²
	finestRest    = 0.25 // largest variance that the features may omit, as a fraction of the variance that a walk may have
	mostPivots    = 200
	roundSlack    = 1.15 // largest ratio of a variance after rounding to the wanted variance
	roundMost     = 1.5  // if rounding exceeds roundMost times the design's pulls, plus one pull per arm, solve again with localDesign.each
	normSolving   = 0.1  // relative duality gap of designs
	// the fraction of earlier information that a design counts. A walk has already bet on earlier rewards, and uses them
	// again only to correct bias (docs/adr/0035)
	earlierRounds = 0.15
)

// Constants of round 1.
const (
	firstRest  = 1e-2 // variance of an arm that the pivots may leave unexplained, as a fraction of the kernel's variance
	firstMost  = 256  // largest number of pivots
	firstPulls = 2    // pulls of each pivot
)

// explorePivots plans round 1: two pulls of each pivot. The pivots determine the rewards of all arms up to a hundredth
// of the kernel's variance.
func (a *normed) explorePivots() *rounds.Stage {
	var arms []int
	for _, c := range a.contests {
		if !c.closed {
			arms = append(arms, c.arms...)
		}
	}
	slices.Sort(arms)
	section := try.Of(bounded.NewSection(a.ctx(), a.Model.Problem, arms))
	weight, favour := make([]float64, len(arms)), make([]float64, len(arms))
	for k, i := range arms {
		weight[k], favour[k] = 1/a.Model.Diagonal, a.favour(i)
	}
	l := try.Of(section.Localise(a.ctx(), weight, favour, firstRest, firstMost))
	st := newStage(a.Model)
	for _, k := range l.Pivots {
		st.Rounding.Counts[arms[k]] = firstPulls
	}
	if len(l.Pivots) == 0 { // all but zero on these arms
		st.Rounding.Counts[arms[0]] = firstPulls
	}
	a.scales.Replicate(st.Rounding.Counts)
	return st
}

// favour returns the preference for arm i as a pivot among arms that are equally informative: more for arms with
// precise rewards.
func (a *normed) favour(i int) float64 { return math.Sqrt(a.scales.Model.Precision[i]) }

// target is an open arm with its leader, and the information about their gap that is wanted after the round.
type target struct {
	arm, leader int     // of the section
	info        float64 // 1/variance of the gap
	need        float64 // what of it the round should add
}

// targets returns one target for each open walk.
func (a *normed) targets() []target {
	var out []target
	least := min(stretchTop, normLeast*math.Pow(normRise, float64(max(a.round-2, 0))))
	for _, c := range a.contests {
		if c.closed || c.exhausted(a.clock, a.opt.Epsilon) {
			continue
		}
		first := c.arms[c.leader]
		for k, i := range c.arms {
			if !c.open(k, a.clock, a.opt.Epsilon) {
				continue
			}
			need := c.walks[k].NeedUnbiased(a.clock, first, a.optimistic(&c.claim, k), a.opt.Epsilon, normAbove)
			need = min(max(need, least/c.spread[k]), c.most(k))
			out = append(out, target{a.section.Find(i), a.section.Find(first), 1/c.spread[k] + need, need})
		}
	}
	return out
}

// next returns the stage of a round after round 1.
func (a *normed) next() *rounds.Stage {
	targets := a.targets()
	if len(targets) == 0 { // every open contest is exhausted
		try.To(engine.LimitError{Samples: math.Inf(1)})
	}
	l := a.localise(targets)
	pulls := engine.PullsOf(a.Counts)
	counts, worst, d := l.pulls(float64(pulls))
	st := newStage(a.Model)
	st.Design.Value, st.Design.Lower = d.Value, d.Lower
	for k, i := range l.sampled {
		st.Rounding.Counts[a.section.Arms[i]] = counts[k]
	}
	st.Rounding.Ratio = worst
	a.scales.Replicate(st.Rounding.Counts)
	return st
}

// pulls returns whole numbers of pulls of the sampled arms with which the targets are nearly reached. worst is the
// largest lack. before is the number of pulls so far. A design in which similar targets represent each other may omit a
// direction that one of them needs. Such a target then needs very many pulls, or cannot be reached. In this case pulls
// solves again with each target by itself. If that fails, too, it aims at the lacks that the design before rounding
// reaches.
func (l *localDesign) pulls(before float64) (counts []int, worst float64, d design.Design) {
	for _, l.each = range []bool{false, true} {
		fractions, found := l.solve(before)
		n := floats.Sum(fractions)
		if !(n <= l.most) {
			try.To(engine.LimitError{Samples: n})
		}
		whole, missed := l.round(fractions, roundSlack)
		if whole == nil && counts == nil && l.each {
			whole, missed = l.round(fractions, roundSlack*missed)
		}
		if whole != nil && (counts == nil || lists.Total(whole) < lists.Total(counts)) {
			counts, worst, d = whole, missed, found
		}
		if counts != nil && float64(lists.Total(counts)) <= roundMost*n+float64(len(l.sampled)) {
			break
		}
	}
	if counts == nil {
		try.To(engine.LimitError{Samples: math.Inf(1)})
	}
	return counts, worst, d
}

// localise returns the design problem of the targets, with features that are as accurate as the targets need.
func (a *normed) localise(targets []target) *localDesign {
	s := a.section
	weight, favour := make([]float64, len(s.Arms)), make([]float64, len(s.Arms))
	for k, i := range s.Arms {
		favour[k] = a.favour(i)
	}
	for _, t := range targets {
		weight[t.arm] = max(weight[t.arm], 2*a.norm*a.norm*t.info)
		weight[t.leader] = max(weight[t.leader], weight[t.arm])
	}
	l := try.Of(s.Localise(a.ctx(), weight, favour, finestRest, mostPivots))
	if len(l.Pivots) == 0 { // fine enough without any, but some arm has to be pulled
		l = try.Of(s.Localise(a.ctx(), weight, favour, 0, 1))
	}
	if len(l.Pivots) == 0 {
		try.To(engine.LimitError{Samples: math.Inf(1)})
	}
	out := &localDesign{ctx: a.ctx(), most: float64(a.opt.MaxSamples), targets: targets}
	m := len(l.Pivots)
	known := mat.NewSymDense(m, nil)
	for j := range m {
		known.SetSym(j, j, 1/(a.norm*a.norm))
	}
	for k, i := range s.Arms {
		if n := earlierRounds * float64(a.since[i]); n > 0 {
			known.SymRankOne(known, 1/(1/(n*a.scales.Model.Precision[i])+a.norm*a.norm*l.Rest[k]),
				mat.NewVecDense(m, l.Features.RawRowView(k)))
		}
	}
	out.white = try.Of(bounded.Whiten(a.ctx(), l.Features, known))
	out.sample(l.Pivots, func(k int) float64 { return a.scales.Model.Precision[s.Arms[k]] })
	for k, t := range out.targets {
		had := distance(out.white.RawRowView(t.arm), out.white.RawRowView(t.leader))
		out.targets[k].info = min(t.info, 1/had+t.need)
	}
	return out
}

// sample sets sampled to the pivots and the leaders. It omits leaders that an arm which is measured as precisely represents
// for all of their targets: with many tasks that share a function, most leaders.
func (l *localDesign) sample(pivots []int, precision func(k int) float64) {
	l.sampled = slices.Clone(pivots)
	gap := map[int]float64{} // smallest squared gap of a leader
	var leaders []int
	for _, t := range l.targets {
		own := distance(l.white.RawRowView(t.arm), l.white.RawRowView(t.leader))
		if least, known := gap[t.leader]; !known {
			leaders, gap[t.leader] = append(leaders, t.leader), own
		} else {
			gap[t.leader] = min(least, own)
		}
	}
	zero := make([]float64, l.white.RawMatrix().Cols)
	for _, leader := range leaders {
		row, enough := l.white.RawRowView(leader), alike*gap[leader]
		if !slices.ContainsFunc(l.sampled, func(k int) bool {
			return k == leader || precision(k) >= precision(leader) && apart(row, l.white.RawRowView(k), zero, zero, enough) < enough
		}) {
			l.sampled = append(l.sampled, leader)
		}
	}
	l.precision = lists.Map(l.sampled, precision)
}
