package rounds

import (
	"math"
	"testing"
)

// The gap believed of a leader is the estimate where that is far above its error, and
// the median of a half-normal if it is 0 [tables of the normal law: Φ⁻¹(3/4) = 0.67449].
func TestBelieved(t *testing.T) {
	for _, c := range []struct{ gap, sd, want float64 }{{5, 0.1, 5}, {0, 2, 2 * 0.674489750}, {3, 0, 3}, {-1, 0, 0}} {
		if got := MedianGap(c.gap, c.sd); math.Abs(got-c.want) > 1e-8 {
			t.Errorf("medianGap(%g, %g) = %g, want %g", c.gap, c.sd, got, c.want)
		}
	}
	for x := -9.0; x < 9; x += 0.25 {
		if a, b := MedianGap(x, 1), MedianGap(x+0.25, 1); !(a > 0) || b < a {
			t.Errorf("medianGap(%g) = %g, medianGap(%g) = %g", x, a, x+0.25, b)
		}
	}
}
