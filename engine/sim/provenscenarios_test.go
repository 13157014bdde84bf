package sim_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// scenario is a problem designed to break the label "proven".
type scenario struct {
	name string
	make func(t *testing.T) (*problem.Problem, engine.Options)
}

// pointsOf returns n points with these feature columns.
func pointsOf(t *testing.T, prefix string, n int, columns ...func(i int) float64) *kernels.Points {
	t.Helper()
	names, rows, heads := make([]string, n), make([][]float64, n), make([]string, len(columns))
	for c := range columns {
		heads[c] = fmt.Sprintf("%s_%d", prefix, c+1)
	}
	for i := range rows {
		names[i] = fmt.Sprintf("%s%d", prefix, i)
		for _, column := range columns {
			rows[i] = append(rows[i], column(i))
		}
	}
	return try.Of(kernels.NewPoints(heads, names, rows))
}

// madeOf returns a problem of this many tasks with the same number of arms each and the given features and means.
func madeOf(t *testing.T, tasks, each int, k kernels.Joint, noise problem.NoiseModel, mean func(v, i int) float64, columns ...func(i int) float64) *problem.Problem {
	t.Helper()
	n := tasks * each
	taskOf, means := make([]int, n), make([]float64, n)
	all := pointsOf(t, "z", tasks, func(i int) float64 { return float64(i) })
	own := make([]func(i int) float64, len(columns))
	for c, column := range columns {
		own[c] = func(i int) float64 { return column(i % each) }
	}
	arms := pointsOf(t, "x", n, own...)
	for i := range taskOf {
		taskOf[i], means[i] = i/each, mean(i/each, i%each)
		arms.Names[i] = fmt.Sprint("a", i%each)
	}
	p := try.Of(problem.New("scenario", all, arms, taskOf, k, []float64{1}, means))
	if noise.Scales == nil {
		noise.Scales = p.Noise.Scales
	} else if len(noise.Scales) < n {
		scales := make([]float64, n)
		for i := range scales {
			scales[i] = noise.Scales[i%len(noise.Scales)]
		}
		noise.Scales = scales
	}
	p.Noise = noise
	return p
}

// smooth returns a function of a kernel's space whose second best arm of each task is close to the best: a sum of few of its features.
func smooth(t *testing.T, p *problem.Problem, seed uint64) []float64 {
	t.Helper()
	q := *p
	q.Mean = nil
	m, err := model.New(&q, 1)
	if err == nil {
		m, err = m.Exact()
	}
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 5))
	out := make([]float64, p.N())
	f := m.Features
	for j := range m.Rank() {
		w := rng.NormFloat64()
		for i := range out {
			out[i] += w * f.At(i, j)
		}
	}
	return out
}

// normed states the true norm of the expected rewards.
func normed(t *testing.T, p *problem.Problem, opt engine.Options) engine.Options {
	t.Helper()
	m := try.Of(model.New(p, 1))
	norm := try.Of(m.Truth().Norm())
	opt.Norm, opt.Unit = norm*(1+1e-6), 1
	return opt
}

