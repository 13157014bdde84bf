package sim_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Means of n rewards have the mean of the rewards and the variance σ²/n: 4,000 draws, five standard errors.
func TestDrawers(t *testing.T) {
	population := []float64{0, 1, 1, 5}
	for name, c := range map[string]struct {
		draw         sim.Drawer
		mean, spread float64
	}{
		"gaussian":  {sim.Gaussian([]float64{2}, []float64{3}), 2, 9},
		"bernoulli": {sim.Bernoulli([]float64{0.2}), 0.2, 0.16},
		"resampled": {sim.Resampled([][]float64{population}), stat.Mean(population, nil), stat.PopVariance(population, nil)},
	} {
		for _, n := range []int{1, 7, 1000, 10_000_000} {
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			values := make([]float64, 4000)
			for k := range values {
				d := try.Of(c.draw(rng, 0, n, false))
				values[k] = d.Mean
			}
			mean, variance := stat.MeanVariance(values, nil)
			se := math.Sqrt(c.spread / float64(n) / 4000)
			if math.Abs(mean-c.mean) > 5*se {
				t.Errorf("%s, n = %d: mean %g, want %g ± %g", name, n, mean, c.mean, 5*se)
			}
			// the sample variance of a distribution with kurtosis κ has relative error √((κ-1)/4000)
			if r := variance / (c.spread / float64(n)); math.Abs(r-1) > 5*math.Sqrt(3./4000) {
				t.Errorf("%s, n = %d: variance %g times the expected one", name, n, r)
			}
		}
	}
}

// Rewards of Beta lie between the bounds and have the mean and, where a bound allows it, the stated standard deviation: 40,000
// draws, five standard errors.
func TestBeta(t *testing.T) {
	for _, c := range []struct{ mean, sd float64 }{{40, 2}, {90, 3}, {99.5, math.Sqrt(0.5 * 99.5 / 2)}, {100, 0}} {
		d := try.Of(sim.Beta([]float64{c.mean}, max(c.sd, 20*(c.mean-98)), 0, 100)(rand.New(rand.NewPCG(1, 2)), 0, 40_000, true))
		if math.Abs(d.Mean-c.mean) > 5*c.sd/200 || d.Range[0] < 0 || d.Range[1] > 100 {
			t.Errorf("mean %g in %v, want %g", d.Mean, *d.Range, c.mean)
		}
		if sd := math.Sqrt(d.Squares / 40_000); math.Abs(sd-c.sd) > 0.1*c.sd {
			t.Errorf("standard deviation %g at a mean of %g, want %g", sd, c.mean, c.sd)
		}
	}
}

// A Go function as the reward, by task and arm name.
func TestFunc(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.5)
	draw := sim.Func(p, func(_ *rand.Rand, task, arm string, n int) (float64, error) {
		if task == "task 3" && arm == "{1,2}" {
			return 9, nil
		}
		return 0, nil
	})
	if d, err := draw(nil, 12, 1, false); d.Mean != 9 || err != nil {
		t.Errorf("arm 12 is %g, %v; want 9", d.Mean, err)
	}
	broken := errors.New("the instrument is off")
	_, err := sim.Run(context.Background(), sim.Experiment{Problem: p, Mode: engine.ModeFB, Algorithm: "CoKernelFB", Options: engine.Options{Budget: 100}, Runs: 1,
		Draw: func(*rand.Rand, int, int, bool) (sim.Draw, error) { return sim.Draw{}, broken }})
	if !errors.Is(err, broken) {
		t.Errorf("a failing reward: error %v", err)
	}
}

// Values from tables: Wilson's interval for 0 of 2,000 is [0, z²/(n+z²)], and for 5 of 10 it is 0.5 ± 0.2634 [Wilson 1927; Newcombe 1998,
// Table I]; the t interval of 1, 2, 3 is 2 ± 4.303/√3.
func TestIntervals(t *testing.T) {
	z := 1.959963984540054
	r := sim.Proportion(0, 2000)
	if r.CI95[0] != 0 || math.Abs(r.CI95[1]-z*z/(2000+z*z)) > 1e-12 {
		t.Errorf("0 of 2000: %v", r.CI95)
	}
	r = sim.Proportion(5, 10)
	if math.Abs(r.CI95[0]-0.2366) > 5e-5 || math.Abs(r.CI95[1]-0.7634) > 5e-5 {
		t.Errorf("5 of 10: %v, want 0.2366 to 0.7634", r.CI95)
	}
	i := sim.Mean([]float64{1, 2, 3})
	if i.Mean != 2 || math.Abs(i.CI95[1]-2-4.302653/math.Sqrt(3)) > 1e-5 {
		t.Errorf("1, 2, 3: %v", i)
	}
}

// An interrupt keeps the finished runs.
func TestInterrupt(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.5)
	ctx, cancel := context.WithCancel(context.Background())
	r, err := sim.Run(ctx, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoKernelFC", Runs: 10000, Seed: 1, Workers: 1,
		Progress: func(s sim.Step) {
			if s.Done == 5 {
				cancel()
			}
		}})
	if !errors.Is(err, context.Canceled) || r.Runs != 5 || r.Asked != 10000 || len(r.Answers) != 5 {
		t.Errorf("%d of %d runs, %d answers, error %v; want the 5 finished ones", r.Runs, r.Asked, len(r.Answers), err)
	}
}
