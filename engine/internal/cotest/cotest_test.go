package cotest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/ending"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Two replicas with the same data make the same plans, and their audit trail says who left by which
// bet: gap at least width.
func TestCoTestReplicas(t *testing.T) {
	p := enginetest.Paper(t, 2, 0.3)
	out := enginetest.Replicas(t, p, engine.Options{}, 8, func() (engine.Algorithm, error) {
		return plain.On(engine.ModeFC, NewCoTestFC)(plain.ModelOf(t, p), engine.Options{})
	})
	if out.Status != engine.StatusDecided || len(out.Eliminations) != p.N()-p.V() {
		t.Fatalf("status %s, %d eliminations", out.Status, len(out.Eliminations))
	}
	for _, e := range out.Eliminations {
		if e.Rule != engine.RuleCombination || !(e.Gap >= e.Width) || e.Round < 2 || e.Arm == e.Rival {
			t.Errorf("audit trail: %+v", e)
		}
	}
}

// Copies of a task share their pulls evenly, whatever the round.
func TestCoTestSharesLoad(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.3)
	load := make([]int, p.V())
	m := plain.ModelOf(t, p)
	alg := try.Of(plain.On(engine.ModeFC, NewCoTestFC)(m, engine.Options{}))
	rng := rand.New(rand.NewPCG(1, 2))
	enginetest.Run(t, alg, engine.Options{}, func(plan engine.Plan) engine.Batch {
		clear(load)
		for i, c := range plan.Counts {
			load[p.TaskOf[i]] += c
		}
		if slices.Max(load)-slices.Min(load) > 1 {
			t.Errorf("round %d: loads %v", plan.Round, load)
		}
		return enginetest.Pull(rng, p, plan)
	})
}

// Tasks are one contest only when their arms are the same, row by row, and arms that the
// kernel cannot tell apart leave before any data.
func TestContests(t *testing.T) {
	linear := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Constant{Value: 1}, Arm: kernels.Linear{}}}}
	for _, c := range []struct {
		p    *problem.Problem
		want string
	}{
		{enginetest.Small(t, linear, []float64{1, 2, 4}, []float64{1, 2, 4}), "[0 1]"},
		{enginetest.Small(t, linear, []float64{1, 2, 4}, []float64{1, 4, 2}), "[0] [1]"},
		{enginetest.Small(t, linear, []float64{1, 2, 4}, []float64{1, 2}), "[0] [1]"},
		{enginetest.Small(t, linear, []float64{1, 2}, []float64{1, 3}, []float64{1, 2}), "[0 2] [1]"},
		{enginetest.Small(t, enginetest.Identity, []float64{1, 2}, []float64{1, 2}), "[0] [1]"},
	} {
		m := plain.ModelOf(t, c.p)
		var got []string
		for _, x := range contestsOf(t, m) {
			got = append(got, fmt.Sprint(x.tasks))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v: contests %v, want %s", c.p.Mean, got, c.want)
		}
	}
}

// A round that does not separate an arm from the leader moves no walk.
func TestCoTestUnmeasured(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{0, 1, 2})
	m := plain.ModelOf(t, p)
	alg := try.Of(plain.On(engine.ModeFC, NewCoTestFC)(m, engine.Options{}))
	a := alg.(*coTest)
	e := try.Of(model.NewEstimator(m, 0, []int{5, 5, 0}))
	a.stage = &rounds.Stage{Estimate: e}
	a.pooled, a.clock.Origin = e, 1
	a.contests[0].leader = 1
	a.bet(a.contests[0], []float64{0, 1, 0.5})
	if len(a.bets) != 1 || a.bets[0].Arm != 0 {
		t.Errorf("bets %+v; want one, on the arm that was measured", a.bets)
	}
}

// Every delta between 0 and 1 is accepted, except those without a computable boundary; their error
// names delta.
func TestCoTestDelta(t *testing.T) {
	m := plain.ModelOf(t, enginetest.Small(t, enginetest.Identity, []float64{0, 1}, []float64{0, 2}))
	for delta, want := range map[float64]string{
		0.999: "", 0.5: "", 2e-10: "", 1e-10: "delta must be at least 2e-10 here, 1e-10 for each of the 2 different tasks, got 1e-10",
	} {
		if _, err := plain.On(engine.ModeFC, NewCoTestFC)(m, engine.Options{Delta: delta}); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("delta %g: error %v, want %q", delta, err, want)
		}
	}
	one := plain.ModelOf(t, enginetest.Small(t, enginetest.Identity, []float64{0, 1}))
	// one test, at more than a half
	if _, err := plain.On(engine.ModeFC, NewCoTestFC)(one, engine.Options{Delta: 0.9}); err != nil {
		t.Error(err)
	}
}

// contestsOf returns the contests of exact features.
func contestsOf(t *testing.T, m *model.Model) []*contest {
	t.Helper()
	return try.Of(newContests(m, true))
}

// A run may be interrupted between the exclusion of a task's last rival and its decision.
func TestProgressBetween(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{0, 1, 2})
	alone := 0
	for last := 1; last <= 8; last++ {
		ctx, cancel := context.WithCancel(t.Context())
		m := try.Of(model.NewContext(ctx, p, 0))
		alg := try.Of(plain.On(engine.ModeFC, NewCoTestFC)(m, engine.Options{}))
		a := alg.(*coTest)
		for round := 1; round <= last && !a.Done(); round++ {
			plan := try.Of(a.Plan(t.Context()))
			b := engine.Batch{Counts: plan.Counts, Means: p.Mean}
			if round == last {
				cancel()
			}
			if err := a.Learn(ctx, b); (err != nil) != (round == last) {
				t.Fatalf("round %d of %d: error %v", round, last, err)
			}
		}
		tasks, more := engine.ProgressOf(a)
		for _, x := range tasks {
			if !x.Decided && x.Rival == "" {
				alone++
				if x.Open != 1 || more != 0 {
					t.Errorf("%+v and %g further samples; want one open arm and no samples", x, more)
				}
			}
		}
		cancel()
	}
	if alone == 0 {
		t.Error("no run was interrupted between the two")
	}
}

func TestContestsStop(t *testing.T) {
	background := plain.ModelOf(t, enginetest.Instances(t)[1])
	ending.Check(t, "contests", 1, func(ctx context.Context) error {
		m := *background
		_, err := newContests(m.Until(ctx), true)
		return err
	})
}
