package sim_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// A table of rewards r with goal min gives the samples and the answers of -r under goal max, for every algorithm and kind of rewards; its
// displayed rewards have the sign of r.
func TestGoalMinIsOppositeMax(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	finished := map[string]int{}
	environments := []string{problem.EnvironmentGaussian, problem.EnvironmentResampled, problem.EnvironmentBernoulli}
	for seed := range uint64(2) {
		rng := rand.New(rand.NewPCG(seed, 3))
		taskOf := []int{0, 0, 0, 1, 1, 1, 1, 2, 2}
		n := len(taskOf)
		costs, yields := make([]float64, n), make([]float64, n)
		raw, opposite := make([][]float64, n), make([][]float64, n)
		x := make([][]float64, n)
		slope, level := rng.NormFloat64(), rng.NormFloat64()
		names := make([]string, n)
		for i, v := range taskOf {
			names[i] = fmt.Sprint("arm ", i)
			x[i] = []float64{float64(i) + rng.Float64()}
			costs[i] = 0.5 + 0.4*math.Tanh(level+slope*float64(v)-0.7*x[i][0]+3)
			for range 5 {
				raw[i] = append(raw[i], costs[i]+0.2*rng.NormFloat64())
				opposite[i] = append(opposite[i], -raw[i][len(raw[i])-1])
			}
			yields[i] = -costs[i]
		}
		tasks := try.Of(kernels.NewPoints([]string{"z"}, []string{"A", "B", "C"}, [][]float64{{0}, {1}, {2}}))
		arms := try.Of(kernels.NewPoints([]string{"x"}, names, x))
		joint := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.RBF{Lengthscale: []float64{3}}, Arm: kernels.RBF{Lengthscale: []float64{4}}}}}
		for _, environment := range environments {
			made := func(mean []float64, rewards [][]float64, bounds *[2]float64) *problem.Problem {
				p := try.Of(problem.New("p", tasks, arms, taskOf, joint, []float64{0.5}, mean))
				switch environment {
				case problem.EnvironmentResampled:
					p.Rewards = rewards
				case problem.EnvironmentBernoulli:
					p.Noise.Bounds = bounds
				}
				p.Noise.Environment = environment
				return p
			}
			low := made(costs, raw, &[2]float64{0, 1}).Minimised()
			high := made(yields, opposite, &[2]float64{-1, 0})
			for _, entry := range algorithms.All() {
				run := func(p *problem.Problem, draw sim.Drawer) (engine.Result, error) {
					options := engine.Options{Epsilon: 0.3, Budget: 20, Delta: 0.1, MaxSamples: 1e6}
					if entry.OneByOne {
						options.Batch = 20
					}
					return sim.Run(t.Context(), sim.Experiment{
						Problem: p, Mode: entry.Mode, Algorithm: entry.Name, Runs: 2, Seed: seed, Draw: draw, Detail: true, Options: options,
					})
				}
				for _, own := range []bool{false, true} {
					var drawLow, drawHigh sim.Drawer
					if own {
						drawLow = sim.Func(low, func(rng *rand.Rand, _, arm string, n int) (float64, error) {
							return float64(len(arm)) + rng.NormFloat64()/math.Sqrt(float64(n)), nil
						})
						drawHigh = sim.Func(high, func(rng *rand.Rand, _, arm string, n int) (float64, error) {
							return -float64(len(arm)) - rng.NormFloat64()/math.Sqrt(float64(n)), nil
						})
					}
					got, err := run(low, drawLow)
					want, wrong := run(high, drawHigh)
					if fmt.Sprint(err) != fmt.Sprint(wrong) {
						t.Fatalf("%s, %s: error %v, want %v", entry.Name, environment, err, wrong)
					}
					if err == nil && got.Goal != problem.GoalMin {
						t.Errorf("%s: goal %q", entry.Name, got.Goal)
					}
					if err == nil {
						finished[entry.Name]++
					}
					for v := range want.Answers {
						want.Answers[v].Estimate = 0 - want.Answers[v].Estimate
					}
					for _, w := range want.Warnings {
						if w.LackOfFit != nil {
							for i := range w.LackOfFit.Worst {
								w.LackOfFit.Worst[i].Off *= -1
								w.LackOfFit.Worst[i].Standardised *= -1
							}
						}
					}
					want.Goal = got.Goal
					// the sentence on bounds uses the sign of the data
					want.Guarantee, got.Guarantee = "", ""
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("seed %d, %s, %s (-max of -r +min of r):\n%s", seed, entry.Name, environment, diff)
					}
				}
			}
		}
	}
	for _, entry := range algorithms.All() {
		if finished[entry.Name] == 0 {
			t.Errorf("%s: no run to compare", entry.Name)
		}
	}
}

// With goal min, answers are the arms with the lowest rewards, and estimates have the sign of the data.
func TestGoalMinAnswers(t *testing.T) {
	p := try.Of(problem.Classic([]float64{7, 5, 9}, 2))
	r := run(t, sim.Experiment{Problem: p.Minimised(), Mode: engine.ModeFB, Algorithm: "IndUniformFB", Runs: 5, Seed: 1, Options: engine.Options{Budget: 3000}})
	for _, a := range r.Answers {
		if a.Leader != "arm 2" || a.Best != "arm 2" || math.Abs(a.Estimate-5) > 0.2 || !*a.Correct {
			t.Errorf("answer %+v, want arm 2 with a reward of about 5", a)
		}
	}
	if r.Regret.Mean != 0 || r.Errors.Count != 0 {
		t.Errorf("regret %v, errors %v", r.Regret, r.Errors)
	}
}
