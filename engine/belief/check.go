package belief

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// What a check of the model compares.
const (
	CheckMean    = "mean"    // the mean of an arm with what the other arms predict
	CheckScatter = "scatter" // how measurements of an arm scatter with how others do
)

// Check is the arm that the model explains least, by a posterior predictive check [RW06, sec. 5.4.2]: each mean is compared with what the
// other means predict, and the scatter of repeated measurements of each arm with the scatter of the others.
type Check struct {
	Kind string `json:"kind"` // "mean" or "scatter"
	Arm  int    `json:"-"`
	// by how many standard deviations the mean is off, or how many times as wide the measurements scatter
	Size float64 `json:"size"`
	// how often tables that follow the model have an arm that is so far off; at most 1
	Probability float64 `json:"probability"`
}

// checkable reports whether arms can be compared one by one: rewards are not counts, have no limits, and share no effects of blocks.
func (d *data) checkable() bool {
	return d.wins == nil && d.limits == nil && d.blocks == nil && len(d.cells) >= fewestJudged
}

// check returns the arm that is least probable. below has the probability of each measured mean to be lower, given all other means.
func (d *data) check(below []float64) *Check {
	tails := lists.Map(below, func(p float64) float64 { return 2 * min(p, 1-p) })
	ratios, scatter := d.scatterTails()
	arm, tests := floats.MinIdx(tails), float64(len(tails)+len(scatter)-lists.Count(scatter, math.IsNaN))
	off := distuv.UnitNormal.Quantile(1 - max(tails[arm], 1e-15)/2)
	out := &Check{CheckMean, d.cells[arm], off, min(tails[arm]*tests, 1)}
	for k, p := range scatter {
		if p*tests < out.Probability {
			out = &Check{CheckScatter, d.cells[k], math.Sqrt(ratios[k]), p * tests}
		}
	}
	return out
}

// scatterTails compares the variance within each measured arm with what all others say of it. It returns their ratio, and the probability of
// a ratio that is as large: of Fisher's F, or of χ² if the noise is stated. They are NaN if an arm has one measurement.
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
