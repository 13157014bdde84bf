package sim_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// made returns a result with the given samples and wrong runs, as sim.Run would summarise it.
func made(name string, samples []float64, wrong []bool) engine.Result {
	d := &engine.Detail{Samples: samples, Wrong: wrong}
	errors := 0
	for i := range samples {
		d.Run = append(d.Run, i+1)
		d.Rounds = append(d.Rounds, 1+i%2)
		d.Regret = append(d.Regret, samples[i]/10)
		if wrong[i] {
			errors++
		}
	}
	return engine.Result{
		Mode: engine.ModeFC, Algorithm: name, Problem: "made", Status: engine.StatusDecided, Runs: len(samples), Seed: 1, Tasks: 5,
		SamplesPerAgent: sim.Mean(samples), Errors: sim.Proportion(errors, len(samples)), Detail: d,
	}
}

// without returns the result without per-run numbers.
func without(r engine.Result) engine.Result {
	r.Detail = nil
	return r
}

func compare(t *testing.T, a, b engine.Result, measure string) sim.Comparison {
	t.Helper()
	return try.Of(sim.Paired(a, b, measure))
}

func holds(i engine.Interval, v float64) bool { return i.CI95[0] <= v && v <= i.CI95[1] }

// By hand: the differences of (3, 5, 7) and (1, 4, 4) are 2, 1, 3 with mean 2 and
// standard deviation 1, t(2) = 4.302653. Without pairs, Welch: variances 4 and 3, so
// that the variance of the difference is 7/3 and the degrees of freedom
// (7/3)²/((4/3)²/2 + 1/2) = 3.92 with quantile 2.799; ratio 5/3 on the log scale.
func TestPairedByHand(t *testing.T) {
	ok := make([]bool, 3)
	a, b := made("a", []float64{3, 5, 7}, ok), made("b", []float64{1, 4, 4}, ok)
	c := compare(t, a, b, "samples")
	if !c.Paired || c.Runs != 3 || c.Difference.Mean != 2 || math.Abs(c.Difference.CI95[1]-2-4.302653/math.Sqrt(3)) > 1e-5 {
		t.Errorf("paired: %+v", c)
	}
	// Log ratio: variance (4/25 + 3/9 - 2·3/15)/3 with covariance 3; t(2).
	half := 4.302653 * math.Sqrt((4./25+3./9-2*3./15)/3)
	if math.Abs(c.Ratio.Mean-5./3) > 1e-12 || math.Abs(c.Ratio.CI95[1]-5./3*math.Exp(half)) > 1e-4 {
		t.Errorf("paired ratio: %+v, want 5/3 and a half width of %g on the log scale", c.Ratio, half)
	}
	for _, c := range []sim.Comparison{compare(t, without(a), b, "samples"), compare(t, without(a), without(b), "samples")} {
		if c.Paired || math.Abs(c.Difference.CI95[1]-2-2.799*math.Sqrt(7./3)) > 3e-3 {
			t.Errorf("Welch: %+v, want 2 ± %g", c, 2.799*math.Sqrt(7./3))
		}
	}
	other := b
	other.Seed = 2
	if c := compare(t, a, other, "samples"); c.Paired {
		t.Error("runs of different seeds are paired")
	}
	if c := compare(t, a, b, "rounds"); c.Difference.Mean != 0 || c.Ratio.Mean != 1 {
		t.Errorf("rounds: %+v", c)
	}
	if c := compare(t, a, b, "regret"); math.Abs(c.Difference.Mean-0.2) > 1e-12 {
		t.Errorf("regret: %+v", c)
	}
}

// Error rates by hand: of 10 runs, 4 wrong for a alone, 1 for b alone, 2 for both.
// Bonett and Price add one run to each way to differ and two in all: p = 5/12, q = 2/12.
// Agresti and Caffo: 7/12 and 4/12.
func TestPairedErrors(t *testing.T) {
	w := func(text string) []bool {
		out := make([]bool, len(text))
		for i, c := range text {
			out[i] = c == 'x'
		}
		return out
	}
	a, b := made("a", make([]float64, 10), w("xxxxxx....")), made("b", make([]float64, 10), w("xx....x..."))
	const z = 1.959963984540054
	c := compare(t, a, b, "error")
	if want := 3./12 + z*math.Sqrt((7./12-9./144)/12); !c.Paired || math.Abs(c.Difference.Mean-0.3) > 1e-12 || math.Abs(c.Difference.CI95[1]-want) > 1e-12 {
		t.Errorf("paired: %+v, want 0.3 up to %g", c, want)
	}
	if want := math.Log(6.5/3.5) + z*math.Sqrt(6/(6.5*3.5)); math.Abs(c.Ratio.Mean-2) > 1e-12 || math.Abs(math.Log(c.Ratio.CI95[1])-want) > 1e-12 {
		t.Errorf("paired ratio: %+v, want 2 up to %g", c.Ratio, math.Exp(want))
	}
	c = compare(t, without(a), b, "error")
	if want := 3./12 + z*math.Sqrt(7*5/1728.+4*8/1728.); c.Paired || math.Abs(c.Difference.CI95[1]-want) > 1e-12 {
		t.Errorf("unpaired: %+v, want up to %g", c, want)
	}
	right := made("c", make([]float64, 10), make([]bool, 10))
	if c := compare(t, a, right, "error"); c.Ratio != (engine.Interval{}) || c.Difference.Mean != 0.6 {
		t.Errorf("against no errors: %+v, want no ratio", c)
	}
	if c := compare(t, right, a, "error"); c.Ratio.Mean != 0 || c.Ratio.CI95[0] != 0 || c.Ratio.CI95[1] <= 0 || c.Ratio.CI95[1] > 2 {
		t.Errorf("no errors: ratio %+v, want 0 up to less than 2", c.Ratio)
	}
}

