package elimination

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// With many arms every pair of open arms stays within its width in all rounds, the answers are within epsilon, thresholds halve, and
// widths are little more than the threshold.
func TestManyArms(t *testing.T) {
	const epsilon = 0.2
	p := try.Of(manyarms.Problem(enginetest.Number(250, 60))) // designs of hundreds take most of a second
	m := plain.ModelOf(t, p)
	norm := manyarms.Norm / m.Unit
	worst := 0.0
	for seed := range uint64(enginetest.Number(8, 1)) {
		a := try.Of(plain.On(engine.ModeFC, NewCoKernelFC)(m, engine.Options{Delta: 0.05, Epsilon: epsilon, Norm: norm}))
		rng, last := rand.New(rand.NewPCG(seed, 1)), math.MinInt
		for !a.Done() {
			plan := try.Of(a.Plan(t.Context()))
			if a.step != last+1 && last > math.MinInt || !(a.ridge > 0) {
				t.Errorf("round %d: step %d after %d, xi %g", a.round, a.step, last, a.ridge)
			}
			last = a.step
			open := make([][]int, len(a.Sets))
			for v, set := range a.Sets {
				open[v] = slices.Clone(set)
			}
			try.To(a.Learn(t.Context(), enginetest.Pull(rng, p, plan)))
			for _, set := range open {
				for _, i := range set {
					for _, j := range set {
						if i == j {
							continue
						}
						off := math.Abs(a.estimates[i] - a.estimates[j] - (p.Mean[i]-p.Mean[j])/m.Unit)
						worst = max(worst, off/a.width(i, j))
						if w, target := a.width(i, j), math.Pow(2, -float64(a.step)); w > 2.5*target {
							t.Fatalf("round %d: width %.3g for a threshold of %.3g", a.round, w, target)
						}
					}
				}
			}
		}
		for v, answer := range a.Answers() {
			lo, hi := p.ArmsOf(v)
			best := slices.Max(p.Mean[lo:hi])
			if k := slices.Index(p.Arms.Names, answer.Arm); !answer.Decided || p.Mean[k] < best-epsilon {
				t.Errorf("run %d, task %d: %+v, best %g", seed, v, answer, best)
			}
		}
	}
	if worst > 1 || worst < 0.1 {
		t.Errorf("the largest error is %.3g of its width", worst)
	}
}

// CoKernelFB ends within its budget, with an arm for each task.
func TestManyArmsFixedBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of designs")
	}
	p := try.Of(manyarms.Problem(250))
	m := plain.ModelOf(t, p)
	const budget = 300
	a := try.Of(plain.On(engine.ModeFB, NewCoKernelFB)(m, engine.Options{Budget: budget, Ridge: engine.Ridge{Kind: engine.RidgeGP}, Norm: manyarms.Norm / m.Unit}))
	rng, pulls := rand.New(rand.NewPCG(1, 1)), 0
	for !a.Done() {
		plan := try.Of(a.Plan(t.Context()))
		pulls += plan.Pulls()
		before := a.Alive()
		try.To(a.Learn(t.Context(), enginetest.Pull(rng, p, plan)))
		if a.Alive() >= before {
			t.Errorf("round %d cuts nothing of %d arms", a.round, before)
		}
	}
	if pulls > budget*p.V() {
		t.Errorf("%d pulls with a budget of %d", pulls, budget*p.V())
	}
	for v, answer := range a.Answers() {
		lo, hi := p.ArmsOf(v)
		k := slices.Index(p.Arms.Names, answer.Leader)
		if loss := slices.Max(p.Mean[lo:hi]) - p.Mean[k]; loss > 0.5 {
			t.Errorf("task %d: the answer is worse by %g, which is what arms differ by", v, loss)
		}
	}
}
