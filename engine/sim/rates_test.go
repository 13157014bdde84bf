package sim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// usualRuns returns the number of runs of an error-rate test; if GONB_COPE_FAULTS is set, the number in internal/repo/faults.md.
func usualRuns(usual int) int {
	if os.Getenv("GONB_COPE_FAULTS") != "" {
		return 2000
	}
	return usual
}

// rbfInstance returns 4 tasks of 5 arms under rbf × rbf, with rewards drawn from the kernel's own Gaussian process, so that the kernel is
// correct.
func rbfInstance(t *testing.T) *problem.Problem {
	t.Helper()
	return drawn(t, "rbf instance", rand.New(rand.NewPCG(41, 5)), 4, 5, 0.5, 0.4)
}

// drawn returns tasks with one feature and arms with two, uniform on [0, 1], the kernel rbf × rbf with these lengthscales, rewards Σ_k
// θ_k φ_k with θ standard normal in the model's own features, and unit noise.
func drawn(t testing.TB, name string, rng *rand.Rand, V, n int, ofTasks, ofArms float64) *problem.Problem {
	t.Helper()
	var z, x [][]float64
	var names []string
	var taskOf []int
	for v := range V {
		z = append(z, []float64{rng.Float64()})
		for i := range n {
			x = append(x, []float64{rng.Float64(), rng.Float64()})
			names = append(names, fmt.Sprintf("%d.%d", v, i))
			taskOf = append(taskOf, v)
		}
	}
	tasks := try.Of(kernels.NewPoints([]string{"z_1"}, []string{"a", "b", "c", "d"}[:V], z))
	arms := try.Of(kernels.NewPoints([]string{"x_1", "x_2"}, names, x))
	k := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.RBF{Lengthscale: []float64{ofTasks}}, Arm: kernels.RBF{Lengthscale: []float64{ofArms}}}}}
	p := try.Of(problem.New(name, tasks, arms, taskOf, k, []float64{1}, make([]float64, len(taskOf))))
	m := plain.ModelOf(t, p)
	theta := make([]float64, m.Rank())
	for k := range theta {
		theta[k] = rng.NormFloat64()
	}
	for i := range p.Mean {
		for k, th := range theta {
			p.Mean[i] += m.Features.At(i, k) * th
		}
	}
	return p
}

// The error rate over 400 runs at δ = 0.1 is at most δ: its 95 % interval must not lie above δ, and in fact all of it lies below.
func TestErrorRates(t *testing.T) {
	if testing.Short() {
		t.Skip("1,600 runs")
	}
	paper := enginetest.Paper(t, 3, 0.3)
	const delta = 0.1
	runs := usualRuns(400)
	for _, p := range []*problem.Problem{paper, rbfInstance(t)} {
		for _, schedule := range []string{engine.SchedulePaper, engine.ScheduleTuned} {
			r := run(t, sim.Experiment{
				Problem: p, Mode: engine.ModeFC, Algorithm: "CoKernelFC", Options: engine.Options{Delta: delta, Schedule: schedule}, Runs: runs, Seed: 9,
			})
			t.Logf("%s, %s: %d of %d runs wrong, rate %.4f, 95 %% interval [%.4f, %.4f], %.0f samples per agent, %.1f times the lower bound",
				p.Name, schedule, r.Errors.Count, runs, r.Errors.Rate, r.Errors.CI95[0], r.Errors.CI95[1], r.SamplesPerAgent.Mean, r.RatioToLowerBound)
			if r.Errors.CI95[1] > delta || r.Status != engine.StatusDecided {
				t.Errorf("%s, %s: status %s, error rate interval [%.4f, %.4f] is not below delta = %g", p.Name, schedule, r.Status, r.Errors.CI95[0], r.Errors.CI95[1], delta)
			}
		}
	}
}

// A wrong noise scale is detected: with rewards noisier than stated, the tuned schedule errs more than δ. Otherwise TestErrorRates could
// not fail.
func TestErrorRatesCanFail(t *testing.T) {
	p := enginetest.Paper(t, 3, 0.3)
	p.Noise.SD = make([]float64, p.N())
	for i := range p.Noise.SD {
		p.Noise.SD[i] = 4
	}
	r := run(t, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoKernelFC", Options: engine.Options{Delta: 0.1}, Runs: 400, Seed: 9})
	warnings := fmt.Sprint(r.Warnings)
	for _, want := range []string{"errors exceed delta", "noise scale is too small", "in 400 of 400 runs the kernel does not fit", "If the noise is larger than stated"} {
		if !strings.Contains(warnings, want) {
			t.Errorf("4 times the noise: no warning %q in %s", want, warnings)
		}
	}
	if r.Errors.CI95[0] <= 0.1 {
		t.Errorf("4 times the noise: error rate %.3f from %.3f; want above delta", r.Errors.Rate, r.Errors.CI95[0])
	}
}

// The budget is never exceeded, and with twice the budget fewer runs err.
func TestBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("1600 runs")
	}
	p := enginetest.Paper(t, 3, 0.3)
	last := math.Inf(1)
	for _, budget := range []int{60, 120, 240, 480} {
		r := run(t, sim.Experiment{Problem: p, Mode: engine.ModeFB, Algorithm: "CoKernelFB", Options: engine.Options{Budget: budget}, Runs: 400, Seed: 3})
		t.Logf("T = %d: %d of %d runs wrong, rate %.3f [%.3f, %.3f], %.1f samples per agent", budget, r.Errors.Count, r.Errors.Runs, r.Errors.Rate, r.Errors.CI95[0], r.Errors.CI95[1], r.SamplesPerAgent.Mean)
		if r.SamplesPerAgent.CI95[1] > float64(budget) {
			t.Errorf("budget %d: %g samples per agent", budget, r.SamplesPerAgent.Mean)
		}
		if r.Errors.CI95[1] >= last {
			t.Errorf("budget %d: error rate up to %.3f, not below %.3f at half the budget", budget, r.Errors.CI95[1], last)
		}
		last = r.Errors.CI95[0]
	}
}

