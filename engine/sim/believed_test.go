package sim

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// pilotOf is a long table in which b has the highest mean, about equally likely by chance.
func pilotOf(t *testing.T, noise problem.NoiseModel) *problem.Problem {
	t.Helper()
	const text = "site,arm,y\nX,a,5\nX,a,7\nX,b,7\nX,b,6\nX,c,1\nX,c,3\nY,a,4\nY,a,6\nY,b,6\nY,b,5\nY,c,2\nY,c,0\n"
	return try.Of(problem.Load("t.csv", kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Identity{}}}}, problem.LoadOptions{
		Read: func(string) ([]byte, error) { return []byte(text), nil }, Noise: noise,
		Long: &problem.Long{Task: []string{"site"}, Arm: []string{"arm"}, Reward: "y"},
	}))
}

// TestPosterior checks that runs on a table of measurements draw their expected rewards from its posterior, one draw each, and are graded
// by them. The mean of the draws is the posterior mean; a is better than b in many of them.
func TestPosterior(t *testing.T) {
	p := pilotOf(t, problem.NoiseModel{})
	b, err := belief.Of(context.Background(), p, belief.Options{})
	if err != nil {
		t.Fatal(err)
	}
	trials := try.Of(Prepare(context.Background(), Experiment{Problem: p, Mode: engine.ModeFB, Algorithm: "IndUniformFB", Options: engine.Options{Budget: 600}, Runs: 200, Seed: 1}))
	if trials.model.Problem.Mean != nil {
		t.Error("the algorithm knows the means")
	}
	best := map[string]int{}
	for run := range 400 {
		best[trials.judgeOf(run).best[0]]++
	}
	want := 0 // number of posterior draws, of 4,000, in which a is the best arm of X
	rows, _ := b.Draws.Dims()
	for i := range rows {
		if row := b.Draws.RawRowView(i); row[0] > row[1] && row[0] > row[2] {
			want++
		}
	}
	share, said := float64(best["a"])/400, float64(want)/float64(rows)
	if half := 4 * math.Sqrt(said*(1-said)/400); said < 0.1 || math.Abs(share-said) > half {
		t.Errorf("a is the best arm in %.3f of the runs, and with belief %.3f", share, said)
	}
	r := try.Of(Run(context.Background(), trials.Experiment()))
	// 200 pulls per arm find the best arm in nearly every run
	if !r.Drawn || r.Sampled || r.TaskErrors.Rate > 0.2 || r.Answers[0].Correct == nil {
		t.Errorf("drawn %v, means as truth %v, %+v", r.Drawn, r.Sampled, r.TaskErrors)
	}
	// algorithms whose ridge needs norm and gaps run, too, and name the source of these
	for _, x := range []Experiment{{Mode: engine.ModeFB, Algorithm: "CoUniformFB", Options: engine.Options{Budget: 60}}, {Mode: engine.ModeFC, Algorithm: "CoKernelFC", Options: engine.Options{Epsilon: 1}}} {
		x.Problem, x.Runs, x.Seed = p, 3, 1
		r, err := Run(context.Background(), x)
		if err != nil || !slices.ContainsFunc(r.Warnings, func(w engine.Warning) bool { return w.Kind == engine.WarnRidgeBelieved }) || r.LowerBoundSamples != 0 {
			t.Errorf("%s: %v, %v, lower bound %g", x.Algorithm, err, r.Warnings, r.LowerBoundSamples)
		}
	}
	// if requested by name, the measured means are the truth
	r, err = Run(context.Background(), Experiment{Problem: pilotOf(t, problem.NoiseModel{Environment: problem.EnvironmentResampled}), Mode: engine.ModeFB, Algorithm: "IndUniformFB", Options: engine.Options{Budget: 60}, Runs: 3, Seed: 1})
	if err != nil || r.Drawn || !r.Sampled {
		t.Errorf("resampled by name: drawn %v, %v", r.Drawn, err)
	}
}

