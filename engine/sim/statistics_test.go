package sim_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// together draws the number of wrong tasks of a run: each with probability p, and any two with correlation rho.
func together(rng *rand.Rand, p, rho float64, tasks int) (wrong int) {
	whole := rng.Float64() < p // the run's own draw, which each task copies with probability √ρ
	for range tasks {
		bad := rng.Float64() < p
		if rng.Float64() < math.Sqrt(rho) {
			bad = whole
		}
		if bad {
			wrong++
		}
	}
	return wrong
}

// The interval of "tasks in error" covers, whether or not the errors of tasks are correlated. With pairs treated as independent its
// coverage was 0.60 and 0.80 in the second row, at correlations 1 and 0.3. 4,000 repetitions have a standard deviation of 0.004.
func TestSharesCover(t *testing.T) {
	for _, c := range []struct {
		tasks, runs int
		p, rho      float64
		least, most float64 // coverage
	}{
		{5, 100, 0.1, 0, 0.94, 0.99}, {5, 400, 0.35, 0.3, 0.93, 0.97}, {5, 400, 0.35, 1, 0.93, 0.97}, {5, 400, 0.1, 0, 0.935, 0.98},
		{15, 34, 0.02, 0.3, 0.94, 1}, {15, 34, 0.02, 1, 0.94, 1}, {2, 10, 0.1, 0.3, 0.94, 1}, {5, 100, 0.005, 0.3, 0.94, 1},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		repetitions := 4000
		if testing.Short() {
			repetitions = 1000
		}
		cover, before := 0, 0
		for range repetitions {
			wrong, total := make([]int, c.runs), 0
			for i := range wrong {
				wrong[i] = together(rng, c.p, c.rho, c.tasks)
				total += wrong[i]
			}
			cover += covers(sim.Shares(wrong, c.tasks), c.p)
			before += covers(sim.Proportion(total, c.runs*c.tasks), c.p)
		}
		share := float64(cover) / float64(repetitions)
		t.Logf("%d tasks, %d runs, rate %g, correlation %g: covered %.3f, as independent pairs %.3f", c.tasks, c.runs, c.p, c.rho, share, float64(before)/float64(repetitions))
		if share < c.least || share > c.most {
			t.Errorf("%d tasks, %d runs, rate %g, correlation %g: covered %.3f, want %g to %g", c.tasks, c.runs, c.p, c.rho, share, c.least, c.most)
		}
	}
}

func covers(r engine.Rate, p float64) int {
	if r.CI95[0] <= p && p <= r.CI95[1] {
		return 1
	}
	return 0
}

// Tasks that always err together have the same information as runs: the intervals are equal. They were [0.310, 0.403] and [0.334, 0.376].
// The same holds without errors and with errors only.
func TestSharesOfTasksThatErrTogether(t *testing.T) {
	r := run(t, sim.Experiment{Problem: enginetest.Paper(t, 1, 0.015), Mode: engine.ModeFB, Algorithm: "CoKernelFB", Runs: 400, Seed: 1,
		Options: engine.Options{Budget: 7000, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-10}}})
	if r.TaskErrors.Count != 5*r.Errors.Count {
		t.Fatalf("%d runs and %d tasks wrong; this instance should err in all five tasks", r.Errors.Count, r.TaskErrors.Count)
	}
	same := func(a, b engine.Rate) {
		if math.Abs(a.CI95[0]-b.CI95[0]) > 1e-12 || math.Abs(a.CI95[1]-b.CI95[1]) > 1e-12 {
			t.Errorf("tasks %d of %d: %v; runs %d of %d: %v", a.Count, a.Runs, a.CI95, b.Count, b.Runs, b.CI95)
		}
	}
	same(r.TaskErrors, r.Errors)
	for _, wrong := range []int{0, 3} {
		count := 0
		if wrong > 0 {
			count = 50
		}
		of := make([]int, 50)
		for i := range of {
			of[i] = wrong
		}
		same(sim.Shares(of, 3), sim.Proportion(count, 50))
	}
	if got := sim.Shares(nil, 5); got != (engine.Rate{}) {
		t.Errorf("no runs: %+v", got)
	}
}

// At an error rate of δ, the warning that errors exceed δ is given at most as often as a 97.5 % bound allows: exact binomial sums. With
// Wilson's interval it would be as frequent as the middle column.
func TestFalseAlarms(t *testing.T) {
	const delta = 0.005
	for runs, want := range map[int][2]float64{20: {0.095, 0.005}, 34: {0.157, 0.013}, 100: {0.090, 0.014}, 200: {0.080, 0.019}, 1000: {0.032, 0.014}} {
		wilson, said := falseAlarms(runs, delta)
		if math.Abs(wilson-want[0]) > 6e-4 || math.Abs(said-want[1]) > 6e-4 {
			t.Errorf("%d runs: %.4f by Wilson, %.4f now; want %v", runs, wilson, said, want)
		}
	}
	finely := enginetest.Number(20, 4)
	for _, delta := range []float64{0.001, 0.005, 0.05, 0.1, 0.4} {
		for runs := 2; runs <= 3000; runs += 1 + runs/finely {
			if _, said := falseAlarms(runs, delta); said > 0.025*(1+1e-9) {
				t.Errorf("%d runs at delta %g: false alarm with probability %.4f", runs, delta, said)
			}
		}
	}
}

// falseAlarms returns the probabilities that Wilson's interval lies above delta, and that the warning is given.
func falseAlarms(runs int, delta float64) (wilson, said float64) {
	law := distuv.Binomial{N: float64(runs), P: delta}
	for k := range runs + 1 {
		errors := sim.Proportion(k, runs)
		p := law.Prob(float64(k))
		if errors.CI95[0] > delta {
			wilson += p
		}
		if w := sim.Doubt(errors, delta); len(w) > 0 && w[0].Kind == engine.WarnErrors {
			said += p
		}
		if p == 0 && float64(k) > delta*float64(runs) {
			break
		}
	}
	return wilson, said
}

// The interval of Clopper and Pearson from tables: 3 of 30 is [0.0211, 0.2653].
func TestExact(t *testing.T) {
	if i := sim.Exact(engine.Rate{Count: 3, Runs: 30}); math.Abs(i[0]-0.0211) > 1e-4 || math.Abs(i[1]-0.2653) > 1e-4 {
		t.Errorf("3 of 30: %v", i)
	}
	if i := sim.Exact(engine.Rate{Runs: 10}); i[0] != 0 || math.Abs(i[1]-0.3085) > 1e-4 {
		t.Errorf("0 of 10: %v", i)
	}
}
