package sim_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// panels describes one of the paper's figures: its algorithms, and the same cells for each of the three cases.
type panels struct {
	mode       string
	algorithms []string
	cells      []sim.Experiment // without problem and algorithm
	gaps       []float64        // one per cell
}

// fixedConfidence returns the panels of [Du23, App. A] for fixed confidence: eight gaps, 50 runs per point.
func fixedConfidence() panels {
	p := panels{mode: engine.ModeFC, algorithms: []string{"CoKernelFC", "CoKernelFC-IndAlloc", "IndKernelFC", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA"}}
	p.gaps = []float64{0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8}
	for range p.gaps {
		p.cells = append(p.cells, sim.Experiment{Runs: 50, Options: engine.Options{Delta: 0.005, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-9}}})
	}
	return p
}

// fixedBudget returns the panels for fixed budget: eight budgets, 100 runs per point, at a gap with countable errors.
func fixedBudget() panels {
	p := panels{mode: engine.ModeFB, algorithms: []string{"CoKernelFB", "CoKernelFB-IndAlloc", "IndKernelFB", "CoUniformFB", "IndPeaceFB", "IndUniformFB"}}
	for _, budget := range []int{7000, 12000, 20000, 35000, 60000, 100000, 170000, 300000} {
		p.gaps = append(p.gaps, 0.02)
		p.cells = append(p.cells, sim.Experiment{Runs: 100, Options: engine.Options{Budget: budget, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-10}}})
	}
	return p
}

// run makes every cell of the panels for the given algorithms in one memory, as a sweep does.
func (p panels) run(b *testing.B, algorithms []string) {
	memory := new(model.Memory)
	for number := 1; number <= 3; number++ {
		for k, x := range p.cells {
			problem := try.Of(problem.PaperCase(number, p.gaps[k]))
			for _, name := range algorithms {
				x.Problem, x.Mode, x.Algorithm = problem, p.mode, name
				x.Seed, x.Memory = 1, memory
				try.Of(sim.Run(context.Background(), x))
			}
		}
	}
}

// BenchmarkPanels makes the paper's panels as a sweep does: all algorithms of the paper, then each alone. Budget: 3 s wall time on two
// processors for each figure.
func BenchmarkPanels(b *testing.B) {
	for _, p := range []panels{fixedConfidence(), fixedBudget()} {
		var known, paper []string
		for _, name := range p.algorithms {
			if _, err := algorithms.Named(p.mode, name); err != nil {
				continue
			}
			known = append(known, name)
			if name != "IndKernelFC" && name != "IndKernelFB" && name != "CoUniformFB" {
				paper = append(paper, name)
			}
		}
		run := func(name string, algorithms []string) {
			b.Run(p.mode+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					p.run(b, algorithms)
				}
				b.ReportMetric(float64(len(algorithms)), "algorithms")
			})
		}
		run("all", paper)
		for _, name := range known {
			run(name, []string{name})
		}
	}
}

// The cost of a run does not depend on its number of pulls: 10² to 10⁷ per agent, with the gap falling like the noise of a mean, so that
// the problem stays equally hard.
func BenchmarkPulls(b *testing.B) {
	for _, budget := range []int{100, 10_000, 10_000_000} {
		p := try.Of(problem.PaperCase(2, 2/math.Sqrt(float64(budget))))
		chances := *p // of rewards 0 and 1
		chances.Noise.Environment, chances.Mean = problem.EnvironmentBernoulli, slices.Clone(p.Mean)
		for i := range chances.Mean {
			chances.Mean[i] = 0.3 + 0.01*float64(i)
		}
		for _, x := range []sim.Experiment{
			{Problem: p, Algorithm: "CoKernelFB", Options: engine.Options{Budget: budget, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-12}}},
			{Problem: p, Algorithm: "IndUniformFB", Options: engine.Options{Budget: budget}},
			{Problem: &chances, Algorithm: "IndUniformFB", Options: engine.Options{Budget: budget}},
		} {
			x.Mode, x.Runs, x.Seed, x.Workers = engine.ModeFB, 500, 1, 1
			b.Run(fmt.Sprintf("%s/%s/pulls=%d", x.Algorithm, x.Problem.Noise.Environment, budget), func(b *testing.B) {
				for b.Loop() {
					try.Of(sim.Run(context.Background(), x))
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1000/float64(b.N*x.Runs), "µs/run")
			})
		}
	}
}

// BenchmarkFixedBudget measures one run of the fixed-budget default with 60 pulls per agent: on the coupling data, on unrelated arms, and
// on rough arms in unrelated tasks.
func BenchmarkFixedBudget(b *testing.B) {
	unrelated := func(tasks, arms int) *problem.Problem {
		means := make([]float64, arms)
		for i := range means {
			means[i] = float64(i*7919%101) / 20
		}
		return enginetest.Unrelated(b, tasks, means)
	}
	rough := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Matern{Nu: 0.5}}}}
	for _, c := range []struct {
		name   string
		p      *problem.Problem
		budget int
		kernel string
	}{
		{"coupling/budget=96", couplingProblem(b), 96, ""},
		{"coupling-learned/budget=96", couplingProblem(b), 96, engine.KernelAuto},
		{"unrelated/arms=180", unrelated(15, 12), 60, ""},
		{"unrelated/arms=1000", unrelated(5, 200), 60, ""},
		{"unrelated/arms=10000", unrelated(5, 2000), 60, ""},
		{"rough/arms=180", unrelated(15, 12).WithKernel(rough), 60, ""},
		{"rough/arms=1000", unrelated(10, 100).WithKernel(rough), 60, ""},
		{"rough/arms=10000", unrelated(10, 1000).WithKernel(rough), 60, ""},
	} {
		b.Run(c.name, func(b *testing.B) {
			x := sim.Experiment{Problem: c.p, Mode: engine.ModeFB, Algorithm: "CoBayesFB", Options: engine.Options{Budget: c.budget, KernelIs: c.kernel},
				Runs: 1, Workers: 1}
			for b.Loop() {
				try.Of(sim.Run(context.Background(), x))
				x.Seed++
			}
		})
	}
}
