package bounds_test

import (
	"context"
	"math"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Known exact values of the paper's three cases at ξ = 1e-6, V = 5, n = 6: from a
// certified solver (relative gap below 1e-9) written independently in another
// language; the digits are those printed there.
func TestKnownValues(t *testing.T) {
	for _, want := range []struct {
		number                  int
		rho, hardness, gain     float64
		dimension, rankZ, rankX int
		time                    float64 // T*, ξ = 0
	}{
		// T* of a single task is 857.1221; blocks add up.
		{1, 11.999964, 428.5597, 51.966215, 4, 1, 4, 857.1221},
		{2, 23.999856, 857.1169, 98.387273, 8, 2, 4, 2 * 857.1221},
		{3, 59.999100, 2142.7730, 227.642519, 20, 5, 4, 5 * 857.1221},
	} {
		p := enginetest.Paper(t, want.number, 0.1)
		r := try.Of(bounds.Compute(context.Background(), p, engine.Options{Delta: 0.005, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-6}}))
		near(t, "rho_1", r.Rho1.Value, want.rho, 5e-7)
		near(t, "omega", r.Omega.Value, want.rho, 5e-7)
		near(t, "rho_star", r.RhoStar.Value, want.hardness, 5e-5+1e-6*want.hardness)
		near(t, "information_gain", r.InformationGain, want.gain, 5e-7)
		near(t, "characteristic_time", r.CharacteristicTime, want.time, 5*5e-5+1e-6*want.time)
		if r.EffectiveDimension != want.dimension || r.RankTask != want.rankZ || r.RankArm != want.rankX || r.RankJoint != want.dimension {
			t.Errorf("case %d: d_eff %d, ranks %d·%d, joint %d; want %d, %d·%d", want.number, r.EffectiveDimension, r.RankTask, r.RankArm, r.RankJoint, want.dimension, want.rankZ, want.rankX)
		}
	}
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s = %.9g, want %.9g ± %g", what, got, want, tol)
	}
}
