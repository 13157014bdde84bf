package engine

import (
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// onLine is a kernel under which rewards are proportional to the only feature of small, which is the mean; arms
// of mean 0 have no features at all.
var onLine = kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Constant{Value: 1}, Arm: kernels.Linear{}}}}

// ended runs an algorithm on Gaussian rewards and asks for its progress, too.
func ended(t *testing.T, p *Problem, of func(*Model, Options) (Algorithm, error), opt Options) Outcome {
	t.Helper()
	m := model(t, p)
	alg, err := of(m, opt)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(4, 9))
	out, err := Run(t.Context(), alg, environmentFunc(func(plan Plan) Batch { return pull(rng, p, plan) }), opt)
	if err != nil {
		t.Fatal(err)
	}
	if e, ok := alg.(Explainer); ok {
		e.Progress()
		e.Remaining()
	}
	return out
}

// Clocks begin where the knowledge of their gaps is: one arm with a thousand times the noise of the others does
// not use up the looks of theirs.
func TestCoTestNoiseApart(t *testing.T) {
	p := small(t, independent, []float64{0, 0.1, -9000})
	p.Noise.Scales = []float64{1, 1, 1000}
	if out := ended(t, p, NewCoTestFC, Options{Delta: 0.1}); out.Status != StatusDecided || out.Answers[0].Arm != "2" {
		t.Errorf("%s after %d samples: %+v, %v", out.Status, out.Samples, out.Answers, out.Warnings)
	}
}

// Arms that are the same to the kernel, arms without features and small limits, where the kernel may be
// wrong: runs end, and say how.
func TestCoTestMisfitCorners(t *testing.T) {
	for name, c := range map[string]struct {
		means [][]float64
		same  bool // to the kernel, all arms
		opt   Options
		want  Status
	}{
		"all the same to the kernel":          {[][]float64{{0, 2}, {3, 1}}, true, Options{Robust: true}, StatusDecided},
		"all the same, bound stated":          {[][]float64{{0, 2}, {3, 1}}, true, Options{Misfit: 5}, StatusDecided},
		"no features in one task":             {[][]float64{{0, 0}, {3, 1}}, false, Options{Misfit: 0.5, Epsilon: 0.5}, StatusEpsilon},
		"direct measurement beyond the limit": {[][]float64{{0, 0.1}, {3, 3.1}}, false, Options{Misfit: 5, MaxSamples: 60}, StatusSamples},
	} {
		k := onLine
		if c.same {
			k = kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Constant{Value: 1}, Arm: kernels.Constant{Value: 1}}}}
		}
		if out := ended(t, small(t, k, c.means...), NewCoTestFC, c.opt); out.Status != c.want {
			t.Errorf("%s: %s, want %s: %+v", name, out.Status, c.want, out.Answers)
		}
	}
}

// Arms without features that differ by their noise are no copies of each other, and no contrast.
func TestNoFeatures(t *testing.T) {
	p := small(t, onLine, []float64{0, 0}, []float64{1})
	p.Noise.Scales = []float64{1, 2, 1}
	if out := ended(t, p, func(m *Model, o Options) (Algorithm, error) { return NewCoKernelFC(m, o) }, Options{Gap: 0.5, Norm: 10}); out.Status != StatusDecided {
		t.Errorf("%s: %+v", out.Status, out.Answers)
	}
}

// Where the tests put every arm out, which is an error of theirs, nothing is decided, and progress says
// that nothing will be.
func TestCoTestFBAllOut(t *testing.T) {
	m := model(t, small(t, independent, []float64{0, 1}))
	alg, err := NewCoTestFB(m, Options{Budget: 60})
	if err != nil {
		t.Fatal(err)
	}
	for round, lead := 0, 100.0; !alg.Done(); round++ {
		plan, err := alg.Plan()
		if err != nil {
			t.Fatal(err)
		}
		if round == 4 { // arm 0 has put arm 1 out, now the other way round
			lead = -500
		}
		if err := alg.Learn(Batch{Counts: plan.Counts, Means: []float64{lead, 0}}); err != nil {
			t.Fatal(err)
		}
	}
	if p := alg.(Explainer).Progress()[0]; p.Decided || p.Samples != -1 || alg.Answers()[0].Decided {
		t.Errorf("%+v, %+v", p, alg.Answers()[0])
	}
}
