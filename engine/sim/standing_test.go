package sim_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// What backs an answer, for what is known of the noise, what the rewards are and what the
// algorithm assumes. The means of the instance are between 0.2 and 0.6.
func TestStanding(t *testing.T) {
	unit := &[2]float64{0, 1}
	number := func(v float64) []float64 { return []float64{v} }
	for name, c := range map[string]struct {
		algorithm string
		noise     engine.NoiseModel
		law       string
		want      string
		why       string
	}{
		"known, normal":                    {"CoTestFC", engine.NoiseModel{Scales: number(1)}, "", engine.StandingProven, ""},
		"known, normal, wider test":        {"CoTestFC", engine.NoiseModel{Scales: number(1)}, engine.LawSubGaussian, engine.StandingProven, ""},
		"unknown":                          {"CoTestFC", engine.NoiseModel{UnknownBy: engine.UnknownProblem}, "", engine.StandingProven, ""},
		"unknown, not normal":              {"CoTestFC", engine.NoiseModel{UnknownBy: engine.UnknownProblem, Environment: engine.EnvironmentBernoulli}, "", engine.StandingHeuristic, "normal rewards"},
		"bounded":                          {"CoTestFC", engine.NoiseModel{Bounds: unit}, "", engine.StandingProven, ""},
		"bounded under the normal law":     {"CoTestFC", engine.NoiseModel{Bounds: unit}, engine.LawNormal, engine.StandingHeuristic, "normal rewards"},
		"heavy tails":                      {"CoTestFC", engine.NoiseModel{Scales: number(1), Environment: engine.EnvironmentStudent}, "", engine.StandingHeuristic, "normal rewards"},
		"heavy tails are not sub-Gaussian": {"CoKernelFC", engine.NoiseModel{Scales: number(1), Environment: engine.EnvironmentStudent}, "", engine.StandingHeuristic, "do not cover"},
		"drift":                            {"CoKernelFC", engine.NoiseModel{Scales: number(1), Environment: engine.EnvironmentDrift}, "", engine.StandingHeuristic, "not independent"},
		"autocorrelated":                   {"CoTestFC", engine.NoiseModel{Scales: number(1), Environment: engine.EnvironmentAutocorrelated}, "", engine.StandingHeuristic, "not independent"},
		"coins within their range":         {"CoKernelFC", engine.NoiseModel{Bounds: unit}, "", engine.StandingProven, ""},
		"coins, wider than stated":         {"CoKernelFC", engine.NoiseModel{Scales: number(0.4), Environment: engine.EnvironmentBernoulli}, "", engine.StandingNone, "a noise scale of 0.4 was stated"},
		"no theorem":                       {"Oracle", engine.NoiseModel{Scales: number(1)}, "", engine.StandingNone, "a reference"},
	} {
		p, err := engine.PaperCase(1, 0.1)
		if err != nil {
			t.Fatal(err)
		}
		if p, err = p.WithNoise(c.noise); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r := run(t, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: c.algorithm, Options: engine.Options{Law: c.law, MaxRounds: 2}, Runs: 1})
		if r.Standing != c.want || !strings.HasPrefix(r.Guarantee, c.want+": ") || !strings.Contains(r.Guarantee, c.why) {
			t.Errorf("%s: %s, %q; want %s for %q", name, r.Standing, r.Guarantee, c.want, c.why)
		}
	}
}

