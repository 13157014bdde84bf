package cotest

import (
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
)

var _ engine.Explainer = (*coTest)(nil)

// Hardest returns the arm whose walk lacks most in samples, with how far that walk is.
func (a *coTest) Hardest(v int) engine.Rival {
	c := a.contestOf(v)
	if a.pooled == nil {
		return a.NoData(v, a.in(v, c, c.arms[c.leader]))
	}
	return a.rival(v, c, c.ahead(a.clock, a.epsilon, a.gap, a.variance))
}

// rival returns what decides the contest c of task v.
func (a *coTest) rival(v int, c *contest, g ahead) engine.Rival {
	out := engine.Rival{Open: g.open + 1, Gap: g.gap, Error: g.sd, Statistic: g.statistic, Threshold: g.threshold, Tasks: c.tasks}
	if g.rival < 0 {
		return out
	}
	return a.Shown(a.in(v, c, g.rival), out)
}

// contestOf returns the contest that task v is in.
func (a *coTest) contestOf(v int) *contest {
	return a.contests[slices.IndexFunc(a.contests, func(c *contest) bool { return slices.Contains(c.tasks, v) })]
}

// Samples returns the pulls that would bring all open walks of the tasks to their boundary.
func (a *coTest) Samples(tasks []int) float64 {
	if a.pooled == nil {
		return math.NaN()
	}
	var needs []design.Pair
	for _, c := range a.contests {
		if c.closed || !slices.ContainsFunc(c.tasks, func(v int) bool { return slices.Contains(tasks, v) }) {
			continue
		}
		g := c.ahead(a.clock, a.epsilon, a.gap, a.variance)
		if !g.possible {
			return -1
		}
		needs = append(needs, g.needs...)
	}
	return a.planner.pulls(a.terms(), needs, a.sofar())
}

// ahead holds what a contest still has to decide.
type ahead struct {
	// the open arms against the leader, weighted by the information that their walks lack
	needs    []design.Pair
	rival    int     // the arm that lacks most in samples; -1 where none is open
	open     int     // arms open besides the leader
	gap, sd  float64 // of the leader over the rival in all data, normalised
	possible bool    // whether the clock lasts
	// of the rival's walk; 0 before its first look
	statistic, threshold float64
}

// ahead looks at the walks of the open arms. Gaps are taken for what they are on average
// if the leader is best (MedianGap).
func (c *contest) ahead(clock sequential.Clock, epsilon float64, gapOf, varianceOf func(i, j int) float64) ahead {
	out := ahead{rival: -1, possible: !c.exhausted(clock, epsilon)}
	first, most := c.arms[c.leader], math.Inf(-1)
	out.needs = make([]design.Pair, 0, len(c.arms))
	for k, i := range c.arms {
		if !c.open(k, clock, epsilon) {
			continue
		}
		out.open++
		w, gap, variance := c.walks[k], gapOf(first, i), varianceOf(first, i)
		sd := math.Sqrt(variance)
		need := w.Need(clock, first, rounds.MedianGap(gap, sd)+epsilon, epsilon, overshoot/2)
		own := clock.Of(w)
		out.possible = out.possible && (w.Stakes != nil || own.Time(w.Look)+need <= own.Time(sequential.ClockLooks-1))
		out.needs = append(out.needs, design.Pair{I: first, J: i, Weight: need})
		if lack := need * variance; lack > most || out.rival < 0 {
			most, out.rival, out.gap, out.sd = lack, i, gap, sd
			out.statistic, out.threshold = 0, 0
			if w.Look >= 0 {
				out.statistic, out.threshold = w.Evidence(clock, first, epsilon)
			}
		}
	}
	return out
}

// pulls predicts the pulls of minimax designs. Where the allocation is too large for a forecast, or
// cannot be computed, as after an interrupt, it is what more of the same pulls as so far would
// take. NaN before any data.
func (minimaxPlanner) pulls(t terms, needs []design.Pair, sofar pulled) float64 {
	if len(needs) == 0 {
		return 0
	}
	m, total := t.scales.Model, 0.0
	var shared []design.Pair
	for _, q := range needs {
		if m.Relations().Same(q.I, q.J) { // only their own means tell them apart
			total += 2 * q.Weight * (1/m.Precision[q.I] + 1/m.Precision[q.J])
		} else {
			shared = append(shared, q)
		}
	}
	priced, err := t.priced(m)
	if err != nil {
		return sofar.more(needs)
	}
	parts := priced.Layout.Parts(shared)
	for _, part := range parts {
		if design.StepWork(len(part.Arms), len(part.Columns), len(part.Pairs)) > explainWork {
			return sofar.more(needs)
		}
	}
	for _, part := range parts {
		space := canon.Reduced{Arms: part.Arms, Columns: part.Columns}.Space(priced.Space(0))
		d, err := design.Minimax(space, design.Contrasts{Pairs: part.Pairs}, m.Solver(explainTolerance))
		if err != nil {
			return sofar.more(needs)
		}
		total += t.inPulls(part.Arms, d).Value
	}
	return math.Ceil(total)
}

// explainTolerance is the relative gap of designs that only predict samples.
const explainTolerance = 0.02

// explainWork is the size of designs, in products a step, up to which a forecast solves them: the size
// for 464 independent arms.
const explainWork = 1e8

var _ engine.Estimating = (*coTest)(nil)

// ArmEstimates returns the estimates of all data; of a Gaussian process its posterior. Where rewards
// may be off the kernel, an interval has the estimated variance of that besides.
func (a *coTest) ArmEstimates() engine.ArmEstimates {
	left := a.misfit.typical * a.misfit.typical
	out := rounds.ArmEstimates(a.Model, a.pooled, a.estimates, left, func(i int) float64 { return a.scales.FreedomOf([]int{i}) })
	out.Posterior = a.belief != nil
	return out
}
