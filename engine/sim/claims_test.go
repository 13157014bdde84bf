package sim_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// cellOf returns an artificial cell: samples vary by spread around their level, and the first `wrong` runs are wrong.
func cellOf(number, value float64, mode, name string, runs int, level, spread float64, wrong int) sim.SweepRow {
	samples, bad := make([]float64, runs), make([]bool, runs)
	for i := range samples {
		// neighbours are practically uncorrelated
		samples[i] = level * (1 + spread*math.Sin(float64(7*i+3*len(name))))
		bad[i] = i < wrong
	}
	r := made(name, samples, bad)
	r.Problem = fmt.Sprintf("paper case %g, gap 0.1", number)
	if r.Mode = mode; mode == engine.ModeFB {
		r.Status = engine.StatusBudget
	}
	return sim.SweepRow{Values: []any{number, value, name}, Result: r}
}

// TestVerdicts checks every verdict on artificial results.
func TestVerdicts(t *testing.T) {
	fc := sim.Sweep{Names: []string{"case", "gap", "algorithm"}}
	add := func(number, gap float64, name string, level, spread float64) {
		fc.Rows = append(fc.Rows, cellOf(number, gap, engine.ModeFC, name, 50, level, spread, 0))
	}
	// case 1: equal; equal with a difference; not equal; too noisy
	for gap, level := range map[float64]float64{0.1: 1000, 0.2: 1030, 0.3: 1500} {
		add(1, gap, "CoKernelFC", level, 0)
		add(1, gap, "IndRAGE/V", 1000, 0)
	}
	add(1, 0.4, "CoKernelFC", 1000, 0.9)
	add(1, 0.4, "IndRAGE/V", 1000, 0.9)
	// case 2: between, and at both edges
	for gap, level := range map[float64]float64{0.1: 2000, 0.2: 1000, 0.3: 5000} {
		add(2, gap, "CoKernelFC", level, 0.01)
		add(2, gap, "IndRAGE/V", 1000, 0.01)
		add(2, gap, "IndRAGE", 5000, 0.01)
	}
	// case 3: competitors, and a reference
	add(3, 0.1, "CoKernelFC", 5000, 0.01)
	add(3, 0.1, "IndRAGE", 5000, 0.012)
	add(3, 0.1, "CoKernelFC-IndAlloc", 5000, 0.012)
	add(3, 0.1, "IndALBA", 9000, 0.01)
	add(3, 0.1, "IndPolyALBA", 2500, 0.01)
	add(3, 0.1, "Oracle", 10, 0.01)

	fb := sim.Sweep{Names: []string{"case", "budget", "algorithm"}}
	for _, name := range []string{"CoKernelFC", "IndRAGE/V"} { // too few runs, all equal
		fc.Rows = append(fc.Rows, cellOf(1, 0.5, engine.ModeFC, name, 29, float64(1000+len(name)), 0, 0))
	}

	errs := func(number, budget float64, name string, wrong int) {
		fb.Rows = append(fb.Rows, cellOf(number, budget, engine.ModeFB, name, 1000, 1, 0, wrong))
	}
	for budget, wrong := range map[float64][2]int{100: {200, 400}, 200: {400, 200}, 300: {200, 201}, 400: {0, 3}} {
		errs(1, budget, "CoKernelFB", wrong[0])
		errs(1, budget, "IndPeaceFB", wrong[1])
		errs(1, budget, "Oracle", 0)
	}
	errs(1, 300, "CoKernelFB-IndAlloc", 200) // the same runs
	errs(1, 400, "CoKernelFB-IndAlloc", 0)   // none
	for budget, wrong := range map[float64][2]int{100: {390, 400}, 200: {200, 400}, 300: {200, 600}, 400: {3, 0}} {
		errs(3, budget, "CoKernelFB", wrong[0])
		errs(3, budget, "IndPeaceFB", wrong[1])
		errs(3, budget, "IndUniformFB", 500)
	}
	claims, err := sim.ClaimsOf(fc, fb)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range claims.Rows {
		got[fmt.Sprintf("%g, %s %g: %s", c.Case, c.Name, c.Value, c.Statement)] = strings.TrimRight(c.Verdict+" "+c.Why.String(), " ")
		if c.Source == "" || c.Quantity == "" {
			t.Errorf("%+v lacks its source or quantity", c)
		}
	}
	for at, want := range map[string]string{
		"1, gap 0.1: CoKernelFC needs as many samples as IndRAGE/V":           "holds",
		"1, gap 0.2: CoKernelFC needs as many samples as IndRAGE/V":           "holds within 10 %; a difference of 3 % shows",
		"1, gap 0.3: CoKernelFC needs as many samples as IndRAGE/V":           "fails it is 1.5 times as many",
		"1, gap 0.4: CoKernelFC needs as many samples as IndRAGE/V":           "open the interval is wider than 10 %; use more runs",
		"1, gap 0.5: CoKernelFC needs as many samples as IndRAGE/V":           "open 29 runs are too few",
		"2, gap 0.1: CoKernelFC needs more samples than IndRAGE/V":            "holds",
		"2, gap 0.1: CoKernelFC needs fewer samples than IndRAGE":             "holds",
		"2, gap 0.2: CoKernelFC needs more samples than IndRAGE/V":            "open the two are within",
		"2, gap 0.2: CoKernelFC needs fewer samples than IndRAGE":             "holds",
		"2, gap 0.3: CoKernelFC needs more samples than IndRAGE/V":            "holds",
		"2, gap 0.3: CoKernelFC needs fewer samples than IndRAGE":             "open the two are within",
		"3, gap 0.1: CoKernelFC needs as many samples as IndRAGE":             "holds",
		"3, gap 0.1: CoKernelFC needs fewer samples than CoKernelFC-IndAlloc": "open the two are within",
		"3, gap 0.1: CoKernelFC needs fewer samples than IndALBA":             "holds",
		"3, gap 0.1: CoKernelFC needs fewer samples than IndPolyALBA":         "fails it is 2 times as many",
		"1, budget 100: CoKernelFB errs less than IndPeaceFB":                 "holds",
		"1, budget 200: CoKernelFB errs less than IndPeaceFB":                 "fails it errs in 20 % more of the runs",
		"1, budget 300: CoKernelFB errs less than IndPeaceFB":                 "open the interval includes 0; more runs may decide",
		"1, budget 400: CoKernelFB errs less than IndPeaceFB":                 "open both are below 0.88 %, too small to compare",
		"1, budget 300: CoKernelFB errs less than CoKernelFB-IndAlloc":        "fails the two err in the same runs",
		"1, budget 400: CoKernelFB errs less than CoKernelFB-IndAlloc":        "open both are below 0.38 %, too small to compare",
		"3, budget 100: CoKernelFB errs about as often as IndPeaceFB":         "holds",
		"3, budget 200: CoKernelFB errs about as often as IndPeaceFB":         "fails it errs in 20 % fewer of the runs",
		"3, budget 300: CoKernelFB is closer to IndPeaceFB than in case 1":    "fails they are 40 % of the runs further apart",
		"3, budget 300: CoKernelFB errs about as often as IndPeaceFB":         "fails it errs in 40 % fewer of the runs",
		"3, budget 400: CoKernelFB errs about as often as IndPeaceFB":         "open both are below 0.88 %, too small to compare",
		"3, budget 100: CoKernelFB is closer to IndPeaceFB than in case 1":    "holds",
		"3, budget 200: CoKernelFB is closer to IndPeaceFB than in case 1":    "open the interval includes 0; more runs may decide",
		"3, budget 400: CoKernelFB is closer to IndPeaceFB than in case 1":    "open in case 1 both are below 0.88 %, too small to compare",
	} {
		if have, ok := got[at]; !ok || !strings.HasPrefix(have, want) {
			t.Errorf("%s: %q, want %q", at, have, want)
		}
		delete(got, at)
	}
	for at, verdict := range got {
		t.Errorf("nobody claims that %s (%s)", at, verdict)
	}
}

