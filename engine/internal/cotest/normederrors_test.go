package cotest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// tied returns a problem of one task and n arms with two best ones, the weight of one of them so much larger, under a function of
// that norm.
func tied(t *testing.T, norm, lead float64, n int) *problem.Problem {
	t.Helper()
	rows, names := make([][]float64, n), make([]string, n)
	for i := range rows {
		rows[i], names[i] = []float64{float64(i) * 0.45}, fmt.Sprint("x", i)
	}
	arms := try.Of(kernels.NewPoints([]string{"x"}, names, rows))
	tasks := try.Of(kernels.NewPoints(nil, []string{"one"}, [][]float64{{}}))
	k := kernels.LiftArm(kernels.RBF{})
	p := try.Of(problem.New("tied", tasks, arms, make([]int, n), k, []float64{1}, make([]float64, n)))
	// f = c(k_3 - k_6 ...) has two maxima that are equal except for the lead; scaled to the norm
	on := try.Of(k.On(t.Context(), tasks, arms, make([]int, n)))
	gram := kernels.Dense(on)
	c := make([]float64, n)
	c[2], c[9], c[5] = 1, 1+lead, -0.6
	square := mat.Inner(mat.NewVecDense(n, c), gram, mat.NewVecDense(n, c))
	for i := range n {
		for j, v := range c {
			p.Mean[i] += norm / math.Sqrt(square) * v * gram.At(i, j)
		}
	}
	return p
}

// Errors stay within δ on arms that are all but tied, by a function whose norm is the bound, with every
// noise model. It takes 10 standard deviations of luck for this to fail by chance.
func TestNormedErrors(t *testing.T) {
	const delta, norm = 0.2, 2.0
	runs := 400
	if testing.Short() {
		runs = 8
	}
	unknown := func(p *problem.Problem, _ *engine.Options) { p.Noise.UnknownBy = problem.UnknownProblem }
	for name, change := range map[string]func(*problem.Problem, *engine.Options){
		"known":        func(*problem.Problem, *engine.Options) {},
		"sub-Gaussian": func(_ *problem.Problem, o *engine.Options) { o.Law = engine.LawSubGaussian },
		"unknown":      unknown,
		"claims": func(p *problem.Problem, o *engine.Options) { // a wrong answer is just not within the accuracy
			means := slices.Sorted(slices.Values(p.Mean))
			o.Delta = normClaims * 0.03
			o.Epsilon = 0.999 * (means[len(means)-1] - means[len(means)-2])
		},
		"misfit": func(p *problem.Problem, o *engine.Options) { // the neighbours speak against the best arm
			o.Misfit = 0.05
			for _, i := range []int{1, 3} {
				p.Mean[i] += o.Misfit
			}
			for _, i := range []int{8, 10} {
				p.Mean[i] -= o.Misfit
			}
		},
	} {
		p := tied(t, norm, 1e-4, 12)
		if name == "claims" {
			p = tied(t, norm, 0.3, model.MostOneLeader+1)
		}
		opt := engine.Options{Delta: delta, Norm: norm, Unit: 1, MaxSamples: 20_000, MaxRounds: 12}
		change(p, &opt)
		m := try.Of(model.New(p, 1))
		best, wrong, decided := slices.Index(p.Mean, slices.Max(p.Mean)), 0, 0
		for seed := range runs {
			alg := try.Of(plain.On(engine.ModeFC, NewCoTestFC)(m, opt))
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
		if float64(wrong) > max(1, opt.Delta*float64(runs)) { // one of few says nothing
			t.Errorf("%s: the best arm was excluded in %d of %d runs at δ = %g", name, wrong, runs, opt.Delta)
		}
		if decided < runs/2 {
			t.Errorf("%s: only %d of %d runs excluded any arm", name, decided, runs)
		}
		t.Logf("%s: wrong %d, some arm excluded %d of %d", name, wrong, decided, runs)
	}
}

// A norm that is far too small is what errors come from: the bound matters.
func TestNormTooSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	const spike = 8
	p, _ := smooth(t)
	best := 0
	lo, hi := p.ArmsOf(0)
	for i := lo; i < hi; i++ {
		if p.Mean[i] < p.Mean[best] {
			best = i
		}
	}
	on := try.Of(p.Kernel.On(t.Context(), p.Tasks, p.Arms, p.TaskOf))
	row := make([]float64, p.N())
	on.Row(row, best)
	for i := range p.Mean { // small except for a bump whose norm is known
		p.Mean[i] = 0.05*p.Mean[i] + spike*row[i]/math.Sqrt(row[best])
	}
	m := try.Of(model.New(p, 1))
	wrong := map[float64]int{}
	for _, norm := range []float64{0.05*manyarms.Norm + spike, 0.01} {
		for seed := range uint64(10) {
			opt := engine.Options{Norm: norm, Unit: 1, Epsilon: 0.2, MaxSamples: 50_000}
			alg := try.Of(plain.On(engine.ModeFC, NewCoTestFC)(m, opt))
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
