package cotest

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/bayes"
	"github.com/gonb-cope/gonb-cope/engine/internal/elimination"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// w = (½, ½, 0) for the gap of arms 0 and 2 leaves c = (-½, ½, 1).
func TestMisfitBias(t *testing.T) {
	u := misfit{most: 0.3}
	if got, want := u.bias([]float64{0.5, 0.5, 0}, 0, 2), 0.3*2; math.Abs(got-want) > 1e-12 {
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
	e := try.Of(model.NewEstimator(m, 0, counts))
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

// Algorithms that take the kernel at its word say so, and bounds out of range are refused.
func TestMisfitOptions(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.4)
	m := plain.ModelOf(t, p)
	if _, err := plain.On(engine.ModeFC, elimination.NewCoKernelFC)(m, engine.Options{Misfit: 1}); !errors.Is(err, engine.ErrNoMisfit) {
		t.Errorf("CoKernelFC, misfit: %v", err)
	}
	if _, err := plain.On(engine.ModeFC, bayes.NewCoBayesFC)(m, engine.Options{Misfit: 1}); !errors.Is(err, engine.ErrNoMisfit) {
		t.Errorf("CoBayesFC, misfit: %v", err)
	}
	for _, o := range []engine.Options{{Misfit: -1}, {Misfit: math.Inf(1)}} {
		if _, err := plain.On(engine.ModeFC, NewCoTestFC)(m, o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
	// Tasks that the kernel calls the same may differ by the misfit: each has its own tests.
	for _, o := range []engine.Options{{Misfit: 0.1}} {
		a := try.Of(newCoTest(m, plain.TermsOf(t, m, engine.ModeFC, o), minimaxPlanner{}))
		if len(a.contests) != p.V() {
			t.Errorf("%+v: %d contests", o, len(a.contests))
		}
	}
}
