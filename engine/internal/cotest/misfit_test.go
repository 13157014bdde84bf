package cotest

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/bayes"
	"github.com/gonb-cope/gonb-cope/engine/internal/elimination"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// w = (½, ½, 0) for the gap of arms 0 and 2 leaves c = (-½, ½, 1).
func TestMisfitBias(t *testing.T) {
	u := misfit{most: 0.3, allowed: 2}
	if got, want := u.bias([]float64{0.5, 0.5, 0}, 0, 2), 0.3*2+2*math.Sqrt(1.5); math.Abs(got-want) > 1e-12 {
		t.Errorf("bias %v, want %v", got, want)
	}
	if got := u.bias([]float64{1, 0, -1}, 0, 2); got != 0 {
		t.Errorf("the difference of the arms' own means has bias %v", got)
	}
}

// The bound holds for the mean of every estimate: random weights, and u at its worst.
func TestMisfitBiasIsSharp(t *testing.T) {
	p := enginetest.Paper(t, 2, 0.4)
	m := plain.ModelOf(t, p)
	rng := rand.New(rand.NewPCG(1, 2))
	counts := make([]int, p.N())
	for i := range counts {
		counts[i] = rng.IntN(4)
	}
	e, err := model.NewEstimator(m, 0, counts)
	if err != nil {
		t.Fatal(err)
	}
	i, j := 0, 3
	w := e.Weights(i, j)
	const most = 0.25
	u := make([]float64, p.N())
	for k := range u {
		c := w[k]
		if k == i {
			c--
		}
		if k == j {
			c++
		}
		u[k] = math.Copysign(most, c)
	}
	// the mean of the estimate, less what the kernel's part gives, comes from u alone
	off := e.Estimates(u)
	want := math.Abs(off[i] - off[j] - (u[i] - u[j]))
	got := (&misfit{most: most}).bias(w, i, j)
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("bound %v, reached %v", got, want)
	}
}

// Arms 0, 1, 2, 3 on lines, ten pulls each with σ = 2, unit 2: means have variance 0.1, the
// generalised sum of squares is the plain residuals' over 0.1 + g, and so g = Σ residual²/χ²_2
// quantile - 0.1.
func TestMisfitEstimate(t *testing.T) {
	m := plain.ModelOf(t, enginetest.Line(t))
	u := misfit{data: new(model.Replicates)}
	*u.data = model.NewReplicates(4)
	u.learn(m, engine.Batch{Counts: []int{10, 10, 10, 10}, Means: []float64{0, 3, 2, 3}}, true, 0.025)
	squares := 2.8 / 4 // TestLackOfFitNames, over unit²
	at := func(level float64) float64 {
		return math.Sqrt(max(0, squares/distuv.ChiSquared{K: 2}.Quantile(level)-0.1))
	}
	if want := at(0.5); u.typical < want || u.typical > want*1.03 {
		t.Errorf("typical %v, want %v, rounded up by 2.5 %% at most", u.typical, want)
	}
	if want := 1.959964 * at(0.5); u.allowed < want || u.allowed > want*1.03 {
		t.Errorf("allowed %v, want %v", u.allowed, want)
	}
	u.learn(m, engine.Batch{Counts: []int{0, 1e6, 0, 0}, Means: []float64{0, 0, 0, 0}}, true, 0.025)
	u.learn(m, engine.Batch{Counts: []int{1e6, 0, 1e6, 1e6}, Means: []float64{0, 0, 0, 0}}, true, 0.025)
	if u.typical > 1e-3 {
		t.Errorf("typical %v where all means are on a line", u.typical)
	}
}

