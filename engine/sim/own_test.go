package sim_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// equal pulls every arm equally often, in one round, and recommends the largest mean.
type equal struct {
	p     *problem.Problem
	pulls int
	means []float64
}

func (e *equal) Plan(ctx context.Context) (engine.Plan, error) {
	counts := make([]int, e.p.N())
	for i := range counts {
		counts[i] = e.pulls
	}
	return engine.Plan{Round: 1, Counts: counts}, nil
}
func (e *equal) Learn(ctx context.Context, b engine.Batch) error { e.means = b.Means; return nil }
func (e *equal) Done() bool                                      { return e.means != nil }
func (e *equal) State() engine.State {
	out := make([]engine.Answer, e.p.V())
	for v, arms := range e.p.Groups() {
		best := arms[0]
		for _, i := range arms {
			if e.means != nil && e.means[i] > e.means[best] {
				best = i
			}
		}
		name := e.p.Arms.Names[best]
		out[v] = engine.Answer{Leader: name, Decided: e.means != nil}
		if e.means != nil {
			out[v].Estimate = e.means[best]
		}
	}
	return engine.State{Answers: out}
}

func own(pulls int) *algorithms.Entry {
	return &algorithms.Entry{Name: "Equal", Regression: algorithms.RegressionMeans,
		New: func(m *model.Model, _ engine.Options) (engine.Algorithm, error) {
			return &equal{p: m.Problem, pulls: pulls}, nil
		}}
}

// An algorithm of your own gets the same as those of the catalogue: runs with intervals, common random numbers, comparisons. Its errors
// are those of the means of its pulls.
func TestOwnAlgorithm(t *testing.T) {
	ctx := context.Background()
	p := enginetest.Paper(t, 1, 0.4)
	const runs, pulls = 300, 20
	x := sim.Experiment{Problem: p, Mode: engine.ModeFC, Own: own(pulls), Runs: runs, Seed: 3}
	r := try.Of(sim.Run(ctx, x))
	if r.Algorithm != "Equal" || r.Runs != runs || r.SamplesPerAgent.Mean != float64(pulls*p.N()/p.V()) || r.Standing != engine.StandingNone {
		t.Errorf("%s: %d runs, %v samples, standing %s", r.Algorithm, r.Runs, r.SamplesPerAgent, r.Standing)
	}
	wrong := 0 // counted by a loop over engine.Run, without the summary
	for run := range runs {
		env := try.Of(sim.EnvironmentOf(context.Background(), p, x.Seed, run))
		alg := &equal{p: p, pulls: pulls}
		try.Of(engine.Run(ctx, alg, env, engine.Options{}))
		for v, arms := range p.Groups() {
			best, name := math.Inf(-1), ""
			for _, i := range arms {
				if p.Mean[i] > best {
					best, name = p.Mean[i], p.Arms.Names[i]
				}
			}
			if alg.State().Answers[v].Leader != name {
				wrong++
				break
			}
		}
	}
	if r.Errors.Count != wrong || wrong == 0 || wrong == runs {
		t.Errorf("%d of %d runs wrong, want %d", r.Errors.Count, runs, wrong)
	}
	named := try.Of(sim.Run(ctx, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Runs: runs, Seed: 3}))
	if c, err := sim.Paired(r, named, sim.MeasureSamples); err != nil || c.Difference.Mean != r.SamplesPerAgent.Mean-named.SamplesPerAgent.Mean {
		t.Errorf("compared: %+v, %v", c, err)
	}
	claimed := own(pulls)
	claimed.Backing = algorithms.BackingNormal
	x.Own, x.Runs = claimed, 2
	if r, err := sim.Run(ctx, x); err != nil || r.Standing == engine.StandingProven || !strings.Contains(r.Guarantee, "its author's claim") {
		t.Errorf("a claim is told as %q, %v", r.Guarantee, err)
	}
}

// An invalid algorithm of your own gives an error that says what to change.
func TestOwnAlgorithmRefused(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.4)
	for want, change := range map[string]func(*sim.Experiment){
		"needs a name":                     func(x *sim.Experiment) { x.Own.Name = "" },
		"CoTestFC is an algorithm of gonb": func(x *sim.Experiment) { x.Own.Name = "CoTestFC" },
		"set New":                          func(x *sim.Experiment) { x.Own.New = nil },
		`got "CoTestFC"`:                   func(x *sim.Experiment) { x.Algorithm = "CoTestFC" },
		`Equal is for mode "fb"`:           func(x *sim.Experiment) { x.Own.Mode = engine.ModeFB },
		`Mode must be "fc" or "fb"`:        func(x *sim.Experiment) { x.Mode = "" },
	} {
		x := sim.Experiment{Problem: p, Mode: engine.ModeFC, Own: own(1), Runs: 1}
		change(&x)
		if _, err := sim.Run(context.Background(), x); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	s := try.Of(sim.OpenStore(filepath.Join(t.TempDir(), "store")))
	defer s.Close()
	if _, _, err := s.Run(context.Background(), sim.Experiment{Problem: p, Mode: engine.ModeFC, Own: own(1), Runs: 1}); err == nil || !strings.Contains(err.Error(), "without Digest") {
		t.Errorf("a store took it: %v", err)
	}
}

// An error of an algorithm names it once, whether New fails or a run.
func TestOwnAlgorithmThatFails(t *testing.T) {
	for can, want := range []string{"Equal: no", "Equal, run 1: no"} {
		made, e := 0, own(1)
		of := e.New
		e.New = func(m *model.Model, opt engine.Options) (engine.Algorithm, error) {
			if made++; made > can {
				return nil, errors.New("no")
			}
			return of(m, opt)
		}
		_, err := sim.Run(t.Context(), sim.Experiment{Problem: enginetest.Paper(t, 1, 0.4), Mode: engine.ModeFC, Own: e, Runs: 1})
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
