package sim_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/cotest"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// plates returns one task of arms with these means and scales, measured on plates with this effect.
func plates(t *testing.T, effect float64, unknown string, means, scales []float64) *problem.Problem {
	t.Helper()
	p := try.Of(problem.Classic(means, 1))
	p.Noise.Scales, p.Noise.SD, p.Noise.UnknownBy = slices.Repeat([]float64{1}, len(means)), scales, unknown
	p.Block = &problem.Block{Name: "plate", Effect: effect}
	return p
}

// wrongWithin makes runs and counts those that eliminate the first arm, which is a best one, or with an accuracy do not recommend it.
func wrongWithin(t *testing.T, p *problem.Problem, opt engine.Options, runs int, pull func(run int, plan engine.Plan) engine.Batch) (out, decided int) {
	t.Helper()
	m := plain.ModelOf(t, p)
	for run := range runs {
		alg := try.Of(plain.On(engine.ModeFC, cotest.NewCoTestFC)(m, opt))
		got := try.Of(engine.Run(t.Context(), alg, enginetest.EnvironmentFunc(func(plan engine.Plan) engine.Batch { return pull(run, plan) }), opt))
		lost := func(e engine.Elimination) bool { return e.Arm == p.Arms.Names[0] }
		if opt.Epsilon > 0 && got.Answers[0].Decided && got.Answers[0].Arm != p.Arms.Names[0] || opt.Epsilon == 0 && slices.ContainsFunc(got.Eliminations, lost) {
			out++
		}
		if got.Answers[0].Decided {
			decided++
		}
	}
	return out, decided
}

// onPlates returns a function that pulls a plan as simulations do.
func onPlates(t *testing.T, p *problem.Problem) func(run int, plan engine.Plan) engine.Batch {
	t.Helper()
	draw := try.Of(sim.DrawerOf(p))
	return func(run int, plan engine.Plan) engine.Batch {
		return try.Of(sim.BlocksForTest(p, draw, 11, run).Pull(context.Background(), plan))
	}
}

// share returns the interval of Clopper and Pearson 1934.
func share(k, n int) (lo, hi float64) {
	hi = 1
	if k > 0 {
		lo = distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(0.025)
	}
	if k < n {
		hi = distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(0.975)
	}
	return lo, hi
}

// For tied arms on plates whose effect is 0, 0.3, 1 or 10 standard deviations, the first is eliminated in at most δ = 0.2 of the runs:
// with one scale for all arms or one per arm, in blocks of two, and with boundaries that an accuracy lowers.
func TestSideBySideErrors(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of runs")
	}
	const delta = 0.2
	runs := betRuns(100)
	for _, c := range []struct {
		unknown string
		scales  []float64
		size    int
		epsilon float64
	}{{problem.UnknownTask, []float64{1, 1, 1}, 0, 0}, {problem.UnknownArm, []float64{1, 10, 0.1}, 0, 0}, {problem.UnknownTask, []float64{1, 1, 1}, 2, 0}, {problem.UnknownTask, []float64{1, 1, 1}, 0, 0.5}} {
		for effect, runs := range map[float64]int{0: betRuns(40), 0.3: betRuns(20), 1: runs, 10: betRuns(40)} {
			p := plates(t, effect, c.unknown, []float64{1.001 * c.epsilon, 0, 0}, c.scales)
			p.Block.Size = c.size
			out, decided := wrongWithin(t, p, engine.Options{Delta: delta, Epsilon: c.epsilon, MaxSamples: 1e5}, runs, onPlates(t, p))
			lo, hi := share(out, runs)
			t.Logf("%s, blocks of %d, accuracy %g, effect %g: the first arm is out in %d of %d runs [%.3f, %.3f], %d decided", c.unknown, c.size, c.epsilon, effect, out, runs, lo, hi, decided)
			if lo > delta || runs >= 400 && hi > delta {
				t.Errorf("%s, effect %g: the first arm is out in [%.3f, %.3f] of the runs", c.unknown, effect, lo, hi)
			}
		}
	}
	p := plates(t, 1, problem.UnknownTask, []float64{0, 0}, []float64{1, 1})
	out, _ := wrongWithin(t, p, engine.Options{Delta: delta, MaxSamples: 1e5}, runs, func(run int, plan engine.Plan) engine.Batch {
		b := onPlates(t, p)(run, plan)
		for k := range b.Within[0].Products {
			b.Within[0].Products[k] /= 9
		}
		return b
	})
	if lo, _ := share(out, runs); lo <= delta {
		t.Errorf("with products told nine times too small the first arm is out in %d of %d runs only: the test above cannot fail", out, runs)
	}
}

