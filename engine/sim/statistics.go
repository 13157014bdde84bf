package sim

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
)

// normal95 is the 97.5 % quantile of the standard normal distribution.
var normal95 = distuv.UnitNormal.Quantile(0.975)

// Mean returns the mean with its 95 % interval by Student's t over the values.
// One value, or none, gives the degenerate interval.
func Mean(values []float64) engine.Interval {
	if len(values) == 0 {
		return engine.Interval{}
	}
	mean, sd := stat.MeanStdDev(values, nil)
	if len(values) == 1 {
		return engine.Interval{Mean: mean, CI95: [2]float64{mean, mean}}
	}
	n := float64(len(values))
	half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975) * sd / math.Sqrt(n)
	return engine.Interval{Mean: mean, CI95: [2]float64{mean - half, mean + half}}
}

// Proportion returns count of runs with its 95 % Wilson interval [Wilson 1927].
func Proportion(count, runs int) engine.Rate {
	if runs == 0 {
		return engine.Rate{}
	}
	n, z := float64(runs), normal95
	p := float64(count) / n
	centre := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	r := engine.Rate{Count: count, Runs: runs, Rate: p, CI95: [2]float64{centre - half, centre + half}}
	if count == 0 {
		r.CI95[0] = 0 // exactly: rounding would leave 1e-19
	}
	if count == runs {
		r.CI95[1] = 1
	}
	return r
}
