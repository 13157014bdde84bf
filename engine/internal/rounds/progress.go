package rounds

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Most returns the largest of the samples that the tasks take, which is what they take together
// where the same samples serve all of them. -1 or NaN of one task holds for all.
func Most(tasks []int, samples func(v int) float64) float64 {
	most := 0.0
	for _, v := range tasks {
		n := samples(v)
		if n < 0 || math.IsNaN(n) {
			return n
		}
		most = max(most, n)
	}
	return most
}

// MedianGap returns the median of a normal gap with this estimate and standard error, given that
// it is positive, as a leader's gap is: the estimate itself may be nearly 0, and then says
// nothing of how long it takes.
func MedianGap(gap, sd float64) float64 {
	if !(sd > 0) || gap > 6*sd {
		return max(gap, 0)
	}
	x := max(gap/sd, -6) // a leader is seldom that far behind
	positive := distuv.UnitNormal.CDF(x)
	return sd * (x + distuv.UnitNormal.Quantile(1-positive/2))
}
