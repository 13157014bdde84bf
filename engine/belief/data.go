package belief

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// data are the measurements in scaled units: standard rewards, centred at offset and divided by unit.
type data struct {
	*standard
	p       *problem.Problem // with standard rewards
	tasks   *kernels.Points
	arms    *kernels.Points // numbers are scaled to [0, 1], after the logarithm of the columns that log marks
	log     []bool          // of each column of arms: whether its logarithm is compared
	stated  []bool          // of each column of arms: whether the problem states that its logarithm is compared
	offset  float64         // standard reward that is 0 in scaled units
	unit    float64         // standard reward units of one scaled unit
	between float64         // squared spread of expected rewards about the mean of their task, in scaled units

	cells  []int     // indices of the measured arms; the following lists have an entry for each of them
	y      []float64 // means
	n      []float64 // numbers of measurements
	wins   []float64 // numbers of successes if rewards are counts; else nil
	rel    []float64 // variance of one measurement, relative to the common factor σ²
	within float64   // Σ of squares within arms, each divided by rel
	free   float64   // degrees of freedom of within; 0 without replicates
	// within per degree of freedom; without the effects of blocks if differences within arms estimate these
	pure      float64
	pureKnown bool
	known     bool // whether the noise is stated; then σ² is 1
	scatter   Scatter
	shrunk    *shrinkage // shrunken variances if scatter differs by task or arm
	gained    float64    // log m of the chosen kind of scatter, see noise
	changing  bool       // whether the unsmoothed means indicate that the scatter changes with the mean
	blocks    *blocks    // nil without shared effects
	kinds     []kind     // kinds of effects that measurements share, except effects of a single arm
	given     []given    // covariances stated with the problem
	// limits of measured arms, by index in cells, and variances of their sites, 0 for other arms; nil without limits
	limits map[int]*limit
	fixed  []float64
}

// leastMeasured is the smallest number of measured arms for which Of can compare arms.
const leastMeasured = 2

// dataOf reads the measurements of a problem. It returns *Undetermined if they do not distinguish arms.
func dataOf(ctx context.Context, p *problem.Problem) (*data, error) {
	d := cellsOf(p)
	if d.wins = d.counted(); d.wins != nil && len(d.cells) > 1 {
		d.standard = equally(p, 0, 1)
		d.columns()
		d.scatter = Scatter{Kind: ScatterCounts}
		return d, d.addStated(ctx)
	}
	if u := undetermined(p); u != nil {
		return nil, u
	}
	return together(p).data(ctx, false)
}

// data converts the measurements of the problem to scaled units. If equal is set, all arms have the same noise unless it is
// stated. It returns an error if there are too many blocks.
func (s *standard) data(ctx context.Context, equal bool) (_ *data, err error) {
	defer try.Caught(&err)
	p := s.problem()
	limits := withoutLimits(p)
	d := cellsOf(p)
	d.standard = s
	d.columns()
	try.To(d.addStated(ctx))
	d.kinds = kindsOf(p)
	try.To(d.blocked())
	d.noise(equal)
	d.measure(d.free > 0 || d.known)
	d.join()
	d.limited(limits)
	return d, nil
}

// blocked returns an error if there are too many blocks or random effects.
func (d *data) blocked() error {
	if blocks := len(d.p.Blocks); min(blocks, len(d.cells)) > mostEffects {
		return fmt.Errorf("problem %q has %d blocks and %d arms measured in them. Block effects can be removed only if one of these is at "+
			"most %d",
			d.p.Name, blocks, len(d.cells), mostEffects)
	}
	if isRandom(d.p) {
		if effects := lists.Sum(d.kinds, func(k kind) float64 { return float64(k.count) }); effects > mostRandom {
			return fmt.Errorf("problem %q has %g effects of blocks, of levels of %s, and of options at these levels. At most %d can be "+
				"estimated together. Leave out rows (where=) or random columns", d.p.Name, effects, strings.Join(d.p.Long.Random, ", "), mostRandom)
		}
	}
	return nil
}

