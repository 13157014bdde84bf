package sim_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/internal/wire"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// run returns the result of an experiment.
func run(t testing.TB, x sim.Experiment) engine.Result {
	t.Helper()
	return try.Of(sim.Run(t.Context(), x))
}

// The columns add up to the summary and predict the speedups of the three cases: 5, 5/2 and 1, since ρ* is 1, 2 and 5 times the ρ* of one
// task (DESIGN's certified values).
func TestDetail(t *testing.T) {
	for number, want := range map[int]struct {
		rank    int
		speedup float64
	}{1: {1, 5}, 2: {2, 2.5}, 3: {5, 1}} {
		p := enginetest.Paper(t, number, 0.3)
		p.Noise.SD = make([]float64, p.N())
		for i := range p.Noise.SD {
			p.Noise.SD[i] = 10 // noisier than stated, so that some runs err
		}
		r := run(t, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoKernelFC", Runs: 60, Seed: 2, Detail: true})
		d := r.Detail
		if d.TaskRank != want.rank || math.Abs(d.Speedup/want.speedup-1) > 1e-3 {
			t.Errorf("case %d: rank %d, speedup %.5f; want %d, %g", number, d.TaskRank, d.Speedup, want.rank, want.speedup)
		}
		wrong, tasks, undecided, rounds := 0, 0, 0, 0
		for k, n := range d.Run {
			if n != k+1 {
				t.Fatalf("runs are numbered %v", d.Run)
			}
			if d.Wrong[k] {
				wrong++
			}
			if d.Undecided[k] {
				undecided++
			}
			tasks += d.WrongTasks[k]
			rounds += d.Rounds[k]
		}
		if wrong != r.Errors.Count || tasks != r.TaskErrors.Count || undecided != r.Undecided.Count || float64(rounds)/60 != r.Rounds ||
			sim.Mean(d.Samples) != r.SamplesPerAgent || sim.Mean(d.Regret) != r.Regret {
			t.Errorf("case %d: the columns do not add up to the result:\n%+v", number, d)
		}
		if wrong == 0 || wrong == 60 {
			t.Errorf("case %d: %d of 60 runs wrong, which tests little", number, wrong)
		}
	}
}

// Without the truth no answer is counted as wrong; without Detail there are no per-run numbers.
func TestDetailWithoutTruth(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.5)
	x := sim.Experiment{Problem: p, Mode: engine.ModeFB, Algorithm: "CoUniformFB", Options: engine.Options{Budget: 60, Ridge: engine.Ridge{Kind: engine.RidgeGP}, Norm: 10}, Runs: 3}
	if r := run(t, x); r.Detail != nil {
		t.Error("Detail was kept, though nobody asked")
	}
	rewards := make([][]float64, p.N())
	for i, m := range p.Mean {
		rewards[i] = []float64{m - 1, m + 1}
	}
	p.Rewards, p.Mean, p.Noise.Environment = rewards, nil, problem.EnvironmentResampled
	x.Detail = true
	d := run(t, x).Detail
	if d == nil || len(d.Samples) != 3 || d.Wrong != nil || d.WrongTasks != nil || d.Regret != nil || d.Speedup != 0 || d.TaskRank != 1 {
		t.Errorf("%+v, want samples and nothing of the truth", d)
	}
}

// References are marked: IndRAGE/V is IndRAGE with a fifth of the samples, run by run, and its result has no guarantee.
func TestReferences(t *testing.T) {
	p := enginetest.Paper(t, 2, 0.4)
	for _, e := range algorithms.All() {
		if e.Role != algorithms.RoleReference {
			continue
		}
		x := sim.Experiment{Problem: p, Mode: e.Mode, Algorithm: e.Name, Runs: 5, Detail: true, Options: engine.Options{Budget: 500}}
		r := run(t, x)
		if !strings.HasPrefix(r.Guarantee, "none: this is a reference, not an algorithm") {
			t.Errorf("%s: guarantee %q", e.Name, r.Guarantee)
		}
		name, perV := strings.CutSuffix(e.Name, "/V")
		if perV != e.DividedByV {
			t.Errorf("%s: divided by V once more %t", e.Name, e.DividedByV)
		}
		if !perV {
			continue
		}
		x.Algorithm = name
		whole := run(t, x)
		for k, s := range whole.Detail.Samples {
			if math.Abs(r.Detail.Samples[k]*5/s-1) > 1e-12 {
				t.Errorf("%s: run %d has %g samples, %s %g", e.Name, k+1, r.Detail.Samples[k], name, s)
			}
		}
		if math.Abs(r.SamplesTotal*5/whole.SamplesTotal-1) > 1e-12 || math.Abs(r.RatioToLowerBound*5/whole.RatioToLowerBound-1) > 1e-12 {
			t.Errorf("%s: %g samples in all, %s %g", e.Name, r.SamplesTotal, name, whole.SamplesTotal)
		}
	}
}

