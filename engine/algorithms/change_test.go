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

// changers are the algorithms whose question can change.
var changers = []string{"CoBayesFC"}

// begun returns the steps of an algorithm on a problem.
func begun(t *testing.T, name string, p *problem.Problem, opt engine.Options) *engine.Steps {
	t.Helper()
	return begunOn(t, name, plain.ModelOf(t, p), opt)
}

// begunOn is begun on a model.
func begunOn(t *testing.T, name string, m *model.Model, opt engine.Options) *engine.Steps {
	t.Helper()
	entry := try.Of(Named(engine.ModeFC, name))
	alg := try.Of(entry.New(m, opt))
	return try.Of(engine.Begin(alg, opt))
}

// drive makes the rounds of a run and calls between after each.
func drive(t *testing.T, s *engine.Steps, pull func(engine.Plan) engine.Batch, between func(round int)) engine.Outcome {
	t.Helper()
	for range 60 {
		plan, more := try.Two(s.Next(t.Context()))
		if !more {
			break
		}
		try.To(s.Learn(t.Context(), pull(plan)))
		explained(s.Algorithm())
		if between != nil {
			between(plan.Round)
		}
	}
	return s.Outcome()
}

// undigested returns an outcome as text without digests.
func undigested(out engine.Outcome) string {
	for k := range out.Rounds {
		out.Rounds[k].Digest = ""
	}
	return all(out)
}

// Changes without effect leave a run unchanged: the same epsilon, the same delta, and a new algorithm for the same problem, after any
// round.
func TestChangesOfNothing(t *testing.T) {
	problems := append(enginetest.Instances(t), enginetest.Paper(t, 2, 0.5))
	problems[4].Noise.UnknownBy = problem.UnknownTask
	if testing.Short() {
		problems = problems[3:]
	}
	for _, p := range problems {
		m := plain.ModelOf(t, p)
		for _, name := range changers {
			opt := engine.Options{Delta: 0.1, Epsilon: 0.05}
			pull := func() func(engine.Plan) engine.Batch {
				rng := rand.New(rand.NewPCG(5, 5))
				return func(plan engine.Plan) engine.Batch { return enginetest.SquaresPull(rng, p, p.Noise.Scales, plan) }
			}
			want := undigested(drive(t, begunOn(t, name, m, opt), pull(), nil))
			for what, change := range map[string]func(s *engine.Steps) error{
				"epsilon": func(s *engine.Steps) error { return s.SetEpsilon(opt.Epsilon) },
				"delta":   func(s *engine.Steps) error { return s.SetDelta(opt.Delta) },
				"extend": func(s *engine.Steps) error {
					at := make([]int, p.N())
					for i := range at {
						at[i] = i
					}
					return s.Extend(begunOn(t, name, m, opt).Algorithm(), at)
				},
			} {
				s := begunOn(t, name, m, opt)
				got := undigested(drive(t, s, pull(), func(int) {
					try.To(change(s))
				}))
				if got != want {
					n := 0
					for n < min(len(got), len(want)) && got[n] == want[n] {
						n++
					}
					t.Errorf("%s, %s, %s:\n… %.150s\nwant\n… %.150s", name, p.Name, what, got[max(0, n-60):], want[max(0, n-60):])
				}
			}
		}
	}
}

// A larger epsilon decides tasks at once, a smaller one reopens them.
func TestEpsilonAndDeltaChange(t *testing.T) {
	for _, name := range changers {
		p := enginetest.Small(t, enginetest.Identity, []float64{0, 0.05, 0.1})
		opt := engine.Options{Delta: 0.1, MaxRounds: 60}
		s := begun(t, name, p, opt)
		rng := rand.New(rand.NewPCG(3, 9))
		pull := func(plan engine.Plan) engine.Batch { return enginetest.Pull(rng, p, plan) }
		decided := 0
		for range 5 {
			plan, more, err := s.Next(t.Context())
			if err != nil || !more {
				t.Fatal(name, err, more)
			}
			try.To(s.Learn(t.Context(), pull(plan)))
			try.To(s.SetEpsilon(100))
			if s.Outcome().Answers[0].Decided {
				decided++
			}
			try.To(s.SetEpsilon(0))
			if a := s.Outcome().Answers[0]; a.Decided {
				t.Fatalf("%s: epsilon = 0 and decided: %+v", name, a)
			}
			for _, e := range s.Outcome().Eliminations {
				if e.Rule == engine.RuleEpsilon {
					t.Errorf("%s: epsilon = 0 and %+v", name, e)
				}
			}
		}
		if decided == 0 {
			t.Errorf("%s: never within epsilon = 100", name)
		}
		try.To(s.SetDelta(0.3))
		try.To(s.SetDelta(0.01))
		out := drive(t, s, pull, nil)
		if out.Answers[0].Arm != "3" {
			t.Errorf("%s: %+v", name, out.Answers)
		}
	}
}

// An impossible change returns an error before anything changes.
func TestChangesRefused(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{0, 1}, []float64{1, 0})
	for _, name := range changers {
		s := begun(t, name, p, engine.Options{})
		plan, _, _ := s.Next(t.Context())
		for want, err := range map[string]error{
			"epsilon must be at least 0 and finite, got -1":  s.SetEpsilon(-1),
			"delta must lie strictly between 0 and 1, got 1": s.SetDelta(1),
			"arm 4 does not exist":                           s.Withdraw(4),
			`task "b" must keep at least one arm`:            s.Withdraw(2, 3),
			"3 places for 4 arms":                            s.Extend(begun(t, name, p, engine.Options{}).Algorithm(), []int{0, 1, 2}),
		} {
			if err == nil || !strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "must keep at least one arm") {
				t.Errorf("%s: error %v, want %q", name, err, want)
			}
		}
		if again, _, _ := s.Next(t.Context()); fmt.Sprint(again) != fmt.Sprint(plan) {
			t.Errorf("%s: the plan changed", name)
		}
	}
	for _, entry := range All() {
		able := false
		for _, name := range changers {
			able = able || entry.Name == name
		}
		if _, alg, opt := suited(t, entry); !able {
			s := try.Of(engine.Begin(alg, opt))
			_, tests := alg.(engine.Withdrawer) // which accept it before the first reward
			if err := s.Withdraw(0); !errors.Is(err, engine.ErrFixedQuestion) && !(tests && err == nil) {
				t.Errorf("%s: error %v", entry.Name, err)
			}
			for _, err := range []error{s.SetEpsilon(1), s.SetDelta(0.2), s.Extend(alg, nil)} {
				if !errors.Is(err, engine.ErrFixedQuestion) {
					t.Errorf("%s: error %v", entry.Name, err)
				}
			}
		}
	}
}
