package plan_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// A forecast agrees with simulated runs of other seeds: samples and rounds within 4 standard errors of the difference (one comparison in
// 16,000 is beyond), for every method in every case of the paper.
func TestForecastAgainstRuns(t *testing.T) {
	const runs = 40
	cases := enginetest.Number(3, 1)
	for number := 1; number <= cases; number++ {
		p := enginetest.Paper(t, number, 0.4)
		f := try.Of(plan.Of(context.Background(), p, plan.Question{Options: engine.Options{Delta: 0.05}, Runs: runs, Seed: 1}))
		if len(f.Rows) < 3 {
			t.Fatalf("case %d: %d rows", number, len(f.Rows))
		}
		for _, row := range f.Rows {
			opt := engine.Options{Delta: 0.05, Schedule: row.Schedule}
			r := try.Of(sim.Run(context.Background(), sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: row.Algorithm, Options: opt, Runs: runs, Seed: 12345}))
			width := 4 / distuv.StudentsT{Sigma: 1, Nu: runs - 1}.Quantile(0.975) * math.Hypot(half(row.SamplesPerAgentCI95), half(r.SamplesPerAgent.CI95))
			if d := math.Abs(row.SamplesPerAgent - r.SamplesPerAgent.Mean); d > width+1e-9 {
				t.Errorf("case %d, %s %s: %g samples forecast, %g taken, allowed difference %g", number, row.Algorithm, row.Schedule, row.SamplesPerAgent, r.SamplesPerAgent.Mean, width)
			}
			if math.Abs(row.Rounds-r.Rounds) > 1.5 || row.RoundsQ90 > float64(r.MaxRounds)+2 || row.SamplesTotalQ90 < row.SamplesTotal*0.9 {
				t.Errorf("case %d, %s %s: %g rounds (%g in 90 %%), measured %g (at most %d)", number, row.Algorithm, row.Schedule, row.Rounds, row.RoundsQ90, r.Rounds, r.MaxRounds)
			}
		}
	}
}

func half(ci [2]float64) float64 { return (ci[1] - ci[0]) / 2 }

// With these prices cost follows from the samples alone, time from the rounds alone, and the marks from both.
func TestPrices(t *testing.T) {
	q := plan.Question{Runs: 6, Prices: plan.Prices{Sample: 3, RoundTime: 2}}
	f := try.Of(plan.Of(context.Background(), enginetest.Paper(t, 2, 0.8), q))
	cheapest, quickest := 0, 0
	for _, r := range f.Rows {
		if math.Abs(r.Cost-3*r.SamplesTotal) > 1e-6*r.Cost {
			t.Errorf("%s %s: cost %g of %g samples", r.Algorithm, r.Schedule, r.Cost, r.SamplesTotal)
		}
		// whose agents do not wait
		if r.Algorithm != "IndTestFC" && math.Abs(r.Time-2*r.Rounds) > 1e-9 {
			t.Errorf("%s %s: time %g of %g rounds", r.Algorithm, r.Schedule, r.Time, r.Rounds)
		}
		for _, o := range f.Rows {
			if r.Cheapest && o.Cost < r.Cost || r.Quickest && o.Time < r.Time {
				t.Errorf("%s %s is marked, and %s %s is better", r.Algorithm, r.Schedule, o.Algorithm, o.Schedule)
			}
		}
		if r.Cheapest {
			cheapest++
		}
		if r.Quickest {
			quickest++
		}
	}
	if cheapest != 1 || quickest != 1 {
		t.Errorf("%d cheapest, %d quickest", cheapest, quickest)
	}
	for _, wrong := range []plan.Prices{{Sample: -1}, {RoundTime: math.Inf(1)}, {Parallel: -3}, {Round: math.NaN()}} {
		if _, err := plan.Of(context.Background(), enginetest.Paper(t, 2, 0.8), plan.Question{Runs: 1, Prices: wrong}); err == nil {
			t.Errorf("%+v was accepted", wrong)
		}
	}
}

// A problem without expected rewards needs a gap; twice the gap then takes about a quarter of the samples, like ρ*.
func TestUnknownRewards(t *testing.T) {
	p := *enginetest.Paper(t, 2, 0.4)
	p.Mean = nil
	if _, err := plan.Of(context.Background(), &p, plan.Question{Runs: 2}); err == nil || !strings.Contains(err.Error(), "give gaps") {
		t.Errorf("error %v", err)
	}
	f, err := plan.Of(context.Background(), &p, plan.Question{Runs: enginetest.Number(20, 8), Gaps: []float64{0.1, 0.2}})
	if err != nil || len(f.Notes) != 1 {
		t.Fatalf("notes %q, error %v", f.Notes, err)
	}
	methods := len(f.Rows) / 2
	for k, r := range f.Rows[:methods] {
		twice := f.Rows[methods+k]
		if ratio := r.SamplesTotal / twice.SamplesTotal; r.Gap != 0.1 || twice.Gap != 0.2 || ratio < 2.5 || ratio > 6 {
			t.Errorf("%s %s: %g samples at gap %g, %g at gap %g", r.Algorithm, r.Schedule, r.SamplesTotal, r.Gap, twice.SamplesTotal, twice.Gap)
		}
	}
	old, err := plan.Of(context.Background(), &p, plan.Question{Runs: 5, Options: engine.Options{Gap: 0.2}})
	if err != nil || old.Rows[0].Gap != 0.2 {
		t.Errorf("a gap among the options: %+v, error %v", old.Rows, err)
	}
}

