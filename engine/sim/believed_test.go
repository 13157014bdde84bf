package sim

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// pilotOf is a long table in which b has the highest mean, about equally likely by chance.
func pilotOf(t *testing.T, noise problem.NoiseModel) *problem.Problem {
	t.Helper()
	const text = "site,arm,y\nX,a,5\nX,a,7\nX,b,7\nX,b,6\nX,c,1\nX,c,3\nY,a,4\nY,a,6\nY,b,6\nY,b,5\nY,c,2\nY,c,0\n"
	p, err := problem.Load("t.csv", kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Identity{}}}}, problem.LoadOptions{
		Read: func(string) ([]byte, error) { return []byte(text), nil }, Noise: noise,
		Long: &problem.Long{Task: []string{"site"}, Arm: []string{"arm"}, Reward: "y"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPosterior checks that runs on a table of measurements draw their expected rewards from its posterior, one draw each, and are graded
// by them. The mean of the draws is the posterior mean; a is better than b in many of them.
func TestPosterior(t *testing.T) {
	p := pilotOf(t, problem.NoiseModel{})
	b, err := belief.Of(context.Background(), p, belief.Options{})
	if err != nil {
		t.Fatal(err)
	}
	trials, err := Prepare(context.Background(), Experiment{Problem: p, Mode: engine.ModeFB, Algorithm: "IndUniformFB", Options: engine.Options{Budget: 600}, Runs: 200, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
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
	r, err := Run(context.Background(), trials.Experiment())
	if err != nil {
		t.Fatal(err)
	}
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

// TestPosteriorKeepsBounds checks that rewards with bounds stay within them and have the drawn expected rewards.
func TestPosteriorKeepsBounds(t *testing.T) {
	p := pilotOf(t, problem.NoiseModel{Bounds: &[2]float64{0, 7}})
	b, err := believe(context.Background(), p, new(model.Memory), nil)
	if err != nil {
		t.Fatal(err)
	}
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
