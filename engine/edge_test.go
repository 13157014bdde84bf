package engine

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// small builds a problem with independent arms from means per task.
func small(t *testing.T, k kernels.Joint, means ...[]float64) *Problem {
	t.Helper()
	var names, armNames []string
	var none, x [][]float64
	var taskOf []int
	var mean []float64
	for v, ms := range means {
		names = append(names, string(rune('a'+v)))
		none = append(none, nil)
		for i, m := range ms {
			armNames = append(armNames, string(rune('1'+i)))
			x = append(x, []float64{m})
			taskOf = append(taskOf, v)
			mean = append(mean, m)
		}
	}
	tasks, err := kernels.NewPoints(nil, names, none)
	if err != nil {
		t.Fatal(err)
	}
	arms, err := kernels.NewPoints([]string{"x_1"}, armNames, x)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New("small", tasks, arms, taskOf, k, []float64{1}, mean)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func solve(t *testing.T, p *Problem, mode, name string, opt Options) Outcome {
	t.Helper()
	m, err := NewModel(p, opt.Unit)
	if err != nil {
		t.Fatal(err)
	}
	entry, err := AlgorithmNamed(mode, name)
	if err != nil {
		t.Fatal(err)
	}
	alg, err := entry.New(m, opt)
	if err != nil {
		t.Fatalf("%s on %s: %v", name, p.Name, err)
	}
	rng := rand.New(rand.NewPCG(11, 12))
	out, err := Run(context.Background(), alg, environmentFunc(func(plan Plan) Batch { return pull(rng, p, plan) }), opt)
	if err != nil {
		t.Fatalf("%s on %s: %v", name, p.Name, err)
	}
	return out
}

// Every algorithm of the catalogue solves an easy problem, whatever its shape.
func TestCatalogue(t *testing.T) {
	shapes := map[string]*Problem{
		"one task":       small(t, independent, []float64{0, 1, 3}),
		"unequal n":      small(t, independent, []float64{0, 3}, []float64{4, 1, 0, 0.5}),
		"a decided task": small(t, independent, []float64{2}, []float64{0, 3}),
		"one arm in all": small(t, independent, []float64{2}),
		"singular Gram":  small(t, kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Constant{Value: 1}, Arm: kernels.Linear{}}}}, []float64{1, 2, 4}, []float64{1, 2, 4}),
		// Two best arms that the kernel cannot tell apart: equal to it, so the first is the answer.
		"equal to the kernel": small(t, kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Constant{Value: 1}, Arm: kernels.Linear{}}}}, []float64{1, 4, 4}, []float64{1, 4, 4}),
		"duplicate losers":    small(t, independent, []float64{0, 0, 3}, []float64{1, 1, 4}),
	}
	for _, entry := range Algorithms() {
		solved := 0
		for shape, p := range shapes {
			if unsuited(t, p, entry) {
				continue
			}
			solved++
			out := solve(t, p, entry.Mode, entry.Name, Options{Budget: 4000, Ridge: Ridge{RidgeValue, 1e-6}})
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
			if entry.Mode == ModeFB && out.Samples > 4000*p.V() {
				t.Errorf("%s, %s: %d samples, more than TV = %d", entry.Name, shape, out.Samples, 4000*p.V())
			}
		}
		if solved < 2 {
			t.Errorf("%s is for %d of the %d shapes", entry.Name, solved, len(shapes))
		}
	}
}

// unsuited tells whether the algorithm says that it is not for the problem.
func unsuited(t *testing.T, p *Problem, entry AlgorithmEntry) bool {
	t.Helper()
	m := model(t, p)
	_, err := entry.New(m, Options{Budget: 4000, Ridge: Ridge{RidgeValue, 1e-6}})
	return errors.Is(err, ErrUnsuited)
}