// Simulated noise that is wider than what is stated takes the proof away.
func TestStandingOfUnderstatedNoise(t *testing.T) {
	p, err := engine.PaperCase(1, 0.5)
	if err != nil {
		t.Fatal(err)
	}
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

// Scales that are unknown up to a factor must be so in the simulation: one for all, or for each task.
func TestStandingOfUnknownScales(t *testing.T) {
	p, err := engine.PaperCase(1, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		sd      func(i int) float64
		backing map[string]string
	}{
		"equal":   {func(int) float64 { return 3 }, map[string]string{engine.UnknownProblem: engine.StandingProven, engine.UnknownTask: engine.StandingProven, engine.UnknownArm: engine.StandingProven}},
		"by task": {func(i int) float64 { return float64(1 + p.TaskOf[i]) }, map[string]string{engine.UnknownProblem: engine.StandingHeuristic, engine.UnknownTask: engine.StandingProven, engine.UnknownArm: engine.StandingProven}},
		"by arm":  {func(i int) float64 { return float64(1 + i) }, map[string]string{engine.UnknownProblem: engine.StandingHeuristic, engine.UnknownTask: engine.StandingHeuristic, engine.UnknownArm: engine.StandingProven}},
	} {
		for unknown, want := range c.backing {
			q := *p
			q.Noise.UnknownBy, q.Noise.SD = unknown, make([]float64, p.N())
			for i := range q.Noise.SD {
				q.Noise.SD[i] = c.sd(i)
			}
			r := run(t, sim.Experiment{Problem: &q, Mode: engine.ModeFC, Algorithm: "CoTestFC", Options: engine.Options{MaxRounds: 2}, Runs: 1})
			if r.Standing != want {
				t.Errorf("%s, unknown %s: %s, want %s", name, unknown, r.Guarantee, want)
			}
		}
	}
}

// Rewards that a function draws cannot be checked: the sentence says what is taken for granted, as
// the algorithm needs it.
func TestStandingOfFunctions(t *testing.T) {
	p, err := engine.PaperCase(1, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		algorithm string
		noise     engine.NoiseModel
		want      string
	}{
		"known":      {"CoTestFC", engine.NoiseModel{}, "normal with the problem's noise scales"},
		"unknown":    {"CoTestFC", engine.NoiseModel{UnknownBy: engine.UnknownProblem}, "normal, with scales that are unknown"},
		"bounded":    {"CoTestFC", engine.NoiseModel{Bounds: &[2]float64{-9, 9}}, "lie between -9 and 9"},
		"any tails":  {"CoKernelFC", engine.NoiseModel{}, "sub-Gaussian with the problem's noise scales"},
		"any bounds": {"CoKernelFC", engine.NoiseModel{Bounds: &[2]float64{-9, 9}}, "lie between -9 and 9"},
	} {
		q := p
		if c.noise.UnknownBy != "" || c.noise.Bounds != nil {
			if q, err = p.WithNoise(c.noise); err != nil {
				t.Fatal(err)
			}
		}
		one := func(_ *rand.Rand, _, _ string, _ int) (float64, error) { return 1, nil }
		r := run(t, sim.Experiment{Problem: q, Mode: engine.ModeFC, Algorithm: c.algorithm, Options: engine.Options{MaxRounds: 1}, Runs: 1, Draw: sim.Func(q, one)})
		if r.Standing != engine.StandingProven || !strings.Contains(r.Guarantee, ", if the function's rewards are independent and "+c.want) {
			t.Errorf("%s: %s; want %q", name, r.Guarantee, c.want)
		}
	}
}

// Without scales, an algorithm that needs them says so before anything is sampled, and names
// those that do not. A wrong guess moves no lower bound.
func TestUnknownNoise(t *testing.T) {
	p, err := engine.PaperCase(1, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	known := run(t, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Runs: 1})
	if p, err = p.WithNoise(engine.NoiseModel{UnknownBy: engine.UnknownProblem, Scales: []float64{5}}); err != nil {
		t.Fatal(err)
	}
	_, err = sim.Run(context.Background(), sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoKernelFC", Runs: 1})
	if err == nil || !strings.Contains(err.Error(), "CoKernelFC needs noise scales") || !strings.Contains(err.Error(), "CoTestFC") {
		t.Errorf("error %v", err)
	}
	r := run(t, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Runs: 1})
	if known.LowerBoundSamples == 0 || r.LowerBoundSamples < 0.999*known.LowerBoundSamples || r.LowerBoundSamples > 1.001*known.LowerBoundSamples {
		t.Errorf("lower bound %g with a guess of 5, %g with the scale known", r.LowerBoundSamples, known.LowerBoundSamples)
	}
}

// Tasks that the kernel takes for the same and are not leave nothing to say of agents that share, and
// nothing against agents that do not.
func TestStandingOfAgentsAlone(t *testing.T) {
	p, err := engine.Classic([]float64{0, 1}, 2)
	if err != nil {
		t.Fatal(err)
	}
	p.Mean = []float64{0, 1, 0, 2}
	for algorithm, want := range map[string]string{"CoTestFC": engine.StandingNone, "IndTestFC": engine.StandingProven} {
		if r := run(t, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: algorithm, Runs: 1}); r.Standing != want {
			t.Errorf("%s: %s, want %s", algorithm, r.Guarantee, want)
		}
	}
}
