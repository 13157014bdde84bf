package model

import "math"

// leastDeviance returns the scale of the least deviance, the best of a grid, refined: from where noise
// hides any signal to where nothing is left of the prior. largest is the largest eigenvalue of the
// information, and squares the sum of squares of the data.
func leastDeviance(largest, squares float64, deviance func(scale float64) float64) float64 {
	lo, hi := math.Log(scaleLeast/largest), math.Log(scaleMost*(1+squares)/largest)
	of := func(x float64) float64 { return deviance(math.Exp(x)) }
	steps := int(math.Ceil((hi - lo) / scaleStep))
	best, least := lo, math.Inf(1)
	for k := range steps + 1 {
		x := lo + float64(k)*(hi-lo)/float64(steps)
		if y := of(x); y < least {
			best, least = x, y
		}
	}
	const golden = 0.381966
	lo, hi = math.Max(lo, best-scaleStep), math.Min(hi, best+scaleStep)
	for hi-lo > scaleTolerance {
		if x, y := lo+golden*(hi-lo), hi-golden*(hi-lo); of(x) < of(y) {
			hi = y
		} else {
			lo = x
		}
	}
	return math.Exp((lo + hi) / 2)
}

// scaleRange returns log of the least scale that leastDeviance looks at, and how many steps of scaleStep there
// are from it to the largest.
func scaleRange(largest, squares float64) (lo float64, steps int) {
	lo = math.Log(scaleLeast / largest)
	return lo, int(math.Ceil((math.Log(scaleMost*(1+squares)/largest)-lo)/scaleStep)) + 1
}
