package campaign

import (
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
)

// capped returns the counts of a round of a protocol whose budget is stated for each task: no task gets
// more than it has left after the pulls before, and what is over goes to the tasks that have something
// left, in proportion to it. Within a task counts keep their proportions; one that was to get
// nothing gets pulls of its arms in turn, those measured least first. Without such a budget they are
// returned as they are. before are N pulls, or nil.
func (p Protocol) capped(counts, before []int, seed uint64) []int {
	if p.Mode != engine.ModeFB || p.Options.Budget == 0 || p.fixedRounds() {
		return counts
	}
	v := p.Problem.V()
	given, left := make([]int, v), make([]int, v)
	over, free := 0, 0
	for t := range v {
		lo, hi := p.Problem.ArmsOf(t)
		left[t], given[t] = p.Options.Budget, engine.PullsOf(counts[lo:hi])
		if before != nil {
			left[t] = max(0, left[t]-engine.PullsOf(before[lo:hi]))
		}
		over += max(0, given[t]-left[t])
		free += max(0, left[t]-given[t])
	}
	if over == 0 {
		return counts
	}
	more := make([]int, v)
	for t := range v {
		more[t] = max(0, left[t]-given[t])
	}
	more = cut(more, min(over, free), seed)
	out := make([]int, len(counts))
	for t := range v {
		lo, hi := p.Problem.ArmsOf(t)
		n := min(given[t], left[t])
		if n == 0 && left[t] == 0 {
			continue
		}
		copy(out[lo:hi], cut(counts[lo:hi], n, seed))
		p.add(out, before, lo, hi, more[t])
	}
	return out
}

// cap makes the open round of a simulated run what capped returns.
func (p Protocol) cap(steps *engine.Steps, next engine.Plan, before []int, seed uint64) (engine.Plan, error) {
	counts := p.capped(next.Counts, before, seed)
	if slices.Equal(counts, next.Counts) {
		return next, nil
	}
	if err := steps.Amend(counts); err != nil {
		return next, err
	}
	next, _, err := steps.Next()
	return next, err
}

// add gives n further pulls to the arms of a task, one by one where an arm that the round pulls has the
// fewest, and else where any has.
func (p Protocol) add(out, before []int, lo, hi, n int) {
	planned := make([]bool, hi-lo)
	some := false
	for i := lo; i < hi; i++ {
		planned[i-lo] = out[i] > 0
		some = some || out[i] > 0
	}
	for range n {
		at, least := -1, 0
		for i := lo; i < hi; i++ {
			have := out[i]
			if before != nil {
				have += before[i]
			}
			if (planned[i-lo] || !some) && (at < 0 || have < least) {
				at, least = i, have
			}
		}
		out[at]++
	}
}