// Two arms that tie for best are never told apart: the run ends at its limit
// with both as candidates, or within epsilon when one is given.
func TestTie(t *testing.T) {
	p := small(t, independent, []float64{3, 3, 0}, []float64{0, 5})
	out := solve(t, p, ModeFC, "CoKernelFC", Options{MaxRounds: 6, Ridge: Ridge{RidgeValue, 1e-9}})
	if a := out.Answers[0]; out.Status != StatusRounds || a.Decided || a.Arm != "" || len(a.Candidates) != 2 {
		t.Errorf("status %s, answer %+v; want the round limit and two candidates", out.Status, a)
	}
	if a := out.Answers[1]; !a.Decided || a.Arm != "2" {
		t.Errorf("the other task: %+v; want arm 2 decided", a)
	}
	out = solve(t, p, ModeFC, "CoKernelFC", Options{Epsilon: 0.5, Ridge: Ridge{RidgeValue, 1e-9}})
	if out.Status != StatusEpsilon || !out.Answers[0].Decided || out.Answers[0].Margin > 0.5 {
		t.Errorf("with epsilon: status %s, answer %+v", out.Status, out.Answers[0])
	}
	m := model(t, p)
	_, err := NewCoKernelFC(m, Options{})
	if err == nil || !strings.Contains(err.Error(), `in task "a" arm "2" ties for best`) {
		t.Errorf("auto ridge on a tie: error %v must name task and arm", err)
	}
	if _, err = m.Hardness(0, 0); err == nil || !strings.Contains(err.Error(), "tie for best") {
		t.Errorf("hardness of a tie: error %v", err)
	}
}

// A fixed budget on a tie spends no more than TV and says that the task is open.
func TestTieFixedBudget(t *testing.T) {
	p := small(t, independent, []float64{3, 3}, []float64{0, 5})
	out := solve(t, p, ModeFB, "CoKernelFB", Options{Budget: 500, Ridge: Ridge{RidgeValue, 1e-9}})
	if out.Status != StatusBudget || out.Answers[0].Decided || out.Answers[0].Arm != "" || len(out.Answers[0].Candidates) != 2 {
		t.Errorf("status %s, answer %+v; want budget used and both arms possible", out.Status, out.Answers[0])
	}
	if !out.Answers[1].Decided || out.Answers[1].Arm != "2" || out.Samples > 1000 {
		t.Errorf("answer %+v after %d samples", out.Answers[1], out.Samples)
	}
}

func TestLimits(t *testing.T) {
	p := small(t, independent, []float64{0, 0.01})
	out := solve(t, p, ModeFC, "CoKernelFC", Options{MaxSamples: 1000, Ridge: Ridge{RidgeValue, 1e-9}})
	if out.Status != StatusSamples || out.Samples > 1000 || out.Answers[0].Decided {
		t.Errorf("status %s after %d samples, %+v; want the sample limit, undecided", out.Status, out.Samples, out.Answers[0])
	}
	ctx, cancel := context.WithCancel(context.Background())
	m := model(t, p)
	alg, err := NewCoKernelFC(m, Options{Ridge: Ridge{RidgeValue, 1e-9}})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	out, err = Run(ctx, alg, environmentFunc(func(plan Plan) Batch { cancel(); return pull(rng, p, plan) }), Options{})
	if !errors.Is(err, context.Canceled) || out.Status != StatusInterrupted || len(out.Rounds) != 1 {
		t.Errorf("interrupted: status %s, %d rounds, error %v; want the one finished round kept", out.Status, len(out.Rounds), err)
	}
}

