//go:build unix

package main

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Pull makes the pulls of a plan.
func (p *play) Pull(_ context.Context, plan engine.Plan) (engine.Batch, error) {
	n := len(plan.Counts)
	b := engine.Batch{Counts: plan.Counts, Means: make([]float64, n), Squares: make([]float64, n)}
	for i, c := range plan.Counts {
		for k := range c {
			y := p.pull(i)
			off := y - b.Means[i]
			b.Means[i] += off / float64(k+1)
			b.Squares[i] += off * (y - b.Means[i])
		}
	}
	return b, nil
}

// runAlgorithm runs an algorithm, and returns the outcome and the number of decisions.
func runAlgorithm(
	ctx context.Context, p *play, q *problem.Problem, mode, name string, opt engine.Options,
) (o engine.Outcome, decisions int, err error) {
	defer try.Caught(&err)
	entry, m := try.Of(algorithms.Named(mode, name)), try.Of(model.NewContext(ctx, q, 0))
	alg := try.Of(entry.New(m, opt))
	o, err = engine.Run(ctx, alg, p, opt)
	return o, 1 + len(o.Rounds), err
}

// leaders returns the cells of answers.
func leaders(p *problem.Problem, answers []engine.Answer) []int {
	return lists.Make(len(answers), func(v int) int {
		lo, hi := p.ArmsOf(v)
		return lo + slices.Index(p.Arms.Names[lo:hi], answers[v].Leader)
	})
}

// documented runs an algorithm under the kernel that docs/tutorials/your-data.md, section 3, has a newcomer write, with
// noise="task": it receives the true noise SD of every task.
func documented(name string, ridge engine.Ridge) runner {
	return func(ctx context.Context, w *world, _ int, _ string, budgets []int) (result, error) {
		return fixedBudget(ctx, w, w.documented(), name, engine.Options{Ridge: ridge, Norm: anyNorm}, budgets)
	}
}

// anyNorm is a bound on the norm, which CoKernelFB asks for: what it bounds is how far estimates may be off, and no pull
// or pick depends on it.
const anyNorm = 1

// documented returns the problem under task(1 + identity()) * arm(level + effect*k) with features scaled to [0, 1]:
// k is rbf(0.5) of numbers times category(0.3) of codes, and identity() without features. level and effect are the
// mean reward squared and the variance of expected rewards within tasks, in one digit, as a newcomer may know them.
func (w *world) documented() *problem.Problem {
	p := *w.problem
	coded := func(name string) bool { return slices.Contains(w.categories, name) }
	p.Arms = p.Arms.Logarithmic(func(name string) bool { return slices.Contains(w.logs, name) }).Standardized(coded)
	numeric := lists.Where(p.Arms.Columns, func(name string) bool { return !coded(name) })
	var k kernels.Kernel = kernels.Identity{}
	switch {
	case len(numeric) > 0 && len(w.categories) > 0:
		numbers := kernels.RBF{Lengthscale: []float64{0.5}, Dims: kernels.Dims{Names: numeric}}
		k = kernels.Mul(numbers, kernels.Category{Similarity: 0.3, Dims: kernels.Dims{Names: w.categories}})
	case len(numeric) > 0:
		k = kernels.RBF{Lengthscale: []float64{0.5}}
	case len(w.categories) > 0:
		k = kernels.Category{Similarity: 0.3}
	}
	mean, effect := stat.Mean(w.truth, nil), 0.0
	for v := range p.V() {
		lo, hi := p.ArmsOf(v)
		effect += stat.Variance(w.truth[lo:hi], nil) / float64(p.V())
	}
	level, tasks := digit(mean*mean), kernels.Add(kernels.Constant{Value: 1}, kernels.Identity{})
	if p.V() == 1 {
		tasks = kernels.Constant{Value: 1}
	}
	p.Kernel = kernels.Joint{Terms: []kernels.Term{{Scale: level, Task: tasks}, {Scale: digit(effect), Task: tasks, Arm: k}}}
	noise := w.noise()
	p.Noise = problem.NoiseModel{Known: problem.NoiseTask, Environment: problem.EnvironmentGaussian,
		Scales: lists.Map(p.TaskOf, func(v int) float64 { return noise[v] })}
	return &p
}

