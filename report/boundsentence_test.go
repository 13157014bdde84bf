package report

import (
	"math"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
)

// TestBoundSentence: the words follow the numbers, whichever bound is the tightest
// and wherever the measurement lies.
func TestBoundSentence(t *testing.T) {
	fc := func(theorem, a, b, c, lower, measured, lo float64) string {
		return BoundSentence(bounds.Report{LowerBoundSamples: lower, Theorem: bounds.Theorem{FC: theorem}, Corollary: bounds.Corollary{FC: bounds.ABC{A: a, B: b, C: c}}},
			engine.Result{Mode: engine.ModeFC, Algorithm: "CoKernelFC", Schedule: "tuned", SamplesPerAgent: engine.Interval{Mean: measured, CI95: [2]float64{lo, 2*measured - lo}}})
	}
	fb := func(theorem, a, b, c, budget float64, count, runs int, lo, hi float64) string {
		return BoundSentence(bounds.Report{Budget: 7000, Delta: 0.005, Theorem: bounds.Theorem{FB: theorem, FBBudget: budget}, Corollary: bounds.Corollary{FB: bounds.ABC{A: a, B: b, C: c}}},
			engine.Result{Mode: engine.ModeFB, Algorithm: "CoKernelFB", Budget: 7000,
				Errors: engine.Rate{Count: count, Runs: runs, Rate: float64(count) / math.Max(1, float64(runs)), CI95: [2]float64{lo, hi}}})
	}
	inf := math.Inf(1)
	for _, c := range []struct{ name, got, want string }{
		{"theorem", fc(400000, 4e6, 1e6, 2e6, 1500, 10000, 9900),
			"The tightest upper bound is Theorem 1: 400,000 samples per agent. Corollary 1 is tightest in form (b), by effective dimension: 2.5 times as many. " +
				"CoKernelFC (tuned schedule) measured 10,000 [9,900, 10,100]: 40 times below the tightest bound, which is one for the literal schedule, and 6.67 times above the lower bound of 1,500."},
		{"form tightest", fc(5e6, 4e6, inf, 2e6, 1500, 10000, 9900),
			"The tightest upper bound is Corollary 1 (c), by ranks: 2,000,000 samples per agent. " +
				"CoKernelFC (tuned schedule) measured 10,000 [9,900, 10,100]: 200 times below the tightest bound, which is one for the literal schedule, and 6.67 times above the lower bound of 1,500."},
		{"tie", fc(1000, 4000, 2000, 2000, 500, 1000, 900),
			"The tightest upper bound is Theorem 1: 1,000 samples per agent. Corollary 1 is tightest in forms (b), by effective dimension and (c), by ranks: 2 times as many. " +
				"CoKernelFC (tuned schedule) measured 1,000 [900, 1,100]: at the tightest bound, which is one for the literal schedule, and 2 times above the lower bound of 500."},
		{"contradiction", fc(1000, inf, inf, inf, 3000, 2000, 1500),
			"The tightest upper bound is Theorem 1: 1,000 samples per agent. " +
				"CoKernelFC (tuned schedule) measured 2,000 [1,500, 2,500]: 2 times above the tightest bound, which is one for the literal schedule, which it contradicts, and 1.5 times below the lower bound of 3,000."},
		{"nothing finite", fc(inf, inf, 0, inf, 0, 2000, 1500),
			"Neither Theorem 1 nor a form of Corollary 1 gives a finite bound. CoKernelFC (tuned schedule) measured 2,000 [1,500, 2,500]."},
		{"vacuous", fb(1, 1, 1, 1, 70000, 22, 100, 0.15, 0.31),
			"At a budget of 7,000 per agent every bound on the error probability is vacuous. CoKernelFB erred in 22 of 100 runs, 0.220 [0.150, 0.310]. " +
				"The tightest, Theorem 2, promises 0.005 from a budget of 70,000 on, 10 times as much."},
		{"below", fb(0.5, 1, 0.4, 1, 70000, 10, 100, 0.05, 0.17),
			"At a budget of 7,000 per agent the tightest bound on the error probability is Corollary 2 (b), by effective dimension: 0.4. CoKernelFB erred in 10 of 100 runs, 0.100 [0.050, 0.170]: 4 times below it."},
		{"no errors", fb(0.5, 1, 1, 1, 70000, 0, 100, 0, 0.037),
			"At a budget of 7,000 per agent the tightest bound on the error probability is Theorem 2: 0.5. CoKernelFB erred in 0 of 100 runs, 0 [0, 0.037]: at least 13.5 times below it."},
		{"too few", fb(0.001, 1, 1, 1, 70000, 0, 100, 0, 0.037),
			"At a budget of 7,000 per agent the tightest bound on the error probability is Theorem 2: 0.001. CoKernelFB erred in 0 of 100 runs, 0 [0, 0.037]: the runs are too few to estimate how far below the bound this is."},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, c.got, c.want)
		}
	}
	other := BoundSentence(bounds.Report{Budget: 1000}, engine.Result{Mode: engine.ModeFB, Budget: 7000})
	if want := "The bounds are for a budget of 1,000 per agent and the runs had 7,000: they cannot be compared."; other != want {
		t.Errorf("got %s", other)
	}
}
