package belief

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// What the scatter of measurements was found to be.
const (
	ScatterStated  = "stated"  // as the problem states it
	ScatterCounts  = "counts"  // the binomial law
	ScatterCommon  = "common"  // the same for all arms
	ScatterTask    = "task"    // a variance for each task, shrunk towards the others
	ScatterArm     = "arm"     // a variance for each arm of a task, shrunk towards the others
	ScatterMean    = "mean"    // it changes with the mean
	ScatterUnknown = "unknown" // no arm was measured twice
)

// Scatter says how measurements scatter.
type Scatter struct {
	// "common" to all arms, for each "task", for each "arm", with the "mean", of "counts", "stated", or "unknown" if no
	// arm was measured twice
	Kind   string     `json:"kind"`
	Scales [2]float64 `json:"scales"` // smallest and largest standard deviation of one measurement, reward units
}

// noise finds how measurements scatter from their squares within arms. With ν_g degrees of freedom and
// squares S_g in group g, whose variance has the prior of a scaled inverse χ² with ν₀ degrees of freedom
// and scale σ₀² [Smyth04],
//
//	log m = Σ_g [a log b - log Γ(a) + log Γ(a + ν_g/2) - (a + ν_g/2) log(b + S_g/2)],  a = ν₀/2, b = ν₀ σ₀²/2,
//
// is compared for one group, a group each task, a group each arm. What is more complicated must gain a nat for each of
// its numbers beyond what AIC asks. A variance is then (b + S_g/2)/(a + ν_g/2). Whether variances change with the mean is
// only suspected here, see change.
//
// [Smyth04]: G. K. Smyth, Linear models and empirical Bayes methods, Stat. Appl. Genet. Mol. Biol. 3(1), 2004.
func (d *data) noise() {
	n := len(d.cells)
	d.rel = make([]float64, n)
	floats.AddConst(1, d.rel)
	if m := d.p.Noise; m.Known == problem.NoiseStated && m.UnknownBy == "" && m.Bounds == nil {
		for k, i := range d.cells {
			d.rel[k] = m.Scales[i] * m.Scales[i]
		}
		d.known, d.scatter = true, Scatter{Kind: ScatterStated}
		return
	}
	within, all := d.squares()
	if d.free = floats.Sum(all); d.free == 0 {
		d.scatter = Scatter{Kind: ScatterUnknown}
		return
	}
	squares, freedom := d.unblocked(within, all)
	free := floats.Sum(freedom)
	d.scatter = Scatter{Kind: ScatterCommon}
	if d.equal(squares) { // no group differs from another
		return
	}
	if free < 1e-3*d.free { // the blocks may be all there is
		d.within = floats.Sum(within)
		return
	}
	d.gained = -free/2*math.Log(max(floats.Sum(squares)/free, d.least())) - free/2
	for _, kind := range []string{ScatterTask, ScatterArm} {
		group := make([]int, n)
		for k, i := range d.cells {
			if group[k] = k; kind == ScatterTask {
				group[k] = d.p.TaskOf[i]
			}
		}
		if found, law := shrunk(squares, freedom, group, d.least()); found > d.gained+gainAsked {
			d.gained, d.scatter.Kind, d.shrunk, d.rel = found, kind, law, law.relative()
		}
	}
	found, _ := withMean(d.y, squares, freedom, d.least())
	d.pureKnown, d.changing = true, found > d.gained+gainAsked
	d.weigh(within, squares, freedom)
}

// Within returns how one measurement of each arm scatters within its block, standard deviations in reward units; nil if
// differences within arms do not show it.
func Within(p *problem.Problem) []float64 {
	if d := cellsOf(p); len(d.cells) == 0 || d.counted() != nil || undetermined(p) != nil {
		return nil
	}
	s := together(p)
	d := cellsOf(s.problem())
	if d.blocked() != nil {
		return nil
	}
	if d.noise(); !d.pureKnown {
		return nil
	}
	out := relativeNoise(d)
	for i, relative := range out {
		out[i] = s.scale[p.TaskOf[i]] * math.Sqrt(d.pure*relative)
	}
	return out
}

// equal reports whether all measurements are equal except for rounding, as in a first plate of zeros: they say nothing of any scale.
func (d *data) equal(squares []float64) bool {
	const rounding = 1e-14
	size := rounding * max(math.Abs(floats.Max(d.y)), math.Abs(floats.Min(d.y)))
	return floats.Max(d.y)-floats.Min(d.y) <= size && floats.Max(squares) <= size*size
}

// least returns the variance of a measurement below which it is taken for none: a part of the variance of all means.
func (d *data) least() float64 {
	const part = 1e-12
	return max(part*stat.Variance(d.y, nil), math.SmallestNonzeroFloat64)
}

