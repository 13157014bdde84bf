package bounds

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// A design of very many arms that is reported as optimal is within the requested gap.
func TestFirstRoundWithinTolerance(t *testing.T) {
	p := try.Of(manyarms.Problem(300))
	for _, tol := range []float64{0.05, 1e-3} {
		d := try.Of(FirstRound(t.Context(), p, engine.Options{Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 0.01}}, tol))
		gap := d.Value/d.Lower - 1
		t.Logf("tol %g: gap %.2g, %s", tol, gap, d.Status)
		if d.Status == design.Optimal.String() && gap > tol {
			t.Errorf("tol %g: a gap of %.2g is called %s", tol, gap, d.Status)
		}
	}
}
