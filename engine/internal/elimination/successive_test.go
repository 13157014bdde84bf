package elimination

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// classics returns problems of classic collaborative best-arm identification.
func classics(t *testing.T) []*problem.Problem {
	t.Helper()
	var out []*problem.Problem
	for _, means := range [][]float64{{0, 0.5, 0.1, 0.35}, {1, 0}, {0.3, 0.2, 0.1, 0, -0.1, -0.2, -0.3}} {
		p := try.Of(problem.Classic(means, 3))
		out = append(out, p)
	}
	// the same tasks, but with related arms: the algorithm must ignore the relation
	one := enginetest.Paper(t, 1, 0.3)
	return append(out, one)
}

// byArm draws a batch in which all agents see the same mean of an arm, whatever the
// counts, so that plans that differ by single pulls can be compared.
func byArm(p *problem.Problem, plan engine.Plan, noise []float64) engine.Batch {
	b := engine.Batch{Counts: plan.Counts, Means: make([]float64, p.N())}
	n := len(noise)
	for i := range b.Means {
		scale := math.Sqrt(float64(plan.Pulls()) / float64(n))
		b.Means[i] = p.Mean[i] + noise[i%n]/scale
	}
	return b
}

// plainSuccessive is successive elimination transcribed plainly: k arms left get equal
// pulls by V agents; pairs of sample means have variance 2 over the pulls of an arm;
// an arm goes when another beats it.
type plainSuccessive struct {
	arms, agents int
	delta        float64
	schedule     string

	set   []int
	round int
	each  float64 // pulls of an arm by one agent
	log   float64
}

func newPlainSuccessive(p *problem.Problem, delta float64, schedule string) *plainSuccessive {
	a := &plainSuccessive{arms: p.N() / p.V(), agents: p.V(), delta: delta, schedule: schedule}
	for i := range a.arms {
		a.set = append(a.set, i)
	}
	return a
}

// asks returns the pulls that every agent gives each of its own arms in the coming round.
func (a *plainSuccessive) asks() (counts []int) {
	a.round++
	r := float64(a.round)
	a.log = math.Log(2 * plain.Sq(float64(a.arms)) * float64(a.agents) * 2 * r * r / a.delta)
	constant := 2 * 1.1
	if a.schedule == engine.SchedulePaper {
		constant = 32 * 1.1 * 1.1
	}
	// One unit of effort gives each of k arms 1/k: a pair has variance 2k.
	total := constant * math.Pow(4, r) * 2 * float64(len(a.set)) * a.log
	a.each = math.Ceil(total/float64(len(a.set)*a.agents) - 1e-9)
	for range a.agents {
		for i := range a.arms {
			if slices.Contains(a.set, i) {
				counts = append(counts, int(a.each))
			} else {
				counts = append(counts, 0)
			}
		}
	}
	return counts
}

// learn discards arms by the means of the arms over all agents.
func (a *plainSuccessive) learn(means []float64) {
	width := math.Pow(2, -float64(a.round))
	if a.schedule == engine.ScheduleTuned {
		width = math.Sqrt(2 * 2 / (a.each * float64(a.agents)) * a.log)
	}
	a.set = slices.DeleteFunc(slices.Clone(a.set), func(i int) bool {
		return slices.ContainsFunc(a.set, func(j int) bool { return means[j]-means[i] >= width })
	})
}

// Successive elimination equals its plain transcription. On classic problems Alg. 1
// with ξ = 0 has the same ρ, spreads its pulls evenly over the arms, and makes the
// same eliminations.
func TestReferenceSuccessive(t *testing.T) {
	const delta = 0.1
	for _, p := range classics(t) {
		for _, schedule := range []string{engine.SchedulePaper, engine.ScheduleTuned} {
			m := plain.ModelOf(t, p)
			opt := engine.Options{Delta: delta, Schedule: schedule, Ridge: engine.Ridge{Kind: engine.RidgeValue}}
			built := try.Of(plain.On(engine.ModeFC, NewCoSuccessiveElimination)(m, opt))
			co := try.Of(plain.On(engine.ModeFC, NewCoKernelFC)(m, opt))
			compareSuccessive(t, p, built.(*elimination), co, newPlainSuccessive(p, delta, schedule))
		}
	}
}

