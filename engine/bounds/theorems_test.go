package bounds_test

import (
	"context"
	"math"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Theorems and corollaries of case 1 at Δ = 0.1, δ = 0.005, ξ = 1e-6, T = 300,000,
// written out from the proofs with the known values of ρ*, Υ, d_eff and the
// ranks. K_{λ*} has trace 2: every arm has two ones.
func TestTheorems(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.1)
	r := try.Of(bounds.Compute(context.Background(), p, engine.Options{Delta: 0.005, Budget: 300000, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-6}}))
	const xi, pairs, rounds, arms = 1e-6, 180., 6., 30. // n²V = 36·5; r* = ⌈log₂ 20⌉ + 1
	bound := map[string]float64{
		"theorem": 428.5597,
		"a":       800 * 51.966215,
		"b":       800 * 4 * math.Log(2*arms*(1+2/(xi*4))),
		"c":       800 * 1 * 4 * math.Log((arms+2/xi)/4),
	}
	first := math.Ceil(32 * 4 * 1.21 * 11.999964 * math.Log(2*pairs/0.0025))
	samples := func(rho float64) float64 { // without 2τr*, which is below 2·60·6
		return (rounds*(2048*1.21*rho*math.Log(4*pairs*rounds*rounds/0.005)+1) + first) / 5
	}
	failure := func(rho float64) float64 { // R = ⌈log₂ 11.999964⌉ = 4
		return min(1, 2*pairs*4*math.Exp(-math.Floor(300000*5/4)/(32*1.1*rho)))
	}
	got := map[string][2]float64{
		"theorem": {r.Theorem.FC, r.Theorem.FB},
		"a":       {r.Corollary.FC.A, r.Corollary.FB.A},
		"b":       {r.Corollary.FC.B, r.Corollary.FB.B},
		"c":       {r.Corollary.FC.C, r.Corollary.FB.C},
	}
	for name, rho := range bound {
		if d := got[name][0] - samples(rho); d < -1e-6*samples(rho) || d > 2*60*6/5+1e-6*samples(rho) {
			t.Errorf("%s: %.6g samples, the proof gives %.6g plus the rounding term", name, got[name][0], samples(rho))
		}
		if want := failure(rho); math.Abs(got[name][1]-want) > 1e-4*want {
			t.Errorf("%s: error %.6g, the proof gives %.6g", name, got[name][1], want)
		}
	}
	if r.RoundsFC != 6 || r.RoundsFB != 4 {
		t.Errorf("%d and %d rounds, want 6 and 4", r.RoundsFC, r.RoundsFB)
	}
	// At the budget for δ the error is at most δ, and just below it above.
	for _, c := range []struct {
		budget float64
		above  bool
	}{{r.Theorem.FBBudget, false}, {0.99 * r.Theorem.FBBudget, true}} {
		again := try.Of(bounds.Compute(context.Background(), p, engine.Options{Delta: 0.005, Budget: int(c.budget), Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: xi}}))
		if (again.Theorem.FB > 0.005) != c.above {
			t.Errorf("budget %.0f: error %.6g, above delta %v expected", c.budget, again.Theorem.FB, c.above)
		}
	}
}
