package cotest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// TestRecall: what is said of some arms after later rounds is what was said of them at the time.
func TestRecall(t *testing.T) {
	p, m := smooth(t)
	a, err := newNormed(m, plain.TermsOf(t, m, engine.ModeFC, engine.Options{Unit: 1, Epsilon: 0.1, Norm: manyarms.Norm}), Bound{Bound: model.Bound{Norm: manyarms.Norm}})
	if err != nil {
		t.Fatal(err)
	}
	if later, latest := a.Recall(); later != nil || latest != nil {
		t.Error("there is something to recall before any data")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var then []engine.ArmEstimates
	var later []func([]int) engine.ArmEstimates
	for range 3 {
		plan, err := a.Plan(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Learn(t.Context(), enginetest.Pull(rng, p, plan)); err != nil {
			t.Fatal(err)
		}
		f, latest := a.Recall()
		if len(latest) != p.N() {
			t.Fatalf("%d estimates of %d arms", len(latest), p.N())
		}
		then, later = append(then, a.ArmEstimates()), append(later, f)
	}
	some := []int{0, 7, 33, 59}
	for r, f := range later {
		now := f(some)
		if !now.Posterior {
			t.Error("it is a posterior")
		}
		for i := range p.N() {
			asked := i == 0 || i == 7 || i == 33 || i == 59
			if asked != !math.IsNaN(now.Mean[i]) || asked != !math.IsNaN(now.Half[i]) {
				t.Fatalf("round %d, arm %d: %g ± %g", r+1, i, now.Mean[i], now.Half[i])
			}
			if asked && (math.Abs(now.Mean[i]-then[r].Mean[i]) > 1e-9 || math.Abs(now.Half[i]-then[r].Half[i]) > 1e-9*then[r].Half[i]) {
				t.Errorf("round %d, arm %d: %g ± %g, then %g ± %g", r+1, i, now.Mean[i], now.Half[i], then[r].Mean[i], then[r].Half[i])
			}
		}
	}
}
