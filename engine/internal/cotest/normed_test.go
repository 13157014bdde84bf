package cotest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// smooth returns 60 arms of five tasks, of a function of known norm.
func smooth(t testing.TB) (*problem.Problem, *model.Model) {
	t.Helper()
	p, err := manyarms.Problem(60)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New(p, 1)
	if err != nil {
		t.Fatal(err)
	}
	return p, m
}

// plainBets is the test of docs/theory.md, "A bound on the norm", transcribed plainly: the Gram matrix
// written out, p by elimination, the error functional as one coefficient for each arm. It is told which
// κ, a and look a bet has, and must come to the same walks.
//
//	docs/theory.md     here
//	A = K_ss + D/v     ridge
//	p, G               p, functional
//	S Σ pᵀȳ - S‖G‖     told - norm·size
type plainBets struct {
	p          *problem.Problem
	gram       *mat.Dense
	unit, norm float64
	functional map[*sequential.Walk][]float64
	told       map[*sequential.Walk]float64
	time       map[*sequential.Walk]float64
}

func newPlainBets(t *testing.T, p *problem.Problem, unit, norm float64) *plainBets {
	t.Helper()
	on, err := p.Kernel.On(t.Context(), p.Tasks, p.Arms, p.TaskOf)
	if err != nil {
		t.Fatal(err)
	}
	return &plainBets{p, mat.DenseCopyOf(kernels.Dense(on)), unit, norm, map[*sequential.Walk][]float64{}, map[*sequential.Walk]float64{}, map[*sequential.Walk]float64{}}
}

// settle makes the step of one bet and returns S and T of its walk.
func (r *plainBets) settle(t *testing.T, bet sequential.Bet, how choice, b engine.Batch) (sum, time float64) {
	t.Helper()
	w, n := bet.Walk, r.p.N()
	if r.functional[w] == nil {
		r.functional[w] = make([]float64, n)
	}
	g := r.functional[w]
	var support []int
	for i, c := range b.Counts {
		if c > 0 {
			support = append(support, i)
		}
	}
	ridge, target := mat.NewDense(len(support), len(support), nil), mat.NewVecDense(len(support), nil)
	v := shrinkage[how.kind] * r.norm * r.norm
	variance := func(i int) float64 {
		s := r.p.Noise.Scales[i] / r.unit
		return s * s / float64(b.Counts[i])
	}
	for j, i := range support {
		for k, l := range support {
			ridge.Set(j, k, r.gram.At(i, l))
		}
		ridge.Set(j, j, ridge.At(j, j)+variance(i)/v)
		x := how.scale * (r.gram.At(bet.Leader, i) - r.gram.At(bet.Arm, i))
		for k, c := range g {
			x -= c * r.gram.At(k, i)
		}
		target.SetVec(j, x)
	}
	var p mat.VecDense
	if err := p.SolveVec(ridge, target); err != nil {
		t.Fatal(err)
	}
	spent := 0.0
	for j, i := range support {
		r.told[w] += p.AtVec(j) * b.Means[i] / r.unit
		spent += p.AtVec(j) * p.AtVec(j) * variance(i)
		g[i] += p.AtVec(j)
	}
	g[bet.Leader] -= how.scale
	g[bet.Arm] += how.scale
	r.time[w] += spent
	size := mat.Inner(mat.NewVecDense(n, g), r.gram, mat.NewVecDense(n, g))
	return r.told[w] - r.norm*math.Sqrt(max(size, 0)), r.time[w]
}

