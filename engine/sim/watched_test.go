package sim_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// before returns the drawer of a problem that first calls a function with the number of the draw.
func before(t *testing.T, p *problem.Problem, call func(draw int)) sim.Drawer {
	t.Helper()
	draw := try.Of(sim.DrawerOf(p))
	made := 0
	return func(rng *rand.Rand, i, n int, squares bool) (sim.Draw, error) {
		made++
		call(made)
		return draw(rng, i, n, squares)
	}
}

// A single run that is interrupted keeps its rounds, answers and eliminations, and reports the missing samples: it equals the whole run,
// cut off.
func TestInterruptedRun(t *testing.T) {
	p := enginetest.Paper(t, 3, 0.3)
	for _, algorithm := range []string{"CoTestFC", "CoKernelFC", "IndRAGE", "IndRAGE/V"} {
		x := sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: algorithm, Runs: 1, Seed: 3}
		whole := run(t, x)
		arms := 0
		x.Draw = before(t, p, func(int) { arms++ })
		run(t, x)
		ctx, cancel := context.WithCancel(context.Background())
		x.Draw = before(t, p, func(draw int) {
			if draw == arms*3/4 {
				cancel()
			}
		})
		r, err := sim.Run(ctx, x)
		if !errors.Is(err, context.Canceled) || r.Status != engine.StatusInterrupted || r.Runs != 0 || r.Asked != 1 || r.Errors.Runs != 0 {
			t.Errorf("%s: %s, %d of %d runs, %d judged, error %v", algorithm, r.Status, r.Runs, r.Asked, r.Errors.Runs, err)
		}
		n, gone := len(r.Trace), len(r.Eliminations)
		if n == 0 || n >= len(whole.Trace) || !reflect.DeepEqual(r.Trace, whole.Trace[:n]) || !reflect.DeepEqual(r.Eliminations, whole.Eliminations[:gone]) {
			t.Errorf("%s: %d of %d rounds, or they differ", algorithm, n, len(whole.Trace))
			continue
		}
		pulls := 0
		for _, round := range r.Trace {
			pulls += round.Pulls
		}
		share := 1.0
		if algorithm == "IndRAGE/V" {
			share = float64(p.V())
		}
		if math.Abs(r.SamplesTotal*share-float64(pulls)) > 1e-9*float64(pulls) || r.MaxRounds != n || r.RatioToLowerBound != 0 || r.LowerBoundSamples != whole.LowerBoundSamples {
			t.Errorf("%s: %g samples in %d rounds for %d in %d", algorithm, r.SamplesTotal, r.MaxRounds, pulls, n)
		}
		open := 0
		for v, a := range r.Answers {
			if s := r.Progress[v]; s.Decided != a.Decided || s.Leader != a.Leader || a.Correct == nil {
				t.Errorf("%s: %+v for %+v", algorithm, s, a)
			}
			if !a.Decided {
				open++
			}
		}
		if open == 0 || !(r.Remaining > 0) || whole.Remaining != 0 {
			t.Errorf("%s: %d tasks open, %g samples remaining, %g at the end", algorithm, open, r.Remaining, whole.Remaining)
		}
	}
}

// An interrupt before the first data leaves nothing.
func TestInterruptedAtOnce(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.3)
	ctx, cancel := context.WithCancel(context.Background())
	r, err := sim.Run(ctx, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Runs: 1, Draw: before(t, p, func(int) { cancel() })})
	if !errors.Is(err, context.Canceled) || len(r.Trace)+len(r.Answers)+len(r.Progress) > 0 {
		t.Errorf("%+v, error %v", r, err)
	}
}

// A run stopped by a limit reports the missing samples.
func TestProgressAtALimit(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.1)
	for _, opt := range []engine.Options{{MaxRounds: 4}, {MaxSamples: 2000}} {
		r := run(t, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Options: opt, Runs: 1, Seed: 1})
		if r.Status != engine.StatusRounds && r.Status != engine.StatusSamples || len(r.Progress) != 5 || !(r.Remaining > 0) {
			t.Errorf("%s: %d tasks, %g samples remaining", r.Status, len(r.Progress), r.Remaining)
		}
	}
}

// A single slow run reports its rounds; a quick one, and each of several, does not.
func TestRoundsAreTold(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.3)
	for _, c := range []struct {
		runs  int
		pause time.Duration
		told  bool
	}{{1, 15 * time.Millisecond, true}, {1, 0, false}, {2, 5 * time.Millisecond, false}} {
		var steps []sim.Step
		x := sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Runs: c.runs, Workers: 1, Seed: 1, Draw: before(t, p, func(int) {})}
		whole := run(t, x)
		x.Draw = before(t, p, func(int) { time.Sleep(c.pause) })
		x.Progress = func(s sim.Step) {
			if s.Round > 0 {
				steps = append(steps, s)
			}
		}
		r := run(t, x)
		for try := 0; c.runs == 1 && !c.told && len(steps) > 0 && try < 20; try++ { // a busy machine was not quick
			steps, r = nil, run(t, x)
		}
		if !reflect.DeepEqual(r, whole) {
			t.Errorf("%d runs: telling of rounds changes the result (-quiet +told):\n%s", c.runs, cmp.Diff(whole, r))
		}
		if told := len(steps) > 0; told != c.told {
			t.Errorf("%d runs, %v a draw: told of %d rounds", c.runs, c.pause, len(steps))
		}
		for _, s := range steps {
			pulls := 0
			for _, round := range whole.Trace[:s.Round] {
				pulls += round.Pulls
			}
			if s.Samples != pulls || s.Tasks != 5 || s.Decided > 5 || !math.IsNaN(s.Remaining) && (s.Decided == 5) != (s.Remaining == 0) || s.Done != 0 || s.Total != 1 {
				t.Errorf("%+v, with %d samples", s, pulls)
			}
		}
	}
}
