package engine

import (
	"math"
	"reflect"
	"testing"
)

// asked is an algorithm with four tasks: the first is decided, and the last two have the same arms and features.
type asked struct {
	Detailed
	together float64
	calls    [][]int
}

func (a *asked) Answers() []Answer {
	return []Answer{{Task: "a", Leader: "x", Decided: true}, {Task: "b", Leader: "y"}, {Task: "c", Leader: "z"}, {Task: "d", Leader: "w"}}
}

func (a *asked) Hardest(v int) Rival {
	if v == 1 {
		return Rival{Arm: "q", Open: 3, Gap: 2, Error: 1, Statistic: 1, Threshold: 4}
	}
	return Rival{Arm: "r", Open: 2, Statistic: 5, Threshold: 4, Tasks: []int{2, 3}}
}

func (a *asked) Samples(tasks []int) float64 {
	a.calls = append(a.calls, tasks)
	if len(tasks) > 1 {
		return a.together
	}
	return 10 * float64(tasks[0])
}

// Progress follows from the answers, the hardest rivals and the samples: decided tasks need no samples, equal tasks are asked once, and
// no task needs more than all together.
func TestProgressOf(t *testing.T) {
	below := math.Nextafter(1, 0)
	for _, c := range []struct{ together, b, c float64 }{{100, 10, 20}, {15, 10, 15}, {-1, 10, 20}} {
		x := &asked{together: c.together}
		got, remaining := ProgressOf(x)
		want := []Progress{
			{Task: "a", Decided: true, Leader: "x", Reached: 1, Open: 1},
			{Task: "b", Leader: "y", Rival: "q", Open: 3, Gap: 2, Error: 1, Reached: 1. / 16, Samples: c.b},
			{Task: "c", Leader: "z", Rival: "r", Open: 2, Reached: below, Samples: c.c},
			{Task: "d", Leader: "w", Rival: "r", Open: 2, Reached: below, Samples: c.c},
		}
		if !reflect.DeepEqual(got, want) || remaining != c.together {
			t.Errorf("together %g: got %+v and %g, want %+v", c.together, got, remaining, want)
		}
		if want := [][]int{{1, 2, 3}, {1}, {2}}; !reflect.DeepEqual(x.calls, want) {
			t.Errorf("asked for the samples of %v, want %v", x.calls, want)
		}
		if again := Remaining(x); again != remaining {
			t.Errorf("%g samples remain, and then %g", remaining, again)
		}
	}
}
