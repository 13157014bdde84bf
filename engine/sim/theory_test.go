package sim_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/ending"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// An algorithm without ξ does not compute it: a result with xi="auto" takes no more solver steps than one with a number.
func TestNoRidgeWhereNoneApplies(t *testing.T) {
	p := enginetest.Paper(t, 2, 0.4)
	steps := func(entry algorithms.Entry, ridge engine.Ridge) int {
		ctx, options := ending.Never(), engine.Options{Delta: 0.05, Budget: 2000, Ridge: ridge}
		if entry.OneByOne {
			options.Batch = 100
		}
		_, err := sim.Run(ctx, sim.Experiment{Problem: p, Mode: entry.Mode, Algorithm: entry.Name, Runs: 1, Seed: 1, Workers: 1, Options: options})
		if err != nil && !errors.Is(err, engine.ErrUnsuited) {
			t.Fatalf("%s: %v", entry.Name, err)
		}
		return ctx.Asked()
	}
	for _, entry := range algorithms.All() {
		if entry.Regression == algorithms.RegressionRidge {
			continue
		}
		tuned, given := steps(entry, engine.Ridge{Kind: engine.RidgeAuto}), steps(entry, engine.Ridge{Kind: engine.RidgeValue, Value: 0.01})
		if tuned != given {
			t.Errorf("%s: %d steps with xi=\"auto\", %d with a number", entry.Name, tuned, given)
		}
	}
}

// The lower bound of a result is computed up to a limit on size, and the result says if it was omitted.
func TestLowerBoundUpToASize(t *testing.T) {
	if testing.Short() {
		t.Skip("solves a design of 1,200 arms")
	}
	for _, c := range []struct {
		arms   int
		kernel kernels.Kernel
		bound  bool
	}{{1200, kernels.Linear{Bias: 1}, true}, {600, kernels.RBF{Lengthscale: []float64{0.002}}, false}} {
		r := run(t, sim.Experiment{
			Problem: line(t, c.arms, c.kernel), Mode: engine.ModeFC, Algorithm: "IndUniformFC", Runs: 1, Seed: 1,
			Options: engine.Options{Delta: 0.05, MaxRounds: 1},
		})
		said := strings.Contains(fmt.Sprint(r.Warnings), fmt.Sprintf("no lower bound was computed. For %d arms its design", c.arms))
		if (r.LowerBoundSamples > 0) != c.bound || said == c.bound {
			t.Errorf("%d arms: lower bound %g, warnings %q", c.arms, r.LowerBoundSamples, r.Warnings)
		}
	}
}

// line returns a problem of one task whose arms lie on a line, the best one at its end.
func line(t *testing.T, arms int, kernel kernels.Kernel) *problem.Problem {
	t.Helper()
	names, x := make([]string, arms), make([][]float64, arms)
	mean, noise := make([]float64, arms), make([]float64, arms)
	for i := range arms {
		at := float64(i) / float64(arms-1)
		names[i], x[i], mean[i], noise[i] = fmt.Sprint("a", i), []float64{at}, at, 1
	}
	points := try.Of(kernels.NewPoints([]string{"x_1"}, names, x))
	tasks := try.Of(kernels.NewPoints(nil, []string{"t"}, [][]float64{{}}))
	return try.Of(problem.New("line", tasks, points, make([]int, arms), kernels.LiftArm(kernel), noise, mean))
}

// No algorithm with error probability δ takes fewer samples than the lower bound, also with an accuracy. With bounded rewards, no bound
// for normal noise is displayed.
func TestNoRatioBelowOne(t *testing.T) {
	for _, c := range []struct {
		epsilon, delta, least float64 // of the ratio; 0 if there is none
	}{{0, 0.05, 1}, {0.1, 0.05, 1}, {0.19, 0.05, 1}, {0.2, 0.05, 0}} {
		r := run(t, sim.Experiment{
			Problem: enginetest.Small(t, enginetest.Identity, []float64{0.2, 0}), Mode: engine.ModeFC, Algorithm: "CoTestFC", Runs: 40, Seed: 3,
			Options: engine.Options{Delta: c.delta, Epsilon: c.epsilon},
		})
		if (r.RatioToLowerBound > 0) != (c.least > 0) || c.least > 0 && r.RatioToLowerBound < c.least {
			t.Errorf("epsilon %g: %.3g times the lower bound of %.4g", c.epsilon, r.RatioToLowerBound, r.LowerBoundSamples)
		}
	}
}

// Runs that end undecided at a limit have no ratio: it would suggest that they beat the bound.
func TestNoRatioOfUndecidedRuns(t *testing.T) {
	p := try.Of(problem.PaperCase(1, 0.1))
	for limit, want := range map[int]bool{1: false, 100: true} {
		r := run(t, sim.Experiment{Problem: p, Algorithm: "CoTestFC", Mode: engine.ModeFC, Options: engine.Options{Delta: 0.1, MaxRounds: limit}, Runs: 3, Seed: 1})
		if (r.RatioToLowerBound > 0) != want || r.LowerBoundSamples <= 0 || (r.Undecided.Count == 0) != want {
			t.Errorf("at most %d rounds: %d of 3 undecided, %.3g times the lower bound of %.4g", limit, r.Undecided.Count, r.RatioToLowerBound, r.LowerBoundSamples)
		}
	}
}
