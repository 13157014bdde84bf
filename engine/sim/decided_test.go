package sim_test

import (
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Undecided tasks have no guarantee, and decided answers are counted separately.
func TestNothingDecidedProvesNothing(t *testing.T) {
	p := table(t, turns, onArms(1, kernels.Identity{}), 1)
	for _, c := range []struct {
		mode, algorithm string
		opt             engine.Options
		decided         bool
	}{
		{engine.ModeFB, "CoBayesFB", engine.Options{Budget: 12}, false},
		{engine.ModeFB, "CoBayesFB", engine.Options{Budget: 3000}, true},
		{engine.ModeFC, "CoTestFC", engine.Options{MaxRounds: 1}, false},
		{engine.ModeFC, "CoTestFC", engine.Options{}, true},
	} {
		r := run(t, sim.Experiment{Problem: p, Mode: c.mode, Algorithm: c.algorithm, Options: c.opt, Runs: 20, Seed: 1})
		if (r.DecidedTasks > 0) != c.decided || r.DecidedErrors.Runs != r.Runs || r.DecidedErrors.Count > r.Errors.Count {
			t.Errorf("%s of %+v: %d decided; in %d of %d runs one is wrong", c.algorithm, c.opt, r.DecidedTasks, r.DecidedErrors.Count, r.DecidedErrors.Runs)
		}
		if (r.Standing == engine.StandingProven) != c.decided || !c.decided && r.Guarantee != "none: no answer was decided" {
			t.Errorf("%s of %+v with %d decided: %s", c.algorithm, c.opt, r.DecidedTasks, r.Guarantee)
		}
	}
}

// A bound that was not stated is named in the guarantee. A stated one with a misspecification bound is not contradicted by the norm of
// rewards that deviate by that much.
func TestBoundsThatNobodyStated(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of arms")
	}
	many := try.Of(manyarms.Problem(1500))
	// one task with too many dimensions for least squares
	rough := many.WithKernel(onArms(1, kernels.RBF{Lengthscale: []float64{0.3}})).Only(0)
	r := run(t, sim.Experiment{Problem: rough, Mode: engine.ModeFC, Algorithm: "CoTestFC", Runs: 1, Seed: 1, Options: engine.Options{Epsilon: 1}})
	t.Log(r.Guarantee)
	if !strings.Contains(r.Guarantee, "The guarantee uses ‖f‖ ≤ ") || !strings.Contains(r.Guarantee, "computed from the expected rewards") {
		t.Errorf("nothing stated: %s", r.Guarantee)
	}
	p, norm := beyondFeatures(t, 260, 0, 0.1, 2)
	r = run(t, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Runs: 1, Seed: 1, Options: engine.Options{Norm: norm * 1.01 / 0.1, Epsilon: 0.1}})
	if r.Standing != engine.StandingProven || strings.Contains(r.Guarantee, "The guarantee uses ") {
		t.Errorf("stated: %s", r.Guarantee)
	}
	for i := range p.Mean {
		p.Mean[i] += 0.05 * float64(1-2*(i%2))
	}
	r = run(t, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Runs: 1, Seed: 1, Options: engine.Options{Norm: norm * 1.01 / 0.1, Misfit: 0.05, Epsilon: 0.3, MaxRounds: 3}})
	t.Log(r.Guarantee)
	if strings.Contains(r.Guarantee, "was stated") && r.Standing == engine.StandingNone {
		t.Errorf("norm and misfit are true: %s", r.Guarantee)
	}
}

// Decided answers of every fixed-budget algorithm that may be called proven are wrong in at most δ of the runs, at budgets where some are
// decided.
func TestBudgetDecidesRightly(t *testing.T) {
	if testing.Short() {
		t.Skip("450 runs of each algorithm")
	}
	p := enginetest.Paper(t, 2, 0.2)
	for _, entry := range algorithms.All() {
		if entry.Mode != engine.ModeFB || !entry.Proven() || entry.Role == algorithms.RoleReference {
			continue
		}
		decided := 0
		for _, budget := range []int{300, 1000, 3000} {
			r := run(t, sim.Experiment{Problem: p, Mode: engine.ModeFB, Algorithm: entry.Name, Runs: 150, Seed: 5, Options: engine.Options{Budget: budget, Delta: 0.1}})
			decided += r.DecidedTasks
			if r.DecidedErrors.CI95[1] > 0.1 {
				t.Errorf("%s, budget %d: %d of %d runs decide on a wrong arm", entry.Name, budget, r.DecidedErrors.Count, r.Runs)
			}
		}
		if t.Logf("%s: %d answers decided", entry.Name, decided); decided == 0 {
			t.Errorf("%s decides nothing", entry.Name)
		}
	}
}
