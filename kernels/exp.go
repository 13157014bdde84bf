package kernels

import "math"

// steps is the number of values of 2^x that are tabulated over one octave.
const steps = 128

// octave has the bits of 2^(i/128). Nothing writes to it.
var octave = func() (bits [steps]uint64) {
	for i := range bits {
		bits[i] = math.Float64bits(math.Exp2(float64(i) / steps))
	}
	return bits
}()

// ExpScaled replaces each dst[j] by exp(scale·dst[j]). With the nearest whole n to 128 x / ln 2 and
// r = x - n ln 2 / 128, |r| ≤ 0.0028,
//
//	exp(x) = 2^(n/128) (1 + r + r²/2 + r³/6 + r⁴/24 + r⁵/120 + …),
//
// of which 2^(n/128) is a table value with n/128 added to its exponent, and the terms
// left out are below 1e-18. The relative error is below 4e-16: tables in place of the
// division of the usual rational approximation take half the time.
//
//	P. T. P. Tang, Table-driven implementation of the exponential function in IEEE
//	floating-point arithmetic, ACM Transactions on Mathematical Software 15, 1989.
//
// math.Exp takes over where 2^(n/128) is not a normal number, and for NaN.
func ExpScaled(dst []float64, scale float64) {
	const (
		// with trailing zeros, so that n·ln2Hi is exact
		ln2Hi   = 6.93147180369123816490e-01 / steps
		ln2Lo   = 1.90821492927058770002e-10 / steps
		nearest = 1.5 * (1 << 52) // adding it leaves the nearest whole number in the low bits
	)
	for j, v := range dst {
		x := scale * v
		if !(x >= -708 && x <= 709) {
			dst[j] = math.Exp(x)
			continue
		}
		shifted := x*(steps*math.Log2E) + nearest
		n := shifted - nearest
		bits := math.Float64bits(shifted)
		power := math.Float64frombits(octave[bits%steps] + bits/steps<<52)
		r := (x - n*ln2Hi) - n*ln2Lo
		r2 := r * r
		dst[j] = power + power*(r+r2*((0.5+r*(1./6))+r2*(1./24+r*(1./120))))
	}
}
