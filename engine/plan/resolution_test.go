package plan

import (
	"context"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// A forecast checks the resolution of the kernel at the requested accuracy.
func TestResolution(t *testing.T) {
	p := try.Of(manyarms.Problem(700))
	p.Kernel.Terms[0].Arm = kernels.Matern{Nu: 1.5}
	for _, c := range []struct {
		q        Question
		accuracy float64
		rough    bool
	}{
		{Question{Options: engine.Options{Epsilon: 0.5}}, 0.5, false},
		{Question{Options: engine.Options{Epsilon: 0.05}, Gaps: []float64{0.5}}, 0.05, true},
		{Question{Gaps: []float64{0.5, 0.02}}, 0.02, true},
		{Question{}, model.Scatter(p) / 10, true},
	} {
		warnings := c.q.resolution(context.Background(), p)
		if c.rough != (len(warnings) == 2) || c.rough && warnings[0].Numbers[0] != c.accuracy {
			t.Errorf("accuracy %g: %v", c.accuracy, warnings)
		}
	}
}
