package algorithms

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/cotest"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// forecasts runs an algorithm on a case of the paper with many seeds. It returns by round the sum of the predictions, the sum of the
// samples that the runs then took, and the number of runs.
func forecasts(t *testing.T, mode, name string, p *problem.Problem, runs uint64) (expected, taken map[int]float64, count map[int]int) {
	t.Helper()
	m := plain.ModelOf(t, p)
	entry := try.Of(Named(mode, name))
	expected, taken, count = map[int]float64{}, map[int]float64{}, map[int]int{}
	for seed := range runs {
		alg := try.Of(entry.New(m, engine.Options{}))
		rng := rand.New(rand.NewPCG(seed, 1))
		var said, sums []float64
		var sum float64
		for !alg.Done() {
			plan := try.Of(alg.Plan(t.Context()))
			sum += float64(plan.Pulls())
			try.To(alg.Learn(t.Context(), enginetest.Pull(rng, p, plan)))
			said, sums = append(said, engine.Remaining(alg.(engine.Detailed))), append(sums, sum)
		}
		for r := range len(said) - 1 {
			expected[r+1] += said[r]
			taken[r+1] += sum - sums[r]
			count[r+1]++
		}
	}
	return expected, taken, count
}

// Predictions are within a factor of two of the runs' average; for the combination test from the third round on, since earlier ones are
// too low.
func TestRemainingPredicts(t *testing.T) {
	for number := 1; number <= enginetest.Number(3, 2); number++ {
		p := enginetest.Paper(t, number, 0.2)
		for name, from := range map[string]int{"CoTestFC": 3, "CoKernelFC": 1, "IndRAGE": 1} {
			expected, taken, count := forecasts(t, engine.ModeFC, name, p, 60)
			judged := 0
			for r, n := range count {
				ratio := expected[r] / taken[r]
				t.Logf("%s, case %d, round %d: %.2f times what %d runs took", name, number, r, ratio, n)
				if r >= from && n >= 30 {
					judged++
					if ratio < 0.5 || ratio > 2 {
						t.Errorf("%s, case %d, round %d: predicted %.3g, taken %.3g on average of %d runs", name, number, r, expected[r]/float64(n), taken[r]/float64(n), n)
					}
				}
				if r < from-1 && ratio > 0.5 {
					t.Errorf("%s, case %d: predicted %.2f times what was taken already after round %d; it is documented to be far too low", name, number, ratio, r)
				}
			}
			if judged < 2 {
				t.Errorf("%s, case %d: only %d rounds were judged", name, number, judged)
			}
		}
	}
}

// Progress of every algorithm agrees with its answers: exactly the decided tasks have reached all evidence.
func TestProgressAgreesWithAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	for _, p := range enginetest.Instances(t) {
		m := plain.ModelOf(t, p)
		for _, entry := range All() {
			alg, err := entry.New(m, engine.Options{Budget: 400, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-6}})
			if err != nil {
				t.Logf("%s on %s: %v", entry.Name, p.Name, err)
				continue
			}
			x, ok := alg.(engine.Detailed)
			if !ok {
				t.Errorf("%s does not explain itself", entry.Name)
				continue
			}
			tasks, _ := engine.ProgressOf(x)
			for _, s := range tasks {
				if !s.Decided && !math.IsNaN(s.Samples) {
					t.Errorf("%s on %s: %+v before any data", entry.Name, p.Name, s)
				}
			}
			rng := rand.New(rand.NewPCG(3, 3))
			for r := 1; r <= 30 && !alg.Done(); r++ {
				before, said := engine.ProgressOf(x)
				plan := try.Of(alg.Plan(t.Context()))
				// an interrupted round has been planned, nothing else
				if after, now := engine.ProgressOf(x); r > 1 && fmt.Sprint(before, said) != fmt.Sprint(after, now) {
					t.Errorf("%s on %s: planning round %d turned %+v into %+v", entry.Name, p.Name, r, before, after)
				}
				try.To(alg.Learn(t.Context(), enginetest.Pull(rng, p, plan)))
				agrees(t, entry.Name+" on "+p.Name, alg)
			}
		}
	}
}

func agrees(t *testing.T, where string, alg engine.Algorithm) {
	t.Helper()
	x, answers := alg.(engine.Detailed), alg.State().Answers
	progress, remaining := engine.ProgressOf(x)
	if again := engine.Remaining(x); again != remaining && !(math.IsNaN(again) && math.IsNaN(remaining)) {
		t.Errorf("%s: %g samples remain, and then %g", where, remaining, again)
	}
	if len(progress) != len(answers) {
		t.Fatalf("%s: %d tasks have progress, %d answers", where, len(progress), len(answers))
	}
	sum, most := 0.0, 0.0
	for v, a := range answers {
		s := progress[v]
		if s.Task != a.Task || s.Leader != a.Leader || s.Decided != a.Decided {
			t.Errorf("%s: %+v for %+v", where, s, a)
		}
		if (s.Reached == 1) != s.Decided || s.Reached < 0 || s.Reached > 1 || (s.Samples == 0) != s.Decided || (s.Rival == "") != s.Decided {
			t.Errorf("%s: %+v", where, s)
		}
		if !s.Decided && (s.Samples < 1 && s.Samples != -1 || !(s.Error > 0) || s.Rival == s.Leader) {
			t.Errorf("%s: %+v", where, s)
		}
		if s.Samples < 0 || sum < 0 {
			sum = -1
			continue
		}
		sum, most = sum+s.Samples, max(most, s.Samples)
	}
	switch {
	case sum < 0 && remaining != -1, sum >= 0 && (remaining > sum*1.03+1 || remaining < most*0.97-1):
		// designs are solved to 2 %
		t.Errorf("%s: %g remaining, %g by itself the most, %g the sum: %+v", where, remaining, most, sum, progress)
	}
}

// Arms that tie are never separated: their test ends at its horizon, and progress says so.
func TestProgressOfTies(t *testing.T) {
	p := try.Of(problem.Classic([]float64{1, 1, 0}, 2))
	m := plain.ModelOf(t, p)
	opt := engine.Options{Delta: 0.001, MaxRounds: 1000, MaxSamples: math.MaxInt32}
	alg := try.Of(plain.On(engine.ModeFC, cotest.NewCoTestFC)(m, opt))
	rng := rand.New(rand.NewPCG(1, 4))
	if out := enginetest.Run(t, alg, opt, func(plan engine.Plan) engine.Batch { return enginetest.Pull(rng, p, plan) }); out.Status != engine.StatusSamples {
		t.Fatal(out.Status)
	}
	tasks, left := engine.ProgressOf(alg.(engine.Detailed))
	for _, s := range tasks {
		if s.Samples != -1 || s.Open != 2 || s.Rival == "arm 3" || s.Leader == "arm 3" || s.Reached >= 1 {
			t.Errorf("%+v", s)
		}
	}
	if left != -1 {
		t.Errorf("%g samples remain", left)
	}
}
