package algorithms

import (
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/cotest"
	"github.com/gonb-cope/gonb-cope/engine/internal/elimination"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// onLine is a kernel under which rewards are proportional to the only feature of small, which is the mean; arms with mean 0 have zero
// features.
var onLine = kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Constant{Value: 1}, Arm: kernels.Linear{}}}}

// ended runs an algorithm on Gaussian rewards and requests its progress, too.
func ended(t *testing.T, p *problem.Problem, of func(*model.Model, engine.Options) (engine.Algorithm, error), opt engine.Options) engine.Outcome {
	t.Helper()
	m := plain.ModelOf(t, p)
	alg := try.Of(of(m, opt))
	rng := rand.New(rand.NewPCG(4, 9))
	out := try.Of(engine.Run(t.Context(), alg, enginetest.EnvironmentFunc(func(plan engine.Plan) engine.Batch { return enginetest.Pull(rng, p, plan) }), opt))
	if e, ok := alg.(engine.Detailed); ok {
		engine.ProgressOf(e)
	}
	return out
}

// Each comparison has its own information clock: one arm with a thousand times the noise of the others does not use up their interim
// analyses.
func TestCoTestNoiseApart(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{0, 0.1, -9000})
	p.Noise.Scales = []float64{1, 1, 1000}
	if out := ended(t, p, plain.On(engine.ModeFC, cotest.NewCoTestFC), engine.Options{Delta: 0.1}); out.Status != engine.StatusDecided || out.Answers[0].Arm != "2" {
		t.Errorf("%s after %d samples: %+v, %v", out.Status, out.Samples, out.Answers, out.Warnings)
	}
}

// Arms with equal features, arms without features and small bounds, when the kernel may be misspecified: runs end with the right status.
func TestCoTestMisfitCorners(t *testing.T) {
	for name, c := range map[string]struct {
		means [][]float64
		same  bool // to the kernel, all arms
		opt   engine.Options
		want  engine.Status
	}{
		"all the same, bound stated":          {[][]float64{{0, 2}, {3, 1}}, true, engine.Options{Misfit: 5}, engine.StatusDecided},
		"no features in one task":             {[][]float64{{0, 0}, {3, 1}}, false, engine.Options{Misfit: 0.5, Epsilon: 0.5}, engine.StatusEpsilon},
		"direct measurement beyond the limit": {[][]float64{{0, 0.1}, {3, 3.1}}, false, engine.Options{Misfit: 5, MaxSamples: 60}, engine.StatusSamples},
	} {
		k := onLine
		if c.same {
			k = kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Constant{Value: 1}, Arm: kernels.Constant{Value: 1}}}}
		}
		if out := ended(t, enginetest.Small(t, k, c.means...), plain.On(engine.ModeFC, cotest.NewCoTestFC), c.opt); out.Status != c.want {
			t.Errorf("%s: %s, want %s: %+v", name, out.Status, c.want, out.Answers)
		}
	}
}

// Arms without features that differ by noise are neither copies nor contrasts.
func TestNoFeatures(t *testing.T) {
	p := enginetest.Small(t, onLine, []float64{0, 0}, []float64{1})
	p.Noise.Scales = []float64{1, 2, 1}
	if out := ended(t, p, func(m *model.Model, o engine.Options) (engine.Algorithm, error) {
		return plain.On(engine.ModeFC, elimination.NewCoKernelFC)(m, o)
	}, engine.Options{Gap: 0.5, Norm: 10}); out.Status != engine.StatusDecided {
		t.Errorf("%s: %+v", out.Status, out.Answers)
	}
}

// If the tests wrongly eliminate every arm, nothing is decided, and progress says that nothing will be.
func TestCoBayesFBAllOut(t *testing.T) {
	m := plain.ModelOf(t, enginetest.Small(t, enginetest.Identity, []float64{0, 1}))
	alg := try.Of(plain.On(engine.ModeFB, cotest.NewCoBayesFB)(m, engine.Options{Budget: 60, Ridge: engine.Ridge{Kind: engine.RidgeAuto}}))
	for round, lead := 0, 100.0; !alg.Done(); round++ {
		plan := try.Of(alg.Plan(t.Context()))
		if round == 4 { // arm 0 has put arm 1 out, now the other way round
			lead = -500
		}
		try.To(alg.Learn(t.Context(), engine.Batch{Counts: plan.Counts, Means: []float64{lead, 0}}))
	}
	tasks, _ := engine.ProgressOf(alg.(engine.Detailed))
	if p := tasks[0]; p.Decided || p.Samples != -1 || alg.State().Answers[0].Decided {
		t.Errorf("%+v, %+v", p, alg.State().Answers[0])
	}
}
