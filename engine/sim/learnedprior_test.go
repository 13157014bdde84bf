package sim_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// unitKernel is a kernel of unit variance for machines, whose rewards are near 42.
func unitKernel() kernels.Joint { return product(1, rbf(1, 0.3), rbf(30, 10)) }

// levelKernel is a kernel for machines with a constant and a signal variance.
func levelKernel() kernels.Joint {
	k := product(50, rbf(1, 0.3), rbf(30, 10))
	k.Terms = append(k.Terms, kernels.Term{Scale: 3000, Task: kernels.Identity{}})
	return k
}

// With raw rewards under a kernel of unit variance, CoBayesFC learns prior mean and signal variance, and needs the same samples as under
// a kernel that has them. With prior mean 0 and signal variance 1 stated it is wrong in every run, and warns.
func TestRawRewardsUnderUnitVariance(t *testing.T) {
	if testing.Short() {
		t.Skip("300 runs")
	}
	const runs = 100
	measure := func(k kernels.Joint, opt engine.Options) engine.Result {
		opt.Epsilon = 1
		return run(t, sim.Experiment{Problem: machines(t, k), Mode: engine.ModeFC, Algorithm: "CoBayesFC", Options: opt, Runs: runs, Seed: 1})
	}
	learned, levelled := measure(unitKernel(), engine.Options{}), measure(levelKernel(), engine.Options{})
	stated := measure(unitKernel(), engine.Options{Level: engine.Level{Known: true}, Scale: 1})
	t.Logf("wrong %d, with the level in the kernel %d, stated wrongly %d of %d; samples %.1f, %.1f, %.1f", learned.Errors.Count, levelled.Errors.Count, stated.Errors.Count, runs,
		learned.SamplesPerAgent.Mean, levelled.SamplesPerAgent.Mean, stated.SamplesPerAgent.Mean)
	// 3.1 standard deviations above δ = 0.05
	if limit := 0.05*runs + 3.1*math.Sqrt(runs*0.05*0.95); float64(learned.Errors.Count) > limit {
		t.Errorf("%d of %d runs wrong, at most %.0f expected", learned.Errors.Count, runs, limit)
	}
	if math.Abs(learned.SamplesPerAgent.Mean/levelled.SamplesPerAgent.Mean-1) > 0.1 {
		t.Errorf("%.1f samples, and %.1f with the level in the kernel", learned.SamplesPerAgent.Mean, levelled.SamplesPerAgent.Mean)
	}
	if slices.ContainsFunc(learned.Warnings, engine.Warning.OfPrior) {
		t.Errorf("a prior that was learned is doubted: %v", learned.Warnings)
	}
	if stated.Errors.Count < 95 {
		t.Errorf("level 0 and scale 1: %d of %d runs wrong, which is too few to test the warning", stated.Errors.Count, runs)
	}
	if !slices.ContainsFunc(stated.Warnings, func(w engine.Warning) bool {
		return w.Kind == engine.WarnPriorLevel && math.Abs(w.Numbers[0]-42) < 3 && w.Numbers[2] == 1 && w.Numbers[5] == runs
	}) {
		t.Errorf("level 0 and scale 1: no warning of rewards near 42 under an sd of 1 in all runs: %v", stated.Warnings)
	}
}

// The fixed-budget default spends the whole budget and errs in at most half as many runs as sample means, also under kernels in other
// units.
func TestBudgetDefaultOnRawRewards(t *testing.T) {
	if testing.Short() {
		t.Skip("400 runs")
	}
	const runs = 100
	k := kernels.Joint{Terms: []kernels.Term{{Scale: 400, Task: rbf(1)}, {Scale: 30, Task: rbf(1), Arm: rbf(30, 10)}}}
	for name, k := range map[string]kernels.Joint{"a level and a scale": k, "unit variance": unitKernel(), "straight lines": product(1, rbf(0.7), kernels.Linear{})} {
		measure := func(algorithm string) engine.Result {
			return run(t, sim.Experiment{Problem: machines(t, k), Mode: engine.ModeFB, Algorithm: algorithm, Options: engine.Options{Budget: 20}, Runs: runs, Seed: 1})
		}
		own, means := measure(algorithms.Default(engine.ModeFB).Name), measure("IndUniformFB")
		t.Logf("%s: %d of %d runs wrong, sample means %d", name, own.Errors.Count, runs, means.Errors.Count)
		if 2*own.Errors.Count > means.Errors.Count {
			t.Errorf("%s: %d of %d runs wrong, sample means %d", name, own.Errors.Count, runs, means.Errors.Count)
		}
		if own.SamplesPerAgent.Mean != 20 || own.Ended() != "budget used" {
			t.Errorf("%s: %g samples, %s", name, own.SamplesPerAgent.Mean, own.Ended())
		}
	}
}

// An unspent part of a budget is reported.
func TestBudgetLeft(t *testing.T) {
	r := run(t, sim.Experiment{Problem: machines(t, unitKernel()), Mode: engine.ModeFB, Algorithm: "CoKernelFB", Options: engine.Options{Budget: 20, Ridge: engine.Ridge{Kind: engine.RidgeGP}}, Runs: 1, Seed: 1})
	if got, want := r.Ended(), "10 of 20 samples used: halving left one arm per task after round 2 of 4, without a test"; r.Status != engine.StatusLeft || got != want {
		t.Errorf("status %q: %q, want %q", r.Status, got, want)
	}
}
