package algorithms

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// spent returns the mean cost of runs and the number of wrong ones.
func spent(t *testing.T, name string, p *problem.Problem, cost []float64, told bool, runs int) (mean float64, wrong int) {
	t.Helper()
	q := *p
	if told {
		q.Cost = cost
	}
	m := plain.ModelOf(t, &q)
	entry, _ := Named(engine.ModeFC, name)
	for run := range runs {
		alg := try.Of(entry.New(m, engine.Options{}))
		rng := rand.New(rand.NewPCG(uint64(run), 4))
		out := enginetest.Run(t, alg, engine.Options{}, func(plan engine.Plan) engine.Batch {
			for i, n := range plan.Counts {
				mean += float64(n) * cost[i] / float64(runs)
			}
			return enginetest.SquaresPull(rng, p, p.Noise.Scales, plan)
		})
		for v, a := range out.Answers {
			lo, hi := p.ArmsOf(v)
			for i := lo; i < hi; i++ {
				for j := lo; j < hi; j++ {
					if a.Arm == p.Arms.Names[i] && p.Mean[j] > p.Mean[i] {
						wrong++
					}
				}
			}
		}
	}
	return mean, wrong
}

// Two independent arms whose pulls cost c and 1 are compared at least cost with n_1/n_2 = 1/√c, since the variance is 1/n_1 + 1/n_2
// [Cochran 1977, sec. 5.5].
func TestCostOfTwoArms(t *testing.T) {
	for _, unknown := range []string{"", problem.UnknownProblem} {
		p := enginetest.Small(t, enginetest.Identity, []float64{0, 0.05})
		p.Noise.UnknownBy = unknown
		p.Cost = []float64{9, 1}
		for _, name := range []string{"CoTestFC", "IndTestFC"} {
			s := begun(t, name, p, engine.Options{})
			rng := rand.New(rand.NewPCG(1, 1))
			for range 5 {
				plan, _ := try.Two(s.Next(t.Context()))
				if n := plan.Counts; plan.Round > 2 && math.Abs(float64(n[1])/float64(n[0])-3) > 0.05*3+3/float64(n[0]) {
					t.Errorf("%s, round %d: pulls %v, want 1 to 3", name, plan.Round, n)
				}
				try.To(s.Learn(t.Context(), enginetest.SquaresPull(rng, p, p.Noise.Scales, plan)))
				explained(s.Algorithm())
			}
		}
	}
}

// An algorithm that knows the costs spends less and does not err more. Of arms with equal features it measures the cheaper one.
func TestCostsAreSaved(t *testing.T) {
	p := enginetest.Instances(t)[3]
	cost := make([]float64, p.N())
	for i := range cost {
		cost[i] = []float64{1, 10, 2, 30}[i%4]
	}
	runs := 120 // with half of them the costs of CoBayesFC, a few of whose runs are long, scatter by a third
	if testing.Short() {
		runs = 10
	}
	for _, name := range []string{"CoTestFC", "CoBayesFC"} {
		before, usual := spent(t, name, p, cost, false, runs)
		after, wrong := spent(t, name, p, cost, true, runs)
		t.Logf("%s: %.4g without costs, %.4g with them, %d and %d wrong answers in %d runs", name, before, after, usual, wrong, runs)
		if !(after < 0.8*before) || wrong > usual+runs/20+2 {
			t.Errorf("%s: spends %g when told the costs and %g when not; %d and %d wrong", name, after, before, wrong, usual)
		}
	}

	same := enginetest.Small(t, kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Constant{Value: 1}, Arm: kernels.Linear{}}}}, []float64{1, 2, 4}, []float64{1, 2, 4})
	same.Cost = []float64{1, 1, 1, 5, 5, 5}
	s := begun(t, "CoTestFC", same, engine.Options{})
	plan, _ := try.Two(s.Next(t.Context()))
	if n := plan.Counts; n[3]+n[4]+n[5] > 0 || plan.Pulls() == 0 {
		t.Errorf("pulls %v, though task b costs five times as much", n)
	}
}