func TestReferenceNormed(t *testing.T) {
	p, m := smooth(t)
	steps, later := 0, 0
	for seed := range uint64(4) {
		a, err := newNormed(m, engine.Options{Unit: 1, Epsilon: 0.1, Norm: manyarms.Norm}, Bound{Norm: manyarms.Norm})
		if err != nil {
			t.Fatal(err)
		}
		ref := newPlainBets(t, p, 1, manyarms.Norm)
		rng := rand.New(rand.NewPCG(seed, 4))
		for !a.Done() && a.round < 12 {
			plan, err := a.Plan()
			if err != nil {
				t.Fatal(err)
			}
			bets, choices := slices.Clone(a.bets), slices.Clone(a.fixed.choices)
			b := enginetest.Pull(rng, p, plan)
			if err := a.Learn(b); err != nil {
				t.Fatal(err)
			}
			for k, bet := range bets {
				sum, time := ref.settle(t, bet, choices[k], b)
				clock := a.clock.Of(bet.Walk)
				if d := math.Abs(bet.Walk.Sum-sum) / math.Sqrt(time); d > 1e-3 || bet.Walk.Sum > sum+1e-7*math.Sqrt(time) {
					t.Fatalf("seed %d, round %d, arm %d: S = %.10g, plainly %.10g at √T = %.4g", seed, plan.Round, bet.Arm, bet.Walk.Sum, sum, math.Sqrt(time))
				}
				if want := clock.Time(bet.Look); math.Abs(time-want) > 1e-6*want {
					t.Fatalf("seed %d, round %d, arm %d: T = %.10g, plainly %.10g", seed, plan.Round, bet.Arm, want, time)
				}
				if bet.Walk.Out != (bet.Walk.Sum >= clock.Height(bet.Look)) {
					t.Fatalf("arm %d is out: %v", bet.Arm, bet.Walk.Out)
				}
				if steps++; plan.Round > 2 {
					later++
				}
			}
		}
		if !a.Done() {
			t.Errorf("seed %d: undecided after %d rounds", seed, a.round)
		}
	}
	if steps < 200 || later < 30 {
		t.Errorf("only %d steps, %d of them on top of others", steps, later)
	}
}

// tied returns a problem of one task with two arms that are all but tied for best, under a function of
// that norm.
func tied(t *testing.T, norm float64) *problem.Problem {
	t.Helper()
	const n = 12
	rows, names := make([][]float64, n), make([]string, n)
	for i := range rows {
		rows[i], names[i] = []float64{float64(i) * 0.45}, string(rune('a'+i))
	}
	arms, err := kernels.NewPoints([]string{"x"}, names, rows)
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := kernels.NewPoints(nil, []string{"one"}, [][]float64{{}})
	if err != nil {
		t.Fatal(err)
	}
	k := kernels.LiftArm(kernels.RBF{})
	p, err := problem.New("tied", tasks, arms, make([]int, n), k, []float64{1}, make([]float64, n))
	if err != nil {
		t.Fatal(err)
	}
	// f = c(k_3 - k_6 ...) has two maxima that are all but equal; scaled to the norm
	on, err := k.On(t.Context(), tasks, arms, make([]int, n))
	if err != nil {
		t.Fatal(err)
	}
	gram := kernels.Dense(on)
	c := make([]float64, n)
	c[2], c[9], c[5] = 1, 1.0001, -0.6
	square := mat.Inner(mat.NewVecDense(n, c), gram, mat.NewVecDense(n, c))
	for i := range n {
		for j, v := range c {
			p.Mean[i] += norm / math.Sqrt(square) * v * gram.At(i, j)
		}
	}
	return p
}

// Errors stay within δ on arms that are all but tied, by a function whose norm is the bound, whatever is
// known of the noise. It takes 10 standard deviations of luck for this to fail by chance.
func TestNormedErrors(t *testing.T) {
	const delta, norm = 0.2, 2.0
	runs := 400
	if testing.Short() {
		runs = 60
	}
	for name, change := range map[string]func(*problem.Problem, *engine.Options){
		"known":        func(*problem.Problem, *engine.Options) {},
		"sub-Gaussian": func(_ *problem.Problem, o *engine.Options) { o.Law = engine.LawSubGaussian },
		"unknown":      func(p *problem.Problem, _ *engine.Options) { p.Noise.UnknownBy = problem.UnknownProblem },
		"misfit":       func(_ *problem.Problem, o *engine.Options) { o.Misfit = 0.05 },
	} {
		p := tied(t, norm)
		opt := engine.Options{Delta: delta, Norm: norm, Unit: 1, MaxSamples: 20_000, MaxRounds: 12}
		change(p, &opt)
		m, err := model.New(p, 1)
		if err != nil {
			t.Fatal(err)
		}
		best, wrong, decided := slices.Index(p.Mean, slices.Max(p.Mean)), 0, 0
		for seed := range runs {
			alg, err := NewCoTestFC(m, opt)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(uint64(seed), 6))
			out := enginetest.Run(t, alg, opt, func(plan engine.Plan) engine.Batch {
				return enginetest.SquaresPull(rng, p, p.Noise.Scales, plan)
			})
			for _, e := range out.Eliminations {
				if e.Arm == p.Arms.Names[best] {
					wrong++
				}
			}
			if len(out.Eliminations) > 0 {
				decided++
			}
		}
		if float64(wrong) > delta*float64(runs) {
			t.Errorf("%s: the best arm was excluded in %d of %d runs at δ = %g", name, wrong, runs, delta)
		}
		if decided < runs/2 {
			t.Errorf("%s: only %d of %d runs excluded any arm", name, decided, runs)
		}
		t.Logf("%s: wrong %d, some arm excluded %d of %d", name, wrong, decided, runs)
	}
}

