package elimination

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
)

// A run depends only on its batches: two replicas with the same batches make the same plans.
func TestReplicas(t *testing.T) {
	p := enginetest.Paper(t, 2, 0.3)
	out := enginetest.Replicas(t, p, engine.Options{}, 8, func() (engine.Algorithm, error) {
		return plain.On(engine.ModeFC, NewCoKernelFC)(plain.ModelOf(t, p), engine.Options{})
	})
	if out.Status != engine.StatusDecided {
		t.Errorf("status %s", out.Status)
	}
}
