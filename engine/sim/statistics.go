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
	p := float64(count) / float64(runs)
	return engine.Rate{Count: count, Runs: runs, Rate: p, CI95: wilson(p, float64(runs))}
}

// Shares returns the share of all (run, task) pairs that are wrong, from the number of wrong tasks
// of each run. Tasks of a run may err together or not, so the 95 % interval is Wilson's at the
// effective number of runs [Korn and Graubard 1998; Dean and Pagano 2015]: as many independent
// pairs as have the variance of the shares of runs, but no fewer than there are runs and no more
// than there are pairs. That variance is taken with a run added where all tasks are wrong and one
// where none is, as [Agresti and Caffo 2000] do: so shares that are all 0 or 1 have the interval of
// Proportion, and no or few wrong runs do not pass for independent tasks.
func Shares(wrong []int, tasks int) engine.Rate {
	if len(wrong) == 0 || tasks == 0 {
		return engine.Rate{}
	}
	runs, count := float64(len(wrong)), 0
	sum, square := 1., 1.
	for _, w := range wrong {
		y := float64(w) / float64(tasks)
		count += w
		sum, square = sum+y, square+y*y
	}
	mean := sum / (runs + 2)
	variance := square/(runs+2) - mean*mean
	effective := min(max(runs, runs*mean*(1-mean)/variance), runs*float64(tasks))
	p := float64(count) / (runs * float64(tasks))
	return engine.Rate{Count: count, Runs: len(wrong) * tasks, Rate: p, CI95: wilson(p, effective)}
}

// wilson returns the 95 % interval of a relative frequency p of n.
func wilson(p, n float64) [2]float64 {
	z := normal95
	centre := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	interval := [2]float64{centre - half, centre + half}
	if p == 0 {
		interval[0] = 0 // exactly: rounding would leave 1e-19
	}
	if p == 1 {
		interval[1] = 1
	}
	return interval
}
