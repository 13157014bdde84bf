package rounds

import (
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Evidence tests the answers of a fixed-budget run. In every round the design is fixed before the data. The gap of each
// pair of candidates therefore has the confidence width √(2‖y‖²_{A⁻¹} log(2n²VR/δ)) + bias. All pairs and all R rounds
// are covered together with probability 1 - δ. An arm is beaten if some rival exceeds it by the width. A task is
// decided if all its arms except one are beaten. The remaining arm is then the best with probability 1 - δ, whatever
// rule chose the answer.
type Evidence struct {
	of     *Candidates
	beaten []bool // N
	// N: index into rounds of the last round with the arm as a candidate; -1 before any
	seen   []int
	rounds []roundEstimate // one per round
	// N: estimates that choose leaders, normalised; nil means the rounds' estimates
	believed []float64
	LogTerm  float64
	bound    model.Bound
	belief   *Belief // posterior that chooses leaders and cuts sets, for ξ of a Gaussian process; else nil
}

// roundEstimate is one round's estimator with its estimates.
type roundEstimate struct {
	estimator *model.Estimator
	estimates []float64 // N, normalised
}

// NewEvidence returns the evidence on candidate sets before any data. Options.Delta is the error probability over all
// rounds; rounds is their number, and ridge the ridge of each. It returns an error if no bound on the norm is known.
func NewEvidence(c *Candidates, opt model.Terms, rounds int, ridge float64) (Evidence, error) {
	p := c.Model.Problem
	bound, err := c.Model.Designs().NormBound(opt, ridge)
	ev := Evidence{
		of: c, beaten: make([]bool, p.N()), seen: slices.Repeat([]int{-1}, p.N()),
		LogTerm: math.Log(2 * p.PairCount() * float64(rounds) / opt.Delta), bound: bound,
	}
	if opt.Ridge.Kind == engine.RidgeGP {
		ev.belief = NewBelief(model.PriorOf(opt.Options))
	}
	return ev, err
}

// Estimate tests a round with its own data. It returns the estimates for answers and cuts, normalised, with their
// estimator. These are the posterior's if there is a belief, and otherwise the round's.
func (ev *Evidence) Estimate(e *model.Estimator, b engine.Batch) (*model.Estimator, []float64, error) {
	estimates := e.Estimates(b.Means)
	ev.Weigh(e, estimates)
	if ev.belief == nil {
		return e, estimates, nil
	}
	if err := ev.belief.Learn(ev.of.Model, b.Counts, b.Means, math.Inf(1)); err != nil {
		return nil, nil, err
	}
	ev.Believe(ev.belief.Estimates(b.Means))
	return ev.belief.Estimator, ev.believed, nil
}

// Doubts returns a warning if the data were implausible under the prior of the posterior.
func (ev *Evidence) Doubts() []engine.Warning {
	if ev.belief == nil {
		return nil
	}
	return ev.belief.Doubts()
}

// Weigh tests the candidate sets with one round's estimates, and marks beaten arms.
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

// upper returns the upper confidence bound of (reward of arm i - reward of rival), normalised.
func (ev *Evidence) upper(j roundEstimate, i, rival int) float64 {
	width := math.Sqrt(2*j.estimator.Variance(i, rival)*ev.LogTerm) + j.estimator.Bias(i, rival, ev.bound)
	return j.estimates[i] - j.estimates[rival] + width
}

// Believe replaces the estimates from which leaders are chosen, for example by posterior means, normalised. Beaten arms do
// not change, because only estimators that are fixed before their data decide about them.
func (ev *Evidence) Believe(estimates []float64) { ev.believed = estimates }

// Latest returns the estimates from the last round's data alone, normalised; nil before any data.
func (ev *Evidence) Latest() []float64 {
	if len(ev.rounds) == 0 {
		return nil
	}
	return ev.rounds[len(ev.rounds)-1].estimates
}

// estimate returns the estimate of arm i from which leaders are chosen, normalised; NaN before any data.
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

// Answers returns one answer per task, decided if the leader is the only arm that is not beaten.
func (ev *Evidence) Answers() []engine.Answer {
	return lists.Make(len(ev.of.Sets), func(v int) engine.Answer { return ev.answer(v) })
}

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

// Hardest returns the arm of task v that needs the most further samples until the leader beats it.
func (ev *Evidence) Hardest(v int) engine.Rival {
	r, _ := ev.lacking(v)
	return r
}

// Samples returns the samples of one further round that would decide all these tasks. The round has the proportions of the
// last round with the hardest rival. Every round is tested with its own data, so earlier samples do not count. The budget
// may be smaller.
func (ev *Evidence) Samples(tasks []int) float64 {
	return Most(tasks, func(v int) float64 {
		_, samples := ev.lacking(v)
		return samples
	})
}

// lacking returns the hardest rival in task v and the samples until the leader beats it. If the leader itself is beaten,
// the rival is another arm. The number is -1 if no number of samples suffices, and NaN before any data.
func (ev *Evidence) lacking(v int) (engine.Rival, float64) {
	lo, hi := ev.of.Model.Problem.ArmsOf(v)
	first := ev.leader(v)
	rival, out := first, engine.Rival{}
	most := math.Inf(-1)
	for i := lo; i < hi; i++ {
		if ev.beaten[i] && i != first {
			continue
		}
		out.Open++
		if i == first || ev.seen[i] < 0 {
			continue
		}
		j := ev.rounds[ev.seen[i]]
		gap, sd := j.estimates[first]-j.estimates[i], math.Sqrt(j.estimator.Variance(i, first))
		width := gap + ev.upper(j, i, first)
		more := math.Inf(1)
		if b := MedianGap(gap, sd); b > 0 && !math.IsInf(width, 1) {
			more = float64(j.estimator.Pulls) * width / b * width / b
		}
		if more > most {
			rival, most = i, more
			out.Gap, out.Error, out.Statistic, out.Threshold = gap, sd, gap, width
		}
	}
	switch {
	case len(ev.rounds) == 0:
		most = math.NaN()
	case math.IsInf(most, 0): // equal features, or the leader is beaten
		most = -1
	}
	if rival == first {
		if rival = lo; rival == first {
			rival++
		}
	}
	return ev.of.Shown(rival, out), math.Ceil(most)
}
