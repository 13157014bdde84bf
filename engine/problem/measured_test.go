package problem_test

import (
	"math"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// A reward has the size of numbers in tables, and the squares of several are squares of such rewards.
func TestRewardsThatNothingIsComputedWith(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		count         int
		mean, squares float64
		ok            bool
	}{
		{1, 0, 0, true}, {1, -1e100, 0, true}, {1, 1e-300, 0, true}, {2, 0, 2e200, true}, {3, 1, 1e-300, true},
		{0, 1, 0, false}, {1, 1.0001e100, 0, false}, {1, 1e160, 0, false}, {1, -math.MaxFloat64, 0, false}, {1, math.NaN(), 0, false}, {1, inf, 0, false},
		{2, 0, 2.0001e200, false}, {2, 1e100, 1e200, false}, {2, 0, -1, false}, {2, 0, math.NaN(), false}, {2, 0, inf, false},
	} {
		if err := problem.CheckRewards(c.count, c.mean, c.squares); (err == nil) != c.ok {
			t.Errorf("%d rewards of mean %g and squares %g: %v", c.count, c.mean, c.squares, err)
		}
	}
}

// TestTruthValues: rewards of true and false, as programs write them, are 1 and 0; another word failed.
func TestTruthValues(t *testing.T) {
	load := func(table string) (*problem.Problem, error) {
		return problem.Load("t.csv", kernels.Joint{}, problem.LoadOptions{
			Read: func(string) ([]byte, error) { return []byte(table), nil },
			Long: &problem.Long{Arm: []string{"v"}, Reward: "ok"},
		})
	}
	p, err := load("v,ok\na,True\na,False\nb,TRUE\nb,\n")
	if err != nil {
		t.Fatal(err)
	}
	if m := p.Means(); m[0] != 0.5 || m[1] != 1 {
		t.Errorf("means %v, want 0.5 and 1", m)
	}
	if p, err = load("v,ok\na,True\nb,maybe\n"); err != nil || p.Failed[0] != 0 || p.Failed[1] != 1 {
		t.Errorf("error %v, want one failure of b", err)
	}
}
