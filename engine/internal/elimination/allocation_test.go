package elimination

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
)

// Allocations of the same sets to the same number of pulls are told apart in the memory.
func TestMemoryTellsAllocationsApart(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{0, 1, 2})
	m := plain.ModelOf(t, p.Only(0))
	ways := []allocation{shared(), separate(), gOptimal(), narrowest()}
	for range 2 { // cold, then warm
		for _, a := range ways {
			d := a.design(m, 0, m.Problem.Groups())
			if st, _ := a.stage(m, 0, m.Problem.Groups(), d, 600); st.Design.Value != d.Value {
				t.Errorf("kind %d: the stage has a design worth %g, its own is worth %g", a.kind, st.Design.Value, d.Value)
			}
		}
	}
	kinds := map[canon.Kind]bool{}
	for _, a := range ways {
		if kinds[a.kind] {
			t.Errorf("two allocations are of kind %d", a.kind)
		}
		kinds[a.kind] = true
	}
}
