package algorithms

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/elimination"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

func solve(t *testing.T, p *problem.Problem, mode, name string, opt engine.Options) engine.Outcome {
	t.Helper()
	m, err := model.New(p, opt.Unit)
	if err != nil {
		t.Fatal(err)
	}
	entry := try.Of(Named(mode, name))
	alg, err := entry.New(m, opt)
	if err != nil {
		t.Fatalf("%s on %s: %v", name, p.Name, err)
	}
	rng := rand.New(rand.NewPCG(11, 12))
	out, err := engine.Run(context.Background(), alg, enginetest.EnvironmentFunc(func(plan engine.Plan) engine.Batch { return enginetest.Pull(rng, p, plan) }), opt)
	if err != nil {
		t.Fatalf("%s on %s: %v", name, p.Name, err)
	}
	return out
}

// Every algorithm of the catalogue solves easy problems of any shape.
func TestCatalogue(t *testing.T) {
	shapes := map[string]*problem.Problem{
		"one task":       enginetest.Small(t, enginetest.Identity, []float64{0, 1, 3}),
		"unequal n":      enginetest.Small(t, enginetest.Identity, []float64{0, 3}, []float64{4, 1, 0, 0.5}),
		"a decided task": enginetest.Small(t, enginetest.Identity, []float64{2}, []float64{0, 3}),
		"one arm in all": enginetest.Small(t, enginetest.Identity, []float64{2}),
		"singular Gram":  enginetest.Small(t, kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Constant{Value: 1}, Arm: kernels.Linear{}}}}, []float64{1, 2, 4}, []float64{1, 2, 4}),
		// two best arms with equal features: the first is the answer
		"equal to the kernel": enginetest.Small(t, kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Constant{Value: 1}, Arm: kernels.Linear{}}}}, []float64{1, 4, 4}, []float64{1, 4, 4}),
		"duplicate losers":    enginetest.Small(t, enginetest.Identity, []float64{0, 0, 3}, []float64{1, 1, 4}),
	}
	for _, entry := range All() {
		solved, options := 0, engine.Options{Budget: 4000, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-6}}
		if entry.OneByOne {
			options.Batch = 50
		}
		for shape, p := range shapes {
			if unsuited(t, p, entry) {
				continue
			}
			solved++
			out := solve(t, p, entry.Mode, entry.Name, options)
			if len(out.Answers) != p.V() {
				t.Errorf("%s, %s: %d answers for %d tasks", entry.Name, shape, len(out.Answers), p.V())
			}
			for v, a := range out.Answers {
				lo, hi := p.ArmsOf(v)
				best, chosen := lo, lo
				for i := lo; i < hi; i++ {
					if p.Mean[i] > p.Mean[best] {
						best = i
					}
					if p.Arms.Names[i] == a.Leader {
						chosen = i
					}
				}
				if p.Mean[chosen] < p.Mean[best] && entry.Name != "BestElsewhere" {
					t.Errorf("%s, %s, task %s: leader %s, best %s", entry.Name, shape, a.Task, a.Leader, p.Arms.Names[best])
				}
			}
			if entry.Mode == engine.ModeFB && out.Samples > 4000*p.V() {
				t.Errorf("%s, %s: %d samples, more than TV = %d", entry.Name, shape, out.Samples, 4000*p.V())
			}
		}
		if solved < 2 {
			t.Errorf("%s is for %d of the %d shapes", entry.Name, solved, len(shapes))
		}
	}
}

// unsuited reports whether the algorithm refuses the problem as unsuited.
func unsuited(t *testing.T, p *problem.Problem, entry Entry) bool {
	t.Helper()
	m := plain.ModelOf(t, p)
	_, err := entry.New(m, engine.Options{Budget: 4000, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-6}})
	return errors.Is(err, engine.ErrUnsuited)
}

// Two arms that tie for best are never separated: the run ends at its limit with both as candidates, or within epsilon if one is given.
func TestTie(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{3, 3, 0}, []float64{0, 5})
	out := solve(t, p, engine.ModeFC, "CoKernelFC", engine.Options{MaxRounds: 6, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-9}})
	if a := out.Answers[0]; out.Status != engine.StatusRounds || a.Decided || a.Arm != "" || len(a.Candidates) != 2 {
		t.Errorf("status %s, answer %+v; want the round limit and two candidates", out.Status, a)
	}
	if a := out.Answers[1]; !a.Decided || a.Arm != "2" {
		t.Errorf("the other task: %+v; want arm 2 decided", a)
	}
	out = solve(t, p, engine.ModeFC, "CoKernelFC", engine.Options{Epsilon: 0.5, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-9}})
	if out.Status != engine.StatusEpsilon || !out.Answers[0].Decided || out.Answers[0].Margin > 0.5 {
		t.Errorf("with epsilon: status %s, answer %+v", out.Status, out.Answers[0])
	}
	m := plain.ModelOf(t, p)
	_, err := plain.On(engine.ModeFC, elimination.NewCoKernelFC)(m, engine.Options{})
	if err == nil || !strings.Contains(err.Error(), `arm "2" of task "a" ties for best`) {
		t.Errorf("auto ridge on a tie: error %v must name task and arm", err)
	}
	if _, err = m.Truth().Hardness(0, 0); err == nil || !strings.Contains(err.Error(), "tie for best") {
		t.Errorf("hardness of a tie: error %v", err)
	}
}