func TestOptionErrors(t *testing.T) {
	p := small(t, independent, []float64{0, 1})
	m := model(t, p)
	for _, c := range []struct {
		mode string
		opt  Options
		want string
	}{
		{ModeFC, Options{Delta: 1}, "delta must lie strictly between 0 and 1, got 1"},
		{ModeFC, Options{Delta: -0.1}, "delta must lie strictly between 0 and 1, got -0.1"},
		{ModeFC, Options{Delta: math.NaN()}, "delta must lie strictly between 0 and 1, got NaN"},
		{ModeFC, Options{Epsilon: -1}, "epsilon must be 0 or more, got -1"},
		{ModeFC, Options{Schedule: "fast"}, `schedule must be "tuned" or "paper", got "fast"`},
		{ModeFC, Options{Ridge: Ridge{RidgeValue, -1}}, "xi must be 0 or more, got -1"},
		{ModeFC, Options{Ridge: Ridge{Kind: RidgeGP}}, `xi="gp" needs a number of pulls that is fixed beforehand, as fb has; give fc a number or "auto"`},
		{ModeFC, Options{MaxRounds: -1}, "max_rounds must be at least 1, got -1"},
		{ModeFB, Options{}, "budget must be at least 1 pull per agent, got 0"},
		{ModeFB, Options{Budget: -5}, "budget must be at least 1 pull per agent, got -5"},
	} {
		entry, err := AlgorithmNamed(c.mode, map[string]string{ModeFC: "CoKernelFC", ModeFB: "CoKernelFB"}[c.mode])
		if err != nil {
			t.Fatal(err)
		}
		if _, err = entry.New(m, c.opt); err == nil || err.Error() != c.want {
			t.Errorf("%+v: error %v, want %s", c.opt, err, c.want)
		}
	}
	if _, err := AlgorithmNamed(ModeFC, "CoKernelFB"); err == nil || !strings.Contains(err.Error(), "there are CoKernelFC, ") {
		t.Errorf("an fb algorithm under fc: error %v", err)
	}
}

// A kernel that cannot represent the rewards is reported with the arm, and its
// guarantee withdrawn.
func TestMisspecified(t *testing.T) {
	p := small(t, kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Constant{Value: 1}, Arm: kernels.Linear{}}}}, []float64{1, 2, 3})
	p.Mean = []float64{1, 2, 0} // not linear in x
	out := solve(t, p, ModeFC, "CoKernelFC", Options{Ridge: Ridge{RidgeValue, 1e-6}, MaxRounds: 4})
	if len(out.Warnings) == 0 || out.Warnings[0].Kind != WarnKernel || out.Warnings[0].Names[1] != "2" && out.Warnings[0].Names[1] != "3" {
		t.Errorf("warnings %v", out.Warnings)
	}
}

// With ξ = 0, arms that were not measured are never eliminated or chosen: the
// difference has an unbounded bias unless ‖θ*‖ is known.
func TestUnmeasured(t *testing.T) {
	p := small(t, independent, []float64{0, 1, 2})
	m := model(t, p)
	e, err := NewEstimator(m, 0, []int{5, 5, 0})
	if err != nil {
		t.Fatal(err)
	}
	if b := e.Bias(0, 2, 0); !math.IsInf(b, 1) {
		t.Errorf("bias of an unmeasured difference is %g, want +Inf without a norm", b)
	}
	// Two arms with 5 pulls each: variance 1/5 + 1/5, no bias.
	if v, b := e.Variance(0, 1), e.Bias(0, 1, 0); math.Abs(v-0.4) > 1e-12 || b != 0 {
		t.Errorf("variance %g, bias %g; want 0.4 and 0", v, b)
	}
	// Known norm 2: the third arm is a unit vector, unseen, so off by at most 2.
	if b := e.Bias(0, 2, 2); math.Abs(b-2) > 1e-9 {
		t.Errorf("bias with norm 2 is %g, want 2", b)
	}
}

// A task with a single arm is decided without data, and then nobody knows its reward.
func TestUnmeasuredEstimate(t *testing.T) {
	apart := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Identity{}}}}
	out := solve(t, small(t, apart, []float64{5}, []float64{1, 3}), ModeFC, "CoTestFC", Options{Delta: 0.1})
	if a := out.Answers[0]; !a.Decided || !math.IsNaN(a.Estimate) {
		t.Errorf("the arm that nobody pulled: decided %v, estimated %g; want decided and not known", a.Decided, a.Estimate)
	}
	if a := out.Answers[1]; !a.Decided || !(math.Abs(a.Estimate-3) < 1) {
		t.Errorf("the arm that was pulled: decided %v, estimated %g, expected reward 3", a.Decided, a.Estimate)
	}
}