// The intervals cover the truth in about 95 % of 2,000 repetitions: correlated lognormal samples, and correlated wrong runs, also at
// small rates. The adjusted Wald intervals are conservative.
func TestCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("16,000 experiments")
	}
	const repetitions = 2000
	rng := rand.New(rand.NewPCG(3, 3))
	for _, runs := range []int{30, 100} {
		for _, p := range [][2]float64{{0.5, 0.4}, {0.2, 0.3}, {0.05, 0.1}, {0.01, 0.02}} {
			counts := map[string]int{}
			for range repetitions {
				x, y := make([]float64, runs), make([]float64, runs)
				wx, wy := make([]bool, runs), make([]bool, runs)
				lone, wlone := make([]float64, runs), make([]bool, runs)
				for i := range runs {
					common := rng.NormFloat64()
					x[i], y[i] = math.Exp(0.3*(common+rng.NormFloat64())), 2*math.Exp(0.3*(common+rng.NormFloat64()))
					u := rng.Float64() // shared half the time
					wx[i] = u < p[0]
					if rng.IntN(2) == 0 {
						u = rng.Float64()
					}
					wy[i] = u < p[1]
					lone[i], wlone[i] = 2*math.Exp(0.3*math.Sqrt2*rng.NormFloat64()), rng.Float64() < p[1]
				}
				a, b := made("a", x, wx), made("b", y, wy)
				mean := math.Exp(0.09) // of exp(0.3·N(0, 2))
				s, e := compare(t, a, b, "samples"), compare(t, a, b, "error")
				c := without(made("c", lone, wlone))
				us, ue := compare(t, without(a), c, "samples"), compare(t, without(a), c, "error")
				for name, hit := range map[string]bool{
					"paired difference":   holds(s.Difference, -mean),
					"paired ratio":        holds(s.Ratio, 0.5),
					"difference":          holds(us.Difference, -mean),
					"ratio":               holds(us.Ratio, 0.5),
					"paired error":        holds(e.Difference, p[0]-p[1]),
					"error":               holds(ue.Difference, p[0]-p[1]),
					"paired error, ratio": e.Ratio == (engine.Interval{}) || holds(e.Ratio, p[0]/p[1]),
					"error, ratio":        ue.Ratio == (engine.Interval{}) || holds(ue.Ratio, p[0]/p[1]),
				} {
					if hit {
						counts[name]++
					}
				}
			}
			for name, n := range counts {
				rate := float64(n) / repetitions
				t.Logf("%d runs, rates %g and %g, %s: %.3f", runs, p[0], p[1], name, rate)
				// Five standard errors are 0.024.
				rare := p[0]*float64(runs) < 6 && strings.Contains(name, "error")
				if rate < 0.926 || (rate > 0.974 && !rare) {
					t.Errorf("%d runs, rates %g and %g: the %s covers %.3f of 2,000", runs, p[0], p[1], name, rate)
				}
			}
		}
	}
}

func TestPairedMistakes(t *testing.T) {
	ok := make([]bool, 3)
	a := made("a", []float64{3, 5, 7}, ok)
	unknown := without(a)
	unknown.Errors = engine.Rate{}
	elsewhere := a
	elsewhere.Problem = "another"
	for want, c := range map[string]struct {
		a, b    engine.Result
		measure string
	}{
		`the measure must be one of "samples", "error", "rounds", "regret", got "time"`: {a, a, "time"},
		`the rounds of the single runs of a were not kept`:                              {without(a), a, "rounds"},
		`the error of a is unknown, because problem "made" has no expected rewards`:     {a, unknown, "error"},
		`b has no finished run`: {a, engine.Result{Mode: "fc", Problem: "made", Algorithm: "b"}, "samples"},
		`only runs on the same problem compare: a has fc on "made", a has fc on "another"`: {a, elsewhere, "samples"},
	} {
		if _, err := sim.Paired(c.a, c.b, c.measure); err == nil || err.Error() != want {
			t.Errorf("error %v\n want %s", err, want)
		}
	}
}

