package algorithms

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Learn before Plan panics: it is a mistake of the caller. Algorithms with a single fixed round need no plan.
func TestLearnBeforePlanPanics(t *testing.T) {
	p := try.Of(problem.Classic([]float64{0, 1, 3}, 2))
	m := plain.ModelOf(t, p)
	for _, entry := range All() {
		opt := engine.Options{}
		if entry.Mode == engine.ModeFB {
			opt.Budget = 100
		}
		alg, err := entry.New(m, opt)
		if err != nil {
			t.Errorf("%s: %v", entry.Name, err)
			continue
		}
		if oneRound[entry.Name] && entry.Mode == engine.ModeFB {
			continue
		}
		func() {
			defer func() {
				if got := recover(); got != rounds.LearnedEarly {
					t.Errorf("%s: panicked with %v, want %q", entry.Name, got, rounds.LearnedEarly)
				}
			}()
			err := alg.Learn(t.Context(), engine.Batch{})
			t.Errorf("%s: returned %v", entry.Name, err)
		}()
	}
}

// oneRound lists the algorithms whose only round is fixed in advance: they can learn without a plan.
var oneRound = map[string]bool{"IndUniformFB": true, "CoUniformFB": true, "BestElsewhere": true, "Oracle": true}
