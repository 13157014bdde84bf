package algorithms

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/internal/reference"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// This file transcribes the fixed-budget baselines plainly, in the explicit features of reference_test.go. It shares with the tested code
// only the designs of package design, which has tests of its own, and the random rewards.

// IndPeaceFB and IndPeaceFB-Pooled are run on every task with the budget of one agent.
func TestIndPeace(t *testing.T) {
	p := enginetest.Paper(t, 3, 0.3)
	m := plain.ModelOf(t, p)
	// γ = 21.1 for the six arms (design.TestWidthPaperSets), hence five rounds; a quarter
	// of it makes three.
	for name, rounds := range map[string]int{"IndPeaceFB": 5, "IndPeaceFB-Pooled": 3} {
		entry := try.Of(Named(engine.ModeFB, name))
		alg := try.Of(entry.New(m, engine.Options{Budget: 1003}))
		plan := try.Of(alg.Plan(t.Context()))
		for v := range p.V() {
			lo, hi := p.ArmsOf(v)
			if sum := engine.PullsOf(plan.Counts[lo:hi]); sum != 1003/rounds {
				t.Errorf("%s, task %d: %d pulls in the first round, want %d", name, v, sum, 1003/rounds)
			}
		}
	}
}

// The oracle's pulls have the proportions of ρ*(0), after one pull per arm, TV in all.
func TestOracleFB(t *testing.T) {
	for _, p := range enginetest.Instances(t) {
		m := plain.ModelOf(t, p)
		alg := try.Of(plain.On(engine.ModeFB, reference.NewOracleFB)(m, engine.Options{Budget: 5000, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-10}}))
		plan := try.Of(alg.Plan(t.Context()))
		d := try.Of(m.Truth().Hardness(0, 0))
		n := 5000 * p.V()
		if plan.Pulls() != n {
			t.Errorf("%s: %d pulls, the budget of all agents is %d", p.Name, plan.Pulls(), n)
		}
		for i, c := range plan.Counts {
			if math.Abs(float64(c)-d.Weights[i]*float64(n)) > float64(p.N()) {
				t.Errorf("%s, arm %d: %d pulls, the proportions of T* give %g", p.Name, i, c, d.Weights[i]*float64(n))
			}
		}
		b := engine.Batch{Counts: plan.Counts, Means: p.Mean} // no noise
		try.To(alg.Learn(t.Context(), b))
		best := try.Of(m.Truth().Best())
		for v, a := range alg.State().Answers {
			if a.Leader != p.Arms.Names[best[v]] || !alg.Done() {
				t.Errorf("%s, task %d: answer %s without noise, best %s", p.Name, v, a.Leader, p.Arms.Names[best[v]])
			}
		}
	}
}

// Cases that the oracle refuses: unknown means and undefined proportions.
func TestOracleFBUnsuited(t *testing.T) {
	tied := enginetest.Small(t, enginetest.Identity, []float64{0, 1, 1})
	_, err := plain.On(engine.ModeFB, reference.NewOracleFB)(plain.ModelOf(t, tied), engine.Options{Budget: 10})
	if want := `task "a", arm "3" ties for best`; !errors.Is(err, engine.ErrUnsuited) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("a tie: %v, want %s", err, want)
	}
	p := enginetest.Small(t, enginetest.Identity, []float64{0, 1})
	p.Mean = nil
	_, err = plain.On(engine.ModeFB, reference.NewOracleFB)(plain.ModelOf(t, p), engine.Options{Budget: 10})
	if !errors.Is(err, engine.ErrUnknownMeans) || !errors.Is(err, engine.ErrUnsuited) || !strings.Contains(err.Error(), "true gaps") {
		t.Errorf("without expected rewards: %v", err)
	}
}
