package sequential

import (
	"math"
	"testing"
)

// A walk allows for the bias of its steps together: a later step may allow for less than an
// earlier one, and each look is judged by what was allowed then.
func TestAllowed(t *testing.T) {
	c := Clock{Origin: 1, Z: make([]float64, ClockLooks)}
	for k := range c.Z {
		c.Z[k] = 3
	}
	w := &Walk{Look: -1}
	Bet{Walk: w, Opponent: 1, Arm: 2, Variance: 1, Look: 0, Allowed: 2}.Settle(c, Score{Gap: 4, Sd: 1, Freedom: math.Inf(1)})
	if w.Sum != 2 || w.Out || w.Raised(1, 0) != 2 || w.Raised(1, 0.5) != 2.5 || !w.Excludes(c, 1, 1.01) || w.Excludes(c, 1, 0.99) {
		t.Errorf("after one step S = %g, raised by 0.5 %g", w.Sum, w.Raised(1, 0.5))
	}
	if m := w.Margin(c, 1); math.Abs(m-1) > 1e-6 {
		t.Errorf("margin %g", m)
	}
	// of 4 + 2 less 1; the bound at look 6 is 3√T
	Bet{Walk: w, Opponent: 1, Arm: 2, Variance: 1, Look: 6, Allowed: 1}.Settle(c, Score{Gap: 2 / math.Sqrt(c.Time(6)-1), Sd: 1, Freedom: math.Inf(1)})
	if math.Abs(w.Sum-5) > 1e-12 || w.Out || math.Abs(w.Raised(1, 0)-5) > 1e-12 {
		t.Errorf("after two steps S = %g, out %v", w.Sum, w.Out)
	}
	biased, unbiased := w.Need(c, 1, 0.5, 0, 0), w.NeedUnbiased(c, 1, 0.5, 0, 0)
	if !(unbiased < biased) {
		t.Errorf("needs %g, and %g if the bias could be made up for", biased, unbiased)
	}
}