// cellsOf returns the measured arms with their means and counts, not yet scaled.
func cellsOf(p *problem.Problem) *data {
	d := &data{p: p, unit: 1, between: 1}
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

// columns decides for each column of arms whether its logarithm is compared, scales all columns, and reads the matrices of
// relatives.
func (d *data) columns() {
	p := d.p
	d.log, d.stated = make([]bool, p.Arms.Dim()), make([]bool, p.Arms.Dim())
	for c := range d.log {
		d.stated[c] = p.Arms.Units != nil && p.Arms.Units[c].Log
		d.log[c] = d.stated[c] || !d.isText(p.Arms.Columns[c]) && geometric(d.values(c))
	}
	d.scale()
	d.given = relatives(p)
}

// measure sets offset, unit and between, and converts the data to these scaled units. offset is the mean of the arms. unit
// is the spread of their expected rewards without noise if beyond is set, else the standard deviation of their means.
func (d *data) measure(beyond bool) {
	v := make([]float64, len(d.y))
	if beyond && (d.known || d.within > 0 || stat.StdDev(d.y, nil) > 0) {
		copy(v, d.rel)
		for k := range v {
			v[k] /= d.n[k]
			if !d.known {
				v[k] *= d.within / d.free
			}
		}
		d.offset, d.unit = spread(d.y, v)
	} else {
		d.offset, d.unit = stat.Mean(d.y, nil), stat.StdDev(d.y, nil)
	}
	d.between = d.squareWithin(d.y, v, d.unit*d.unit)
	if !(d.unit > 0) {
		d.unit = cmp.Or(math.Abs(d.offset), 1) // any unit works: the data do not show differences
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
	if d.between /= square; !(d.between > 0) {
		d.between = 1
	}
}

// squareWithin returns the squared spread of expected values about the mean of their task, for estimates y with variances v of all
// measured arms. It returns whole, the squared spread about the common mean, if that is smaller, or if no task has two estimates.
func (d *data) squareWithin(y, v []float64, whole float64) float64 {
	groups := lists.Groups(indices.All(len(y)), func(k int) int { return d.p.TaskOf[d.cells[k]] })
	if _, s := spreadAbout(y, v, groups); s > 0 {
		return min(s*s, whole)
	}
	return whole
}

// spread returns the mean m and the spread s of expected values with estimates y and variances v, see spreadAbout.
func spread(y, v []float64) (m, s float64) {
	means, s := spreadAbout(y, v, [][]int{indices.All(len(y))})
	return means[0], s
}

// spreadAbout returns the mean m_g of each group and the spread s of expected values about these means, from estimates y with
// variances v [PM82],
//
//	Σ_i (y_i - m_g)²/(s² + v_i) = n - G,  m_g = Σ_i y_i/(s² + v_i) / Σ_i 1/(s² + v_i).
//
// G is the number of groups. Noise may hide a spread. So s² is at least √(2(n-G)) / Σ_i 1/v_i, the standard error of its
// estimate if the true spread is 0. s is 0 if no group has two values.
//
// [PM82]: R. C. Paule, J. Mandel, Consensus values and weighting factors, J. Res. Natl. Bur. Stand. 87(5), 1982.
func spreadAbout(y, v []float64, groups [][]int) (m []float64, s float64) {
	m = lists.Map(groups, func(g []int) float64 { return stat.Mean(indices.Of(y, g), nil) })
	free, hi, precision := float64(len(y)-len(groups)), 0.0, 0.0
	for j, g := range groups {
		for _, k := range g {
			hi += (y[k] - m[j]) * (y[k] - m[j]) / free
			precision += 1 / v[k]
		}
	}
	if free == 0 {
		return m, 0
	}
	excess := func(square float64) float64 {
		sum := -free
		for j, g := range groups {
			weights := lists.Map(g, func(k int) float64 { return 1 / (square + v[k]) })
			m[j] = stat.Mean(indices.Of(y, g), weights)
			for l, k := range g {
				sum += (y[k] - m[j]) * (y[k] - m[j]) * weights[l]
			}
		}
		return sum
	}
	lo := 1e-12 * hi
	for range 60 {
		if middle := math.Sqrt(lo * hi); excess(middle) > 0 {
			lo = middle
		} else {
			hi = middle
		}
	}
	lo = max(lo, math.Sqrt(2*free)/precision)
	excess(lo)
	return m, math.Sqrt(lo)
}

// logitSquares returns the squared spread of the logits of success rates, over all arms and about the mean of their task. It
// estimates each logit by Haldane's and Anscombe's method, with 0.5 added to both counts.
func (d *data) logitSquares() (all, within float64) {
	y, v := make([]float64, len(d.y)), make([]float64, len(d.y))
	for k, w := range d.wins {
		won, lost := w+0.5, d.n[k]-w+0.5
		y[k], v[k] = math.Log(won/lost), 1/won+1/lost
	}
	_, s := spread(y, v)
	return s * s, d.squareWithin(y, v, s*s)
}

// usualCount returns the harmonic mean of the counts. It converts the assumed variance of a mean to the variance of one
// measurement.
func (d *data) usualCount() float64 { return stat.HarmonicMean(d.n, nil) }

// scale computes the scaled features of tasks and arms.
func (d *data) scale() {
	d.tasks = d.p.Tasks.Unscaled().Standardized(d.isText)
	d.arms = d.p.Arms.Unscaled().Logarithmic(func(column string) bool {
		return d.log[slices.Index(d.p.Arms.Columns, column)]
	}).Standardized(d.isText)
}

// values returns the distinct values of column c of arms in the units of the data, in ascending order.
func (d *data) values(c int) []float64 {
	return slices.Compact(slices.Sorted(slices.Values(d.p.Arms.Unscaled().X[c])))
}

// logs returns the names of the columns of arms whose logarithm is compared.
func (d *data) logs() []string {
	return indices.Of(d.arms.Columns, indices.Where(len(d.log), func(c int) bool { return d.log[c] }))
}

// isText reports whether a column has codes of categories.
func (d *data) isText(column string) bool { return d.p.Categories[column] != nil }

// geometric reports whether the sorted values are more even on a logarithmic than on a linear scale: the largest step
// between neighbours is a smaller part of the range after the logarithm. It also requires logarithmic.
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

// logarithmic reports whether the logarithm of a column may be useful: it has at least three sorted values, all positive,
// that span a factor of 8 or more.
func logarithmic(values []float64) bool {
	return len(values) >= 3 && values[0] > 0 && values[len(values)-1] >= 8*values[0]
}

// size returns the reward units of one scaled unit in task v.
func (d *data) size(v int) float64 { return d.standard.scale[v] * d.unit }

// shown converts y from scaled units to a reward of task v.
func (d *data) shown(v int, y float64) float64 { return d.back(v, d.offset+d.unit*y) }

// mean returns the mean of a measured arm in standard rewards.
func (d *data) mean(k int) float64 { return d.offset + d.unit*d.y[k] }

// scaled returns a standard reward in scaled units.
func (d *data) scaled(reward float64) float64 { return (reward - d.offset) / d.unit }

// squares returns the sum of squares within each measured arm and its degrees of freedom; both 0 if they are not known.
func (d *data) squares() (squares, freedom []float64) {
	squares, freedom = make([]float64, len(d.cells)), make([]float64, len(d.cells))
	sds := deviations(d.p)
	for k, i := range d.cells {
		switch n := d.n[k]; {
		case n < 2:
			continue
		case d.p.Rewards != nil:
			squares[k], freedom[k] = stat.PopVariance(d.p.Rewards[i], nil)*n, n-1
		case sds != nil && !math.IsNaN(sds[i]):
			squares[k], freedom[k] = sds[i]*sds[i]*(n-1), n-1
		}
	}
	return squares, freedom
}

// deviations returns the standard deviation within each arm, NaN if it is not known; nil if none is known. With stated
// bounds the problem does not have them, so they are computed from its rows.
func deviations(p *problem.Problem) []float64 {
	if p.Noise.SD != nil || p.Rewards != nil || p.Rows == nil || p.Long != nil && p.Long.SD != "" {
		return p.Noise.SD
	}
	rewards := make([][]float64, p.N())
	for _, r := range p.Rows {
		rewards[r.Arm] = append(rewards[r.Arm], r.Reward)
	}
	return lists.Make(p.N(), func(i int) float64 {
		if n := float64(len(rewards[i])); n < 2 || p.Reps != nil && p.Reps[i] != n {
			return math.NaN()
		}
		return stat.StdDev(rewards[i], nil)
	})
}
