package sim_test

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// threeArms returns two tasks of the arms 1, 2 and 3 on a line, with features, rewards and noise in any units.
func threeArms(t *testing.T, kernel, feature, reward, noise float64) (*problem.Problem, error) {
	t.Helper()
	tasks, err := kernels.NewPoints(nil, []string{"s", "t"}, [][]float64{{}, {}})
	if err != nil {
		t.Fatal(err)
	}
	var x [][]float64
	var mean []float64
	for i := range 6 {
		x = append(x, []float64{feature * float64(1+i%3)})
		mean = append(mean, reward*float64(1+i%3))
	}
	arms, err := kernels.NewPoints([]string{"x"}, []string{"a", "b", "c", "a", "b", "c"}, x)
	if err != nil {
		return nil, err
	}
	k := kernels.Joint{Terms: []kernels.Term{{Scale: kernel, Arm: kernels.Linear{}}, {Scale: kernel}}}
	return problem.New("three arms", tasks, arms, []int{0, 0, 0, 1, 1, 1}, k, []float64{noise}, mean)
}

// Extreme numbers give a result or an error: nothing hangs, panics or is NaN, and no proven result is wrong more often than δ.
func TestFaultExtremeNumbers(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	leak := regexp.MustCompile(`panic|runtime error|%!|float64`)
	settings, ran := 0, 0
	scales, runs := []float64{1e-300, 1e-150, 1e-30, 1e-9, 1e9, 1e30, 1e150, 1e300}, 20
	try := func(name string, p *problem.Problem, err error, mode, algorithm string, opt engine.Options) {
		t.Helper()
		settings++
		var r engine.Result
		if err == nil {
			opt.MaxRounds, opt.MaxSamples = 8, 1e9
			r, err = sim.Run(context.Background(), sim.Experiment{Problem: p, Mode: mode, Algorithm: algorithm, Options: opt, Runs: runs, Seed: 1})
		}
		if err != nil {
			if err.Error() == "" || leak.MatchString(err.Error()) {
				t.Errorf("%s, %s: error %v", name, algorithm, err)
			}
			return
		}
		ran++
		for what, v := range map[string]float64{"samples": r.SamplesPerAgent.Mean, "lower bound": r.LowerBoundSamples, "ratio": r.RatioToLowerBound, "errors": r.Errors.CI95[1], "regret": r.Regret.Mean, "relative regret": r.RelativeRegret.CI95[1], "bytes": r.Bytes} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s, %s: %s %v", name, algorithm, what, v)
			}
		}
		for _, a := range r.Answers {
			// nothing was sampled or estimated
			if r.SamplesPerAgent.Mean > 0 && math.IsNaN(a.Estimate) || math.IsInf(a.Estimate, 0) || math.IsNaN(a.Margin) {
				t.Errorf("%s, %s: answer %+v", name, algorithm, a)
			}
		}
		if opt.Delta > 0 && mode == engine.ModeFC && r.Standing == engine.StandingProven && slices.ContainsFunc(r.Warnings, func(w engine.Warning) bool { return w.Kind == engine.WarnErrors }) {
			t.Errorf("%s, %s: proven, and %d of %d runs wrong", name, algorithm, r.Errors.Count, r.Errors.Runs)
		}
	}
	fc, fb := []string{"CoTestFC", "CoKernelFC", "IndTestFC", "IndUniformFC"}, []string{"CoKernelFB", "CoBayesFB", "IndUniformFB"}
	all := func(name string, p *problem.Problem, err error, opt engine.Options) {
		t.Helper()
		for _, a := range fc {
			o := opt
			if o.Delta == 0 {
				o.Delta = 0.1
			}
			try(name, p, err, engine.ModeFC, a, o)
		}
		for _, a := range fb {
			o := opt
			if o.Budget == 0 {
				o.Budget = 100
			}
			try(name, p, err, engine.ModeFB, a, o)
		}
	}
	for _, scale := range scales {
		for name, of := range map[string][4]float64{"kernel": {scale, 1, 1, 1}, "features": {1, scale, 1, 1}, "rewards and noise": {1, 1, scale, scale}, "noise": {1, 1, 1, scale}} {
			p, err := threeArms(t, of[0], of[1], of[2], of[3])
			all(fmt.Sprintf("%s × %g", name, scale), p, err, engine.Options{})
		}
		p, err := threeArms(t, 1, 1, 1, 1)
		all(fmt.Sprintf("epsilon %g", scale), p, err, engine.Options{Epsilon: scale})
		all(fmt.Sprintf("xi %g", scale), p, err, engine.Options{Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: scale}})
		all(fmt.Sprintf("norm %g", scale), p, err, engine.Options{Norm: scale})
	}
	p, err := threeArms(t, 1, 1, 1, 1)
	for _, delta := range []float64{1e-300, 1e-9, 0.5, 0.9, 1 - 1e-16} {
		all(fmt.Sprintf("delta %g", delta), p, err, engine.Options{Delta: delta})
	}
	for _, budget := range []int{1, 2, 3, 1e6, 1e12} {
		all(fmt.Sprintf("budget %d", budget), p, err, engine.Options{Budget: budget})
	}
	t.Logf("%d settings, %d of them ran, %d are errors", settings, ran, settings-ran)
}