// weigh sums squares over the relative variances of their arms.
func (d *data) weigh(within, squares, freedom []float64) {
	d.within, d.pure = 0, 0
	for k, s := range squares {
		d.within += within[k] / d.rel[k] / (d.unit * d.unit)
		d.pure += s / d.rel[k] / (d.unit * d.unit) / floats.Sum(freedom)
	}
}

// change treats the variances as exp(γ m) if that gains enough, and reports whether it did. m is the expected reward of each
// measured arm as the others predict it: with its own mean, arms that noise made better would weigh less than those that it
// made worse, and all would be estimated too low.
func (d *data) change(m []float64) bool {
	within, all := d.squares()
	squares, freedom := d.unblocked(within, all)
	found, rel := withMean(m, squares, freedom, d.least()*d.unit*d.unit)
	if !(found > d.gained+gainAsked) {
		return false
	}
	d.gained, d.scatter.Kind, d.shrunk, d.rel = found, ScatterMean, nil, rel
	d.weigh(within, squares, freedom)
	d.join()
	return true
}

// gainAsked is the log likelihood, in nats, that one more parameter of a noise distribution must gain.
const gainAsked = 2

// shrinkage is a variance for each group of arms, shrunk towards the others: a, b, S_g and ν_g of noise.
type shrinkage struct {
	a, b         float64
	group        []int // of each measured arm
	sums, counts []float64
}

// of returns the variance of group g with so much less of squares and of degrees of freedom.
func (s *shrinkage) of(g int, square, freedom float64) float64 {
	return (s.b + max(s.sums[g]-square, 0)/2) / (s.a + (s.counts[g]-freedom)/2)
}

// relative returns the variances of measured arms over their mean.
func (s *shrinkage) relative() []float64 {
	rel := lists.Map(s.group, func(g int) float64 { return s.of(g, 0, 0) })
	floats.Scale(1/stat.Mean(rel, nil), rel)
	return rel
}

// shrunk returns the largest log m over σ₀² and ν₀, and the variances there.
func shrunk(squares, freedom []float64, group []int, least float64) (best float64, law *shrinkage) {
	sums, counts := make([]float64, 1+slices.Max(group)), make([]float64, 1+slices.Max(group))
	var all, free float64
	for k, g := range group {
		sums[g] += squares[k]
		counts[g] += freedom[k]
		all, free = all+squares[k], free+freedom[k]
	}
	best, law = math.Inf(-1), &shrinkage{group: group, sums: sums, counts: counts}
	for _, prior := range []float64{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64} {
		ups := map[float64]float64{} // by degrees of freedom, which few are different
		for _, nu := range counts {
			if _, known := ups[nu]; !known {
				ups[nu], _ = math.Lgamma(prior/2 + nu/2)
			}
		}
		for _, shift := range []float64{-1.5, -1.2, -.9, -.6, -.4, -.2, 0, .2, .4, .6} {
			x := prior / 2
			z := x * max(all/free, least) * math.Exp(shift)
			at, _ := math.Lgamma(x)
			var m float64
			for g, nu := range counts {
				if nu > 0 {
					m += x*math.Log(z) - at + ups[nu] - (x+nu/2)*math.Log(z+sums[g]/2)
				}
			}
			if m > best {
				best, law.a, law.b = m, x, z
			}
		}
	}
	return best, law
}

// withMean returns the largest log likelihood over γ, and the variances over their mean. Means count in standard deviations.
func withMean(means, squares, freedom []float64, least float64) (best float64, rel []float64) {
	y, free := inDeviations(means), floats.Sum(freedom)
	best = math.Inf(-1)
	var at float64
	for g := -2.5; g <= 2.5; g += 0.05 {
		var sum, jacobian float64
		for k, m := range y {
			sum += squares[k] * math.Exp(-g*m)
			jacobian += freedom[k] * g * m / 2
		}
		if l := -free/2*math.Log(max(sum/free, least)) - free/2 - jacobian; l > best {
			best, at = l, g
		}
	}
	rel = lists.Map(y, func(m float64) float64 { return math.Exp(at * min(max(m, -2.5), 2.5)) })
	floats.Scale(1/stat.Mean(rel, nil), rel)
	return best, rel
}

// inDeviations returns numbers less their mean over their spread.
func inDeviations(y []float64) []float64 {
	mean, sd := stat.MeanStdDev(y, nil)
	out := make([]float64, len(y))
	for k, v := range y {
		if sd > 0 {
			out[k] = (v - mean) / sd
		}
	}
	return out
}