func provenScenarios() []scenario {
	identity := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Identity{}}}}
	at := func(i int) float64 { return float64(i) }
	levels := func(all ...float64) func(v, i int) float64 { return func(_, i int) float64 { return all[i] } }
	known := func(scales ...float64) problem.NoiseModel { return problem.NoiseModel{Scales: scales} }
	plain := func(name string, tasks int, k kernels.Joint, noise problem.NoiseModel, epsilon float64, all ...float64) scenario {
		return scenario{name, func(t *testing.T) (*problem.Problem, engine.Options) {
			return madeOf(t, tasks, len(all), k, noise, levels(all...), at), engine.Options{Epsilon: epsilon}
		}}
	}
	line := onArms(1, kernels.Linear{Bias: 1})
	rbf := func(l float64) kernels.Joint { return onArms(1, kernels.RBF{Lengthscale: []float64{l}}) }
	many := func(name string, tasks, each int, k kernels.Joint, misfit, epsilon float64, columns ...func(i int) float64) scenario {
		return scenario{name, func(t *testing.T) (*problem.Problem, engine.Options) {
			p := madeOf(t, tasks, each, k, problem.NoiseModel{}, func(int, int) float64 { return 0 }, columns...)
			p.Mean = smooth(t, p, 3)
			opt := normed(t, p, engine.Options{Epsilon: epsilon, Misfit: misfit})
			for i := range p.Mean { // every other arm looks better and the best worse, by the full stated bound
				lo, hi := p.ArmsOf(p.TaskOf[i])
				best := lo
				for j := lo; j < hi; j++ {
					if p.Mean[j] > p.Mean[best] {
						best = j
					}
				}
				if misfit > 0 && i != best {
					p.Mean[i] += misfit * 0.999
				}
			}
			return p, opt
		}}
	}
	return []scenario{
		plain("two tied arms, noise 1 and 50", 1, identity, known(1, 50), 0.5, 0, 0.501),
		plain("the better arm is the noisier one, 20:1", 1, identity, known(20, 1), 0.5, 0.505, 0),
		plain("40 tasks of two arms, epsilon apart", 40, identity, known(1), 0.5, 0, 0.505),
		plain("30 tied arms and one epsilon above", 1, identity, known(1), 0.5, append(make([]float64, 30), 0.505)...),
		plain("a line that hardly rises", 3, line, known(1), 0.05, 0, 0.0127, 0.0254, 0.0381, 0.0508),
		plain("tasks that are the same, tie", 4, onArms(1, kernels.Identity{}), known(1), 0.3, 0, 0.303, 0.1),
		plain("unknown scale of each arm, 1:10:100", 2, identity, problem.NoiseModel{Scales: []float64{1, 10, 100}, UnknownBy: problem.UnknownArm}, 2, 0, 2.02, 1),
		plain("unknown scale of each task, 12 tasks", 12, identity, problem.NoiseModel{UnknownBy: problem.UnknownTask}, 0.5, 0, 0.505, 0.25),
		plain("bounded, coins of 0.01 and 0.061", 1, identity, problem.NoiseModel{Bounds: &[2]float64{0, 1}, Scales: []float64{0.5}, Environment: problem.EnvironmentBernoulli}, 0.05, 0.01, 0.061),
		plain("bounded, coins of 0.5 and 0.551", 3, identity, problem.NoiseModel{Bounds: &[2]float64{0, 1}, Scales: []float64{0.5}, Environment: problem.EnvironmentBernoulli}, 0.05, 0.5, 0.551),
		plain("rewards of 1e8, noise 1e3", 2, identity, known(1000), 500, 1e8, 1e8+505, 1e8-300),
		plain("a parabola on a line, misfit stated", 1, line, known(1), 0.5, 0, 0.3, 0.4, 0.3, 0.505),
		many("300 arms, norm as it is", 1, 300, rbf(0.3), 0, 0.3, func(i int) float64 { return float64(i) / 300 * 3 }),
		many("300 arms, in pairs of the same features", 1, 300, rbf(0.3), 0, 0.3, func(i int) float64 { return float64(i/2) / 150 * 3 }),
		many("290 arms, norm and misfit as they are, the worst way", 1, 290, rbf(0.4), 0.05, 0.3, func(i int) float64 { return float64(i) / 290 * 3 }),
		many("289 arms in two dimensions, norm as it is", 1, 289, rbf(0.6), 0, 0.5, func(i int) float64 { return float64(i%17) / 17 * 2 }, func(i int) float64 { return float64(i/17) / 17 * 2 }),
		many("5 tasks of 80 arms that share, norm as it is", 5, 80, kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.RBF{Lengthscale: []float64{2}}, Arm: kernels.RBF{Lengthscale: []float64{0.4}}}}}, 0, 0.4, func(i int) float64 { return float64(i) / 80 * 3 }),
		{"300 unrelated arms of five tasks, alone", func(t *testing.T) (*problem.Problem, engine.Options) {
			return madeOf(t, 5, 60, identity, problem.NoiseModel{}, func(_, i int) float64 { return map[bool]float64{true: 0.505}[i == 59] }, at), engine.Options{Epsilon: 0.5}
		}},
	}
}

// TestProvenScenarios runs scenarios against the label "proven", each at δ = 0.2: the fraction of wrong runs is at most δ for proven
// results. GONB_COPE_SCENARIOS=200 go test ./engine/sim -run ProvenScenarios -v -timeout 2h prints the table of
// docs/explanation/robustness.md; without it few runs of the quick ones are made.
func TestProvenScenarios(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	runs, err := strconv.Atoi(os.Getenv("GONB_COPE_SCENARIOS"))
	whole := err == nil
	if !whole {
		runs = enginetest.Number(20, 3)
	}
	const delta = 0.2
	for _, s := range provenScenarios() {
		if only := os.Getenv("GONB_COPE_CELLS"); only != "" && !strings.Contains(s.name, only) {
			continue
		}
		if !whole && strings.Contains(s.name, "norm as it is") {
			continue // minutes
		}
		p, opt := s.make(t)
		opt.Delta = delta
		if s.name == "a parabola on a line, misfit stated" {
			opt.Misfit = 0.2
		}
		began := time.Now()
		r, err := sim.Run(context.Background(), sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Options: opt, Runs: runs, Seed: 5})
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		low := 0.0
		if k := float64(r.Errors.Count); k > 0 {
			low = distuv.Beta{Alpha: k, Beta: float64(r.Errors.Runs) - k + 1}.Quantile(0.025)
		}
		fmt.Printf("| %s | %d | %s | %d of %d | %.0f | %d |\n", s.name, p.N(), r.Standing, r.Errors.Count, r.Errors.Runs, r.SamplesPerAgent.Mean, r.Undecided.Count)
		if r.Standing == engine.StandingProven && low > delta {
			t.Errorf("%s: %d of %d runs wrong, and called proven", s.name, r.Errors.Count, r.Errors.Runs)
		}
		if r.Standing != engine.StandingProven {
			t.Logf("%s: %s", s.name, r.Guarantee)
		}
		if math.IsNaN(r.SamplesPerAgent.Mean) {
			t.Errorf("%s: no samples", s.name)
		}
		t.Logf("%s: %v", s.name, time.Since(began).Round(time.Millisecond))
	}
}
