package cotest

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// A planner chooses the pulls of a coTest. It sees what the contests want and what a pull tells, no
// walks and no rewards.
type planner interface {
	// next returns the stage of the coming round: its pulls and the estimator they give, all
	// known before its data.
	next(q ask) (*rounds.Stage, error)
	// pulls predicts how many pulls give every contrast the information it is weighted by.
	pulls(t terms, needs []design.Pair, sofar pulled) float64
}

// ask holds what every contest wants of the coming round; a planner reads it.
type ask struct {
	terms
	wants    []want
	oriented bool // whether the data tell the open arms from their leaders, so that there are needs
	begun    bool // whether there are data
}

// want holds the wishes of one contest for a round.
type want struct {
	closed bool
	arms   []int // of the contest
	left   []int // those that may still be best, in a contest that is open
	// contrasts of the open arms with the leader, weighted by the information that each should gain
	needs  []design.Pair
	direct bool // whether these arms had better be measured by their own means
}

// terms hold what a planner plans by: what a pull tells, what it costs, and how many there may be.
type terms struct {
	model   *model.Model   // by the noise scales as they are stated or guessed
	scales  *rounds.Scales // with the model by those of the coming round
	pricing *pricing
	misfit  bool // whether rewards may be off the kernel, which their own means tell
	most    int  // pulls of a run
	within  *within
}

// ask returns what is asked of the planner.
func (a *coTest) ask() ask {
	q := ask{terms: a.terms(), oriented: a.oriented(), begun: a.estimates != nil}
	for _, c := range a.contests {
		w := want{closed: c.closed, arms: c.arms}
		if !c.closed {
			w.left = c.left()
		}
		if q.oriented {
			w.needs, w.direct = a.needs(c)
		}
		q.wants = append(q.wants, w)
	}
	return q
}

// terms returns what pulls are planned by.
func (a *coTest) terms() terms {
	return terms{model: a.Model, scales: &a.scales, pricing: &a.pricing, misfit: a.misfit.data != nil, most: a.opt.MaxSamples,
		within: a.within}
}

// groups returns the arms that may still be best, by open contest.
func (q ask) groups() [][]int {
	var out [][]int
	for _, w := range q.wants {
		if !w.closed {
			out = append(out, w.left)
		}
	}
	return out
}

// pulled holds the number of pulls so far and their variances.
type pulled struct {
	pulls    int
	variance func(i, j int) float64 // of the estimated gap of two arms
}

// sofar returns what the pulls so far have told.
func (a *coTest) sofar() pulled {
	if a.within != nil {
		return pulled{engine.PullsOf(a.Counts), a.within.variance}
	}
	return pulled{engine.PullsOf(a.Counts), a.pooled.Variance}
}

// more returns how many pulls in the proportions of those so far give every contrast the
// information it is weighted by.
func (p pulled) more(needs []design.Pair) float64 {
	times := 0.0
	for _, q := range needs {
		times = max(times, q.Weight*p.variance(q.I, q.J))
	}
	return math.Ceil(times * float64(p.pulls))
}