// digit rounds to one digit.
func digit(x float64) float64 {
	if !(x > 0) {
		return 1e-12
	}
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 0, 64), 64)
	return y
}

// learned is fb with its default algorithm and kernel="auto", as a user without measurements runs it: nothing is stated,
// and the kernel and the noise are learned in the run.
func learned(ctx context.Context, w *world, _ int, _ string, budgets []int) (result, error) {
	unseen := kernels.Term{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Identity{}}
	q := w.problem.WithKernel(kernels.Joint{Terms: []kernels.Term{unseen}})
	return fixedBudget(ctx, w, q, algorithms.Default(engine.ModeFB).Name, engine.Options{KernelIs: engine.KernelAuto}, budgets)
}

// member is the same with a stated kernel, CoBayesFB's, which is one term of the learned one; the noise is not stated.
func member(ctx context.Context, w *world, _ int, _ string, budgets []int) (result, error) {
	q := w.documented()
	q.Noise = w.problem.Noise
	return fixedBudget(ctx, w, q, algorithms.Default(engine.ModeFB).Name, engine.Options{KernelIs: engine.KernelMember}, budgets)
}

// fixedBudget runs an algorithm with each budget.
func fixedBudget(ctx context.Context, w *world, q *problem.Problem, name string, opt engine.Options, budgets []int) (result, error) {
	var out result
	for _, budget := range budgets {
		p := newPlay(w)
		opt.Budget = budget
		o, decisions, err := runAlgorithm(ctx, p, q, engine.ModeFB, name, opt)
		if err != nil {
			return out, err
		}
		out.add(p, leaders(q, o.Answers), decisions)
	}
	return out, nil
}

// pilot pulls different arms in different tasks: so many of each, at most one pull an arm, and two in all at least.
func pilot(p *play, each, budget int, rng *rand.Rand) {
	for v := range p.problem.V() {
		lo, hi := p.problem.ArmsOf(v)
		spread(p, v, min(each, hi-lo), 0, rng)
	}
	if p.total < 2 {
		spread(p, 0, min(2, budget), 0, rng)
	}
}

// loop measures what best(next=) says, in rounds: it begins with a pilot of half the smallest budget, and asks
// again at every budget.
func loop(ctx context.Context, w *world, run int, name string, budgets []int) (result, error) {
	p, rng := newPlay(w), source(seedOf(name, run))
	pilot(p, (budgets[0]+1)/2, budgets[0], rng)
	var out result
	cells := cellsByName(w.problem)
	for k := -1; k < len(budgets); k++ {
		next := 0
		if k+1 < len(budgets) {
			next = budgets[k+1]*w.problem.V() - p.total
		}
		if k < 0 && next == 0 {
			continue
		}
		a, err := answer.Best(ctx, p.measured(), answer.Options{Next: next})
		if err != nil {
			return out, err
		}
		if k >= 0 {
			out.add(p, picksOf(w, a), 1)
		}
		for _, pull := range a.Next {
			for range pull.Count {
				p.pull(cells[[2]string{pull.Task, pull.Arm}])
			}
		}
	}
	return out, nil
}

func cellsByName(p *problem.Problem) map[[2]string]int {
	return lists.Keyed(p.TaskOf, func(i, _ int) ([2]string, int) { return [2]string(p.NamesOf(i)), i })
}

// picksOf returns the cells that an answer picks.
func picksOf(w *world, a *answer.Answer) []int {
	cells := cellsByName(w.problem)
	return lists.Map(a.Picks, func(pick answer.Pick) int { return cells[[2]string{pick.Task, pick.Arm}] })
}

// gp is the posterior of a Gaussian process as the regularisation of an algorithm.
var gp = engine.Ridge{Kind: engine.RidgeGP}

// finite reports whether a number can be kept.
func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
