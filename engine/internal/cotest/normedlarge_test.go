package cotest

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// The bound of the test: a stated norm; else least squares while the kernel has few dimensions, on all arms or on the arms of
// each task; else the norm of rewards that are known, unless arms have parts by themselves; else the arms' own means.
func TestBoundOf(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	few, _ := smooth(t)
	many := try.Of(manyarms.Problem(400))
	// of a short length scale, so that all dimensions are above rounding
	rough := many.WithKernel(kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.RBF{}, Arm: kernels.RBF{Lengthscale: []float64{0.3}}}}})
	apart := *rough // each task has few
	one := try.Of(manyarms.Problem(2000))
	rough = one.WithKernel(rough.Kernel).Only(0)
	blind := *rough
	blind.Mean = nil
	own := one.WithKernel(kernels.AddJoint(rough.Kernel, enginetest.Identity)).Only(0)
	for _, row := range []struct {
		name    string
		p       *problem.Problem
		opt     engine.Options
		bounded bool
		known   bool
		means   bool
	}{
		{name: "few", p: few},
		{name: "stated", p: few, opt: engine.Options{Norm: 3}, bounded: true},
		{name: "stated of a kernel with few dimensions", p: enginetest.Paper(t, 2, 0.4), opt: engine.Options{Norm: 5}},
		{name: "many together", p: &apart},
		{name: "many, known", p: rough, bounded: true, known: true},
		{name: "many, unknown", p: &blind, means: true},
		{name: "many, each with a part by itself", p: own, means: true},
		{name: "many, stated", p: &blind, opt: engine.Options{Norm: 3}, bounded: true},
	} {
		m, err := model.New(row.p, 1)
		if err != nil {
			t.Fatal(err)
		}
		b, bounded, err := BoundOf(m, plain.TermsOf(t, m, engine.ModeFC, row.opt))
		if bounded != row.bounded || b.Known != row.known || err != nil || ByMeans(m, plain.TermsOf(t, m, engine.ModeFC, row.opt)) != row.means {
			t.Errorf("%s: %+v %v %v", row.name, b, bounded, err)
		}
		alg, err := plain.On(engine.ModeFC, NewCoTestFC)(m, row.opt)
		if _, is := alg.(*normed); err == nil && is != row.bounded {
			t.Errorf("%s: %T", row.name, alg)
		}
		if n, is := alg.(*normed); is && row.known {
			if !slices.ContainsFunc(n.Warnings(), func(w engine.Warning) bool { return w.Kind == engine.WarnNormKnown || w.Kind == engine.WarnNormNear }) {
				t.Errorf("%s: nobody says that the norm comes from the truth", row.name)
			}
		}
	}
}

// A run under a kernel whose dimensions are all arms ends, and stops on request.
func TestNormedRough(t *testing.T) {
	p := try.Of(manyarms.Problem(120))
	p = p.WithKernel(kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.RBF{}, Arm: kernels.Matern{Nu: 0.5, Lengthscale: []float64{1}}}}})
	m := try.Of(model.New(p, 1))
	opt := engine.Options{Norm: 40, Unit: 1, Epsilon: 0.3}
	alg := try.Of(newNormed(m, plain.TermsOf(t, m, engine.ModeFC, opt), Bound{Bound: model.Bound{Norm: opt.Norm}}))
	rng := rand.New(rand.NewPCG(1, 6))
	out := enginetest.Run(t, alg, opt, func(plan engine.Plan) engine.Batch { return enginetest.Pull(rng, p, plan) })
	if out.Status != engine.StatusEpsilon && out.Status != engine.StatusDecided {
		t.Errorf("%s after %d samples", out.Status, out.Samples)
	}
	t.Logf("%s after %d samples and %d rounds", out.Status, out.Samples, len(out.Rounds))
	ctx, cancel := context.WithCancel(t.Context())
	again := try.Of(newNormed(m, plain.TermsOf(t, m, engine.ModeFC, opt), Bound{Bound: model.Bound{Norm: opt.Norm}}))
	cancel()
	if _, err := again.Plan(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