// A fixed budget on a tie spends at most TV and leaves the task undecided.
func TestTieFixedBudget(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{3, 3}, []float64{0, 5})
	out := solve(t, p, engine.ModeFB, "CoKernelFB", engine.Options{Budget: 500, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-9}})
	if out.Status != engine.StatusLeft || out.Unspent != "halving left one arm per task after round 1 of 3, without a test" || out.Answers[0].Decided || out.Answers[0].Arm != "" || len(out.Answers[0].Candidates) != 2 {
		t.Errorf("status %s (%s), answer %+v; want a part of the budget left and both arms possible", out.Status, out.Unspent, out.Answers[0])
	}
	if !out.Answers[1].Decided || out.Answers[1].Arm != "2" || out.Samples > 1000 {
		t.Errorf("answer %+v after %d samples", out.Answers[1], out.Samples)
	}
}

func TestLimits(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{0, 0.01})
	out := solve(t, p, engine.ModeFC, "CoKernelFC", engine.Options{MaxSamples: 1000, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-9}})
	if out.Status != engine.StatusSamples || out.Samples > 1000 || out.Answers[0].Decided {
		t.Errorf("status %s after %d samples, %+v; want the sample limit, undecided", out.Status, out.Samples, out.Answers[0])
	}
	ctx, cancel := context.WithCancel(context.Background())
	m := plain.ModelOf(t, p)
	alg, err := plain.On(engine.ModeFC, elimination.NewCoKernelFC)(m, engine.Options{Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-9}})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	out, err = engine.Run(ctx, alg, enginetest.EnvironmentFunc(func(plan engine.Plan) engine.Batch { cancel(); return enginetest.Pull(rng, p, plan) }), engine.Options{})
	if !errors.Is(err, context.Canceled) || out.Status != engine.StatusInterrupted || len(out.Rounds) != 1 {
		t.Errorf("interrupted: status %s, %d rounds, error %v; want the one finished round kept", out.Status, len(out.Rounds), err)
	}
}

func TestOptionErrors(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{0, 1})
	m := plain.ModelOf(t, p)
	for _, c := range []struct {
		mode string
		opt  engine.Options
		want string
	}{
		{engine.ModeFC, engine.Options{Delta: 1}, "delta must be greater than 0 and less than 1, got 1"},
		{engine.ModeFC, engine.Options{Delta: -0.1}, "delta must be greater than 0 and less than 1, got -0.1"},
		{engine.ModeFC, engine.Options{Delta: math.NaN()}, "delta must be greater than 0 and less than 1, got NaN"},
		{engine.ModeFC, engine.Options{Epsilon: -1}, "epsilon must be at least 0 and finite, got -1"},
		{engine.ModeFC, engine.Options{Schedule: "fast"}, `schedule must be "tuned" or "paper", got "fast"`},
		{engine.ModeFC, engine.Options{Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: -1}}, "xi must be at least 0 and finite, got -1"},
		{engine.ModeFC, engine.Options{Ridge: engine.Ridge{Kind: engine.RidgeGP}}, `xi="gp" works only with fb, which fixes the number of pulls. For fc, write xi=0.01 or xi="auto"`},
		{engine.ModeFC, engine.Options{MaxRounds: -1}, "max_rounds must be at least 1 and at most 9007199254740992, got -1"},
		{engine.ModeFB, engine.Options{}, "budget must be at least 1 pull per agent, got 0"},
		{engine.ModeFB, engine.Options{Budget: -5}, "budget must be at least 1 and at most 1e12, got -5"},
	} {
		entry, err := Named(c.mode, map[string]string{engine.ModeFC: "CoKernelFC", engine.ModeFB: "CoKernelFB"}[c.mode])
		if err != nil {
			t.Fatal(err)
		}
		if _, err = entry.New(m, c.opt); err == nil || err.Error() != c.want {
			t.Errorf("%+v: error %v, want %s", c.opt, err, c.want)
		}
	}
	if _, err := Named(engine.ModeFC, "CoKernelFB"); err == nil || !strings.Contains(err.Error(), "Choose one of CoKernelFC, ") {
		t.Errorf("an fb algorithm under fc: error %v", err)
	}
}