// The intervals of a case widen with the number of claims: 4.30 standard errors for one claim of 3 runs, 9.92 for one of five (t(2) at
// 0.05 and at 0.01).
func TestClaimsAreSimultaneous(t *testing.T) {
	width := func(gaps int) float64 {
		s := sim.Sweep{Names: []string{"case", "gap", "algorithm"}}
		for k := range gaps {
			s.Rows = append(s.Rows, cellOf(1, float64(k+1), engine.ModeFC, "CoKernelFC", 3, 1000, 0.1, 0), cellOf(1, float64(k+1), engine.ModeFC, "IndRAGE/V", 3, 1000, 0, 0))
		}
		c, err := sim.ClaimsOf(s, sim.Sweep{})
		if err != nil || len(c.Rows) != gaps {
			t.Fatalf("%d claims, error %v", len(c.Rows), err)
		}
		i := c.Rows[0].Measured.CI95
		return math.Log(i[1] / i[0])
	}
	if got, want := width(5)/width(1), 9.924843/4.302653; math.Abs(got-want) > 1e-5 {
		t.Errorf("intervals of five claims are %g times as wide as of one, want %g", got, want)
	}
}

func TestClaimsMistakes(t *testing.T) {
	names := []string{"case", "gap", "algorithm"}
	row := cellOf(1, 0.1, engine.ModeFC, "CoKernelFC", 3, 1, 0, 0)
	foreign := cellOf(1, 0.1, engine.ModeFC, "CoKernelFC", 3, 1, 0, 0)
	foreign.Result.Problem = "paper case 2, gap 0.1"
	for want, c := range map[string][2]sim.Sweep{
		`claims are statements about the paper's own problems, paper(case=...). This sweep has results for "paper case 2, gap 0.1"`: {{Names: names, Rows: []sim.SweepRow{foreign}}},
		"this sweep has nothing to compare. Sweep fc over case (1, 2, 3), gap and algorithm":                                        {},
		"this sweep has nothing to compare": {{Names: names, Rows: []sim.SweepRow{row}}},
		"claims need a sweep of fc over case, gap and algorithm (seed is optional). This one sweeps gap, algorithm, case, delta": {
			{Names: []string{"gap", "algorithm", "case", "delta"}, Rows: []sim.SweepRow{{Values: []any{.1, "CoKernelFC", 1., .1}, Result: row.Result}}}},
		"claims need a sweep of fb over case, budget and algorithm; this one has runs of fc": {{}, {Names: []string{"case", "budget", "algorithm"}, Rows: []sim.SweepRow{row}}},
		`algorithms are compared over a sweep of "algorithm", but this one sweeps case`:      {{Names: []string{"case"}}},
	} {
		if _, err := sim.ClaimsOf(c[0], c[1]); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v\n want %s", err, want)
		}
	}
}

