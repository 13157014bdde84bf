package sequential

import (
	"math"
	"testing"
)

// Z rises with the loss and stays a number in the tails.
func TestScoreTails(t *testing.T) {
	for _, freedom := range []float64{1, 2, 30, 1e9, 1e15, math.Inf(1)} {
		for _, student := range []bool{false, true} {
			s := Score{Gap: -3, Sd: 0.5, Freedom: freedom, Student: student}
			before := math.Inf(-1)
			for loss := 0.0; loss < 1e6; loss = 1.1*loss + 0.1 {
				z, score := s.Z(loss), (s.Gap+loss)/s.Sd
				if math.IsNaN(z) || math.IsInf(z, 0) || z < before || z > score && (score > 0 || !student || freedom > mostFreedom) {
					t.Fatalf("freedom %g: Z = %g at loss %g after %g", freedom, z, loss, before)
				}
				if mirrored := (Score{Gap: -score, Sd: 1, Freedom: freedom, Student: true}).Z(0); student && freedom <= mostFreedom && math.Abs(z+mirrored) > 1e-12 {
					t.Fatalf("freedom %g: Z = %g at a score of %g, and %g at its negative", freedom, z, score, mirrored)
				}
				before = z
			}
		}
	}
}