// Warnings about the error rate: 0 of 50 says nothing about δ = 0.005, and z²/(n+z²) ≤ 0.005 from n = 765 on.
func TestTooFewRuns(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.5)
	noisy := *p // 20 times as noisy as stated
	noisy.Noise.SD = make([]float64, p.N())
	for i := range noisy.Noise.SD {
		noisy.Noise.SD[i] = 20
	}
	for _, c := range []struct {
		problem *problem.Problem
		runs    int
		delta   float64
		want    string
	}{
		{p, 50, 0.005, "50 runs are too few to show that errors stay within delta = 0.005. With 0 of 50 wrong, the error rate may be as high as 7.1 %. 765 runs without an error would be enough"},
		{p, 764, 0.005, "764 runs are too few to show that errors stay within delta = 0.005. With 0 of 764 wrong, the error rate may be as high as 0.5 %. 765 runs without an error would be enough"},
		{p, 50, 2e-10, "50 runs are too few to show that errors stay within delta = 2e-10. With 0 of 50 wrong, the error rate may be as high as 7.1 %. 192072"},
		{p, 765, 0.005, ""},
		{p, 1, 0.005, ""},
		{&noisy, 200, 0.005, "errors exceed delta: "},
		{&noisy, 4, 0.4, "these runs cannot show whether errors stay within delta = 0.4. "},
	} {
		r := run(t, sim.Experiment{Problem: c.problem, Mode: engine.ModeFC, Algorithm: "CoKernelFC", Options: engine.Options{Delta: c.delta}, Runs: c.runs, Seed: 1})
		got := strings.Trim(fmt.Sprint(r.Warnings), "[]")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%d runs at delta %g, %d wrong: warnings %q, want %q", c.runs, c.delta, r.Errors.Count, got, c.want)
		}
		for _, w := range r.Warnings {
			t.Log(w)
		}
	}
}

// The byte counts agree with actual messages: one run's rounds, drawn again from its plans, are encoded in all three forms.
func TestBytes(t *testing.T) {
	p := enginetest.Paper(t, 2, 0.5)
	known := p
	unknown := try.Of(p.WithNoise(problem.NoiseModel{UnknownBy: problem.UnknownProblem}))
	for _, c := range []struct {
		mode, name string
		p          *problem.Problem
	}{{engine.ModeFC, "CoKernelFC", known}, {engine.ModeFB, "CoUniformFB", known}, {engine.ModeFC, "CoTestFC", unknown}} {
		p := c.p
		opt := engine.Options{Budget: 70, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-6}}
		r := run(t, sim.Experiment{Problem: p, Mode: c.mode, Algorithm: c.name, Options: opt, Runs: 1, Seed: 3})
		model := plain.ModelOf(t, p)
		entry := try.Of(algorithms.Named(c.mode, c.name))
		alg := try.Of(entry.New(model, opt))
		draw := try.Of(sim.DrawerOf(p))
		sent := &writer{t: t, env: sim.NewEnvironment(p, draw, 3, 0), p: p, features: model.Rank()}
		try.Of(engine.Run(context.Background(), alg, sent, opt))
		got, want := fmt.Sprint(r.Messages, r.Bytes, r.BytesRaw, r.BytesTheta), fmt.Sprint(sent.messages, sent.merged, sent.raw, sent.theta)
		t.Logf("%s: %g messages; %g bytes merged, %g raw, %g theta; %g samples", c.name, r.Messages, r.Bytes, r.BytesRaw, r.BytesTheta, r.SamplesTotal)
		if got != want {
			t.Errorf("%s: messages and bytes %s, want %s", c.name, got, want)
		}
	}
	r := run(t, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "IndKernelFC", Runs: 2})
	if r.Messages+r.Bytes+r.BytesRaw+r.BytesTheta != 0 {
		t.Errorf("agents that share nothing send %g messages", r.Messages)
	}
}

// writer builds the messages of every round.
type writer struct {
	t                            *testing.T
	env                          engine.Environment
	p                            *problem.Problem
	features                     int
	messages, merged, raw, theta int
}

func (w *writer) Pull(ctx context.Context, plan engine.Plan) (engine.Batch, error) {
	b, err := w.env.Pull(ctx, plan)
	if err != nil {
		return b, err
	}
	digest := try.Of(wire.ParseDigest(plan.Digest))
	for v := range w.p.V() {
		lo, hi := w.p.ArmsOf(v)
		h := wire.Header{Agent: v, Round: plan.Round, Digest: digest}
		var squares []float64
		if plan.WantSquares {
			squares = b.Squares[lo:hi]
		}
		text := try.Of(wire.Merged{Header: h, Counts: b.Counts[lo:hi], Means: b.Means[lo:hi], Squares: squares}.Append(nil))
		w.merged += len(text)
		w.raw += wire.RawSize(v, plan.Round, b.Counts[lo:hi])
		w.theta += wire.ThetaSize(v, plan.Round, w.features)
		w.messages++
	}
	return b, nil
}

// 20,000 runs need little memory: each keeps only its score, whatever the size of its answers and trace.
func TestManyRunsAreSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("20,000 runs")
	}
	p := enginetest.Paper(t, 1, 0.8)
	const runs = 20_000
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	run(t, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoKernelFC", Runs: runs, Progress: func(s sim.Step) {
		if s.Done == s.Total {
			runtime.GC()
			runtime.ReadMemStats(&after)
		}
	}})
	each := float64(after.HeapAlloc-before.HeapAlloc) / runs
	t.Logf("%.0f bytes a run", each)
	if each > 200 {
		t.Errorf("%.0f bytes are kept of each run, want at most 200", each)
	}
}
