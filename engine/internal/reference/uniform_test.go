package reference

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/individual"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
)

// IndUniformFB-LS estimates by least squares on the task's own pulls, and judges them at δ/V.
func TestIndUniformLS(t *testing.T) {
	for _, p := range enginetest.Instances(t) {
		m := plain.ModelOf(t, p)
		alg, err := NewIndUniformLS(m, engine.Options{Budget: 601})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := alg.Plan()
		if err != nil {
			t.Fatal(err)
		}
		b := enginetest.Pull(rand.New(rand.NewPCG(8, 8)), p, plan)
		if err := alg.Learn(b); err != nil {
			t.Fatal(err)
		}
		for v, a := range alg.Answers() {
			lo, hi := p.ArmsOf(v)
			logTerm := math.Log(2 * plain.Sq(float64(hi-lo)) * float64(p.V()) / engine.DefaultDelta)
			if got := alg.(*individual.Algorithm).Parts[v].(*uniformFB).LogTerm; math.Abs(got-logTerm) > 1e-12 {
				t.Errorf("%s, task %d: judged with the logarithm %g, want %g", p.Name, v, got, logTerm)
			}
			own := plain.NewReference(p.Only(v), plain.LeastSquares)
			part := engine.Batch{Counts: b.Counts[lo:hi], Means: b.Means[lo:hi]}
			theta, _ := own.Estimate(part)
			rewards := own.Rewards(theta)
			first := rounds.Leader(own.Sets[0], rewards)
			if want := rewards[first] * own.P.LargestNoise(); a.Leader != p.Arms.Names[lo+first] || math.Abs(a.Estimate-want) > 1e-6 {
				t.Errorf("%s, task %d: %s with %g, by least squares %s with %g", p.Name, v, a.Leader, a.Estimate, p.Arms.Names[lo+first], want)
			}
		}
	}
}
