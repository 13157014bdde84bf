package algorithms

import (
	"math"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Callers pass rewards with the sign of the data: with goal min the arm with the lowest one is the answer, with its estimate in the
// data's sign, also after earlier rewards.
func TestStepsOfGoalMin(t *testing.T) {
	high := enginetest.Paper(t, 1, 0.5)
	low := high.Minimised()
	costs := make([]float64, low.N()) // with the sign of the data, all above 0
	for i := range costs {
		costs[i] = 10 - high.Mean[i]
		low.Mean[i] = low.Turned(costs[i])
	}
	for _, entry := range All() {
		opt := engine.Options{Delta: 0.1}
		if entry.Mode == engine.ModeFB {
			opt.Budget = 400
		}
		if entry.Suits(low) != nil || entry.Role == RoleReference {
			continue
		}
		alg, err := entry.New(plain.ModelOf(t, low), opt)
		if err != nil {
			t.Fatalf("%s: %v", entry.Name, err)
		}
		s := try.Of(engine.Begin(alg, opt))
		told := func(counts []int, squares bool) engine.Batch {
			b := engine.Batch{Counts: counts, Means: make([]float64, len(counts))}
			copy(b.Means, costs)
			if squares {
				b.Squares = make([]float64, len(counts))
				for i, n := range counts {
					b.Squares[i] = float64(max(n-1, 0))
				}
			}
			return b
		}
		if engine.UsesAddedData(alg) {
			once := make([]int, low.N())
			for i := range once {
				once[i] = 1
			}
			if err := s.AddData(told(once, true)); err != nil {
				t.Fatalf("%s: %v", entry.Name, err)
			}
		}
		for {
			plan, more, err := s.Next(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", entry.Name, err)
			}
			if !more {
				break
			}
			if err := s.Learn(t.Context(), told(plan.Counts, plan.WantSquares)); err != nil {
				t.Fatalf("%s: %v", entry.Name, err)
			}
		}
		for v, a := range s.Outcome().Answers {
			best := -1
			for i, task := range low.TaskOf {
				if task == v && (best < 0 || costs[i] < costs[best]) {
					best = i
				}
			}
			if a.Leader != low.Arms.Names[best] || a.Estimate != 0 && math.Abs(a.Estimate-costs[best]) > 1.5 {
				t.Errorf("%s of task %s: %s at %.3g, where %s costs %.3g", entry.Name, a.Task, a.Leader, a.Estimate, low.Arms.Names[best], costs[best])
			}
		}
	}
}