// TestClaimsRun runs the paper's own claims at one gap: speedup for equal, similar and different tasks.
func TestClaimsRun(t *testing.T) {
	s := sim.Sweep{Names: []string{"case", "gap", "algorithm"}}
	for number := 1; number <= 3; number++ {
		p := enginetest.Paper(t, number, 0.1)
		for _, name := range []string{"CoKernelFC", "IndRAGE", "IndRAGE/V"} {
			r, err := sim.Run(context.Background(), sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: name, Runs: 50, Seed: 1, Detail: true,
				Options: engine.Options{Delta: 0.005, Schedule: engine.SchedulePaper, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-9}}})
			if err != nil {
				t.Fatal(err)
			}
			s.Rows = append(s.Rows, sim.SweepRow{Values: []any{number, 0.1, name}, Result: r})
		}
	}
	claims, err := sim.ClaimsOf(s, sim.Sweep{})
	if err != nil {
		t.Fatal(err)
	}
	if len(claims.Rows) != 4 {
		t.Errorf("%d claims, want 4", len(claims.Rows))
	}
	for _, c := range claims.Rows {
		t.Logf("case %g: %s: %s, %.4f in %.4f %s", c.Case, c.Statement, c.Verdict, c.Measured.Mean, c.Measured.CI95, c.Why)
		if c.Verdict != sim.ClaimHolds {
			t.Errorf("case %g: %s: %s, %s", c.Case, c.Statement, c.Verdict, c.Why)
		}
	}
}