// A run that comes to its limit undecided counts as infinite, and a method that cannot run
// leaves a note.
func TestUndecidedAndFailing(t *testing.T) {
	f := try.Of(plan.Of(context.Background(), enginetest.Paper(t, 1, 0.4), plan.Question{Runs: 3, Options: engine.Options{MaxRounds: 1, Ridge: engine.Ridge{Kind: engine.RidgeGP}}}))
	if len(f.Notes) != 1 || !strings.Contains(f.Notes[0].String(), `xi="gp"`) {
		t.Errorf("notes %q", f.Notes)
	}
	for _, r := range f.Rows {
		if r.Algorithm == "CoKernelFC" || r.Undecided != 3 || !math.IsInf(r.SamplesTotal, 1) || !math.IsInf(r.RoundsQ90, 1) || r.Cheapest || r.Quickest {
			t.Errorf("%+v", r)
		}
	}
}

// An interrupt keeps the runs that finished.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	f, err := plan.Of(ctx, enginetest.Paper(t, 1, 0.4), plan.Question{Runs: 1000, Workers: 1, Progress: func(s sim.Step) {
		if s.Done == 1003 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || len(f.Rows) != 2 || f.Rows[0].Runs != 1000 || f.Rows[1].Runs != 3 {
		t.Errorf("%+v, error %v", f, err)
	}
}

// Forecasts for stated gaps accept any noise model. With bounds, the test bets on rewards at either bound and takes more samples; an unknown
// scale is estimated and takes about the same. Expected rewards outside the bounds are refused.
func TestNoiseOfGaps(t *testing.T) {
	p := *enginetest.Paper(t, 1, 0.2)
	q := plan.Question{Runs: 12, Gaps: []float64{0.3}}
	usual := row(t, &p, q, "CoTestFC")
	p.Noise.Bounds = &[2]float64{0, 2} // half of their distance is the noise scale
	if bounded := row(t, &p, q, "CoTestFC"); bounded.SamplesTotal <= usual.SamplesTotal {
		t.Errorf("%g samples with bounds, %g for normal rewards", bounded.SamplesTotal, usual.SamplesTotal)
	}
	if _, err := plan.Of(t.Context(), &p, plan.Question{Runs: 2, Gaps: []float64{3}}); err == nil || !strings.Contains(err.Error(), "Give smaller gaps") {
		t.Errorf("a gap of 3 within bounds of 0 and 2: %v", err)
	}
	p.Noise.Bounds, p.Noise.UnknownBy = nil, problem.UnknownProblem
	if unknown := row(t, &p, q, "CoTestFC"); unknown.SamplesTotal == usual.SamplesTotal || math.Abs(unknown.SamplesTotal/usual.SamplesTotal-1) > 0.3 {
		t.Errorf("%g samples with an unknown noise scale, %g with a known one", unknown.SamplesTotal, usual.SamplesTotal)
	}
}

func row(t *testing.T, p *problem.Problem, q plan.Question, algorithm string) plan.Row {
	t.Helper()
	f := try.Of(plan.Of(context.Background(), p, q))
	for _, r := range f.Rows {
		if r.Algorithm == algorithm {
			return r
		}
	}
	t.Fatalf("no row of %s: %q", algorithm, f.Notes)
	return plan.Row{}
}

// Day effects are known from the rows of a table: assumed rewards vary within days as these rows did, whatever number an arm has.
func TestSupposedOnDays(t *testing.T) {
	const days = 400
	rng := rand.New(rand.NewPCG(2, 8))
	text := "arm,day,y\n"
	for day := range days {
		effect := 3 * rng.NormFloat64()
		for arm := range 2 + day%2 {
			text += fmt.Sprintf("%d,%d,%g\n", arm, day, float64(arm)+effect+0.5*rng.NormFloat64())
		}
	}
	p := try.Of(problem.Load("t.csv", kernels.Joint{}, problem.LoadOptions{
		Read: func(string) ([]byte, error) { return []byte(text), nil },
		Long: &problem.Long{Arm: []string{"arm"}, Reward: "y", Blocks: []string{"day"}},
	}))
	p.Block = &problem.Block{Name: "day"}
	q := plan.Supposed(p, p.Means())
	if sd := q.Noise.SD[2]; math.Abs(sd/0.5-1) > 0.1 || math.Abs(q.Block.Effect/3-1) > 0.1 {
		t.Errorf("sd %g within days and %g of days, want about 0.5 and 3", sd, q.Block.Effect)
	}
}

// Assumed rewards for arms in blocks vary within blocks as the measured ones did, with the same block effects.
func TestSupposedWithinBlocks(t *testing.T) {
	p := *enginetest.Small(t, enginetest.Identity, []float64{1, 2, 3}, []float64{5, 4, 3})
	rng := rand.New(rand.NewPCG(2, 7))
	p.Rewards = make([][]float64, p.N())
	for v := range p.V() {
		for range 4000 {
			effect := 3 * rng.NormFloat64()
			for i := 3 * v; i < 3*v+3; i++ {
				p.Rewards[i] = append(p.Rewards[i], p.Mean[i]+effect+0.5*float64(v+1)*rng.NormFloat64())
			}
		}
	}
	p.Noise.Environment, p.Block = problem.EnvironmentResampled, &problem.Block{Name: "day"}
	q := plan.Supposed(&p, p.Mean)
	for i, sd := range q.Noise.SD {
		if want := 0.5 * float64(1+i/3); math.Abs(sd/want-1) > 0.03 {
			t.Errorf("arm %d: sd %g within blocks, want about %g", i, sd, want)
		}
	}
	if math.Abs(q.Block.Effect/3-1) > 0.05 || p.Block.Effect != 0 {
		t.Errorf("effect %g, want about 3; of the problem itself %g", q.Block.Effect, p.Block.Effect)
	}
}
