package engine

import (
	"context"
	"sync/atomic"
	"testing"
)

// counting counts how often it is asked whether it has ended: solvers ask in every step.
type counting struct {
	context.Context
	asked atomic.Int64
}

func (c *counting) Err() error {
	c.asked.Add(1)
	return c.Context.Err()
}

// The warnings of the tuned schedule, which holds for every ξ, solve no design for the condition
// of Theorem 1.
func TestTunedWarningsSolveNothing(t *testing.T) {
	p, err := PaperCase(2, 0.4)
	if err != nil {
		t.Fatal(err)
	}
	for _, schedule := range []string{ScheduleTuned, SchedulePaper} {
		m, err := NewModel(p, 0)
		if err != nil {
			t.Fatal(err)
		}
		a, err := NewCoKernelFCIndAlloc(m, Options{Schedule: schedule, Ridge: Ridge{Kind: RidgeValue, Value: 0.01}})
		if err != nil {
			t.Fatal(err)
		}
		steps := &counting{Context: context.Background()}
		m.Until(steps)
		a.Warnings()
		if n := steps.asked.Load(); (n > 0) != (schedule == SchedulePaper) {
			t.Errorf("%s schedule: its warnings take %d steps of solvers", schedule, n)
		}
	}
}
