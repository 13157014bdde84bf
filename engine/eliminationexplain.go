package engine

import (
	"errors"
	"maps"
	"math"
)

var _ Explainer = (*elimination)(nil)

// Progress compares, for the rival of each task's leader that is farthest from its threshold, the
// gap with that threshold, in the last round.
func (e *elimination) Progress() []Progress {
	e = e.heard()
	out := make([]Progress, len(e.alive))
	whole := e.Remaining()
	for v, set := range e.alive {
		first := leader(set, e.latest)
		if len(set) == 1 {
			out[v] = e.settled(v, first)
			continue
		}
		if e.estimates == nil {
			out[v] = e.unheard(v, first)
			continue
		}
		rival, share := e.hardest(v, first)
		samples := e.foretell(map[int]int{v: e.halvings(v, first)})
		if whole >= 0 { // rounds that decide all tasks decide this one, where they are worth more
			samples = min(samples, whole)
		}
		out[v] = e.towards(v, first, rival, len(set), e.estimates[first]-e.estimates[rival],
			math.Sqrt(e.stage.estimate.Variance(first, rival)), reached(share, 1), samples)
	}
	return out
}

// Remaining is the pulls of the coming rounds until the last task is decided.
func (e *elimination) Remaining() float64 {
	if e.single() {
		return 0
	}
	if e.estimates == nil {
		return math.NaN()
	}
	e = e.heard()
	rounds := map[int]int{}
	for v, set := range e.alive {
		if len(set) > 1 {
			rounds[v] = e.halvings(v, leader(set, e.estimates))
		}
	}
	return e.foretell(rounds)
}

// heard is the state as of the last data: a round may have been planned since, as when it
// was interrupted.
func (e *elimination) heard() *elimination {
	state := *e
	state.planned = e.last
	return &state
}

// share is what the rival's gap is of the threshold.
func (e *elimination) share(first, rival int) float64 {
	gap, width := e.estimates[first]-e.estimates[rival], e.width(first, rival)
	if e.opt.Epsilon > 0 {
		gap += e.opt.Epsilon / e.model.Unit
	}
	return gap / width
}

// hardest is the rival of the leader that is farthest from its threshold, with its share.
func (e *elimination) hardest(v, first int) (rival int, share float64) {
	rival, share = first, math.Inf(1)
	for _, i := range e.alive[v] {
		if s := e.share(first, i); i != first && s < share {
			rival, share = i, s
		}
	}
	return rival, share
}

// halvings is in how many rounds the threshold, halved in each, comes down to the gaps
// of task v as they are believed to be; 0 when it never does.
func (e *elimination) halvings(v, first int) int {
	rounds := 1
	for _, i := range e.alive[v] {
		if i == first {
			continue
		}
		width, sd := e.width(first, i), math.Sqrt(e.stage.estimate.Variance(first, i))
		gap := believed(e.estimates[first]-e.estimates[i], sd) + e.opt.Epsilon/e.model.Unit
		if !(gap > 0) || math.IsInf(width, 1) {
			return 0
		}
		rounds = max(rounds, int(math.Ceil(math.Log2(width/gap))))
	}
	return rounds
}

// foretell is the pulls of the coming rounds, where task v takes part in so many of them and
// loses no arm before the last one. Endlessly many, 0 for a task that is open, make it -1.
func (e *elimination) foretell(rounds map[int]int) float64 {
	sum := 0.0
	for k := 1; len(rounds) > 0; k++ {
		alive := make([][]int, len(e.alive))
		for v, set := range e.alive {
			if n, open := rounds[v]; !open {
				alive[v] = set[:1] // contrasts nothing
			} else if n == 0 {
				return -1
			} else {
				alive[v] = set
			}
		}
		sum += RoundSamples(e.opt.Schedule, e.step+k, e.worth(alive), e.logTerm)
		maps.DeleteFunc(rounds, func(_, n int) bool { return n <= k })
	}
	return sum
}

// worth is the value of the allocation to candidate sets; where it cannot be computed, as after
// an interrupt, that of the last round.
func (e *elimination) worth(alive [][]int) float64 {
	rho, asked := e.stage.design.Value, *e
	asked.alive = alive
	_, _ = e.own.allocate(&asked, func(value float64) (int, error) {
		rho = value
		return 0, errAsked
	})
	return rho
}

// errAsked ends an allocation of which only the worth was wanted.
var errAsked = errors.New("only the worth of the allocation was asked for")

// Progress is that of the agents, in task order.
func (a *individual) Progress() []Progress {
	var out []Progress
	for _, part := range a.parts {
		if x, ok := part.(Explainer); ok {
			out = append(out, x.Progress()...)
		}
	}
	return out
}

// Remaining is the sum over the agents, who share nothing.
func (a *individual) Remaining() float64 {
	sum := 0.0
	for _, part := range a.parts {
		x, ok := part.(Explainer)
		if !ok {
			return math.NaN()
		}
		left := x.Remaining()
		if left < 0 {
			return -1
		}
		sum += left
	}
	return sum
}

var _ Explainer = (*individual)(nil)
