package rounds

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// Evidence judges what the data of a fixed-budget run support. In every round the design is fixed
// before the data, so the difference of each pair of candidates has the confidence width
// √(2‖y‖²_{A⁻¹} log(2n²VR/δ)) + bias, for all pairs and the R rounds at once with probability 1 -
// δ. An arm that some rival beats by the width is beaten. A task is decided when all its arms but
// one are beaten: then that one is its best arm with probability 1 - δ, whatever rule chose the
// answer.
type Evidence struct {
	of     *Candidates
	beaten []bool // N
	// N: index into rounds of the last one an arm was a candidate in; -1 before
	seen   []int
	rounds []roundEstimate // one per round
	// N: estimates by which leaders are chosen, normalised; nil means the rounds' estimates
	believed []float64
	LogTerm  float64
	bound    model.Bound
}

// roundEstimate is one round's estimator with its estimates.
type roundEstimate struct {
	estimator *model.Estimator
	estimates []float64 // N, normalised
}

// NewEvidence returns the evidence on candidate sets before any data, at error probability delta
// over the given number of rounds. b is of the reward function.
func NewEvidence(c *Candidates, delta float64, rounds int, b model.Bound) Evidence {
	p := c.Model.Problem
	ev := Evidence{
		of: c, beaten: make([]bool, p.N()), seen: make([]int, p.N()),
		LogTerm: math.Log(2 * p.PairCount() * float64(rounds) / delta), bound: b,
	}
	for i := range ev.seen {
		ev.seen[i] = -1
	}
	return ev
}

// Weigh adds one round's estimates of the candidate sets.
func (ev *Evidence) Weigh(e *model.Estimator, estimates []float64) {
	j := roundEstimate{e, estimates}
	for _, set := range ev.of.Sets {
		rivals := Strongest(ev.of.Model, set, estimates)
		for _, i := range set {
			ev.seen[i] = len(ev.rounds)
			for _, rival := range rivals {
				if rival != i && !ev.beaten[i] && ev.upper(j, i, rival) <= 0 {
					ev.beaten[i] = true
				}
			}
		}
	}
	ev.rounds = append(ev.rounds, j)
}

// upper returns the upper confidence bound of the reward of arm i minus that of rival, normalised.
func (ev *Evidence) upper(j roundEstimate, i, rival int) float64 {
	width := math.Sqrt(2*j.estimator.Variance(i, rival)*ev.LogTerm) + j.estimator.Bias(i, rival, ev.bound)
	return j.estimates[i] - j.estimates[rival] + width
}

// Believe sets estimates, normalised, by which leaders are chosen from now on, such as posterior
// means. What is beaten does not change: that is judged by estimators which were fixed before their
// data.
func (ev *Evidence) Believe(estimates []float64) { ev.believed = estimates }

// Latest returns the estimates of the last round by itself, normalised; nil before any.
func (ev *Evidence) Latest() []float64 {
	if len(ev.rounds) == 0 {
		return nil
	}
	return ev.rounds[len(ev.rounds)-1].estimates
}

// estimate returns the latest estimate of arm i, normalised; NaN before any.
func (ev *Evidence) estimate(i int) float64 {
	if ev.believed != nil {
		return ev.believed[i]
	}
	if ev.seen[i] < 0 {
		return math.NaN()
	}
	return ev.rounds[ev.seen[i]].estimates[i]
}

// leader returns the candidate of task v with the largest estimate.
func (ev *Evidence) leader(v int) int {
	set := ev.of.Sets[v]
	first := set[0]
	for _, i := range set[1:] {
		if ev.estimate(i) > ev.estimate(first) {
			first = i
		}
	}
	return first
}

// Answers returns the leaders of all tasks, decided where the data support them.
func (ev *Evidence) Answers() []engine.Answer {
	out := make([]engine.Answer, len(ev.of.Sets))
	for v := range out {
		out[v] = ev.answer(v)
	}
	return out
}

// answer returns the answer of task v.
func (ev *Evidence) answer(v int) engine.Answer {
	m := ev.of.Model
	p, first := m.Problem, ev.leader(v)
	a := engine.Answer{Task: p.Tasks.Names[v], Leader: p.Arms.Names[first], Estimate: ev.estimate(first) * m.Unit}
	lo, hi := p.ArmsOf(v)
	for i := lo; i < hi; i++ {
		if ev.beaten[i] {
			continue
		}
		a.Candidates = append(a.Candidates, p.Arms.Names[i])
		if i != first && ev.seen[i] >= 0 {
			a.Margin = max(a.Margin, ev.upper(ev.rounds[ev.seen[i]], i, first)*m.Unit)
		}
	}
	if len(a.Candidates) == 1 && !ev.beaten[first] {
		a.Decided, a.Arm, a.Candidates = true, a.Leader, nil
	}
	return a
}
