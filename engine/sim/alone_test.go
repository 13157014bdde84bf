package sim_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Agents that test independently, because the kernel has full rank, send no messages and do not wait for each other; results, forecasts
// and the guarantee say so.
func TestTestsAloneAreCounted(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{3, 1, 0}, []float64{0, 0.6})
	r := run(t, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Runs: 5, Seed: 2})
	alone := run(t, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "IndTestFC", Runs: 5, Seed: 2})
	if r.Messages != 0 || r.Bytes != 0 || r.SamplesTotal != alone.SamplesTotal || r.Guarantee != alone.Guarantee || r.Standing != engine.StandingProven {
		t.Errorf("%g messages, %g bytes, %g samples (%s); alone %g samples (%s)", r.Messages, r.Bytes, r.SamplesTotal, r.Guarantee, alone.SamplesTotal, alone.Guarantee)
	}
	if !slices.ContainsFunc(r.Warnings, func(w engine.Warning) bool { return w.Kind == engine.WarnTestsAlone }) {
		t.Errorf("warnings %v", r.Warnings)
	}
	unrelated := engine.Warning{Kind: engine.WarnUnrelated, Numbers: []float64{5}}
	for name, want := range map[string]bool{"CoKernelFC": true, "IndKernelFC": false, "CoBayesFC": false} {
		r := run(t, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: name, Runs: 2, Seed: 2})
		if said := slices.ContainsFunc(r.Warnings, unrelated.Same); said != want {
			t.Errorf("%s: warnings %v", name, r.Warnings)
		}
	}
	f := try.Of(plan.Of(context.Background(), p, plan.Question{Runs: 5, Seed: 2, Prices: plan.Prices{SampleTime: 1, RoundTime: 3, Parallel: 2}}))
	time := map[string]float64{}
	for _, row := range f.Rows {
		time[row.Algorithm] = row.Time
	}
	if time["CoTestFC"] == 0 || time["CoTestFC"] != time["IndTestFC"] {
		t.Errorf("times %v", time)
	}
	if !slices.ContainsFunc(f.Notes, unrelated.Same) {
		t.Errorf("notes %q, want %q", f.Notes, unrelated)
	}
}

// A result that did not share forecasts the samples with the norm of the true means. Runs with this norm need between half
// and 2.5 times as many.
func TestForecastWithNorm(t *testing.T) {
	k := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.RBF{Lengthscale: []float64{0.1}}}}}
	place := func(i int) float64 { return float64(i) / 39 }
	p := madeOf(t, 2, 40, k, problem.NoiseModel{Scales: []float64{1}}, func(v, i int) float64 {
		d := (place(i) - place(10+10*v)) / 0.1
		return 3 * math.Exp(-d*d/2)
	}, place)
	x := sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Runs: 3, Seed: 2, ForecastNorm: true}
	x.Options.Epsilon = 0.3
	r := run(t, x)
	at := slices.IndexFunc(r.Warnings, func(w engine.Warning) bool {
		return w.Kind == engine.WarnNormWould || w.Kind == engine.WarnNormWouldNot
	})
	if at < 0 {
		t.Fatalf("no forecast in %v", r.Warnings)
	}
	w := r.Warnings[at]
	x.Options.Norm = w.Numbers[0]
	with := run(t, x)
	if ratio := with.SamplesPerAgent.Mean / w.Numbers[1]; !(ratio > 0.5 && ratio < 2.5) || w.Numbers[2] != r.SamplesPerAgent.Mean {
		t.Errorf("forecast %v, simulated %g and %g", w.Numbers, with.SamplesPerAgent.Mean, r.SamplesPerAgent.Mean)
	}
	if saves := 2*w.Numbers[1] <= w.Numbers[2]; saves != (w.Kind == engine.WarnNormWould) {
		t.Errorf("%s, but %v", w.Kind, w.Numbers)
	}
	if w.Kind == engine.WarnNormWould && with.SamplesPerAgent.Mean > r.SamplesPerAgent.Mean {
		t.Errorf("%g samples with the norm and %g without", with.SamplesPerAgent.Mean, r.SamplesPerAgent.Mean)
	}
}

// There is no forecast if two best arms are tied and no difference is allowed: no number of samples is enough.
func TestNoForecastOfTies(t *testing.T) {
	k := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.RBF{Lengthscale: []float64{0.1}}}}}
	place := func(i int) float64 { return float64(i) / 39 }
	p := madeOf(t, 2, 40, k, problem.NoiseModel{Scales: []float64{1}}, func(_, i int) float64 {
		d := (place(min(i, 39-i)) - place(10)) / 0.1
		return 3 * math.Exp(-d*d/2)
	}, place)
	m := try.Of(model.New(p, 1))
	for epsilon, want := range map[float64]bool{0: false, 0.3: true} {
		terms := try.Of(m.Terms(engine.ModeFC, engine.Options{Delta: 0.05, Epsilon: epsilon, Norm: 6}))
		entry := try.Of(algorithms.Named(engine.ModeFC, "CoTestFC"))
		if samples, used := entry.ForecastNorm(m, terms); used != want || used && !(samples > 0) {
			t.Errorf("epsilon %g: forecast %g, used %v", epsilon, samples, used)
		}
	}
}
