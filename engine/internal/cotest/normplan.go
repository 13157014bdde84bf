package cotest

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/bounded"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
)

// The sizes of rounds. None of them touches the guarantee.
var (
	normAbove     = 0.9  // how far above z the next look is meant to find a walk, for its bias, too
	normLeast     = 0.07 // stretchLeast and stretchRise, which rise here in every round
	normRise      = 1.35
	spreadGrowth  = 0.8  // most new information beside what the posterior has of the gap
	certainGrowth = 20.0 // and beside what it would have under the prior variance S²
	finestRest    = 0.25 // of the variance that a walk may have, what features may leave unseen
	mostPivots    = 200
	roundSlack    = 1.15 // largest variance after rounding over the one wanted
	normSolving   = 0.1  // relative gap of designs
)

// Round 1.
const (
	firstRest  = 1e-2 // of the kernel's variance, what pivots may leave unseen of an arm
	firstMost  = 256  // pivots
	firstPulls = 2    // of each
)

// explorePivots plans round 1: two pulls of each arm that pivots need to show all others to a
// hundredth of the kernel's variance.
func (a *normed) explorePivots() (*rounds.Stage, error) {
	var arms []int
	for _, c := range a.contests {
		if !c.closed {
			arms = append(arms, c.arms...)
		}
	}
	slices.Sort(arms)
	section, err := bounded.NewSection(a.ctx(), a.Model.Problem, arms)
	if err != nil {
		return nil, err
	}
	weight, favour := make([]float64, len(arms)), make([]float64, len(arms))
	for k, i := range arms {
		weight[k], favour[k] = 1/a.Model.Diagonal, a.favour(i)
	}
	l, err := section.Localise(a.ctx(), weight, favour, firstRest, firstMost)
	if err != nil {
		return nil, err
	}
	st := newStage(a.Model)
	for _, k := range l.Pivots {
		st.Rounding.Counts[arms[k]] = firstPulls
	}
	if len(l.Pivots) == 0 { // all but zero on these arms
		st.Rounding.Counts[arms[0]] = firstPulls
	}
	a.scales.Replicate(st.Rounding.Counts)
	return st, nil
}

// favour returns how much an arm is preferred as a pivot among arms that say the same: arms with
// precise rewards are preferred.
func (a *normed) favour(i int) float64 { return math.Sqrt(a.scales.Model.Precision[i]) }

// target is an open walk and the information it should have after the round.
type target struct {
	arm, leader int     // of the section
	info        float64 // 1/variance of the gap
	need        float64 // what of it the round should add
}

// targets returns what the round should bring the open walks.
func (a *normed) targets() []target {
	var out []target
	g := &a.belief
	least := min(stretchTop, normLeast*math.Pow(normRise, float64(max(a.round-2, 0))))
	for _, c := range a.contests {
		if c.closed || c.exhausted(a.clock, a.epsilon) {
			continue
		}
		first := c.arms[c.leader]
		for k, i := range c.arms {
			if !c.open(k, a.clock, a.epsilon) {
				continue
			}
			need := c.walks[k].NeedUnbiased(a.clock, first, a.optimistic(first, i), a.epsilon, normAbove)
			need = min(max(need, least/g.spread[i]), spreadGrowth/g.spread[i], certainGrowth/g.certain[i])
			out = append(out, target{g.section.Find(i), g.section.Find(first), 1/g.spread[i] + need, need})
		}
	}
	return out
}

// next plans a later round.
func (a *normed) next() (*rounds.Stage, error) {
	targets := a.targets()
	if len(targets) == 0 { // every open contest is exhausted
		return nil, engine.LimitError{Samples: math.Inf(1)}
	}
	l, err := a.localise(targets)
	if err != nil {
		return nil, err
	}
	pulls := engine.PullsOf(a.Counts)
	counts, worst, d, err := l.pulls(a, float64(pulls))
	if err != nil {
		return nil, err
	}
	st := newStage(a.Model)
	st.Design.Value, st.Design.Lower = d.Value, d.Lower
	for k, i := range l.sampled {
		st.Rounding.Counts[a.belief.section.Arms[i]] = counts[k]
	}
	st.Rounding.Ratio = worst
	a.scales.Replicate(st.Rounding.Counts)
	return st, nil
}

