package cotest

import (
	"math"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Tasks that the kernel barely tells apart are one contest, so that their arms are tested once.
func TestSnapTasks(t *testing.T) {
	p := enginetest.Small(t, kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.RBF{}, Arm: kernels.Linear{Bias: 1}}}}, []float64{0, 1, 2}, []float64{0, 1, 2}, []float64{0, 1, 2})
	p.Tasks = try.Of(kernels.NewPoints([]string{"z_1"}, []string{"a", "b", "c"}, [][]float64{{0}, {3e-7}, {0.1}}))
	m := plain.ModelOf(t, p)
	if contests, err := newContests(m, true); err != nil || len(contests) != 2 {
		t.Errorf("%d contests of tasks at 0, 3e-7 and 0.1, want 2 (%v)", len(contests), err)
	}
}

// Among near ties a leader stays while the other would have more to prove: its steps say that it is at most
// epsilon below, and the steps of another say so of that one.
func TestLeaderStays(t *testing.T) {
	const epsilon = 0.1
	clock := sequential.Clock{Origin: 1}
	for range sequential.ClockLooks {
		clock.Z = append(clock.Z, 3)
	}
	for _, row := range []struct {
		name      string
		estimates []float64
		epsilon   float64
		bets      bool // whether the first arm has led
		want      int
	}{
		{"nobody led", []float64{1, 1.01, 0}, epsilon, false, 1},
		{"a near tie", []float64{1, 1.01, 0}, epsilon, true, 0},
		{"without epsilon", []float64{1, 1.01, 0}, 0, true, 1},
		{"a larger estimate", []float64{1, 1.05, 0}, epsilon, true, 0},
		{"above by more", []float64{1, 1.2, 0}, epsilon, true, 1},
		{"not known", []float64{math.Inf(-1), 1.01, 0}, epsilon, true, 1},
	} {
		c := &contest{tasks: []int{0}, claim: claim{arms: []int{0, 1, 2}, walks: []*sequential.Walk{{Look: -1}, {Look: -1}, {Look: -1}}}}
		if row.bets {
			for k, gap := range map[int]float64{1: -0.01, 2: 1} {
				look := 35
				sd := 1 / math.Sqrt(clock.Time(look))
				b := sequential.Bet{Walk: c.walks[k], Opponent: 0, Arm: k, Variance: sd * sd, Look: look}
				b.Settle(clock, sequential.Score{Gap: gap, Sd: sd, Freedom: math.Inf(1)})
			}
		}
		c.conclude(row.estimates, clock, row.epsilon)
		if c.leader != row.want {
			t.Errorf("%s: arm %d leads, want %d", row.name, c.leader, row.want)
		}
	}
}

// A tie of three: the gap to the best arm is twice the gap to either of the others by the bound, so that a quarter of the
// information counts. Of two, all does. An arm without an estimate counts for nothing.
func TestWorth(t *testing.T) {
	c := &contest{claim: claim{arms: []int{0, 1, 2, 3}}}
	for range c.arms {
		c.walks = append(c.walks, &sequential.Walk{Look: -1})
	}
	apart := func(i, j int) float64 {
		if max(i, j) == 3 {
			return math.Inf(1)
		}
		return 4
	}
	d := c.doubts(0, make([]float64, 4), apart)
	each := 2 / math.Sqrt(2*math.Pi) // E max(0, N(0, 4))
	for k, want := range []float64{0, each, each, 0} {
		if math.Abs(d.each[k]-want) > 1e-12 {
			t.Errorf("arm %d: %g above the first, want %g", k, d.each[k], want)
		}
	}
	if got := d.worth(1, 0); math.Abs(got-0.25) > 1e-12 {
		t.Errorf("worth %g of a tie among three, want 1/4", got)
	}
	c.walks[2].Out = true
	if got := c.doubts(0, make([]float64, 4), apart).worth(1, 0); got != 1 {
		t.Errorf("worth %g against the only rival, want 1", got)
	}
}
