package plan

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Few arms have the usual number of runs, many arms fewer, and none fewer than four.
func TestRunsFor(t *testing.T) {
	last := DefaultRuns
	for _, c := range []struct{ arms, want int }{{1, 20}, {200, 20}, {201, 20}, {250, 13}, {400, 5}, {500, 4}, {100_000, 4}} {
		got := RunsFor(&problem.Problem{TaskOf: make([]int, c.arms)})
		if got != c.want || got > last {
			t.Errorf("%d arms: %d runs in place of %d", c.arms, got, c.want)
		}
		last = got
	}
}
