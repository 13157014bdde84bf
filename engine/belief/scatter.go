package belief

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Values of Scatter.Kind.
const (
	ScatterStated  = "stated"  // as the problem states it
	ScatterCounts  = "counts"  // the binomial law
	ScatterCommon  = "common"  // the same for all arms
	ScatterTask    = "task"    // a variance for each task, shrunk towards the others
	ScatterArm     = "arm"     // a variance for each arm of a task, shrunk towards the others
	ScatterMean    = "mean"    // it changes with the mean
	ScatterUnknown = "unknown" // no arm was measured twice
)

// Scatter describes the noise distribution that was found.
type Scatter struct {
	// "common": one variance for all arms; "task" or "arm": one for each task or arm; "mean": it changes with the mean;
	// "counts": binomial; "stated"; "unknown": no arm was measured twice
	Kind   string     `json:"kind"`
	Scales [2]float64 `json:"scales"` // smallest and largest standard deviation of one measurement, reward units
}

// noise finds how measurements scatter from their squares within arms. Group g has squares S_g with ν_g degrees of
// freedom. Its variance has a scaled inverse χ² prior with ν₀ degrees of freedom and scale σ₀² [Smyth04]. The marginal
// likelihood m,
//
//	log m = Σ_g [a log b - log Γ(a) + log Γ(a + ν_g/2) - (a + ν_g/2) log(b + S_g/2)],  a = ν₀/2, b = ν₀ σ₀²/2,
//
// is computed for one group, for a group per task, and for a group per arm. A more complicated model must gain gainAsked
// nats. The variance of a group is then (b + S_g/2)/(a + ν_g/2). If variances may change with the mean, noise only sets
// d.changing; see change. If equal is set, all arms have the same noise.
//
// [Smyth04]: G. K. Smyth, Linear models and empirical Bayes methods, Stat. Appl. Genet. Mol. Biol. 3(1), 2004.
func (d *data) noise(equal bool) {
	n := len(d.cells)
	d.rel = make([]float64, n)
	floats.AddConst(1, d.rel)
	if stated := d.p.Noise.StatedDeviations(); stated != nil {
		for k, i := range d.cells {
			d.rel[k] = stated[i] * stated[i]
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
	if d.equal(squares) { // no arm shows any differences
		return
	}
	if free < 1e-3*d.free { // blocks explain nearly all degrees of freedom
		d.within = floats.Sum(within)
		return
	}
	if equal {
		d.pureKnown = true
		d.weigh(within, squares, freedom)
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

// Within returns the standard deviation of one measurement of each arm within its block, reward units. It returns nil if
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
	if d.noise(false); !d.pureKnown {
		return nil
	}
	out := relativeNoise(d)
	for i, relative := range out {
		out[i] = s.scale[p.TaskOf[i]] * math.Sqrt(d.pure*relative)
	}
	return out
}

// equal reports whether all measurements are equal except for rounding, such as a first plate of zeros. They carry no
// information about scales.
func (d *data) equal(squares []float64) bool {
	const rounding = 1e-14
	size := rounding * max(math.Abs(floats.Max(d.y)), math.Abs(floats.Min(d.y)))
	return floats.Max(d.y)-floats.Min(d.y) <= size && floats.Max(squares) <= size*size
}

// least returns a lower limit for the variance of a measurement: a small part of the variance of all means. It avoids the
// logarithm of 0.
func (d *data) least() float64 {
	const part = 1e-12
	return max(part*stat.Variance(d.y, nil), math.SmallestNonzeroFloat64)
}

// weigh sets d.within and d.pure to sums of squares, each divided by the relative variance of its arm.
func (d *data) weigh(within, squares, freedom []float64) {
	d.within, d.pure = 0, 0
	for k, s := range squares {
		d.within += within[k] / d.rel[k] / (d.unit * d.unit)
		d.pure += s / d.rel[k] / (d.unit * d.unit) / floats.Sum(freedom)
	}
}

// change replaces the noise variances by exp(γ m) if the gain in log likelihood is large enough, and reports whether it
// did. m is the expected reward of each measured arm, predicted from the others. With an arm's own mean, arms with lucky
// noise would get less weight than unlucky ones, and all estimates would be too low.
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

// gainAsked is the log likelihood, in nats, by which one more parameter of a noise distribution must improve the fit.
const gainAsked = 2

// shrinkage is a variance for each group of arms, shrunk towards the others. It holds a, b, S_g and ν_g of noise.
type shrinkage struct {
	a, b         float64
	group        []int // group of each measured arm
	sums, counts []float64
}

// of returns the variance of group g after subtracting square from its squares and freedom from its degrees of freedom.
func (s *shrinkage) of(g int, square, freedom float64) float64 {
	return (s.b + max(s.sums[g]-square, 0)/2) / (s.a + (s.counts[g]-freedom)/2)
}

// relative returns the variance of each measured arm, divided by the mean variance.
func (s *shrinkage) relative() []float64 {
	rel := lists.Map(s.group, func(g int) float64 { return s.of(g, 0, 0) })
	floats.Scale(1/stat.Mean(rel, nil), rel)
	return rel
}

// shrunk returns the largest log m over σ₀² and ν₀, and the shrinkage at that maximum.
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
		ups := map[float64]float64{} // log Γ by degrees of freedom, of which few are distinct
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

// withMean returns the largest log likelihood of variances exp(γ m) over γ, and these variances divided by their mean. m
// is means in standard deviations.
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

// inDeviations returns y minus its mean, divided by its standard deviation; zeros if all are equal.
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
