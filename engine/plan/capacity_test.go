package plan

import (
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
)

// Two agents with 30 and 10 samples in round 1, and 10 and 0 in round 2, batches of a day: at a capacity
// of 24 for both ceil(40/24) + ceil(10/24) = 3 days, at 24 each ceil(30/24) + 1 = 3, at 8 each 4 + 2 = 6,
// at a capacity of 8 for both 5 + 2 = 7.
func TestCapacityIsOfAllAgents(t *testing.T) {
	pulls := [][]int{{30, 10}, {10, 0}}
	o := &engine.Outcome{Rounds: make([]engine.RoundRecord, 2)}
	for _, c := range []struct {
		prices Prices
		shares bool
		want   float64
	}{
		{Prices{Capacity: 24, SampleTime: 1}, true, 3},
		{Prices{Parallel: 24, SampleTime: 1}, true, 3},
		{Prices{Parallel: 8, SampleTime: 1}, true, 6},
		{Prices{Capacity: 8, SampleTime: 1}, true, 7},
		{Prices{Capacity: 8, SampleTime: 1}, false, 7},
	} {
		if got := c.prices.need(o, pulls, c.shares).time; got != c.want {
			t.Errorf("%+v, shares %v: %g days, want %g", c.prices, c.shares, got, c.want)
		}
	}
	if err := (Prices{Parallel: 2, Capacity: 2}).check(); err == nil || !strings.Contains(err.Error(), "Give one of them") {
		t.Errorf("both: %v", err)
	}
}