// With law="symmetric" the first of three tied arms is eliminated in at most δ = 0.2 of the runs for any common noise distribution, even
// skewed or without a variance, on plates that differ. If one arm is rarely good, differences are not symmetric, and it is eliminated
// more often.
func TestSymmetricErrors(t *testing.T) {
	const delta = 0.2
	runs := betRuns(60)
	cauchy := func(rng *rand.Rand, _ int) float64 { return math.Tan(math.Pi * (rng.Float64() - 0.5)) }
	skewed := func(rng *rand.Rand, _ int) float64 { return math.Exp(rng.NormFloat64()) }
	for _, c := range []struct {
		name    string
		epsilon float64
		noise   func(rng *rand.Rand, arm int) float64
		holds   bool
	}{
		{"normal", 1, func(rng *rand.Rand, _ int) float64 { return rng.NormFloat64() }, true},
		{"Cauchy", 1, cauchy, true}, {"exp(z)", 1, skewed, true}, {"exp(z)", 0, skewed, true},
		{"seldom 9, else -1", 0.5, func(rng *rand.Rand, arm int) float64 {
			if arm > 0 {
				return rng.NormFloat64() / 10
			}
			return 10*math.Floor(rng.Float64()+0.1) - 1
		}, false},
	} {
		p := plates(t, 0, problem.UnknownTask, []float64{1.001 * c.epsilon, 0, 0}, []float64{1, 1, 1})
		opt := engine.Options{Delta: delta, Epsilon: c.epsilon, MaxSamples: 600, Law: engine.LawSymmetric}
		out, decided := wrongWithin(t, p, opt, runs, func(run int, plan engine.Plan) engine.Batch {
			b := engine.Batch{Counts: plan.Counts}
			rng := rand.New(rand.NewPCG(uint64(run), uint64(plan.Round)))
			for _, s := range plan.Sides {
				plate, w := 3*rng.NormFloat64(), engine.Within{Products: make([]float64, len(s.Arms)*len(s.Arms))}
				for _, i := range s.Arms {
					w.Means = append(w.Means, p.Mean[i]+plate+c.noise(rng, i))
				}
				b.Within = append(b.Within, w)
			}
			b.Means = engine.MeansOf(plan.Sides, b.Within, p.N())
			return b
		})
		lo, hi := share(out, runs)
		t.Logf("%s, accuracy %g: the first arm is out in %d of %d runs [%.3f, %.3f], %d decided", c.name, c.epsilon, out, runs, lo, hi, decided)
		if (lo > delta) == c.holds || runs >= 400 && (hi > delta) == c.holds {
			t.Errorf("%s: the first arm is out in [%.3f, %.3f] of the runs", c.name, lo, hi)
		}
	}
}

// Means and products drawn at once have the same expectations as rewards drawn block by block: for normal rewards the covariance times n
// - 1, for resampled ones the blocks' covariance.
func TestBlocksAreDrawn(t *testing.T) {
	normal := plates(t, 2, problem.UnknownArm, []float64{1, 2, 3}, []float64{1, 0.5, 3})
	measured := plates(t, 0, "", []float64{2, 2, 0}, []float64{1, 1, 1})
	measured.Rewards = [][]float64{{1, 2, 3}, {0, 2, 4}, {-1, 0, 1}}
	measured.Noise.Environment = problem.EnvironmentResampled
	for name, c := range map[string]struct {
		p    *problem.Problem
		want func(i, j int) float64 // covariance of two arms in one block
	}{
		"normal": {normal, func(i, j int) float64 {
			if i == j {
				return 4 + math.Pow(normal.Noise.SD[i], 2)
			}
			return 4
		}},
		"measured": {measured, func(i, j int) (sum float64) {
			for k := range 3 {
				sum += (measured.Rewards[i][k] - measured.Mean[i]) * (measured.Rewards[j][k] - measured.Mean[j]) / 3
			}
			return sum
		}},
	} {
		draw := try.Of(sim.DrawerOf(c.p))
		for _, n := range []int{2, 3, 9} {
			const draws = 6000
			means, cross, products := make([]float64, 3), make([]float64, 9), make([]float64, 9)
			for run := range draws {
				b := try.Of(sim.BlocksForTest(c.p, draw, 3, run).Pull(context.Background(), engine.Plan{Round: 2, Counts: []int{n, n, n}, Sides: []engine.Side{{Arms: []int{0, 1, 2}, Blocks: n}}}))
				for i := range 3 {
					means[i] += b.Means[i] / draws
					for j := range 3 {
						products[3*i+j] += b.Within[0].Products[3*i+j] / draws
						cross[3*i+j] += (b.Means[i] - c.p.Mean[i]) * (b.Means[j] - c.p.Mean[j]) / draws
					}
				}
			}
			for i := range 3 {
				if off := math.Abs(means[i] - c.p.Mean[i]); off > 5*math.Sqrt(c.want(i, i)/float64(n)/draws) {
					t.Errorf("%s, %d blocks: mean of arm %d is off by %g", name, n, i, off)
				}
				for j := range 3 {
					scale := math.Sqrt(c.want(i, i) * c.want(j, j))
					if off := products[3*i+j] - float64(n-1)*c.want(i, j); math.Abs(off) > 6*scale*math.Sqrt(2*float64(n)/draws) {
						t.Errorf("%s, %d blocks: product of arms %d and %d is off by %g", name, n, i, j, off)
					}
					if off := cross[3*i+j] - c.want(i, j)/float64(n); math.Abs(off) > 6*scale/float64(n)*math.Sqrt(2./draws) {
						t.Errorf("%s, %d blocks: covariance of the means of arms %d and %d is off by %g", name, n, i, j, off)
					}
				}
			}
		}
	}
}

