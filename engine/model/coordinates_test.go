package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// fullRank returns the last of instances with the same arms under a smooth kernel plus a part for
// each arm: as many dimensions as arms.
func fullRank(t *testing.T) *problem.Problem {
	t.Helper()
	all := enginetest.Instances(t)
	return all[len(all)-1].WithKernel(kernels.Joint{Terms: []kernels.Term{
		{Scale: 100, Task: kernels.RBF{Lengthscale: []float64{3}}, Arm: kernels.RBF{Lengthscale: []float64{3}}},
		{Scale: 0.1, Task: kernels.Identity{}, Arm: kernels.Identity{}},
	}})
}

// Without a ridge the coordinates of the features do not matter: the value of designs, the
// variances and the estimates equal the model's own.
func TestDecoupled(t *testing.T) {
	for _, p := range append(enginetest.Instances(t), fullRank(t)) {
		m := model(t, p)
		plain, err := m.Designs().Decoupled()
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(8, 9))
		plan := engine.Plan{Counts: make([]int, p.N())}
		for i := range plan.Counts {
			plan.Counts[i] = 1 + rng.IntN(20)
		}
		b := enginetest.Pull(rng, p, plan)
		want := try.Of(NewEstimator(m, 0, b.Counts))
		got := try.Of(NewEstimator(plain, 0, b.Counts))
		x, y := got.Estimates(b.Means), want.Estimates(b.Means)
		for i := range p.N() {
			if math.Abs(x[i]-y[i]) > 1e-9*(1+math.Abs(y[i])) {
				t.Errorf("%s: arm %d is estimated at %v, in the model's features at %v", p.Name, i, x[i], y[i])
			}
			if v, w := got.Variance(0, i), want.Variance(0, i); math.Abs(v-w) > 1e-9*(1e-3+w) {
				t.Errorf("%s: arms 0 and %d have variance %v, in the model's features %v", p.Name, i, v, w)
			}
			if got.Bias(0, i, Bound{}) != 0 {
				t.Errorf("%s: arms 0 and %d were measured, and have a bias", p.Name, i)
			}
		}
		c := design.Contrasts{Groups: p.Groups()}
		d := try.Of(design.Minimax(m.Space(0), c, design.Options{Tolerance: 1e-8}))
		e, err := plain.Designs().Design(0, p.Groups())
		if err != nil || math.Abs(e.Value/d.Value-1) > 1e-7 {
			t.Errorf("%s: design value %v (%v), in the model's features %v", p.Name, e.Value, err, d.Value)
		}
	}
}

// With as many dimensions as arms, least squares estimates an arm from that arm alone. So each
// arm is a block, and a difference has the variance of two separate means.
func TestDecoupledFullRank(t *testing.T) {
	p := fullRank(t)
	m := model(t, p)
	plain := try.Of(m.Designs().Decoupled())
	if got := len(plain.Layout.Blocks); m.Rank() != p.N() || got != p.N() {
		t.Fatalf("rank %d and %d blocks, want %d of each", m.Rank(), got, p.N())
	}
	counts := make([]int, p.N())
	for i := range counts {
		counts[i] = i // nothing of arm 0
	}
	e := try.Of(NewEstimator(plain, 0, counts))
	for i := 2; i < p.N(); i++ {
		want := 1/(m.Precision[1]*1) + 1/(m.Precision[i]*float64(i))
		if got := e.Variance(1, i); math.Abs(got-want) > 1e-12*want {
			t.Errorf("arms 1 and %d have variance %v, want %v", i, got, want)
		}
		if !math.IsInf(e.Bias(0, i, Bound{}), 1) || e.Bias(1, i, Bound{}) != 0 {
			t.Errorf("bias of arms 0 and %d is %v, want +Inf; of 1 and %d %v, want 0", i, e.Bias(0, i, Bound{}), i, e.Bias(1, i, Bound{}))
		}
	}
}
