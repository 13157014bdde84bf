package elimination

import (
	"maps"
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
)

var _ engine.Explainer = (*elimination)(nil)

// Hardest returns the rival whose gap is the smallest fraction of its threshold, in the last round.
func (e *elimination) Hardest(v int) engine.Rival {
	first := rounds.Leader(e.Sets[v], e.latest)
	if e.estimates == nil {
		return e.NoData(v, first)
	}
	e = e.atLastData()
	rival, fraction := first, math.Inf(1)
	for _, i := range e.Sets[v] {
		if s := e.fractionOfThreshold(first, i); i != first && s < fraction {
			rival, fraction = i, s
		}
	}
	return e.Shown(rival, engine.Rival{
		Open: len(e.Sets[v]), Gap: e.estimates[first] - e.estimates[rival],
		Error: math.Sqrt(e.stage.Estimate.Variance(first, rival)), Statistic: fraction, Threshold: 1,
	})
}

// Samples returns the pulls of the coming rounds until the last of the tasks is decided.
func (e *elimination) Samples(tasks []int) float64 {
	if e.estimates == nil {
		return math.NaN()
	}
	e = e.atLastData()
	left := map[int]int{}
	for _, v := range tasks {
		left[v] = e.halvings(v, rounds.Leader(e.Sets[v], e.estimates))
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
// after an interrupt, that of the last round, as for very many arms.
func (e *elimination) designValue(alive [][]int) float64 {
	if e.resolution != nil { // whose ξ is another one by then
		return designValue(e.stage.Design)
	}
	d, err := e.own.design(e.Model, e.ridge, alive)
	if err != nil {
		return e.stage.Design.Value
	}
	return d.Value
}
