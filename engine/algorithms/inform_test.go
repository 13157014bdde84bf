package algorithms

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Added rewards choose the leader of a test at once and never eliminate an arm, however strong they are; a test that starts with them
// skips its exploration.
func TestInformGuides(t *testing.T) {
	for _, name := range []string{"CoTestFC", "IndTestFC"} {
		for _, unknown := range []string{"", problem.UnknownProblem} {
			p := enginetest.Small(t, enginetest.Identity, []float64{0, 1, 2}, []float64{2, 1, 0})
			p.Noise.UnknownBy = unknown
			misleading := engine.Batch{Counts: []int{1000, 1000, 1000, 1000, 1000, 1000}, Means: []float64{90, 1, 2, 2, 1, 90}, Squares: []float64{999, 999, 999, 999, 999, 999}}
			for _, after := range []int{0, 1, 2} {
				s := begun(t, name, p, engine.Options{})
				rng := rand.New(rand.NewPCG(3, 3))
				tell := func() {
					before := len(s.Outcome().Eliminations)
					try.To(s.AddData(misleading))
					out := s.Outcome()
					if len(out.Eliminations) != before || out.SamplesAdded != 6000 {
						t.Errorf("%s: rewards of no round threw out %+v", name, out.Eliminations)
					}
					for v, want := range []string{"1", "3"} {
						if a := out.Answers[v]; before == 0 && a.Leader != want {
							t.Errorf("%s: leader %+v, want %q", name, a, want)
						}
					}
				}
				if after == 0 {
					tell()
				}
				first := 0
				out := drive(t, s, func(plan engine.Plan) engine.Batch {
					if plan.Round == 1 {
						first = plan.Pulls()
					}
					return enginetest.SquaresPull(rng, p, p.Noise.Scales, plan)
				}, func(round int) {
					if round == after {
						tell()
					}
				})
				for v, want := range []string{"3", "1"} {
					if a := out.Answers[v]; !a.Decided || a.Arm != want {
						t.Errorf("%s, misled after round %d: answer %+v, want %q", name, after, a, want)
					}
				}
				if after == 0 && first == 18 && unknown == "" { // replicates for an unknown scale take as many
					t.Errorf("%s: round 1 explores with %d pulls although all is known", name, first)
				}
			}
		}
	}
}

// Rewards that are added while a round is open reach the algorithm after the round's own rewards. So they cannot change its test.
func TestInformAfterOpenRound(t *testing.T) {
	for _, name := range []string{"CoTestFC", "IndTestFC"} {
		p := enginetest.Small(t, enginetest.Identity, []float64{0, 1, 2}, []float64{2, 1, 0})
		p.Noise.UnknownBy = problem.UnknownTested
		added := engine.Batch{Counts: []int{50, 50, 50, 50, 50, 50}, Means: []float64{90, 1, 2, 2, 1, 90}, Squares: []float64{9, 900, 9, 9, 900, 9}}
		before, after := begun(t, name, p, engine.Options{}), begun(t, name, p, engine.Options{})
		rng := rand.New(rand.NewPCG(3, 3))
		for range 3 {
			plan, more := try.Two(before.Next(t.Context()))
			if _, same := try.Two(after.Next(t.Context())); !more || !same {
				t.Fatalf("%s ends before round 3", name)
			}
			b := enginetest.SquaresPull(rng, p, p.Noise.Scales, plan)
			try.To(before.AddData(added))
			try.To(before.Learn(t.Context(), b))
			try.To(after.Learn(t.Context(), b))
			try.To(after.AddData(added))
			if x, y := undigested(before.Outcome()), undigested(after.Outcome()); x != y {
				t.Errorf("%s: added in round %d:\n%s\nadded after it:\n%s", name, plan.Round, x, y)
			}
		}
	}
}

// A posterior uses added rewards like rewards of a round: estimates and decided tasks are equal.
func TestInformPosterior(t *testing.T) {
	for _, p := range enginetest.Instances(t) {
		told, informed := begun(t, "CoBayesFC", p, engine.Options{}), begun(t, "CoBayesFC", p, engine.Options{})
		rng := rand.New(rand.NewPCG(3, 3))
		plan, _, _ := told.Next(t.Context())
		b := enginetest.Pull(rng, p, plan)
		try.To(told.Learn(t.Context(), b))
		try.To(informed.AddData(b))
		if got, want := informed.Outcome(), told.Outcome(); fmt.Sprint(got.Answers) != fmt.Sprint(want.Answers) || got.Samples != 0 {
			t.Errorf("%s: answers %+v, want %+v", p.Name, got.Answers, want.Answers)
		}
		next, _, _ := told.Next(t.Context())
		if other, _, _ := informed.Next(t.Context()); fmt.Sprint(other.Counts) != fmt.Sprint(next.Counts) {
			t.Errorf("%s: plans %v, want %v", p.Name, other.Counts, next.Counts)
		}
	}
}

// Eliminations use each round's own data: added rewards are refused, and the run continues.
func TestInformRefused(t *testing.T) {
	for _, entry := range All() {
		p, alg, opt := suited(t, entry)
		s := try.Of(engine.Begin(alg, opt))
		b := engine.Batch{Counts: make([]int, p.N()), Means: make([]float64, p.N())}
		b.Counts[0] = 1
		if err := s.AddData(b); engine.UsesAddedData(alg) != (err == nil) || err != nil && !errors.Is(err, engine.ErrAddedDataUnused) {
			t.Errorf("%s: error %v", entry.Name, err)
		}
		if b.Means[0] = math.NaN(); engine.UsesAddedData(alg) && s.AddData(b) == nil {
			t.Errorf("%s: takes a reward that is no number", entry.Name)
		}
		if _, _, err := s.Next(t.Context()); err != nil {
			t.Errorf("%s: %v", entry.Name, err)
		}
	}
}