// On the coupling yields, measured with the same additives, CoTestFC takes at most 150 and 95 experiments per reaction at accuracies of 5
// and 10: 300 runs took 129.0 and 87.4. In blocks of 4 places, 60 runs at 10 took 115.4.
func TestSideBySideCoupling(t *testing.T) {
	if testing.Short() {
		t.Skip("30 runs")
	}
	for _, c := range []struct {
		epsilon float64
		size    int
		most    float64
	}{{5, 0, 150}, {10, 0, 95}, {10, 4, 160}} {
		p := try.Of(problem.Load("../../notebooks/data/cn_coupling.csv", problem.SameArms(), problem.LoadOptions{Rewards: "../../notebooks/data/cn_coupling_raw.csv", Block: "rep", Noise: problem.NoiseModel{UnknownBy: problem.UnknownTask}}))
		p.Block.Size = c.size
		r := run(t, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Options: engine.Options{Epsilon: c.epsilon}, Runs: 10, Seed: 2})
		t.Logf("accuracy %g, size %d: %.1f %.4g samples, %d wrong of 10, %.1f rounds", c.epsilon, c.size, r.SamplesPerAgent.Mean, r.SamplesPerAgent.CI95, r.Errors.Count, r.Rounds)
		if r.Errors.Count > 1 || r.SamplesPerAgent.CI95[0] > c.most || r.LowerBoundSamples != 0 || r.Standing != engine.StandingHeuristic {
			t.Errorf("accuracy %g, size %d: %d wrong, %.4g samples, lower bound %g, %s", c.epsilon, c.size, r.Errors.Count, r.SamplesPerAgent.Mean, r.LowerBoundSamples, r.Standing)
		}
	}
}

