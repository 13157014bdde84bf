package sim_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// TestStanding checks the type of guarantee for each noise model, reward distribution and assumption. The means are between 0.2 and 0.6.
func TestStanding(t *testing.T) {
	unit := &[2]float64{0, 1}
	number := func(v float64) []float64 { return []float64{v} }
	for name, c := range map[string]struct {
		algorithm string
		noise     problem.NoiseModel
		law       string
		want      string
		why       string
	}{
		"known, normal":                {"CoTestFC", problem.NoiseModel{Scales: number(1)}, "", engine.StandingProven, ""},
		"known, normal, wider test":    {"CoTestFC", problem.NoiseModel{Scales: number(1)}, engine.LawSubGaussian, engine.StandingProven, ""},
		"unknown":                      {"CoTestFC", problem.NoiseModel{UnknownBy: problem.UnknownProblem}, "", engine.StandingProven, ""},
		"unknown, not normal":          {"CoTestFC", problem.NoiseModel{UnknownBy: problem.UnknownProblem, Environment: problem.EnvironmentBernoulli}, "", engine.StandingHeuristic, "These rewards are not normal"},
		"bounded":                      {"CoTestFC", problem.NoiseModel{Bounds: unit}, "", engine.StandingProven, ""},
		"bounded under the normal law": {"CoTestFC", problem.NoiseModel{Bounds: unit}, engine.LawNormal, engine.StandingHeuristic, "These rewards are not normal"},
		"coins within their range":     {"CoKernelFC", problem.NoiseModel{Bounds: unit}, "", engine.StandingProven, ""},
		"coins, wider than stated":     {"CoKernelFC", problem.NoiseModel{Scales: number(0.4), Environment: problem.EnvironmentBernoulli}, "", engine.StandingNone, "a noise scale of 0.4 was stated"},
		"no theorem":                   {"Oracle", problem.NoiseModel{Scales: number(1)}, "", engine.StandingNone, "a reference"},
	} {
		p, err := enginetest.Paper(t, 1, 0.1).WithNoise(c.noise)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r := run(t, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: c.algorithm, Options: engine.Options{Law: c.law}, Runs: 1})
		if r.Standing != c.want || !strings.HasPrefix(r.Guarantee, c.want+": ") || !strings.Contains(r.Guarantee, c.why) {
			t.Errorf("%s: %s, %q; want %s for %q", name, r.Standing, r.Guarantee, c.want, c.why)
		}
	}
}

// Simulated noise larger than stated voids the proof.
func TestStandingOfUnderstatedNoise(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.5)
	for sd, want := range map[float64]string{1: engine.StandingProven, 1.01: engine.StandingNone} {
		q := *p
		q.Noise.SD = make([]float64, p.N())
		for i := range q.Noise.SD {
			q.Noise.SD[i] = sd
		}
		if r := run(t, sim.Experiment{Problem: &q, Mode: engine.ModeFC, Algorithm: "CoTestFC", Runs: 1}); r.Standing != want {
			t.Errorf("standard deviation %g under the scale 1: %s, want %s", sd, r.Guarantee, want)
		}
	}
}

// Scales that are unknown up to a factor must have that form in the simulation: one factor for all, or one per task.
func TestStandingOfUnknownScales(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.5)
	for name, c := range map[string]struct {
		sd      func(i int) float64
		backing map[string]string
	}{
		"equal":   {func(int) float64 { return 3 }, map[string]string{problem.UnknownProblem: engine.StandingProven, problem.UnknownTask: engine.StandingProven, problem.UnknownArm: engine.StandingProven}},
		"by task": {func(i int) float64 { return float64(1 + p.TaskOf[i]) }, map[string]string{problem.UnknownProblem: engine.StandingHeuristic, problem.UnknownTask: engine.StandingProven, problem.UnknownArm: engine.StandingProven}},
		"by arm":  {func(i int) float64 { return float64(1 + i) }, map[string]string{problem.UnknownProblem: engine.StandingHeuristic, problem.UnknownTask: engine.StandingHeuristic, problem.UnknownArm: engine.StandingProven}},
	} {
		for unknown, want := range c.backing {
			q := *p
			q.Noise.UnknownBy, q.Noise.SD = unknown, make([]float64, p.N())
			for i := range q.Noise.SD {
				q.Noise.SD[i] = c.sd(i)
			}
			r := run(t, sim.Experiment{Problem: &q, Mode: engine.ModeFC, Algorithm: "CoTestFC", Options: engine.Options{}, Runs: 1})
			if r.Standing != want {
				t.Errorf("%s, unknown %s: %s, want %s", name, unknown, r.Guarantee, want)
			}
		}
	}
}