// TestPrior checks that each run draws its expected rewards from the kernel, by seed and run alone, and is graded by them.
func TestPrior(t *testing.T) {
	p, err := problem.Family(problem.FamilySize{Tasks: 2, Dimension: 2, Arms: 3, Rank: 2}, 0.1, 1)
	if err != nil {
		t.Fatal(err)
	}
	p = p.WithKernel(kernels.Joint{Terms: []kernels.Term{{Scale: 4, Task: kernels.Constant{Value: 1}, Arm: kernels.Constant{Value: 1}}}})
	p.Noise.Environment = problem.EnvironmentPrior
	of := func(algorithm string, seed uint64) *Trials {
		x := Experiment{Problem: p, Mode: engine.ModeFB, Algorithm: algorithm, Options: engine.Options{Budget: 6}, Runs: 4, Seed: seed}
		return try.Of(Prepare(t.Context(), x))
	}
	a, b, c := of("IndUniformFB", 1), of("CoBayesFB", 1), of("CoBayesFB", 2)
	var firsts []float64
	for run := range 2000 {
		means := a.x.truth(run).Mean
		if firsts = append(firsts, means[0]); math.Abs(means[0]-means[5]) > 1e-6 {
			t.Fatalf("run %d: rewards %v of a constant kernel", run, means)
		}
		if run < 5 && (b.x.truth(run).Mean[0] != means[0] || c.x.truth(run).Mean[0] == means[0]) {
			t.Errorf("run %d: other rewards by the algorithm, or equal ones by the seed", run)
		}
	}
	if mean, sd := stat.MeanStdDev(firsts, nil); math.Abs(mean) > 0.2 || math.Abs(sd-2) > 0.2 {
		t.Errorf("mean %g and standard deviation %g, want 0 and 2", mean, sd)
	}
	if a.model.Problem.Mean != nil {
		t.Error("the algorithm knows the means")
	}
	p = p.WithKernel(kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Identity{}}}})
	for algorithm, mode := range map[string]string{"GPUCB": engine.ModeFB, "CoKernelFB": engine.ModeFB, "CoTestFC": engine.ModeFC,
		"CoKernelFC": engine.ModeFC} {
		opt := engine.Options{Epsilon: 1}
		if mode == engine.ModeFB {
			opt = engine.Options{Budget: 30}
		}
		r, err := Run(t.Context(), Experiment{Problem: p, Mode: mode, Algorithm: algorithm, Options: opt, Runs: 4, Seed: 1})
		if err != nil || !r.Drawn || !r.FromKernel || r.LowerBoundSamples != 0 || r.Errors.Runs != 4 {
			t.Errorf("%s: %v, %+v", algorithm, err, r.Errors)
		}
	}
	measured := pilotOf(t, problem.NoiseModel{Environment: problem.EnvironmentPrior})
	_, err = Run(t.Context(), Experiment{Problem: measured, Mode: engine.ModeFB, Algorithm: "GPUCB", Options: engine.Options{Budget: 30}, Runs: 1})
	if err == nil || !strings.Contains(err.Error(), "has measurements") {
		t.Errorf("a table: %v", err)
	}
}

// TestAverageKeepsBounds checks that the average of the draws lies within the bounds of the rewards: a problem with other means is refused.
func TestAverageKeepsBounds(t *testing.T) {
	p := pilotOf(t, problem.NoiseModel{Bounds: &[2]float64{0, 7}})
	b := try.Of(believe(context.Background(), p, 1, new(model.Memory), nil))
	b.draws.Set(0, 0, -1e9) // the average of this arm is then below 0
	if got := b.within(p, b.average())[0]; got != 0 {
		t.Errorf("the average is %v, want the lower bound", got)
	}
}

// TestPosteriorKeepsBounds checks that rewards with bounds stay within them and have the drawn expected rewards.
func TestPosteriorKeepsBounds(t *testing.T) {
	p := pilotOf(t, problem.NoiseModel{Bounds: &[2]float64{0, 7}})
	b := try.Of(believe(context.Background(), p, 1, new(model.Memory), nil))
	for run := range 50 {
		q := b.of(b.unknown(p), run)
		for i, rewards := range q.Rewards {
			if m := stat.Mean(rewards, nil); math.Abs(m-q.Mean[i]) > 1e-12*7 || q.Mean[i] < 0 || q.Mean[i] > 7 {
				t.Errorf("run %d, arm %d: mean %v of rewards, %v expected", run, i, m, q.Mean[i])
			}
			for _, r := range rewards {
				if r < 0 || r > 7 {
					t.Errorf("run %d, arm %d: a reward of %v", run, i, r)
				}
			}
		}
	}
}