// TestFieldTrials uses three published trials with blocks. Oats: yields under four amounts of nitrogen, in quarter pounds per plot; three
// varieties are the tasks, and their six blocks differ more than plots (Yates, Complex experiments, Supplement to the Journal of the
// Royal Statistical Society 2, 1935). Alfalfa: yields, tons per acre, by date of the third cutting, three varieties in six blocks
// (Snedecor and Cochran, Statistical Methods, 7th edition, 1980, table 16.15.1). Sprays: decrease of a solution taken by bees, eight
// sprays in eight orchard rows (Finney, Probit Analysis, Cambridge University Press, 1947), where rows hardly matter.
// docs/theory/blocks.md has the sample sizes. In an eighth of the runs on sprays the first two blocks are the same row and give no scale;
// with a fixed replacement scale those runs took up to 1,400. GONB_COPE_ERRORS sets the runs.
func TestFieldTrials(t *testing.T) {
	runs := betRuns(15)
	for _, c := range []struct {
		name    string
		rewards [][][]float64 // by task and arm, in the order of blocks
		epsilon float64
		most    float64 // ratio of samples within blocks to samples without
	}{
		{"oats", [][][]float64{
			{{111, 61, 68, 74, 62, 53}, {130, 91, 64, 89, 90, 74}, {157, 97, 112, 81, 100, 118}, {174, 100, 86, 122, 116, 113}},
			{{117, 70, 60, 64, 80, 89}, {114, 108, 102, 103, 82, 82}, {161, 126, 89, 132, 94, 86}, {141, 149, 96, 133, 126, 104}},
			{{105, 96, 89, 70, 63, 97}, {140, 124, 129, 89, 70, 99}, {118, 121, 132, 104, 109, 119}, {156, 144, 124, 117, 99, 121}},
		}, 10, 0.7},
		{"alfalfa", [][][]float64{
			{{2.17, 1.88, 1.62, 2.34, 1.58, 1.66}, {1.58, 1.26, 1.22, 1.59, 1.25, 0.94}, {2.29, 1.6, 1.67, 1.91, 1.39, 1.12}, {2.23, 2.01, 1.82, 2.1, 1.66, 1.1}},
			{{2.33, 2.01, 1.7, 1.78, 1.42, 1.35}, {1.38, 1.3, 1.85, 1.09, 1.13, 1.06}, {1.86, 1.7, 1.81, 1.54, 1.67, 0.88}, {2.27, 1.81, 2.01, 1.4, 1.31, 1.06}},
			{{1.75, 1.95, 2.13, 1.78, 1.31, 1.3}, {1.52, 1.47, 1.8, 1.37, 1.01, 1.31}, {1.55, 1.61, 1.82, 1.56, 1.23, 1.13}, {1.56, 1.72, 1.99, 1.55, 1.51, 1.33}},
		}, 0.15, 0.6},
		{"sprays", [][][]float64{{
			{12, 4, 5, 5, 4, 2, 3, 2}, {8, 6, 8, 14, 4, 7, 10, 4}, {84, 29, 13, 9, 17, 16, 15, 19}, {57, 28, 39, 36, 22, 27, 20, 51},
			{43, 95, 114, 39, 51, 55, 47, 61}, {87, 114, 44, 57, 20, 90, 69, 71}, {80, 72, 60, 77, 92, 24, 72, 71}, {130, 72, 127, 69, 86, 81, 81, 76},
		}}, 15, 1.5},
	} {
		means, rewards := make([][]float64, len(c.rewards)), [][]float64(nil)
		for v, task := range c.rewards {
			for _, arm := range task {
				means[v], rewards = append(means[v], stat.Mean(arm, nil)), append(rewards, arm)
			}
		}
		p := enginetest.Small(t, enginetest.Identity, means...)
		p.Rewards, p.Noise.Environment, p.Noise.UnknownBy = rewards, problem.EnvironmentResampled, problem.UnknownTask
		var took [2]float64
		for k, block := range []*problem.Block{nil, {Name: "block"}} {
			p.Block = block
			r := run(t, sim.Experiment{
				Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC",
				Options: engine.Options{Delta: 0.05, Epsilon: c.epsilon}, Runs: runs, Seed: 3,
			})
			took[k] = r.SamplesPerAgent.Mean
			lo, hi := share(r.Errors.Count, runs)
			if lo > 0.05 {
				t.Errorf("%s, block %v: %d of %d runs wrong", c.name, block, r.Errors.Count, runs)
			}
			t.Logf("%s, block %v: %.1f %.1f measurements of a task, %d of %d wrong [%.4f, %.4f]", c.name, block != nil, took[k],
				r.SamplesPerAgent.CI95, r.Errors.Count, runs, lo, hi)
		}
		if took[1] > c.most*took[0] {
			t.Errorf("%s: %.1f measurements of a task side by side, %.1f apart", c.name, took[1], took[0])
		}
	}
}

// TestBlocksNotTaken checks that the result of an algorithm that ignores blocks says so.
func TestBlocksNotTaken(t *testing.T) {
	p := plates(t, 1, "", []float64{3, 0}, []float64{1, 1})
	for name, warned := range map[string]bool{"CoTestFC": false, "CoBayesFC": false, "CoKernelFC": true} {
		r := try.Of(sim.Run(t.Context(), sim.Experiment{
			Problem: p, Mode: engine.ModeFC, Algorithm: name, Options: engine.Options{Delta: 0.1, MaxSamples: 100_000}, Runs: 1, Seed: 1,
		}))
		if got := slices.ContainsFunc(r.Warnings, func(w engine.Warning) bool { return w.Kind == engine.WarnBlocks }); got != warned {
			t.Errorf("%s: the warning is %t, want %t", name, got, warned)
		}
	}
}
