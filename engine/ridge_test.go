package engine

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/ending"
)

// The warnings of the tuned schedule, which holds for every ξ, solve no design for the condition
// of Theorem 1.
func TestTunedWarningsSolveNothing(t *testing.T) {
	p := paper(t, 2, 0.4)
	for _, schedule := range []string{ScheduleTuned, SchedulePaper} {
		m := model(t, p)
		a, err := NewCoKernelFCIndAlloc(m, Options{Schedule: schedule, Ridge: Ridge{Kind: RidgeValue, Value: 0.01}})
		if err != nil {
			t.Fatal(err)
		}
		steps := ending.Never()
		m.Until(steps)
		a.Warnings()
		if n := steps.Asked(); (n > 0) != (schedule == SchedulePaper) {
			t.Errorf("%s schedule: its warnings take %d steps of solvers", schedule, n)
		}
	}
}
