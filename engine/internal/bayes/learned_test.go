package bayes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// A run that learns its kernel spends its budget, no agent more than its own, whether the noise is known or not, answers every task, and
// finds good arms though the kernel of the problem relates none; it does the same with the same data.
func TestBudgetFBLearnsTheKernel(t *testing.T) {
	for _, unknown := range []string{"", problem.UnknownTask} {
		for _, is := range []string{engine.KernelAuto, engine.KernelMember} {
			p := enginetest.Paper(t, 1, 0.5).WithKernel(kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Identity{}}}})
			p.Noise.UnknownBy = unknown
			m := try.Of(model.New(p, 0))
			var leaders [2][]string
			for again := range leaders {
				alg := try.Of(plain.On(engine.ModeFB, NewBudgetFB)(m, engine.Options{Budget: 60, KernelIs: is}))
				rng, had := rand.New(rand.NewPCG(4, 4)), make([]int, p.V())
				out := try.Of(engine.Run(t.Context(), alg, enginetest.EnvironmentFunc(func(plan engine.Plan) engine.Batch {
					for i, c := range plan.Counts {
						had[p.TaskOf[i]] += c
					}
					return enginetest.SquaresPull(rng, p, p.Noise.Scales, plan)
				}), engine.Options{Budget: 60, KernelIs: is}))
				if slices.Min(had) != 60 || slices.Max(had) != 60 {
					t.Errorf("%s, noise unknown by %q: agents have %v pulls, want 60 each", is, unknown, had)
				}
				loss := 0.0
				for v, a := range out.Answers {
					lo, hi := p.ArmsOf(v)
					at := lo + slices.Index(p.Arms.Names[lo:hi], a.Leader)
					loss += slices.Max(p.Mean[lo:hi]) - p.Mean[at]
					leaders[again] = append(leaders[again], a.Leader)
				}
				if loss > 0.5 { // of the gap 0.5 in one task at most; a random arm loses more in each
					t.Errorf("%s, noise unknown by %q: the picks lose %.2f", is, unknown, loss)
				}
			}
			if !slices.Equal(leaders[0], leaders[1]) {
				t.Errorf("%s: answers %v, and again %v", is, leaders[0], leaders[1])
			}
		}
	}
}

// If no kernel is stated it is learned; a stated kernel or scale is used unchanged.
func TestWhereTheKernelIsLearned(t *testing.T) {
	p := enginetest.Paper(t, 3, 0.3)
	found := *p
	found.KernelFound = true
	for _, x := range []struct {
		p    *problem.Problem
		opt  engine.Options
		want bool
	}{
		{p, engine.Options{}, false}, {&found, engine.Options{}, true}, {&found, engine.Options{KernelIs: engine.KernelFixed}, false},
		{&found, engine.Options{Scale: 1}, false}, {p, engine.Options{KernelIs: engine.KernelMember}, true},
		{&found, engine.Options{Ridge: engine.Ridge{Kind: engine.RidgeAuto}}, false},
	} {
		m := try.Of(model.New(x.p, 0))
		if got, err := TakesBudget(m, model.Terms{Options: x.opt}); err != nil || got != x.want {
			t.Errorf("kernel found %v, options %+v: learned %v (%v), want %v", x.p.KernelFound, x.opt, got, err, x.want)
		}
	}
	if found.WithKernel(p.Kernel).KernelFound {
		t.Error("a kernel that was stated in place of one that was found counts as found")
	}
}

// Arms that have nothing but their names are not taken for the same in all tasks: where each task has a good arm of its own, four pulls an
// arm find nearly all. With a prior in which they were nearly the same, 12 of 30 picks were wrong.
func TestNamesAloneAreNotTheSame(t *testing.T) {
	const tasks, arms, runs, budget = 5, 12, 6, 48
	var names []string
	var taskOf []int
	for i := range tasks * arms {
		names, taskOf = append(names, fmt.Sprint("a", i%arms)), append(taskOf, i/arms)
	}
	z := try.Of(kernels.NewPoints(nil, []string{"t1", "t2", "t3", "t4", "t5"}, make([][]float64, tasks)))
	x := try.Of(kernels.NewPoints(nil, names, make([][]float64, len(names))))
	each := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Identity{}}}}
	p := try.Of(problem.New("names", z, x, taskOf, each, []float64{1}, nil))
	p.Noise.UnknownBy = problem.UnknownProblem
	m := try.Of(model.New(p, 0))
	wrong := 0
	for run := range runs {
		rng := rand.New(rand.NewPCG(uint64(run), 6))
		p.Mean = make([]float64, p.N())
		var good []string
		for v := range tasks {
			k := rng.IntN(arms)
			p.Mean[v*arms+k] = 2
			good = append(good, names[k])
		}
		opt := engine.Options{Budget: budget, KernelIs: engine.KernelAuto}
		alg := try.Of(plain.On(engine.ModeFB, NewBudgetFB)(m, opt))
		out := try.Of(engine.Run(t.Context(), alg, enginetest.EnvironmentFunc(func(plan engine.Plan) engine.Batch {
			return enginetest.SquaresPull(rng, p, slices.Repeat([]float64{1}, p.N()), plan)
		}), opt))
		for v, a := range out.Answers {
			if a.Leader != good[v] {
				wrong++
			}
		}
	}
	if wrong > 3 {
		t.Errorf("%d of %d picks are wrong, want 3 at most", wrong, runs*tasks)
	}
}