// pulls returns whole pulls of the sampled arms that bring the targets nearly there, with what they miss the
// hardest by. A design that takes targets for those beside them can leave out what one of them needs: then
// each counts by itself, and if that is not enough either, the round aims at what the design brings.
func (l *localDesign) pulls(a *normed, before float64) (counts []int, worst float64, d design.Design, err error) {
	for _, l.each = range []bool{false, true} {
		var fractions []float64
		if fractions, d, err = l.solve(a, before); err != nil {
			return nil, 0, d, err
		}
		if n := floats.Sum(fractions); !(n <= float64(a.opt.MaxSamples)) {
			return nil, 0, d, engine.LimitError{Samples: n}
		}
		if counts, worst, err = l.round(a, fractions, roundSlack); err == nil && counts == nil && l.each {
			counts, worst, err = l.round(a, fractions, roundSlack*worst)
		}
		if err != nil || counts != nil {
			return counts, worst, d, err
		}
	}
	return nil, 0, d, engine.LimitError{Samples: math.Inf(1)}
}

// ArmEstimates returns the posterior of all data at the scale of largest likelihood.
func (a *normed) ArmEstimates() engine.ArmEstimates {
	later, _ := a.Recall()
	if later == nil {
		return engine.ArmEstimates{}
	}
	return later(indices.All(a.Model.Problem.N()))
}

// Recall returns the posterior as ArmEstimates has it, and the estimates by which leaders are chosen.
func (a *normed) Recall() (later func(arms []int) engine.ArmEstimates, latest []float64) {
	g := &a.belief
	if g.section == nil {
		return nil, nil
	}
	pulled := make([]int, len(g.pulled))
	for k, i := range g.pulled {
		pulled[k] = g.section.Arms[i]
	}
	freedom := make([]float64, len(a.estimates))
	for i := range freedom {
		freedom[i] = a.scales.FreedomOf([]int{i})
	}
	r := recalled{m: a.Model, pulled: pulled, means: g.means, noise: g.noise, variance: g.posterior.Variance, freedom: freedom}
	return r.of, a.estimates
}

// recalled is the posterior of a round by what it follows from.
type recalled struct {
	m            *model.Model
	pulled       []int // of the problem
	means, noise []float64
	variance     float64
	freedom      []float64 // N
}

// of returns the posterior of some arms, a block of them at a time; nothing when it cannot be had.
func (r recalled) of(arms []int) engine.ArmEstimates {
	n := len(r.freedom)
	means, variances := slices.Repeat([]float64{math.NaN()}, n), slices.Repeat([]float64{math.NaN()}, n)
	for block := range slices.Chunk(arms, recalledAtOnce) {
		if err := r.fill(block, means, variances); err != nil {
			return engine.ArmEstimates{}
		}
	}
	return rounds.Intervals(r.m, means, variances, func(i int) float64 { return r.freedom[i] })
}

// recalledAtOnce is how many arms the posterior is recalled of at once.
const recalledAtOnce = 8192

// fill sets the posterior means and variances of some arms, normalised.
func (r recalled) fill(arms []int, means, variances []float64) error {
	ctx := r.m.Context()
	together := append(slices.Clone(arms), r.pulled...)
	slices.Sort(together)
	section, err := bounded.NewSection(ctx, r.m.Problem, slices.Compact(together))
	if err != nil {
		return err
	}
	pulled := make([]int, len(r.pulled))
	for k, i := range r.pulled {
		pulled[k] = section.Find(i)
	}
	rows, err := section.Rows(ctx, pulled)
	if err != nil {
		return err
	}
	posterior, err := bounded.Given(ctx, pulled, rows, r.means, r.noise, r.variance)
	if err != nil {
		return err
	}
	found, err := posterior.Means(ctx)
	if err != nil {
		return err
	}
	spread, err := posterior.ArmVariances(ctx, section.Diagonal)
	if err != nil {
		return err
	}
	for _, i := range arms {
		k := section.Find(i)
		means[i], variances[i] = found[k], spread[k]
	}
	return nil
}

// pulled returns the pulls since round 1, all agents together.
func (a *normed) pulled() float64 {
	n := 0
	for _, k := range a.since {
		n += k
	}
	return float64(n)
}
