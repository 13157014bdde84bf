package bayes

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
)

// Where the kernel does not predict rewards that are left out, no task is decided before each of its arms was
// pulled, and a warning says how much it explains; if it does, arms are decided over that never were.
func TestNothingIsDecidedUnseen(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	for _, smooth := range []bool{true, false} {
		p := many(t, 300)
		rng := rand.New(rand.NewPCG(8, 1))
		if !smooth { // each arm by itself
			for i := range p.Mean {
				p.Mean[i] = rng.NormFloat64()
			}
		}
		alg, err := plain.On(engine.ModeFC, NewCoBayesFC)(modelOf(t, p), engine.Options{Delta: 0.1, Epsilon: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		out, err := engine.Run(t.Context(), alg, enginetest.EnvironmentFunc(func(plan engine.Plan) engine.Batch { return enginetest.Pull(rng, p, plan) }), engine.Options{})
		if err != nil || out.Status != engine.StatusDecided {
			t.Fatalf("%s, %v", out.Status, err)
		}
		unseen := 0
		for _, c := range alg.(*coBayes).Counts {
			if c == 0 {
				unseen++
			}
		}
		warned := slices.ContainsFunc(out.Warnings, func(w engine.Warning) bool { return w.Kind == engine.WarnUnexplained })
		if warned == smooth || (unseen > 0) != smooth {
			t.Errorf("smooth %v: decided with %d arms unseen, warnings %v", smooth, unseen, out.Warnings)
		}
	}
}

// known are the degrees of freedom of scales that are known.
func known([]int) float64 { return math.Inf(1) }
