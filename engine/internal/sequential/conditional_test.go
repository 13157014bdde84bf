package sequential

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Heights of a level are crossed with that probability from the beginning, and from a later position as often as simulated walks cross.
func TestConditionalError(t *testing.T) {
	times := Geometric(ClockGrowth, ClockLooks)
	z, err := Heights(0.05, times, 50, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewConditionalError(z, times)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.From(-1, 0); got > 0.05 || got < 0.049 { // paths that cross early and late count once
		t.Errorf("from the beginning %g, want 0.05", got)
	}
	const look, paths = 20, 40_000
	for _, x := range []float64{0, 1.5, 2.5} {
		rng, crossed := rand.New(rand.NewPCG(1, uint64(10*x))), 0
		for range paths {
			y := x
			for k := look + 1; k < len(times); k++ {
				mean, sd := c.law(k-1, y, k)
				if y = mean + sd*rng.NormFloat64(); y >= z[k] {
					crossed++
					break
				}
			}
		}
		want, got := c.From(look, x), float64(crossed)/paths
		if off := math.Abs(got-want) / math.Sqrt(want*(1-want)/paths); off > 4 {
			t.Errorf("from %g: %g, and %g of the paths", x, want, got)
		}
	}
	if _, err := NewConditionalError([]float64{2}, []float64{1, 2}); err == nil {
		t.Error("one height for two looks is accepted")
	}
}
