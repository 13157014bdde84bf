package belief

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// data are the measurements as the computation takes them: centred, in units of their own spread.
type data struct {
	p      *problem.Problem
	tasks  *kernels.Points
	arms   *kernels.Points // numbers scaled to [0, 1], after the logarithm where log has their column
	log    []bool          // a column of arms each
	stated []bool          // whether the problem has the logarithm already
	offset float64         // the reward of 0, reward units
	unit   float64         // the reward of 1, reward units

	cells  []int     // the arms measured
	y      []float64 // their means
	n      []float64 // their counts
	wins   []float64 // of counts: how many of n were successes; nil of other rewards
	rel    []float64 // variance of one measurement, relative to the common factor σ²
	within float64   // Σ of squares within arms, each over rel
	free   float64   // its degrees of freedom; 0 without replicates
	// the same a degree of freedom, without the effects of blocks, where differences within arms tell
	pure      float64
	pureKnown bool
	known     bool // σ² is 1 and not to be found: the noise was stated
	scatter   Scatter
	gained    float64 // log m of scatter, see noise
	changing  bool    // means that are not yet smoothed say that scatter changes with them
	blocks    *blocks // nil without
}

// dataOf reads the measurements of a problem.
func dataOf(p *problem.Problem) (*data, error) {
	d := cellsOf(p)
	if len(d.cells) < 2 {
		return nil, fmt.Errorf("problem %q: %d of its %d arms are measured; two at least are needed to say which is better", p.Name, len(d.cells), p.N())
	}
	d.columns()
	if d.wins = d.successes(); d.wins != nil {
		d.scatter = Scatter{Kind: ScatterCounts}
		return d, nil
	}
	d.noise()
	d.measure(d.free > 0 || d.known)
	if len(p.Blocks) > mostBlocks {
		return nil, fmt.Errorf("problem %q has %d blocks; the effects of at most %d are taken out", p.Name, len(p.Blocks), mostBlocks)
	}
	d.join()
	return d, nil
}

// cellsOf reads the arms that were measured.
func cellsOf(p *problem.Problem) *data {
	d := &data{p: p, unit: 1}
	for i, m := range p.Means() {
		if !math.IsNaN(m) {
			d.cells, d.y = append(d.cells, i), append(d.y, m)
			count := 1.0
			if p.Reps != nil {
				count = p.Reps[i]
			}
			d.n = append(d.n, count)
		}
	}
	return d
}

// columns chooses the columns whose logarithm is compared, and scales all.
func (d *data) columns() {
	p := d.p
	d.log, d.stated = make([]bool, p.Arms.Dim()), make([]bool, p.Arms.Dim())
	for c := range d.log {
		d.stated[c] = p.Arms.Units != nil && p.Arms.Units[c].Log
		d.log[c] = d.stated[c] || !d.isText(p.Arms.Columns[c]) && geometric(d.values(c))
	}
	d.scale()
}

// measure takes the offset and the unit from the data, and brings them into these: the mean of the arms, and the
// spread s of their expected rewards beyond noise [PM82],
//
//	Σ_i (y_i - m)²/(s² + v_i) = n - 1,  m = Σ_i y_i/(s² + v_i) / Σ_i 1/(s² + v_i),
//
// where v_i is the variance of the mean i. Noise may hide a spread, so s² is at least the standard error √(2(n-1)) / Σ_i 1/v_i
// that its estimate has where there is none. Where the noise is not taken off, it is their standard deviation.
//
// [PM82]: R. C. Paule, J. Mandel, Consensus values and weighting factors, J. Res. Natl. Bur. Stand. 87(5), 1982.
func (d *data) measure(beyond bool) {
	d.offset, d.unit = stat.Mean(d.y, nil), stat.StdDev(d.y, nil)
	if beyond {
		v, weights := make([]float64, len(d.y)), make([]float64, len(d.y))
		for k := range v {
			v[k] = d.rel[k] / d.n[k]
			if !d.known {
				v[k] *= d.within / d.free
			}
		}
		excess := func(square float64) float64 {
			for k := range v {
				weights[k] = 1 / (square + v[k])
			}
			d.offset = stat.Mean(d.y, weights)
			sum := 1 - float64(len(v))
			for k, y := range d.y {
				sum += (y - d.offset) * (y - d.offset) * weights[k]
			}
			return sum
		}
		lo, hi := 1e-12*d.unit*d.unit, d.unit*d.unit
		for range 60 {
			if middle := math.Sqrt(lo * hi); excess(middle) > 0 {
				lo = middle
			} else {
				hi = middle
			}
		}
		precision := 0.0
		for _, square := range v {
			precision += 1 / square
		}
		lo = max(lo, math.Sqrt(2*float64(len(v)-1))/precision)
		excess(lo)
		d.unit = math.Sqrt(lo)
	}
	if !(d.unit > 0) {
		d.unit = max(math.Abs(d.offset), 1)
	}
	square := d.unit * d.unit
	for k := range d.y {
		d.y[k] = (d.y[k] - d.offset) / d.unit
		if d.known {
			d.rel[k] /= square
		}
	}
	d.within /= square
	d.pure /= square
}

