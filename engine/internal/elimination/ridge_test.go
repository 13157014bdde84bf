package elimination

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/internal/base/ending"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The warnings of the tuned schedule, which is valid for every ξ, solve no design for the condition of Theorem 1.
func TestTunedWarningsSolveNothing(t *testing.T) {
	p := enginetest.Paper(t, 2, 0.4)
	for _, schedule := range []string{engine.ScheduleTuned, engine.SchedulePaper} {
		m := plain.ModelOf(t, p)
		a := try.Of(plain.On(engine.ModeFC, NewCoKernelFCIndAlloc)(m, engine.Options{Schedule: schedule, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 0.01}}))
		steps := ending.Never()
		a.(*elimination).Model.Until(steps)
		a.State()
		if n := steps.Asked(); (n > 0) != (schedule == engine.SchedulePaper) {
			t.Errorf("%s schedule: its warnings take %d steps of solvers", schedule, n)
		}
	}
}