// TestCompare runs a sweep as the language does: pairs over pooled seeds, and no condition is lost.
func TestCompare(t *testing.T) {
	s := sweptFC(t, []string{"CoKernelFC", "IndKernelFC"}, 4)
	c := try.Of(sim.Compare(s, "IndKernelFC", "samples"))
	if len(c.Rows) != 2 || strings.Join(c.Names, " ") != "case gap" || c.Reference != "IndKernelFC" {
		t.Fatalf("%+v, want two rows by case and gap", c)
	}
	for k, r := range c.Rows {
		if r.Algorithm != "CoKernelFC" || !r.Paired || r.Runs != 8 || r.Values[0] != float64(2*k+1) {
			t.Errorf("%+v, want 8 pairs of CoKernelFC", r)
		}
	}
	if r := c.Rows[0].Ratio; !holds(r, 0.2) && math.Abs(r.Mean-0.2) > 0.05 {
		t.Errorf("case 1: ratio %v, want about 1/5", r)
	}
	for want, f := range map[string]func() error{
		`the sweep has no runs of IndRAGE; it has CoKernelFC, IndKernelFC`: func() error { _, err := sim.Compare(s, "IndRAGE", "samples"); return err },
		`algorithms are compared over a sweep of "algorithm", but this one sweeps gap`: func() error {
			_, err := sim.Compare(sim.Sweep{Names: []string{"gap"}}, "IndRAGE", "samples")
			return err
		},
		`the sweep has no finished run`: func() error {
			_, err := sim.Compare(sim.Sweep{Names: []string{"algorithm"}}, "IndRAGE", "samples")
			return err
		},
		`the sweep has no finished runs of IndKernelFC at case 3, gap 0.4`: func() error {
			cut := s
			cut.Rows = cut.Rows[:len(cut.Rows)-2]
			_, err := sim.Compare(cut, "IndKernelFC", "samples")
			return err
		},
		`the sweep has no algorithm besides CoKernelFC to compare`: func() error {
			one := s
			one.Rows = one.Rows[:2]
			_, err := sim.Compare(one, "CoKernelFC", "samples")
			return err
		},
	} {
		if err := f(); err == nil || err.Error() != want {
			t.Errorf("error %v\n want %s", err, want)
		}
	}
}

// sweptFC runs cases 1 and 3 at gap 0.4 for each algorithm and two seeds.
func sweptFC(t *testing.T, algorithms []string, runs int) sim.Sweep {
	t.Helper()
	s := sim.Sweep{Names: []string{"case", "gap", "algorithm", "seed"}}
	for _, number := range []int{1, 3} {
		p := enginetest.Paper(t, number, 0.4)
		for _, name := range algorithms {
			for seed := range uint64(2) {
				r := try.Of(sim.Run(context.Background(), sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: name, Runs: runs, Seed: seed, Detail: true,
					Options: engine.Options{Delta: 0.005}}))
				s.Rows = append(s.Rows, sim.SweepRow{Values: []any{float64(number), 0.4, name, float64(seed)}, Result: r})
			}
		}
	}
	return s
}

// Equal tasks need five times fewer samples, different tasks no fewer. Both predictions are exact.
func TestSpeedup(t *testing.T) {
	s := sweptFC(t, []string{"CoKernelFC", "IndKernelFC"}, 4)
	got := try.Of(sim.SpeedupOf(s, "CoKernelFC", "IndKernelFC"))
	if got.Tasks != 5 || len(got.Rows) != 2 {
		t.Fatalf("%+v, want two rows of 5 tasks", got)
	}
	for k, want := range []float64{5, 1} {
		r := got.Rows[k]
		t.Logf("%v: %.3f, 95 %% interval %.3f, by rank %.3f, by hardness %.4f", r.Values, r.Beta.Mean, r.Beta.CI95, r.ByRank, r.ByHardness)
		// Rounding to whole pulls and the task-wise confidence move β by a few percent.
		if r.ByRank != want || math.Abs(r.ByHardness/want-1) > 1e-3 || math.Abs(r.Beta.Mean/want-1) > 0.15 {
			t.Errorf("case %v: %+v, want %g", r.Values[0], r, want)
		}
	}
	if _, err := sim.SpeedupOf(s, "CoKernelFC", "IndRAGE"); err == nil || !strings.Contains(err.Error(), "no runs of IndRAGE; it has CoKernelFC, IndKernelFC") {
		t.Errorf("error %v", err)
	}
	row := func(name, mode string) sim.SweepRow {
		r := made(name, []float64{1, 2}, make([]bool, 2))
		r.Mode = mode
		return sim.SweepRow{Values: []any{name}, Result: r}
	}
	for want, names := range map[string][2]string{
		"the samples of IndRAGE/V are already divided by the number of agents, so there is no speedup to measure": {"CoKernelFC", "IndRAGE/V"},
		`a speedup compares samples of fixed confidence: unknown fc algorithm "CoKernelFB"`:                       {"CoKernelFB", "IndPeaceFB"},
	} {
		made := sim.Sweep{Names: []string{"algorithm"}, Rows: []sim.SweepRow{row(names[0], "fc"), row(names[1], "fc")}}
		if _, err := sim.SpeedupOf(made, names[0], names[1]); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v\n want %s", err, want)
		}
	}
}
