package model

import (
	"math"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// Between two normal distributions whose means differ by η in each of n pulls, the total variation distance is exactly 2Φ(η√n/2σ) - 1; no
// event then differs in probability by more than share.
func TestNegligible(t *testing.T) {
	p, err := manyarms.Problem(300)
	if err != nil {
		t.Fatal(err)
	}
	m := try.Of(New(p, 0))
	const share, samples = 1e-3, 100.0
	least := try.Of(m.Truth().Negligible(0.1, 0, 0))
	within, err := m.Truth().Negligible(0.1, share, samples)
	if err != nil || within <= least || within > 500*least*(1+1e-12) {
		t.Fatalf("%g after %g, %v", within, least, err)
	}
	if apart := math.Erf(within * math.Sqrt(samples) / (2 * manyarms.Noise) / math.Sqrt2); apart > share || apart < share/2 {
		t.Errorf("total variation %g, allowed %g", apart, share)
	}
	if large, err := m.Truth().Negligible(0.1, 1, 1); err != nil || math.Abs(large/least-500) > 1e-9 {
		t.Errorf("%g is not half of the lead %g: %v", large, 1000*least, err)
	}
}

// A witness is found for the norm of the rewards, also if they were rounded, and for no clearly smaller norm; it needs no exact features.
func TestWitnessed(t *testing.T) {
	p := try.Of(manyarms.Problem(300))
	for i, v := range p.Mean {
		p.Mean[i] = math.Round(v*1e6) / 1e6
	}
	m := try.Of(New(p, 0))
	opt := engine.Options{Delta: 0.05, Epsilon: 0.1, Norm: manyarms.Norm / manyarms.Noise}
	if !m.Truth().Witnessed(termsOf(t, m, opt), 4000) {
		t.Error("no witness within the norm of the function")
	}
	opt.Norm /= 3
	if m.Truth().Witnessed(termsOf(t, m, opt), 4000) {
		t.Error("a witness within a third of it")
	}
	for misfit, found := range map[float64]bool{0.1: true, 1e-13: false} {
		if opt.Misfit = misfit; m.Truth().Witnessed(termsOf(t, m, opt), 4000) != found {
			t.Errorf("a witness within a third of the norm and a misfit of %g: %v", misfit, !found)
		}
	}
}

// Rewards rounded to four decimals have a witness that costs part of δ, which is counted; those rounded to one decimal have none.
func TestWitnessOfCoarseRewards(t *testing.T) {
	if testing.Short() {
		t.Skip("fits of many arms are for the full run")
	}
	for decimals, want := range map[float64]struct {
		found bool
		cost  float64
	}{1e12: {true, 0}, 1e4: {true, 0.05 * costlyShare}, 1e1: {false, 0}} {
		p := try.Of(manyarms.Problem(700))
		for i, v := range p.Mean {
			p.Mean[i] = math.Round(v*decimals) / decimals
		}
		m := try.Of(New(p, 0))
		cost, found := m.Truth().Witness(termsOf(t, m, engine.Options{Delta: 0.05, Epsilon: 0.1, Norm: manyarms.Norm / manyarms.Noise}), 4000)
		if found != want.found || math.Abs(cost-want.cost) > 1e-12 {
			t.Errorf("rounded to 1/%g: found %v at a cost of %g", decimals, found, cost)
		}
	}
}

// termsOf returns options on a model.
func termsOf(t *testing.T, m *Model, opt engine.Options) Terms {
	t.Helper()
	return try.Of(m.Terms(engine.ModeFC, opt))
}