// A norm that is far too small is what errors come from: the bound matters.
func TestNormTooSmall(t *testing.T) {
	const spike = 8
	p, _ := smooth(t)
	best := 0
	lo, hi := p.ArmsOf(0)
	for i := lo; i < hi; i++ {
		if p.Mean[i] < p.Mean[best] {
			best = i
		}
	}
	on, err := p.Kernel.On(t.Context(), p.Tasks, p.Arms, p.TaskOf)
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float64, p.N())
	on.Row(row, best)
	for i := range p.Mean { // small but for a bump whose norm is known
		p.Mean[i] = 0.05*p.Mean[i] + spike*row[i]/math.Sqrt(row[best])
	}
	m, err := model.New(p, 1)
	if err != nil {
		t.Fatal(err)
	}
	wrong := map[float64]int{}
	for _, norm := range []float64{0.05*manyarms.Norm + spike, 0.01} {
		for seed := range uint64(10) {
			opt := engine.Options{Norm: norm, Unit: 1, Epsilon: 0.2, MaxSamples: 50_000}
			alg, err := NewCoTestFC(m, opt)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(seed, 6))
			out := enginetest.Run(t, alg, opt, func(plan engine.Plan) engine.Batch { return enginetest.Pull(rng, p, plan) })
			for v, ans := range out.Answers {
				lo, hi := p.ArmsOf(v)
				at := lo + slices.Index(p.Arms.Names[lo:hi], ans.Leader)
				if ans.Decided && p.Mean[at] < slices.Max(p.Mean[lo:hi])-0.2 {
					wrong[norm]++
					break
				}
			}
		}
	}
	if wrong[0.05*manyarms.Norm+spike] > 2 || wrong[0.01] < 5 {
		t.Errorf("wrong runs by norm: %v", wrong)
	}
	t.Logf("wrong runs of 10 by norm: %v", wrong)
}

// Replicas make the same plans, amended rounds and rewards of no round move no walk wrongly, and what
// cannot be changed says so.
func TestNormedAmendInformChange(t *testing.T) {
	p, m := smooth(t)
	opt := engine.Options{Norm: manyarms.Norm, Unit: 1, Epsilon: 0.1}
	create := func() (engine.Algorithm, error) { return NewCoTestFC(m, opt) }
	enginetest.Replicas(t, p, opt, 3, create)
	alg, err := create()
	if err != nil {
		t.Fatal(err)
	}
	a, rng := alg.(*normed), rand.New(rand.NewPCG(1, 2))
	ref := newPlainBets(t, p, 1, manyarms.Norm)
	for !a.Done() && a.round < 15 {
		plan, err := a.Plan()
		if err != nil {
			t.Fatal(err)
		}
		counts := slices.Clone(plan.Counts)
		for i := range counts { // some lost, some more, also of arms that nobody asked for
			switch rng.IntN(5) {
			case 0:
				counts[i] = 0
			case 1:
				counts[i] += 2
			}
		}
		plan.Counts = counts
		if a.round == 3 {
			early := engine.Plan{Counts: make([]int, p.N())}
			early.Counts[rng.IntN(p.N())] = 3
			if err := a.Inform(enginetest.Pull(rng, p, early)); err != nil {
				t.Fatal(err)
			}
		}
		if err := a.Amend(counts); err != nil {
			t.Fatal(err)
		}
		bets, choices := slices.Clone(a.bets), slices.Clone(a.fixed.choices)
		b := enginetest.Pull(rng, p, plan)
		if err := a.Learn(b); err != nil {
			t.Fatal(err)
		}
		for k, bet := range bets {
			if sum, time := ref.settle(t, bet, choices[k], b); math.Abs(bet.Walk.Sum-sum) > 1e-3*math.Sqrt(time) {
				t.Fatalf("round %d, arm %d: S = %.9g, plainly %.9g", a.round, bet.Arm, bet.Walk.Sum, sum)
			}
		}
	}
	if !a.Done() {
		t.Fatalf("undecided after %d rounds", a.round)
	}
	if err := a.SetEpsilon(0.02); err != nil || a.Done() {
		t.Errorf("a smaller epsilon leaves all tasks decided (%v)", err)
	}
	if plan, err := a.Plan(); err != nil || plan.Pulls() == 0 {
		t.Errorf("no plan after a smaller epsilon: %v", err)
	}
	if err := a.SetDelta(0.01); err != nil {
		t.Error(err)
	}
	for _, err := range []error{a.CanWithdraw([]int{1}), a.Withdraw([]int{1}), a.Continue(a, nil)} {
		if !errors.Is(err, engine.ErrFixedQuestion) {
			t.Errorf("error %v", err)
		}
	}
	if e := a.ArmEstimates(); len(e.Mean) != p.N() || !(e.Half[0] > 0) {
		t.Errorf("estimates of %d arms", len(e.Mean))
	}
}

