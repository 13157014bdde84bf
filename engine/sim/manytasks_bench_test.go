package sim_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// manyTasks returns a problem of tasks with ten options each. Their expected rewards have a part that all tasks have in common, a level of
// each task, and a part of each option in each task; its kernel is the law that they are drawn from.
func manyTasks(tb testing.TB, tasks int) *problem.Problem {
	tb.Helper()
	const options = 10
	rng := rand.New(rand.NewPCG(7, uint64(tasks)))
	normal := func(int) float64 { return rng.NormFloat64() }
	common := lists.Make(options, normal)
	kernel := try.Of(kernels.ParseJoint("arm(identity()) + 2*task(identity()) + 0.3*identity()"))
	var names []string
	var taskOf []int
	var noise, mean []float64
	for v := range tasks {
		level := 1.4 * normal(v)
		for x := range options {
			names, taskOf = append(names, strconv.Itoa(x)), append(taskOf, v)
			noise, mean = append(noise, 1), append(mean, level+common[x]+0.55*normal(x))
		}
	}
	points := try.Of(kernels.NewPoints(nil, lists.Make(tasks, strconv.Itoa), nil))
	arms := try.Of(kernels.NewPoints(nil, names, nil))
	return try.Of(problem.New("many tasks", points, arms, taskOf, kernel, noise, mean))
}

// BenchmarkManyTasks measures how the work grows with the number of tasks.
func BenchmarkManyTasks(b *testing.B) {
	for _, tasks := range []int{100, 1000, 10000} {
		p := manyTasks(b, tasks)
		run := func(name, mode, algorithm string, opt engine.Options) {
			b.Run(fmt.Sprintf("%s/tasks=%d", name, tasks), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					r := try.Of(sim.Run(context.Background(), sim.Experiment{Problem: p, Mode: mode, Algorithm: algorithm, Options: opt, Runs: 1, Seed: 1, Workers: 1}))
					b.ReportMetric(r.SamplesPerAgent.Mean, "samples/agent")
				}
			})
		}
		run("fb", engine.ModeFB, "CoBayesFB", engine.Options{Budget: 40, KernelIs: engine.KernelFixed})
		run("fb-learned", engine.ModeFB, "CoBayesFB", engine.Options{Budget: 40, KernelIs: engine.KernelAuto})
		run("CoBayesFC", engine.ModeFC, "CoBayesFC", engine.Options{Delta: 0.05, Epsilon: 1})
		run("fc-norm", engine.ModeFC, "CoTestFC", engine.Options{Delta: 0.05, Epsilon: 1, Norm: 10 * float64(tasks)})
		b.Run(fmt.Sprintf("bounds/tasks=%d", tasks), func(b *testing.B) {
			for b.Loop() {
				m := try.Of(model.New(p, 0))
				try.Of(bounds.Of(context.Background(), m, engine.Options{Delta: 0.05}))
			}
		})
	}
}
