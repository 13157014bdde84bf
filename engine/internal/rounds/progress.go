package rounds

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Reached returns the fraction of the evidence that a decision takes: (statistic/threshold)², which
// grows in proportion to the samples if the gap is what it seems. It stays below 1, which is for
// what is decided.
func Reached(statistic, threshold float64) float64 {
	if !(statistic > 0) || !(threshold > 0) {
		return 0
	}
	x := statistic / threshold
	return min(x*x, math.Nextafter(1, 0))
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
