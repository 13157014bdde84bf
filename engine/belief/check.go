package belief

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Kinds of checks of the model.
const (
	CheckMean    = "mean"    // compares the mean of an arm with the prediction from the other arms
	CheckScatter = "scatter" // compares the scatter of measurements of an arm with that of the others
	CheckSkew    = "skew"    // compares how far measurements scatter upwards and downwards
)

// Check is the strongest contradiction between measurements and model, from three posterior predictive checks. They
// compare each mean with its prediction from the other means, the scatter within each arm with the scatter within the
// others, and the skewness of repeated measurements with the skewness of replicates drawn from the model.
type Check struct {
	Kind string `json:"kind"` // "mean", "scatter" or "skew"
	Arm  int    `json:"-"`    // index of the arm; for "skew", which concerns all arms, the first measured arm
	// For "mean": distance of the mean from its prediction, in standard deviations. For "scatter": factor on the standard
	// deviation of the other arms. For "skew": the skewness, with the sign of the data.
	Size float64 `json:"size"`
	// probability of so strong a contradiction if the model is true, corrected for the number of comparisons, at most 1
	Probability float64 `json:"probability"`
}

// checkable reports whether arms can be compared one by one: at least fewestJudged arms are measured, and rewards are not
// counts, have no limits, and share no effects of blocks.
func (d *data) checkable() bool {
	return d.wins == nil && d.limits == nil && d.blocks == nil && len(d.cells) >= fewestJudged
}

// checks is the number of kinds of checks. Probabilities are multiplied by it, since only the strongest contradiction is
// reported.
const checks = 3

// check returns the strongest contradiction. below has, for each measured arm, the predictive probability of a lower mean,
// given all other means.
func (d *data) check(below []float64) *Check {
	tails := lists.Map(below, func(p float64) float64 { return 2 * min(p, 1-p) })
	ratios, scatter := d.scatterTails()
	arm, tests := floats.MinIdx(tails), float64(len(scatter)-lists.Count(scatter, math.IsNaN))
	off := distuv.UnitNormal.Quantile(1 - max(tails[arm], 1e-15)/2)
	out := &Check{CheckMean, d.cells[arm], off, widened(off, float64(len(tails))) * float64(len(tails))}
	for k, p := range scatter {
		if p*tests < out.Probability {
			out = &Check{CheckScatter, d.cells[k], math.Sqrt(ratios[k]), p * tests}
		}
	}
	if skew, p := d.skewness(); p < out.Probability {
		out = &Check{CheckSkew, d.cells[0], d.p.Turned(skew), p}
	}
	out.Probability = min(checks*out.Probability, 1)
	return out
}

// widened returns twice the upper tail probability of Student's t for the largest of n standardised values, off. It
// assumes that this value was part of the estimate of the standard deviation.
func widened(off, n float64) float64 {
	return 2 * distuv.StudentsT{Sigma: 1, Nu: n - 1}.Survival(off*math.Sqrt((n-1)/max(n-off*off, 1e-9)))
}

// replicates is the number of data sets that skewness draws from the model.
const replicates = 400

// skewness returns the skewness of measurements about the means of their arms, in units of each arm's standard deviation,
// and the share of replicates that are at least as skewed. It uses only arms with at least three measurements.
func (d *data) skewness() (skew, share float64) {
	byArm := map[int][]float64{}
	for _, r := range rowsOf(d.p) {
		if r.Count == 1 {
			byArm[r.Arm] = append(byArm[r.Arm], r.Reward)
		}
	}
	var groups [][]float64
	for _, k := range d.evenly(mostCompared) {
		if y := byArm[d.cells[k]]; len(y) >= 3 {
			groups = append(groups, lists.Map(y, func(v float64) float64 { return v / math.Sqrt(d.rel[k]) }))
		}
	}
	of := func(draw func(y float64) float64) float64 {
		var squares, cubes, n float64
		for _, y := range groups {
			y = lists.Map(y, draw)
			m := stat.Mean(y, nil)
			for _, v := range y {
				squares, cubes, n = squares+(v-m)*(v-m), cubes+math.Pow(v-m, 3), n+1
			}
		}
		return cubes / n / math.Pow(squares/n, 1.5)
	}
	skew = of(func(y float64) float64 { return y })
	rng, beyond := rand.New(rand.NewPCG(5, 5)), 1.0
	for range replicates {
		if !(math.Abs(of(func(float64) float64 { return rng.NormFloat64() })) < math.Abs(skew)) {
			beyond++
		}
	}
	return skew, beyond / (replicates + 1)
}

// scatterTails compares the variance within each measured arm with the variance within all others. ratios has their
// quotients. tails has the probability of a quotient at least as large, from Fisher's F, or from χ² if the noise is
// stated. Both are NaN for arms without repeated measurements.
func (d *data) scatterTails() (ratios, tails []float64) {
	squares, freedom := d.squares()
	ratios = slices.Repeat([]float64{math.NaN()}, len(squares))
	tails = slices.Clone(ratios)
	all := 0.0
	for k, s := range squares {
		all += s / d.rel[k]
	}
	for k, nu := range freedom {
		if nu == 0 {
			continue
		}
		expected, others := (all-squares[k]/d.rel[k])*d.rel[k]/(d.free-nu), d.free-nu
		switch law := d.shrunk; {
		case d.known:
			expected, others = d.rel[k]*d.unit*d.unit, math.Inf(1)
		case law != nil:
			g := law.group[k]
			expected, others = law.of(g, squares[k], nu), 2*law.a+law.counts[g]-nu
		}
		if !(expected > 0 && others > 0) {
			continue
		}
		ratios[k] = squares[k] / nu / expected
		if math.IsInf(others, 1) {
			tails[k] = distuv.ChiSquared{K: nu}.Survival(ratios[k] * nu)
		} else {
			tails[k] = distuv.F{D1: nu, D2: others}.Survival(ratios[k])
		}
	}
	return ratios, tails
}
