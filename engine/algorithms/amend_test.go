package algorithms

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// losses are ways in which a round may differ from its plan.
var losses = map[string]func(rng *rand.Rand, round int, counts []int){
	"nothing in round 1": func(_ *rand.Rand, round int, counts []int) {
		if round == 1 {
			clear(counts)
		}
	},
	"nothing in every other round": func(_ *rand.Rand, round int, counts []int) {
		if round%2 == 0 {
			clear(counts)
		}
	},
	"one arm only": func(rng *rand.Rand, round int, counts []int) {
		if k := rng.IntN(len(counts)); round < 4 {
			clear(counts)
			counts[k] = 2
		}
	},
	"an arm never": func(_ *rand.Rand, _ int, counts []int) { counts[1] = 0 },
	"whole arms at random": func(rng *rand.Rand, _ int, counts []int) {
		for i := range counts {
			if rng.IntN(3) == 0 {
				counts[i] = 0
			}
		}
	},
	"one pull each": func(_ *rand.Rand, _ int, counts []int) { // too few pulls for any replicate
		for i := range counts {
			counts[i] = min(1, counts[i])
		}
	},
	"more of all": func(rng *rand.Rand, _ int, counts []int) {
		for i := range counts {
			counts[i] += rng.IntN(4)
		}
	},
}

// A run continues and ends whatever the counts of its rounds, and its progress can be requested at any time. Algorithms that need their
// own plans return an error and continue with them.
func TestAmendEndures(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	for _, unknown := range []string{"", problem.UnknownProblem, problem.UnknownArm} {
		p := try.Of(problem.Classic([]float64{0, 1, 1.5, 3}, 3))
		p.Noise.UnknownBy = unknown
		m := plain.ModelOf(t, p)
		for _, entry := range All() {
			if unknown != "" && !entry.EstimatesScales() {
				continue
			}
			for name, lose := range losses {
				t.Run(fmt.Sprintf("%s %s %s", entry.Name, unknown, name), func(t *testing.T) {
					endure(t, entry, m, lose)
				})
			}
		}
	}
}

// endure makes a run that loses pulls.
func endure(t *testing.T, entry Entry, m *model.Model, lose func(*rand.Rand, int, []int)) {
	opt := engine.Options{MaxRounds: 12, MaxSamples: 20000}
	if entry.Mode == engine.ModeFB {
		opt.Budget = 100
	}
	alg := try.Of(entry.New(m, opt))
	s := try.Of(engine.Begin(alg, opt))
	rng, truth := rand.New(rand.NewPCG(3, 8)), []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	for {
		plan, more := try.Two(s.Next(t.Context()))
		explained(alg)
		if !more {
			break
		}
		counts := append([]int(nil), plan.Counts...)
		lose(rng, plan.Round, counts)
		if err := s.Amend(counts); err != nil {
			if !errors.Is(err, engine.ErrFixedPlans) || entry.Role != RoleReference {
				t.Fatal(err)
			}
			counts = plan.Counts
		}
		if plan, _, _ = s.Next(t.Context()); fmt.Sprint(plan.Counts) != fmt.Sprint(counts) {
			t.Fatalf("amended to %v, the plan is %v", counts, plan.Counts)
		}
		try.To(s.Learn(t.Context(), enginetest.SquaresPull(rng, m.Problem, truth, plan)))
		explained(alg)
	}
	out := s.Outcome()
	for _, a := range out.Answers {
		if a.Decided && a.Arm == "arm 1" { // three standard deviations below the best of one reward
			t.Errorf("answer %+v", a)
		}
	}
}

// explained requests all reports of an algorithm.
func explained(alg engine.Algorithm) {
	if x, ok := alg.(engine.Detailed); ok {
		engine.ProgressOf(x)
	}
	alg.State()
}

// The literal schedule refuses a changed round, and the run continues.
func TestPaperScheduleRefuses(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.8)
	for _, name := range []string{"CoKernelFC", "IndRAGE"} {
		entry, _ := Named(engine.ModeFC, name)
		opt := engine.Options{Schedule: engine.SchedulePaper}
		alg := try.Of(entry.New(plain.ModelOf(t, p), opt))
		s := try.Of(engine.Begin(alg, opt))
		plan, _ := try.Two(s.Next(t.Context()))
		fewer := append([]int(nil), plan.Counts...)
		for i := range fewer {
			fewer[i] /= 2
		}
		if err := s.Amend(fewer); !errors.Is(err, engine.ErrFixedPlans) || !strings.Contains(err.Error(), `schedule "paper" eliminates at gaps of 2^-r`) {
			t.Errorf("%s: error %v", name, err)
		}
		again, _, _ := s.Next(t.Context())
		if fmt.Sprint(again) != fmt.Sprint(plan) {
			t.Errorf("%s: the plan has changed", name)
		}
		if err := s.Learn(t.Context(), engine.Batch{Counts: plan.Counts, Means: p.Mean}); err != nil {
			t.Error(err)
		}
	}
}

// Algorithm 2 accepts other pulls and warns of their effect.
func TestAmendedBudgetWarns(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.8)
	entry, _ := Named(engine.ModeFB, "CoKernelFB")
	opt := engine.Options{Budget: 500}
	alg := try.Of(entry.New(plain.ModelOf(t, p), opt))
	s, _ := engine.Begin(alg, opt)
	rng := rand.New(rand.NewPCG(1, 1))
	for {
		plan, more := try.Two(s.Next(t.Context()))
		if !more {
			break
		}
		if plan.Round == 2 {
			plan.Counts[0]++
			try.To(s.Amend(plan.Counts))
		}
		try.To(s.Learn(t.Context(), enginetest.Pull(rng, p, plan)))
	}
	out := s.Outcome()
	want := fmt.Sprintf("in 1 of %d rounds the pulls were not the planned ones", len(out.Rounds))
	found := false
	for _, w := range out.Warnings {
		found = found || strings.Contains(w.String(), want)
	}
	if !found || !out.Rounds[1].Amended || out.Rounds[0].Amended {
		t.Errorf("warnings %v, want %q; rounds %+v", out.Warnings, want, out.Rounds)
	}
}
