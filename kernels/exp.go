package kernels

import "math"

// expScaled replaces each dst[j] by exp(scale·dst[j]).
//
// The hot path is the rational approximation of FreeBSD's e_exp.c, without its
// branches: with r = x - k ln 2, |r| ≤ ln 2 / 2,
//
//	exp(x) = 2^k (1 + r + r c/(2 - c)),  c = r - r²(P1 + r²(P2 + …)).
//
// Its relative error is below 4e-16. math.Exp takes over where 2^k or the result
// is not a normal number, and for NaN.
func expScaled(dst []float64, scale float64) {
	const (
		ln2Hi = 6.93147180369123816490e-01
		ln2Lo = 1.90821492927058770002e-10
		p1    = 1.66666666666666657415e-01
		p2    = -2.77777777770155933842e-03
		p3    = 6.61375632143793436117e-05
		p4    = -1.65339022054652515390e-06
		p5    = 4.13813679705723846039e-08
		round = 1.5 * (1 << 52) // adding it leaves the nearest integer in the low bits
	)
	for j, v := range dst {
		x := scale * v
		if !(x >= -708 && x <= 709) {
			dst[j] = math.Exp(x)
			continue
		}
		shifted := x*math.Log2E + round
		k := shifted - round
		hi, lo := x-k*ln2Hi, k*ln2Lo
		r := hi - lo
		t := r * r
		c := r - t*(p1+t*(p2+t*(p3+t*(p4+t*p5))))
		y := 1 - ((lo - r*c/(2-c)) - hi)
		dst[j] = y * math.Float64frombits((math.Float64bits(shifted)+1023)<<52)
	}
}