// scale makes the points that kernels compare.
func (d *data) scale() {
	d.tasks = d.p.Tasks.Unscaled().Standardized(d.isText)
	d.arms = d.p.Arms.Unscaled().Logarithmic(func(column string) bool {
		return d.log[slices.Index(d.p.Arms.Columns, column)]
	}).Standardized(d.isText)
}

// values returns the different values of a column of arms in the units of the data, in order.
func (d *data) values(c int) []float64 {
	return slices.Compact(slices.Sorted(slices.Values(d.p.Arms.Unscaled().X[c])))
}

// isText reports whether a column has codes of categories.
func (d *data) isText(column string) bool { return d.p.Categories[column] != nil }

// geometric reports whether the sorted values of a column are positive, three at least, and lie evenly on a
// logarithmic scale rather than on a linear one: the largest step between neighbours is a smaller part of
// the range after the logarithm, and the values span a factor of 8.
func geometric(values []float64) bool {
	if !logarithmic(values) {
		return false
	}
	largest := func(of func(float64) float64) float64 {
		step := 0.0
		for k := 1; k < len(values); k++ {
			step = max(step, of(values[k])-of(values[k-1]))
		}
		return step / (of(values[len(values)-1]) - of(values[0]))
	}
	return largest(math.Log) < largest(func(v float64) float64 { return v })
}

// logarithmic reports whether a logarithm of sorted values may be of use.
func logarithmic(values []float64) bool {
	return len(values) >= 3 && values[0] > 0 && values[len(values)-1] >= 8*values[0]
}

// fewCounts is how many rewards, each of another arm, must be 0 or 1 to be taken for counts.
const fewCounts = 8

// successes returns how many measurements of each arm were 1 where all measurements are 0 or 1, nil
// otherwise. Two values and their mean have the variance m(1-m)n/(n-1).
func (d *data) successes() []float64 {
	var replicated bool
	lo, hi := d.p.TwoRewards()
	wins := make([]float64, len(d.y))
	for k, m := range d.y {
		m = (m - lo) / (hi - lo)
		wins[k] = math.Round(m * d.n[k])
		if m < 0 || m > 1 || math.Abs(wins[k]-m*d.n[k]) > 1e-6*d.n[k] {
			return nil
		}
		if d.n[k] < 2 || d.p.Noise.SD == nil {
			continue
		}
		replicated = true
		square := m * (1 - m) * d.n[k] / (d.n[k] - 1)
		sd := d.p.Noise.SD[d.cells[k]]
		if d.p.Rewards != nil { // of the population
			square = m * (1 - m)
		}
		if math.Abs(sd*sd-square) > 1e-6 {
			return nil
		}
	}
	if !replicated && d.p.Noise.Bounds == nil && len(wins) < fewCounts {
		return nil
	}
	return wins
}

// mean returns the mean of a measured arm, reward units.
func (d *data) mean(k int) float64 { return d.offset + d.unit*d.y[k] }

// squares returns the sum of squares within each measured arm and its degrees of freedom.
func (d *data) squares() (squares, freedom []float64) {
	squares, freedom = make([]float64, len(d.cells)), make([]float64, len(d.cells))
	for k, i := range d.cells {
		switch n := d.n[k]; {
		case n < 2:
			continue
		case d.p.Rewards != nil:
			squares[k], freedom[k] = stat.PopVariance(d.p.Rewards[i], nil)*n, n-1
		case d.p.Noise.SD != nil && !math.IsNaN(d.p.Noise.SD[i]):
			squares[k], freedom[k] = d.p.Noise.SD[i]*d.p.Noise.SD[i]*(n-1), n-1
		}
	}
	return squares, freedom
}

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
	// "common" to all arms, for each "task", for each "arm", with the "mean", of "counts", "stated", or "unknown" where
	// no arm was measured twice
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
	if free < 1e-3*d.free { // the blocks may be all there is
		d.within = floats.Sum(within)
		return
	}
	d.gained = -free/2*math.Log(max(floats.Sum(squares), 1e-12*free)/free) - free/2
	for _, kind := range []string{ScatterTask, ScatterArm} {
		group := make([]int, n)
		for k, i := range d.cells {
			if group[k] = k; kind == ScatterTask {
				group[k] = d.p.TaskOf[i]
			}
		}
		if found, rel := shrunk(squares, freedom, group); found > d.gained+gainAsked {
			d.gained, d.scatter.Kind, d.rel = found, kind, rel
		}
	}
	found, _ := withMean(d.y, squares, freedom)
	d.pureKnown, d.changing = true, found > d.gained+gainAsked
	d.weigh(within, squares, freedom)
}

