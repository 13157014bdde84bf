package sequential

import (
	"fmt"
	"math"
)

// resolution is the grid on which Constant rounds up. It raises z² by less than one
// part in a million, and samples with it.
const resolution = 1e-6

// Constant returns the smallest z on a grid of a millionth with
//
//	P(B(T) ≥ z √T at one of the times) ≤ alpha,
//
// the bound on the numerical error of this probability included: the constant of [Pocock77] for any
// clock. It takes some milliseconds for 60 looks. alpha must lie in [1e-12, 1/2]; errors are as for
// [Crossing].
func Constant(alpha float64, times []float64) (float64, error) {
	if !(alpha >= 1e-12 && alpha <= 0.5) {
		return 0, fmt.Errorf("boundary: the error probability must lie between 1e-12 and 0.5, got %g", alpha)
	}
	excess := func(z float64) (float64, error) {
		p, slack, err := Crossing(z, times)
		return math.Log((p + slack) / alpha), err
	}
	// One look alone needs lo, the union bound over all looks is met at hi.
	lo, hi := quantile(alpha), quantile(alpha/float64(len(times)))+resolution
	flo, err := excess(lo)
	if err != nil {
		return 0, err
	}
	fhi, err := excess(hi)
	if err != nil {
		return 0, err
	}
	// Regula falsi, Illinois variant: log p is nearly linear in z between the two.
	for side := 0; hi-lo > resolution/4 && flo > 0; {
		z := (lo*fhi - hi*flo) / (fhi - flo)
		z = min(max(z, lo+resolution/8), hi-resolution/8)
		f, err := excess(z)
		switch {
		case err != nil:
			return 0, err
		case f > 0:
			if lo, flo = z, f; side == 1 {
				fhi /= 2
			}
			side = 1
		default:
			if hi, fhi = z, f; side == -1 {
				flo /= 2
			}
			side = -1
		}
	}
	for z := math.Floor(lo/resolution) * resolution; ; z += resolution {
		f, err := excess(z)
		if err != nil || f <= 0 {
			return z, err
		}
	}
}

// quantile returns z with P(ξ ≥ z) = alpha for a standard normal ξ.
func quantile(alpha float64) float64 { return math.Sqrt2 * math.Erfcinv(2*alpha) }
