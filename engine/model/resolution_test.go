package model

import (
	"context"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// The directions of kernels on the problem of many arms, from a stopped factor of all 3,000 arms, lie between the two numbers from random
// arms; only kernels with very many directions have a warning.
func TestResolution(t *testing.T) {
	p := try.Of(manyarms.Problem(3000))
	ctx := context.Background()
	one := []float64{1}
	rbf := kernels.RBF{Lengthscale: one}
	product := func(k kernels.Kernel) kernels.Joint {
		return kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: k, Arm: k}}}
	}
	nugget := product(rbf)
	nugget.Terms = append(nugget.Terms, kernels.Term{Scale: 0.05, Task: kernels.Identity{}, Arm: kernels.Identity{}})
	cases := []struct {
		name     string
		kernel   kernels.Joint
		rough    bool
		smoother string
	}{
		{"smooth", product(rbf), false, ""},
		{"rough", product(kernels.Matern{Nu: 0.5, Lengthscale: one}), true, "task(rbf(lengthscale=1)) * arm(rbf(lengthscale=1))"},
		{"twice differentiable", product(kernels.Matern{Lengthscale: one}), false, ""},
		{"with an identity part", nugget, true, "task(rbf(lengthscale=1)) * arm(rbf(lengthscale=1))"},
	}
	if testing.Short() {
		cases = cases[:2]
	}
	for _, c := range cases {
		q := *p
		q.Kernel = c.kernel
		r := try.Of(Resolve(ctx, &q, Scatter(p)/8))
		t.Logf("%s: %+v", c.name, r)
		if warnings := r.Warnings(); (len(warnings) > 0) != c.rough {
			t.Errorf("%s: %v", c.name, warnings)
		}
		if r.Smoother != c.smoother || c.rough && !(r.SmootherDirections[1] < 150) {
			t.Errorf("%s: %q, with %v directions, is suggested", c.name, r.Smoother, r.SmootherDirections)
		}
		// The accuracy is one that few directions leave: more arms than those drawn change little.
		if c.rough && !(r.Affordable > r.Epsilon && r.Affordable < 2*Scatter(p)) {
			t.Errorf("%s: few directions are left at %g, where the accuracy is %g and rewards scatter by %g", c.name, r.Affordable, r.Epsilon, Scatter(p))
		}
		if c.rough {
			if r.Directions[1] < 2500 { // identity parts and exp(-r) tell nearly all arms apart
				t.Errorf("%s: %v directions", c.name, r.Directions)
			}
			continue
		}
		gram := try.Of(q.Kernel.On(ctx, q.Tasks, q.Arms, q.TaskOf))
		_, variance := try.Two(drawn(ctx, &q, q.Kernel, []int{0, 200, 700, 1100, 1500, 1900, 2300, 2900}))
		all := try.Of(kernels.PivotedCholesky(ctx, gram, 0, variance/64))
		if rank := len(all.Pivots); float64(rank) < 0.8*float64(r.Directions[0]) || float64(rank) > 1.2*float64(r.Directions[1]) {
			t.Errorf("%s: %d directions of all arms, %v are estimated", c.name, rank, r.Directions)
		}
	}
}

// Problems in other units of rewards, or with a kernel of another scale or constant, have the same directions at the same fraction of
// their scatter.
func TestResolutionUnits(t *testing.T) {
	p := try.Of(manyarms.Problem(700))
	ctx := context.Background()
	want := try.Of(Resolve(ctx, p, Scatter(p)/10))
	q := *p
	q.Mean = nil
	for _, m := range p.Mean {
		q.Mean = append(q.Mean, 40+100*m)
	}
	q.Kernel = kernels.Joint{Terms: append([]kernels.Term{{Scale: 900}}, p.Kernel.Terms...)}
	q.Kernel.Terms[1].Scale = 7
	got := try.Of(Resolve(ctx, &q, Scatter(&q)/10))
	// A level is one direction more.
	if d := got.Directions[0] - want.Directions[0]; d < 0 || d > 2 {
		t.Errorf("%v directions, in other units %v", want.Directions, got.Directions)
	}
	unknown := problem.Problem{TaskOf: []int{0, 0}, Noise: problem.NoiseModel{Scales: []float64{2, 3}}}
	if s := Scatter(&unknown); s != 3 {
		t.Errorf("the scatter of unknown rewards is %g, want the noise, 3", s)
	}
}