// What the test goes by: a norm that is stated; else least squares while the kernel has few dimensions; else
// the norm of rewards that are known; else an error that names norm.
func TestBoundOf(t *testing.T) {
	few, _ := smooth(t)
	many, err := manyarms.Problem(400)
	if err != nil {
		t.Fatal(err)
	}
	// of a short length scale, so that all dimensions are above rounding
	rough := many.WithKernel(kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.RBF{}, Arm: kernels.RBF{Lengthscale: []float64{0.3}}}}})
	blind := *rough
	blind.Mean = nil
	for _, row := range []struct {
		name    string
		p       *problem.Problem
		opt     engine.Options
		bounded bool
		known   bool
		fault   string
	}{
		{name: "few", p: few},
		{name: "stated", p: few, opt: engine.Options{Norm: 3}, bounded: true},
		{name: "stated of a kernel with few dimensions", p: enginetest.Paper(t, 2, 0.4), opt: engine.Options{Norm: 5}},
		{name: "robust", p: few, opt: engine.Options{Norm: 3, Robust: true}},
		{name: "many, known", p: rough, bounded: true, known: true},
		{name: "many, unknown", p: &blind, fault: "give norm"},
		{name: "many, stated", p: &blind, opt: engine.Options{Norm: 3}, bounded: true},
	} {
		m, err := model.New(row.p, 1)
		if err != nil {
			t.Fatal(err)
		}
		b, bounded, err := BoundOf(m, row.opt)
		if bounded != row.bounded || b.Known != row.known || (err == nil) != (row.fault == "") || err != nil && !strings.Contains(err.Error(), row.fault) {
			t.Errorf("%s: %+v %v %v", row.name, b, bounded, err)
		}
		alg, err := NewCoTestFC(m, row.opt)
		if _, is := alg.(*normed); err == nil && is != row.bounded {
			t.Errorf("%s: %T", row.name, alg)
		}
		if n, is := alg.(*normed); is && row.known {
			if !slices.ContainsFunc(n.Warnings(), func(w engine.Warning) bool { return w.Kind == engine.WarnNormKnown }) {
				t.Errorf("%s: nobody says that the norm comes from the truth", row.name)
			}
		}
	}
}

// A run under a kernel whose dimensions are all arms ends, and stops when it is told to.
func TestNormedRough(t *testing.T) {
	p, err := manyarms.Problem(120)
	if err != nil {
		t.Fatal(err)
	}
	p = p.WithKernel(kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.RBF{}, Arm: kernels.Matern{Nu: 0.5, Lengthscale: []float64{1}}}}})
	m, err := model.New(p, 1)
	if err != nil {
		t.Fatal(err)
	}
	opt := engine.Options{Norm: 40, Unit: 1, Epsilon: 0.3}
	alg, err := newNormed(m, opt, Bound{Norm: opt.Norm})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 6))
	out := enginetest.Run(t, alg, opt, func(plan engine.Plan) engine.Batch { return enginetest.Pull(rng, p, plan) })
	if out.Status != engine.StatusEpsilon && out.Status != engine.StatusDecided {
		t.Errorf("%s after %d samples", out.Status, out.Samples)
	}
	t.Logf("%s after %d samples and %d rounds", out.Status, out.Samples, len(out.Rounds))
	ctx, cancel := context.WithCancel(t.Context())
	again, err := newNormed(m.Until(ctx), opt, Bound{Norm: opt.Norm})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := again.Plan(); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
