package cotest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// unrelatedArms returns tasks of so many arms each under identity(), with standard normal noise and means that are uniform,
// except for the best, which is 1 above the others.
func unrelatedArms(t *testing.T, tasks, arms int) *problem.Problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 7))
	var names, tasksOf []string
	var taskOf []int
	var mean []float64
	for v := range tasks {
		tasksOf = append(tasksOf, fmt.Sprint("t", v))
		for i := range arms {
			names, taskOf, mean = append(names, fmt.Sprint("a", i)), append(taskOf, v), append(mean, rng.Float64())
		}
		mean[v*arms+v] = 2
	}
	points := func(names []string) *kernels.Points {
		return try.Of(kernels.NewPoints(nil, names, make([][]float64, len(names))))
	}
	return try.Of(problem.New("unrelated", points(tasksOf), points(names), taskOf, enginetest.Identity, []float64{1}, mean))
}

// A test by means on arms that have features takes the bets, sums and times that least squares take of the same pulls.
func TestApartIsLeastSquares(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	for _, unknown := range []string{"", problem.UnknownProblem, problem.UnknownTask, problem.UnknownArm} {
		p := unrelatedArms(t, 2, 40)
		p.Noise.UnknownBy = unknown
		m := try.Of(model.New(p, 1))
		opt := engine.Options{Delta: 0.1}
		byMeans := try.Of(plain.On(engine.ModeFC, newApart)(m, opt))
		byKernel := try.Of(newCoTest(m, plain.TermsOf(t, m, engine.ModeFC, opt), minimaxPlanner{}))
		rng := rand.New(rand.NewPCG(3, 4))
		for range 4 {
			if byMeans.Done() {
				break
			}
			plan := try.Of(byMeans.Plan(t.Context()))
			try.Of(byKernel.Plan(t.Context()))
			try.To(byKernel.Amend(plan.Counts))
			byKernel.clock.Origin = byMeans.clock.Origin
			b := drawn(p, plan.Counts, rng)
			try.To(errors.Join(byMeans.Learn(t.Context(), b), byKernel.Learn(t.Context(), b)))
			for k, c := range byMeans.contests {
				for i, w := range c.walks {
					x := byKernel.contests[k].walks[i]
					if w.Look != x.Look || math.Abs(w.Sum-x.Sum) > 1e-9*(1+math.Abs(w.Sum)) || w.Out != x.Out {
						t.Fatalf("noise unknown by %q, contest %d, walk %d: look %d, sum %v, out %v; least squares have %d, %v, %v", unknown, k, i, w.Look, w.Sum, w.Out, x.Look, x.Sum, x.Out)
					}
				}
			}
		}
	}
}

// drawn returns a round of normal rewards.
func drawn(p *problem.Problem, counts []int, rng *rand.Rand) engine.Batch {
	b := engine.Batch{Counts: counts, Means: make([]float64, len(counts)), Squares: make([]float64, len(counts))}
	for i, c := range counts {
		for k := range c {
			y := p.Mean[i] + p.Noise.Deviations()[i]*rng.NormFloat64()
			off := y - b.Means[i]
			b.Means[i] += off / float64(k+1)
			b.Squares[i] += off * (y - b.Means[i])
		}
	}
	return b
}

// rewardsOf is an environment of normal rewards.
type rewardsOf struct {
	problem *problem.Problem
	rng     *rand.Rand
}

func (r rewardsOf) Pull(_ context.Context, p engine.Plan) (engine.Batch, error) {
	return drawn(r.problem, p.Counts, r.rng), nil
}

// Arms without number are decided, each task on its best one: more than any rank that is kept.
func TestManyUnrelatedArms(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	p := unrelatedArms(t, 2, 1500)
	for _, unknown := range []string{"", problem.UnknownProblem} {
		p.Noise.UnknownBy = unknown
		m := try.Of(model.New(p, 1))
		alg := try.Of(plain.On(engine.ModeFC, NewCoTestFC)(m, engine.Options{Delta: 0.1, Epsilon: 0.3}))
		o := try.Of(engine.Run(context.Background(), alg, rewardsOf{p, rand.New(rand.NewPCG(1, 2))}, engine.Options{Delta: 0.1, Epsilon: 0.3}))
		for v, a := range o.Answers {
			if want := fmt.Sprint("a", v); a.Arm != want {
				t.Errorf("noise unknown by %q: task %d has the answer %q, want %q", unknown, v, a.Arm, want)
			}
		}
		if o.Samples > 20*p.N() {
			t.Errorf("noise unknown by %q: %d pulls for %d arms", unknown, o.Samples, p.N())
		}
	}
}

// The pulls between means are the least that bring what is needed, as a search over the leader's shows; with costs they
// spend least.
func TestBetween(t *testing.T) {
	p := unrelatedArms(t, 1, 80)
	p.Cost = make([]float64, p.N())
	for i := range p.Cost {
		p.Cost[i] = 1 + float64(i%5)
	}
	m := try.Of(model.New(p, 1))
	a := try.Of(plain.On(engine.ModeFC, newApart)(m, engine.Options{Delta: 0.1}))
	pairs := a.contests[0].needs(a.clock, 0.5, overshoot, 1, func(_, j int) float64 { return float64(1 + j) }, func(_, _ int) float64 { return 1 })
	d := fewestBetween(a.terms(), pairs)
	spent := func(leader float64) float64 {
		sum := leader * p.Cost[pairs[0].I]
		for _, q := range pairs {
			sum += p.Cost[q.J] / (1/q.Weight - 1/leader)
		}
		return sum
	}
	least, first := math.Inf(1), 0.0
	for _, q := range pairs {
		first = max(first, q.Weight)
	}
	for n := first * 1.0001; n < 1000*first; n *= 1.001 {
		least = min(least, spent(n))
	}
	for k, q := range pairs {
		if info := 1 / (1/d.leader + 1/d.rivals[k]); math.Abs(info/q.Weight-1) > 1e-6 {
			t.Fatalf("pair %d has the information %v, needed %v", k, info, q.Weight)
		}
	}
	if got := spent(d.leader); got > least*(1+1e-4) {
		t.Errorf("it spends %v, and %v would do", got, least)
	}
}