// With unknown scales, guesses have no part in the estimate: the same data give the same misfit.
func TestMisfitEstimateOfUnknownScales(t *testing.T) {
	var typical []float64
	for _, guess := range []float64{1, 0.1, 10} {
		p := enginetest.Paper(t, 1, 0.4)
		p.Noise.UnknownBy = problem.UnknownProblem
		for i := range p.Noise.Scales {
			p.Noise.Scales[i] = guess
		}
		m := plain.ModelOf(t, p)
		a, err := newCoTest(m, plain.TermsOf(t, m, engine.ModeFC, engine.Options{Robust: true}), minimaxPlanner{})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := a.Plan(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		b := engine.Batch{Counts: plan.Counts, Means: make([]float64, p.N()), Squares: make([]float64, p.N())}
		for i, c := range plan.Counts {
			b.Means[i] = p.Mean[i] + []float64{-4, 3, 5, -2, 0, -6, 1}[i%7]
			b.Squares[i] = 1.3 * float64(max(0, c-1))
		}
		if err := a.Learn(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		typical = append(typical, a.misfit.typical*m.Unit)
	}
	for _, s := range typical {
		if !(s > 0.5) || math.Abs(s/typical[0]-1) > 0.06 { // each is rounded up by 2.5 % at most
			t.Errorf("estimated misfit %v with guesses of 1, 0.1 and 10", typical)
		}
	}
}

// The pulls of direct measurements meet every need, and no allocation found by a grid meets them
// with fewer, except for rounding up.
func TestDirectly(t *testing.T) {
	m := plain.ModelOf(t, enginetest.Line(t))
	of := terms{model: m, scales: &rounds.Scales{Model: m}, pricing: new(pricing), most: 1e9}
	for _, needs := range [][]float64{{100}, {100, 100, 100}, {400, 20, 3}} {
		st := newStage(m)
		var pairs []design.Pair
		for k, w := range needs {
			pairs = append(pairs, design.Pair{I: 0, J: k + 1, Weight: w})
		}
		of.addDirect(pairs, st)
		n := st.Rounding.Counts
		for _, q := range pairs {
			if v := 1/float64(n[0]) + 1/float64(n[q.J]); v*q.Weight > 1+1e-9 {
				t.Errorf("needs %v: counts %v leave %v of arm %d", needs, n, v*q.Weight, q.J)
			}
		}
		least := math.Inf(1)
		for leader := 1.0; leader < 2000; leader += 0.5 {
			sum := leader
			for _, w := range needs {
				if rest := 1/w - 1/leader; rest > 0 {
					sum += 1 / rest
				} else {
					sum = math.Inf(1)
				}
			}
			least = min(least, sum)
		}
		if got := engine.PullsOf(n); float64(got) > least+float64(len(needs)+1) {
			t.Errorf("needs %v take %d pulls, %v would do", needs, got, least)
		}
	}
}

// Algorithms that take the kernel at its word say so, and two answers to one question are refused.
func TestMisfitOptions(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.4)
	m := plain.ModelOf(t, p)
	if _, err := plain.On(engine.ModeFC, elimination.NewCoKernelFC)(m, engine.Options{Robust: true}); !errors.Is(err, engine.ErrNoMisfit) {
		t.Errorf("CoKernelFC, robust: %v", err)
	}
	if _, err := plain.On(engine.ModeFC, bayes.NewCoBayesFC)(m, engine.Options{Misfit: 1}); !errors.Is(err, engine.ErrNoMisfit) {
		t.Errorf("CoBayesFC, misfit: %v", err)
	}
	for _, o := range []engine.Options{{Misfit: -1}, {Misfit: math.Inf(1)}, {Misfit: 1, Robust: true}} {
		if _, err := plain.On(engine.ModeFC, NewCoTestFC)(m, o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
	// Tasks that the kernel calls the same may differ by the misfit: each has its own tests.
	for _, o := range []engine.Options{{Robust: true}, {Misfit: 0.1}} {
		a, err := newCoTest(m, plain.TermsOf(t, m, engine.ModeFC, o), minimaxPlanner{})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.contests) != p.V() {
			t.Errorf("%+v: %d contests", o, len(a.contests))
		}
	}
}
