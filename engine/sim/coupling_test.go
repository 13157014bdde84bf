package sim_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// couplingProblem returns a problem with the joint kernel of notebooks/coupling.cope, in squared % yield.
func couplingProblem(t testing.TB) *problem.Problem {
	t.Helper()
	effects := kernels.Func("effects", func(x, y []float64) float64 {
		sum := 0.0
		for k := range x {
			sum += x[k] * y[k]
		}
		return 1000 + 50*sum
	})
	return try.Of(problem.Load("../../notebooks/data/cn_coupling.csv", kernels.Joint{Terms: []kernels.Term{
		{Scale: 1, Task: kernels.RBF{Lengthscale: []float64{3}}, Arm: effects},
		{Scale: 10, Task: kernels.Identity{}, Arm: kernels.Identity{}},
	}}, problem.LoadOptions{Rewards: "../../notebooks/data/cn_coupling_raw.csv"}))
}

// TestCouplingRegret measures the relative regret over (best - median arm) at 12 pulls per task, 20 repeats. The README of the data
// expects 0.377 for sample means and 0.109 for another product kernel plus a small identity part, which bounds only the order of
// magnitude.
func TestCouplingRegret(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	p := couplingProblem(t)
	got := map[string]engine.Result{}
	stated := engine.Options{Ridge: engine.Ridge{Kind: engine.RidgeGP}, Level: engine.Level{Known: true}, Scale: 1}
	for name, opt := range map[string]engine.Options{"CoUniformFB": stated, "IndUniformFB": {}, "BestElsewhere": {}} {
		opt.Budget = 12
		r := run(t, sim.Experiment{Problem: p, Mode: engine.ModeFB, Algorithm: name, Options: opt, Runs: 20, Seed: 1})
		got[name] = r
		t.Logf("%s: relative regret %.3f ± %.3f (standard error)", name, r.RelativeRegret.Mean, standardError(r.RelativeRegret, 20))
	}
	means, joint, elsewhere := got["IndUniformFB"].RelativeRegret, got["CoUniformFB"].RelativeRegret, got["BestElsewhere"].RelativeRegret
	if math.Abs(means.Mean-0.377) > 3*standardError(means, 20) {
		t.Errorf("sample means: %.3f, want 0.377 within three standard errors", means.Mean)
	}
	if math.Abs(joint.Mean-0.109) > 3*standardError(joint, 20) || joint.CI95[1] > means.CI95[0]/2 {
		t.Errorf("joint kernel: %.3f, want about 0.109 and less than half of sample means", joint.Mean)
	}
	if elsewhere.CI95[1] > means.CI95[0] {
		t.Errorf("best elsewhere: %.3f, not below sample means", elsewhere.Mean)
	}
}

// standardError returns the standard error of a mean over n runs, from its t interval (n = 20:
// 2.093).
func standardError(i engine.Interval, n int) float64 {
	if n != 20 {
		panic("the quantile below is for 20 runs")
	}
	return (i.CI95[1] - i.CI95[0]) / 2 / 2.0930
}

// With all 3,600 measurements, the arm with the best mean in the other tasks has relative regret 0.048, and MTBD|tBuXPhos is best in 10
// of 15 tasks (README of the data).
func TestCouplingTruth(t *testing.T) {
	p := couplingProblem(t)
	total, wins := 0.0, 0
	for v := 0; v < p.V(); v++ {
		lo, hi := p.ArmsOf(v)
		average := func(i int) float64 {
			sum, n := 0.0, 0.0
			for j := range p.Mean {
				if p.TaskOf[j] != v && p.Arms.Names[j] == p.Arms.Names[i] {
					sum, n = sum+p.Mean[j], n+1
				}
			}
			return sum / n
		}
		best, chosen := lo, lo
		for i := lo; i < hi; i++ {
			if p.Mean[i] > p.Mean[best] {
				best = i
			}
			if average(i) > average(chosen) {
				chosen = i
			}
		}
		sorted := slices.Sorted(slices.Values(p.Mean[lo:hi]))
		total += (p.Mean[best] - p.Mean[chosen]) / (sorted[11] - (sorted[5]+sorted[6])/2) / 15
		if p.Arms.Names[best] == "MTBD|tBuXPhos" {
			wins++
		}
	}
	if math.Abs(total-0.048) > 0.0006 || wins != 10 {
		t.Errorf("relative regret %.4f with %d wins, want 0.048 and 10", total, wins)
	}
}