// weigh sums squares over the relative variances of their arms.
func (d *data) weigh(within, squares, freedom []float64) {
	d.within, d.pure = 0, 0
	for k, s := range squares {
		d.within += within[k] / d.rel[k] / (d.unit * d.unit)
		d.pure += s / d.rel[k] / (d.unit * d.unit) / floats.Sum(freedom)
	}
}

// change takes the variances for exp(γ m) if that gains enough, and reports whether it did. m is the expected reward of each
// measured arm as the others predict it: with its own mean, arms that noise made better would weigh less than those that
// it made worse, and all would be taken for worse than they are.
func (d *data) change(m []float64) bool {
	within, all := d.squares()
	squares, freedom := d.unblocked(within, all)
	found, rel := withMean(m, squares, freedom)
	if found <= d.gained+gainAsked {
		return false
	}
	d.gained, d.scatter.Kind, d.rel = found, ScatterMean, rel
	d.weigh(within, squares, freedom)
	d.join()
	return true
}

// gainAsked is how many nats a law with one number more must gain.
const gainAsked = 2

// shrunk returns the largest log m over σ₀² and ν₀, and the variances over their mean.
func shrunk(squares, freedom []float64, group []int) (best float64, rel []float64) {
	sums, counts := make([]float64, 1+slices.Max(group)), make([]float64, 1+slices.Max(group))
	var all, free float64
	for k, g := range group {
		sums[g] += squares[k]
		counts[g] += freedom[k]
		all, free = all+squares[k], free+freedom[k]
	}
	best = math.Inf(-1)
	var a, b float64
	for _, prior := range []float64{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64} {
		ups := map[float64]float64{} // by degrees of freedom, which few are different
		for _, nu := range counts {
			if _, known := ups[nu]; !known {
				ups[nu], _ = math.Lgamma(prior/2 + nu/2)
			}
		}
		for _, shift := range []float64{-1.5, -1.2, -.9, -.6, -.4, -.2, 0, .2, .4, .6} {
			x := prior / 2
			z := x * max(all/free, 1e-12) * math.Exp(shift)
			at, _ := math.Lgamma(x)
			var m float64
			for g, nu := range counts {
				if nu > 0 {
					m += x*math.Log(z) - at + ups[nu] - (x+nu/2)*math.Log(z+sums[g]/2)
				}
			}
			if m > best {
				best, a, b = m, x, z
			}
		}
	}
	rel = make([]float64, len(group))
	for k, g := range group {
		rel[k] = (b + sums[g]/2) / (a + counts[g]/2)
	}
	floats.Scale(1/stat.Mean(rel, nil), rel)
	return best, rel
}

// withMean returns the largest log likelihood over γ, and the variances over their mean. Means count in standard deviations.
func withMean(means, squares, freedom []float64) (best float64, rel []float64) {
	y, free := standard(means), floats.Sum(freedom)
	best = math.Inf(-1)
	var at float64
	for g := -2.5; g <= 2.5; g += 0.05 {
		var sum, jacobian float64
		for k, m := range y {
			sum += squares[k] * math.Exp(-g*m)
			jacobian += freedom[k] * g * m / 2
		}
		if l := -free/2*math.Log(max(sum, 1e-12)/free) - free/2 - jacobian; l > best {
			best, at = l, g
		}
	}
	rel = make([]float64, len(y))
	for k, m := range y {
		rel[k] = math.Exp(at * min(max(m, -2.5), 2.5))
	}
	floats.Scale(1/stat.Mean(rel, nil), rel)
	return best, rel
}

// standard returns numbers less their mean over their spread.
func standard(y []float64) []float64 {
	mean, sd := stat.MeanStdDev(y, nil)
	out := make([]float64, len(y))
	for k, v := range y {
		if sd > 0 {
			out[k] = (v - mean) / sd
		}
	}
	return out
}