// Rewards of a reward function cannot be checked: the guarantee names the algorithm's assumptions.
func TestStandingOfFunctions(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.5)
	means := map[string]float64{}
	for i, v := range p.TaskOf {
		means[p.Tasks.Names[v]+p.Arms.Names[i]] = p.Mean[i]
	}
	for name, c := range map[string]struct {
		algorithm string
		noise     problem.NoiseModel
		want      string
	}{
		"known":      {"CoTestFC", problem.NoiseModel{}, "normal with the problem's noise scales"},
		"unknown":    {"CoTestFC", problem.NoiseModel{UnknownBy: problem.UnknownProblem}, "normal, with one unknown scale for all arms"},
		"bounded":    {"CoTestFC", problem.NoiseModel{Bounds: &[2]float64{-9, 9}}, "lie between -9 and 9"},
		"any tails":  {"CoKernelFC", problem.NoiseModel{}, "sub-Gaussian with the problem's noise scales"},
		"any bounds": {"CoKernelFC", problem.NoiseModel{Bounds: &[2]float64{-9, 9}}, "lie between -9 and 9"},
	} {
		q := p
		if c.noise.UnknownBy != "" || c.noise.Bounds != nil {
			q = try.Of(p.WithNoise(c.noise))
		}
		one := func(rng *rand.Rand, task, arm string, _ int) (float64, error) {
			return means[task+arm] + rng.NormFloat64()/10, nil
		}
		r := run(t, sim.Experiment{Problem: q, Mode: engine.ModeFC, Algorithm: c.algorithm, Options: engine.Options{}, Runs: 1, Draw: sim.Func(q, one)})
		if r.Standing != engine.StandingProven || !strings.Contains(r.Guarantee, ". This holds if the function's rewards are independent and "+c.want) {
			t.Errorf("%s: %s; want %q", name, r.Guarantee, c.want)
		}
	}
}

// An algorithm that needs noise scales returns an error before sampling if there are none, and names algorithms that do not need them. A
// wrong guess does not change the lower bound.
func TestUnknownNoise(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.5)
	known := run(t, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Runs: 1})
	p, err := p.WithNoise(problem.NoiseModel{UnknownBy: problem.UnknownProblem, Scales: []float64{5}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = sim.Run(context.Background(), sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoKernelFC", Runs: 1})
	if err == nil || !strings.Contains(err.Error(), "CoKernelFC needs a noise scale") || !strings.Contains(err.Error(), "CoTestFC") {
		t.Errorf("error %v", err)
	}
	r := run(t, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Runs: 1})
	if known.LowerBoundSamples == 0 || r.LowerBoundSamples < 0.999*known.LowerBoundSamples || r.LowerBoundSamples > 1.001*known.LowerBoundSamples {
		t.Errorf("lower bound %g with a guess of 5, %g with the scale known", r.LowerBoundSamples, known.LowerBoundSamples)
	}
}

// Tasks that are equal to the kernel but have different rewards void the guarantee of sharing agents, not that of independent ones.
func TestStandingOfAgentsAlone(t *testing.T) {
	p := try.Of(problem.Classic([]float64{0, 1}, 2))
	p.Mean = []float64{0, 1, 0, 2}
	for algorithm, want := range map[string]string{"CoTestFC": engine.StandingNone, "IndTestFC": engine.StandingProven} {
		if r := run(t, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: algorithm, Runs: 1}); r.Standing != want {
			t.Errorf("%s: %s, want %s", algorithm, r.Guarantee, want)
		}
	}
}
