package algorithms

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
)

// A fixed-confidence algorithm warns that costs do not influence its pulls exactly if it plans the same pulls with and without them.
// There is no warning if all pulls cost the same.
func TestWhoGoesByCost(t *testing.T) {
	plain := enginetest.Small(t, enginetest.Identity, []float64{0, 0.3, 0.9})
	priced, even := *plain, *plain
	priced.Cost, even.Cost = []float64{25, 1, 4}, []float64{3, 3, 3}
	for _, e := range All() {
		if e.Mode != engine.ModeFC || e.Role == RoleReference {
			continue
		}
		opt := engine.Options{Norm: 1, Gap: 0.5}
		if e.Takes("norm") && !e.Scheduled {
			opt = engine.Options{} // with a norm CoTestFC ignores costs and warns itself
		}
		a, b := begun(t, e.Name, plain, opt), begun(t, e.Name, &priced, opt)
		x, y := rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(1, 1))
		same := true
		for range 3 {
			p, more, err := a.Next(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", e.Name, err)
			}
			q, on, err := b.Next(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", e.Name, err)
			}
			if same = same && more == on && slices.Equal(p.Counts, q.Counts); !same || !more || !on {
				break
			}
			if err := a.Learn(t.Context(), enginetest.SquaresPull(x, plain, plain.Noise.Scales, p)); err != nil {
				t.Fatalf("%s: %v", e.Name, err)
			}
			if err := b.Learn(t.Context(), enginetest.SquaresPull(y, plain, plain.Noise.Scales, q)); err != nil {
				t.Fatalf("%s: %v", e.Name, err)
			}
		}
		if says := len(e.UnusedWarnings(&priced, engine.Options{})) > 0; says != same {
			t.Errorf("%s plans the same whatever pulls cost: %v; it says so: %v", e.Name, same, says)
		}
		if len(e.UnusedWarnings(&even, engine.Options{})) > 0 || len(e.UnusedWarnings(plain, engine.Options{})) > 0 {
			t.Errorf("%s speaks of costs where there are none to tell pulls by", e.Name)
		}
	}
}
