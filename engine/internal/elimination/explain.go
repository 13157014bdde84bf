package elimination

import (
	"maps"
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
)

var _ engine.Explainer = (*elimination)(nil)

// Progress compares, for the rival of each task's leader that is farthest from its threshold, the
// gap with that threshold, in the last round.
func (e *elimination) Progress() []engine.Progress {
	e = e.atLastData()
	out := make([]engine.Progress, len(e.Sets))
	whole := e.Remaining()
	for v, set := range e.Sets {
		first := rounds.Leader(set, e.latest)
		if len(set) == 1 {
			out[v] = e.DecidedProgress(v, first)
			continue
		}
		if e.estimates == nil {
			out[v] = e.NoDataProgress(v, first)
			continue
		}
		rival, fraction := e.hardest(v, first)
		samples := e.forecast(map[int]int{v: e.halvings(v, first)})
		if whole >= 0 { // rounds that decide all tasks decide this one, where they are worth more
			samples = min(samples, whole)
		}
		out[v] = e.OpenProgress(v, first, rival, len(set), e.estimates[first]-e.estimates[rival],
			math.Sqrt(e.stage.Estimate.Variance(first, rival)), rounds.Reached(fraction, 1), samples)
	}
	return out
}

// Remaining returns the pulls of the coming rounds until the last task is decided.
func (e *elimination) Remaining() float64 {
	if e.Single() {
		return 0
	}
	if e.estimates == nil {
		return math.NaN()
	}
	e = e.atLastData()
	left := map[int]int{}
	for v, set := range e.Sets {
		if len(set) > 1 {
			left[v] = e.halvings(v, rounds.Leader(set, e.estimates))
		}
	}
	return e.forecast(left)
}

// atLastData returns the state as of the last data: a round may have been planned since, as when it
// was interrupted.
func (e *elimination) atLastData() *elimination {
	state := *e
	state.planned = e.last
	return &state
}

// fractionOfThreshold returns the gap as a fraction of the threshold.
func (e *elimination) fractionOfThreshold(first, rival int) float64 {
	gap, width := e.estimates[first]-e.estimates[rival], e.width(first, rival)
	if e.opt.Epsilon > 0 {
		gap += e.opt.Epsilon / e.Model.Unit
	}
	return gap / width
}

// hardest returns the rival of the leader that is farthest from its threshold, with its fraction.
func (e *elimination) hardest(v, first int) (rival int, fraction float64) {
	rival, fraction = first, math.Inf(1)
	for _, i := range e.Sets[v] {
		if s := e.fractionOfThreshold(first, i); i != first && s < fraction {
			rival, fraction = i, s
		}
	}
	return rival, fraction
}

// halvings returns in how many rounds the threshold, halved in each, comes down to the gaps
// of task v as they are believed to be; 0 when it never does.
func (e *elimination) halvings(v, first int) int {
	count := 1
	for _, i := range e.Sets[v] {
		if i == first {
			continue
		}
		width, sd := e.width(first, i), math.Sqrt(e.stage.Estimate.Variance(first, i))
		gap := rounds.MedianGap(e.estimates[first]-e.estimates[i], sd) + e.opt.Epsilon/e.Model.Unit
		if !(gap > 0) || math.IsInf(width, 1) {
			return 0
		}
		count = max(count, int(math.Ceil(math.Log2(width/gap))))
	}
	return count
}

// forecast returns the pulls of the coming rounds, where task v takes part in rounds[v] of them and
// loses no arm before the last one. It is -1 when some task takes part for ever, which is a 0.
func (e *elimination) forecast(rounds map[int]int) float64 {
	sum := 0.0
	for k := 1; len(rounds) > 0; k++ {
		alive := make([][]int, len(e.Sets))
		for v, set := range e.Sets {
			if n, open := rounds[v]; !open {
				alive[v] = set[:1] // contrasts nothing
			} else if n == 0 {
				return -1
			} else {
				alive[v] = set
			}
		}
		sum += RoundSamples(e.opt.Schedule, e.step+k, e.designValue(alive), e.logTerm)
		maps.DeleteFunc(rounds, func(_, n int) bool { return n <= k })
	}
	return sum
}

// designValue returns the value of the design of candidate sets; where it cannot be computed, as
// after an interrupt, that of the last round.
func (e *elimination) designValue(alive [][]int) float64 {
	d, err := e.own.design(e.Model, e.ridge, alive)
	if err != nil {
		return e.stage.Design.Value
	}
	return d.Value
}
