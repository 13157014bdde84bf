package individual

import (
	"context"
	"errors"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// staged is an Algorithm that ends after a fixed number of rounds of one pull per arm, or never and
// has no further plan after them.
type staged struct {
	engine.Detailed
	model  *model.Model
	rounds int
	stuck  bool
}

func (s *staged) Plan(ctx context.Context) (engine.Plan, error) {
	if s.rounds == 0 {
		return engine.Plan{}, engine.LimitError{Samples: 1e13}
	}
	counts := make([]int, s.model.Problem.N())
	for i := range counts {
		counts[i] = 1
	}
	return engine.Plan{Counts: counts}, nil
}

func (s *staged) Learn(ctx context.Context, _ engine.Batch) error {
	s.rounds--
	return nil
}

func (s *staged) Done() bool                         { return s.rounds == 0 && !s.stuck }
func (s *staged) Answers() []engine.Answer           { return []engine.Answer{{Decided: s.Done()}} }
func (s *staged) Eliminations() []engine.Elimination { return nil }
func (s *staged) Warnings() []engine.Warning         { return nil }

// An agent that can go no further does not hold up the others, and when these are done the run
// ends: there are no rounds without pulls.
func TestIndividualEnds(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{0, 1}, []float64{0, 1})
	m := plain.ModelOf(t, p)
	for _, last := range []int{1, 2, 4} { // the stuck agent ends with the other, or before it
		next := 0
		alg := try.Of(New(m, plain.TermsOf(t, m, engine.ModeFC, engine.Options{}), func(m *model.Model, _ model.Terms) (engine.Algorithm, error) {
			next++
			if next == 1 {
				return &staged{model: m, rounds: 1, stuck: true}, nil
			}
			return &staged{model: m, rounds: last}, nil
		}))
		for round := 1; ; round++ {
			plan, err := alg.Plan(t.Context())
			if errors.As(err, new(engine.LimitError)) {
				if round != last+1 {
					t.Errorf("the other agent has %d rounds, the run ends after %d", last, round-1)
				}
				break
			}
			if err != nil || plan.Pulls() == 0 {
				t.Fatalf("round %d of %d has %d pulls, error %v", round, last, plan.Pulls(), err)
			}
			try.To(alg.Learn(t.Context(), engine.Batch{Counts: plan.Counts, Means: make([]float64, p.N())}))
		}
	}
}