func compareSuccessive(t *testing.T, p *problem.Problem, alg *elimination, co CoKernelFC, plain *plainSuccessive) {
	t.Helper()
	classic := p.Kernel.Equal(problem.SameArms())
	rng := rand.New(rand.NewPCG(61, 62))
	for !alg.Done() {
		noise := make([]float64, plain.arms)
		for i := range noise {
			noise[i] = rng.NormFloat64()
		}
		plan := try.Of(alg.Plan(t.Context()))
		if want := plain.asks(); !slices.Equal(plan.Counts, want) {
			t.Fatalf("%s, %s, round %d: pulls %v, plainly %v", p.Name, plain.schedule, plan.Round, plan.Counts, want)
		}
		b := byArm(p, plan, noise)
		try.To(alg.Learn(t.Context(), b))
		for i, c := range plan.Counts { // agents see equal means, so these are the pooled ones
			if got := alg.estimates[i]; c > 0 && math.Abs(got-b.Means[i]) > 1e-9 {
				t.Errorf("%s, round %d, arm %d: estimate %g, the sample mean is %g", p.Name, plan.Round, i, got, b.Means[i])
			}
		}
		plain.learn(b.Means)
		if classic {
			comparePlans(t, p, co, plan, noise)
		}
		for v := range p.V() {
			var got []int
			for _, i := range alg.Sets[v] {
				got = append(got, i%plain.arms)
			}
			if !slices.Equal(got, plain.set) {
				t.Fatalf("%s, %s, round %d: candidates %v, plainly %v", p.Name, plain.schedule, plan.Round, got, plain.set)
			}
			if classic && !slices.Equal(alg.Sets[v], co.Sets[v]) {
				t.Fatalf("%s, %s, round %d: candidates %v, by Alg. 1 %v", p.Name, plain.schedule, plan.Round, got, co.Sets[v])
			}
		}
	}
}

// comparePlans lets Alg. 1 make its round and compares its plan with equal pulls: the
// pulls of an arm, all agents together, differ by the rounding of the agents.
func comparePlans(t *testing.T, p *problem.Problem, co CoKernelFC, equal engine.Plan, noise []float64) {
	t.Helper()
	plan := try.Of(co.Plan(t.Context()))
	if math.Abs(plan.Rho/equal.Rho-1) > 1e-8 {
		t.Errorf("%s, round %d: rho = %g, with equal pulls %g", p.Name, plan.Round, plan.Rho, equal.Rho)
	}
	n := len(noise)
	for i := range n {
		shared, same := 0, 0
		for v := range p.V() {
			shared += plan.Counts[v*n+i]
			same += equal.Counts[v*n+i]
		}
		// The weights are optimal to 1e-9 in value, so to about its root each.
		if math.Abs(float64(shared-same)) > 2*float64(p.V())+1e-4*float64(same) {
			t.Errorf("%s, round %d, arm %d: %d pulls by Alg. 1, %d equally", p.Name, plan.Round, i, shared, same)
		}
	}
	try.To(co.Learn(t.Context(), byArm(p, plan, noise)))
}

// Where tasks are not the same, the error names the task and the arm that show it.
func TestSuccessiveErrors(t *testing.T) {
	two := enginetest.Paper(t, 2, 0.4)
	one := enginetest.Paper(t, 1, 0.4)
	for _, c := range []struct {
		p    *problem.Problem
		want string
	}{
		{two, `needs identical tasks, but the kernel distinguishes arm "{1,2}" in tasks "task 3" and "task 1"`},
		{enginetest.Small(t, problem.SameArms(), []float64{0, 1}, []float64{0, 1, 2}), `needs the same arms in every task, but task "a" has 2 and task "b" has 3`},
		{renamed(t, one), `needs the same arms in every task. Task "task 2" has arm "{9,9}", but task "task 1" does not`},
		{one, ""},
	} {
		_, err := plain.On(engine.ModeFC, NewCoSuccessiveElimination)(plain.ModelOf(t, c.p), engine.Options{})
		if (err == nil) != (c.want == "") || err != nil && (!errors.Is(err, engine.ErrUnsuited) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.p.Name, err, c.want)
		}
	}
}

// renamed returns the problem with another name for the first arm of its second task.
func renamed(t *testing.T, p *problem.Problem) *problem.Problem {
	t.Helper()
	lo, _ := p.ArmsOf(1)
	names := slices.Clone(p.Arms.Names)
	names[lo] = "{9,9}"
	var rows [][]float64
	for i := range names {
		rows = append(rows, p.Arms.Point(i).X)
	}
	arms := try.Of(kernels.NewPoints(p.Arms.Columns, names, rows))
	q := *p
	q.Arms = arms
	return &q
}