// Results are identical with 1 and with 2 workers, for both modes and all environments.
func TestDeterminism(t *testing.T) {
	p := enginetest.Paper(t, 2, 0.4)
	for _, x := range []sim.Experiment{
		{Problem: p, Mode: engine.ModeFC, Algorithm: "CoKernelFC", Runs: 40, Seed: 5},
		{Problem: p, Mode: engine.ModeFB, Algorithm: "CoKernelFB", Options: engine.Options{Budget: 300}, Runs: 40, Seed: 5},
	} {
		var texts [2][]byte
		for k := range texts {
			x.Workers, x.Detail = k+1, true
			r := run(t, x)
			data := try.Of(json.Marshal(r))
			texts[k] = data
		}
		if !bytes.Equal(texts[0], texts[1]) {
			t.Errorf("%s: 1 and 2 workers differ:\n%s\n%s", x.Algorithm, texts[0], texts[1])
		}
	}
}

// TestStroke is the negative control: in the stroke trial no best arm can be found with its 19,285 patients, 2,411 per task, and no
// winner is declared.
func TestStroke(t *testing.T) {
	if testing.Short() {
		t.Skip("200 runs")
	}
	p := try.Of(problem.Load("../../notebooks/data/stroke.csv", kernels.Joint{Terms: []kernels.Term{
		{Scale: 1, Task: kernels.RBF{Lengthscale: []float64{20, 0.5}}, Arm: kernels.Constant{Value: 1}},
		{Scale: 0.01, Task: kernels.Identity{}, Arm: kernels.Identity{}},
	}}, problem.LoadOptions{Noise: problem.NoiseModel{Scales: []float64{0.5}, Environment: problem.EnvironmentBernoulli}}))
	r := run(t, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoKernelFC", Options: engine.Options{MaxSamples: 19285}, Runs: 100, Seed: 1})
	if r.Status != engine.StatusSamples || r.Errors.Count > 0 || r.Undecided.Count != 100 {
		t.Errorf("fc: status %s, %d runs with a wrong winner, %d undecided; want the sample limit, 0 and 100", r.Status, r.Errors.Count, r.Undecided.Count)
	}
	r = run(t, sim.Experiment{Problem: p, Mode: engine.ModeFB, Algorithm: "CoKernelFB", Options: engine.Options{Budget: 2410}, Runs: 100, Seed: 1})
	if r.Undecided.Count != 100 {
		t.Errorf("fb: %d of 100 runs undecided, want all", r.Undecided.Count)
	}
	for _, a := range r.Answers {
		if a.Decided && !*a.Correct {
			t.Errorf("fb: task %s was told the wrong winner %s", a.Task, a.Arm)
		}
		if !a.Decided && (a.Arm != "" || len(a.Candidates) < 2) {
			t.Errorf("fb: undecided answer %+v names a winner or no candidates", a)
		}
	}
}

// TestGuaranteeNeedsItsRidge checks that for ξ above the limit of Theorem 1 the literal rule errs and the result has no guarantee; the
// tuned rule holds for every ξ.
func TestGuaranteeNeedsItsRidge(t *testing.T) {
	tasks := try.Of(kernels.NewPoints(nil, []string{"t"}, [][]float64{{}}))
	arms := try.Of(kernels.NewPoints([]string{"x_1", "x_2"}, []string{"A", "B", "C"}, [][]float64{{0.1, 0}, {0, 1}, {0, 0.5}}))
	p := try.Of(problem.New("shrunk", tasks, arms, []int{0, 0, 0}, kernels.LiftArm(kernels.Linear{}), []float64{0.5}, []float64{1, 0.8, 0.4}))
	for schedule, promised := range map[string]bool{engine.SchedulePaper: false, engine.ScheduleTuned: true} {
		r := try.Of(sim.Run(context.Background(), sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoKernelFC", Runs: 20, Seed: 1,
			Options: engine.Options{Delta: 0.1, Schedule: schedule, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 0.1}, MaxSamples: 1e7}}))
		if got := !strings.Contains(r.Guarantee, "value of xi is too large"); got != promised || (!promised && r.Errors.Count == 0) || (promised && r.Errors.Count > 0) {
			t.Errorf("%s: guarantee %q with %d of %d runs wrong", schedule, r.Guarantee, r.Errors.Count, r.Errors.Runs)
		}
	}
}