// A kernel that cannot represent the rewards is reported with the arm, and the guarantee is withdrawn.
func TestMisspecified(t *testing.T) {
	p := enginetest.Small(t, kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Constant{Value: 1}, Arm: kernels.Linear{}}}}, []float64{1, 2, 3})
	p.Mean = []float64{1, 2, 0} // not linear in x
	out := solve(t, p, engine.ModeFC, "CoKernelFC", engine.Options{Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-6}, MaxRounds: 4})
	if len(out.Warnings) == 0 || out.Warnings[0].Kind != engine.WarnKernel || out.Warnings[0].Names[1] != "2" && out.Warnings[0].Names[1] != "3" {
		t.Errorf("warnings %v", out.Warnings)
	}
}

// With ξ = 0, unmeasured arms are never eliminated or recommended: the bias of the difference is unbounded unless ‖θ*‖ is known.
func TestUnmeasured(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{0, 1, 2})
	m := plain.ModelOf(t, p)
	e := try.Of(model.NewEstimator(m, 0, []int{5, 5, 0}))
	if b := e.Bias(0, 2, model.Bound{}); !math.IsInf(b, 1) {
		t.Errorf("bias of an unmeasured difference is %g, want +Inf without a norm", b)
	}
	// Two arms with 5 pulls each: variance 1/5 + 1/5, no bias.
	if v, b := e.Variance(0, 1), e.Bias(0, 1, model.Bound{}); math.Abs(v-0.4) > 1e-12 || b != 0 {
		t.Errorf("variance %g, bias %g; want 0.4 and 0", v, b)
	}
	// known norm 2: the third arm is an unseen unit vector, so its bias is at most 2
	if b := e.Bias(0, 2, model.Bound{Norm: 2}); math.Abs(b-2) > 1e-9 {
		t.Errorf("bias with norm 2 is %g, want 2", b)
	}
}

// A task with a single arm is decided without data, and its reward is then unknown.
func TestUnmeasuredEstimate(t *testing.T) {
	apart := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Identity{}}}}
	out := solve(t, enginetest.Small(t, apart, []float64{5}, []float64{1, 3}), engine.ModeFC, "CoTestFC", engine.Options{Delta: 0.1})
	if a := out.Answers[0]; !a.Decided || !math.IsNaN(a.Estimate) {
		t.Errorf("the arm that nobody pulled: decided %v, estimated %g; want decided and not known", a.Decided, a.Estimate)
	}
	if a := out.Answers[1]; !a.Decided || !(math.Abs(a.Estimate-3) < 1) {
		t.Errorf("the arm that was pulled: decided %v, estimated %g, expected reward 3", a.Decided, a.Estimate)
	}
}

// Arms with equal features are one arm before any data.
func TestSameToTheKernel(t *testing.T) {
	linear := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Constant{Value: 1}, Arm: kernels.Linear{}}}}
	out := solve(t, enginetest.Small(t, linear, []float64{4, 1, 4, 1}), engine.ModeFC, "CoTestFC", engine.Options{})
	if a := out.Answers[0]; !a.Decided || a.Arm != "1" {
		t.Errorf("answer %+v", a)
	}
	var same []string
	for _, e := range out.Eliminations {
		if e.Round == 0 {
			same = append(same, fmt.Sprint(e.Arm, "=", e.Rival, " ", e.Rule))
		}
	}
	if got := strings.Join(same, ", "); got != "3=1 same to the kernel, 4=2 same to the kernel" {
		t.Errorf("before any data: %s", got)
	}
}

// Arms that tie for best end undecided when the test ends, with a warning and a valid margin; with epsilon one of them is the answer.
func TestCoTestTie(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{3, 3, 0}, []float64{0, 5})
	out := solve(t, p, engine.ModeFC, "CoTestFC", engine.Options{Delta: 0.01, MaxRounds: 100, MaxSamples: 1e15})
	a := out.Answers[0]
	if out.Status != engine.StatusSamples || a.Decided || a.Arm != "" || len(a.Candidates) != 2 || !(a.Margin > 0 && a.Margin < 0.1) {
		t.Errorf("status %s after %d rounds, answer %+v; want undecided with two candidates and a small margin", out.Status, len(out.Rounds), a)
	}
	if len(out.Warnings) != 2 || out.Warnings[1].Kind != engine.WarnTestsAlone || out.Warnings[0].Kind != engine.WarnTooCloseWithin || out.Warnings[0].Names[0] != "a" {
		t.Errorf("warnings %v", out.Warnings)
	}
	if a := out.Answers[1]; !a.Decided || a.Arm != "2" {
		t.Errorf("the other task: %+v; want arm 2 decided", a)
	}
	if out = solve(t, p, engine.ModeFC, "CoTestFC", engine.Options{MaxRounds: 3}); out.Status != engine.StatusRounds || out.Answers[0].Decided {
		t.Errorf("after three rounds: status %s, %+v", out.Status, out.Answers[0])
	}
	out = solve(t, p, engine.ModeFC, "CoTestFC", engine.Options{Epsilon: 0.5})
	if out.Status != engine.StatusEpsilon || !out.Answers[0].Decided || out.Answers[0].Margin > 0.5 {
		t.Errorf("with epsilon: status %s, answer %+v", out.Status, out.Answers[0])
	}
}
