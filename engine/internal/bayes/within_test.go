package bayes

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// sidesOf returns two tasks of arms on a line under a smooth kernel whose blocks differ by a thousand standard deviations.
func sidesOf(t *testing.T) *problem.Problem {
	t.Helper()
	p := enginetest.Small(t, kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.RBF{}}}},
		[]float64{0, 1, 2, 4}, []float64{0, 2, 5})
	p.Block = &problem.Block{Name: "day", Effect: 1000}
	return p
}

// Whatever blocks add, the best arms are found, in blocks of any size with leader and control in each; replicas plan alike, also
// after rounds of other blocks, and the estimates shown are the gaps' at the level of the measurements.
func TestPosteriorSideBySide(t *testing.T) {
	for _, block := range []problem.Block{{}, {Size: 2}, {Size: 3, Control: "2"}} {
		p := sidesOf(t)
		p.Block.Size, p.Block.Control = block.Size, block.Control
		algs := make([]engine.Algorithm, 2)
		for k := range algs {
			algs[k] = try.Of(plain.On(engine.ModeFC, NewCoBayesFC)(plain.ModelOf(t, p), engine.Options{Delta: 0.1, MaxRounds: 50, MaxSamples: 1e6}))
		}
		rng := rand.New(rand.NewPCG(8, uint64(block.Size)))
		enginetest.SideRounds(t, rng, p, 50, algs)
		of := algs[0].(*sideBySide)
		for v, want := range []string{"4", "3"} {
			if a := of.Answers()[v]; !a.Decided || a.Arm != want {
				t.Errorf("%+v: task %d is answered by %+v, want arm %s", block, v, a, want)
			}
		}
		for v, set := range p.Groups() {
			level, shown, pulls := 0.0, 0.0, 0.0
			for _, i := range set {
				n := float64(of.Counts[i])
				pulls, level, shown = pulls+n, level+of.Sums[i], shown+n*of.estimates[i]*of.Model.Unit
			}
			if math.Abs(level-shown) > 1e-6*pulls*1000 {
				t.Errorf("%+v: task %d was measured at %g, and is shown at %g", block, v, level/pulls, shown/pulls)
			}
		}
	}
}

// Blocks from which no posterior within blocks can be formed are refused.
func TestBlocksThatNoPosteriorTakes(t *testing.T) {
	arm := sidesOf(t)
	arm.Noise.UnknownBy = problem.UnknownArm
	many := enginetest.Linear(t, 1, 257)
	many.Block = &problem.Block{Name: "day"}
	none := sidesOf(t)
	none.Block.Size = 1
	for want, p := range map[string]*problem.Problem{"unknown arm": arm, "257 arms": many, "block_size": none} {
		if _, err := plain.On(engine.ModeFC, NewCoBayesFC)(plain.ModelOf(t, p), engine.Options{Delta: 0.1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
}
