package sequential

import (
	"math"
	"testing"
)

// Z rises with the loss and stays a number in the tails.
func TestScoreTails(t *testing.T) {
	for _, freedom := range []float64{1, 2, 30, 1e9, 1e15, math.Inf(1)} {
		s := Score{Gap: -3, Sd: 0.5, Freedom: freedom}
		before := math.Inf(-1)
		for loss := 0.0; loss < 1e6; loss = 1.1*loss + 0.1 {
			z := s.Z(loss)
			if math.IsNaN(z) || math.IsInf(z, 0) || z < before || z > (s.Gap+loss)/s.Sd {
				t.Fatalf("freedom %g: Z = %g at loss %g after %g", freedom, z, loss, before)
			}
			before = z
		}
	}
}
