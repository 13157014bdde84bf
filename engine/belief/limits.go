package belief

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A measurement of "<0.05" is a limit: the reward is at most 0.05. It carries no information about the noise. Its
// likelihood at the expected reward f is Φ((limit - f)/σ) [Tobin58].
//
// The likelihood of an arm with limits is replaced by a normal one, its site, which gives the same posterior moments
// (expectation propagation [RW06, sec. 3.6], with censored rewards [GL12]). Sites are computed at the most probable
// hyperparameters. Expected rewards are restricted to possible values: within stated bounds, and not negative if no
// measurement is negative.
//
// With blocks, the site of an arm represents all its measurements, not only the limits. Block effects are estimated from
// the other arms, and their uncertainty is added to the noise of the arm.
//
// [Tobin58]: J. Tobin, Estimation of relationships for limited dependent variables, Econometrica 26(1), 1958.
// [GL12]: P. Groot, P. Lucas, Gaussian process regression with censored data using expectation propagation, PGM 2012.

// fewSweeps is the number of updates of all sites before a new search for hyperparameters, and again after it.
const fewSweeps = 4

// withoutLimits removes limits from the means, counts and standard deviations of p. It returns all rows of each arm with
// limits, by arm; nil if there are no limits. If measurements share effects, it also removes these rows from p.
func withoutLimits(p *problem.Problem) map[int][]problem.Row {
	var limits map[int][]problem.Row
	for _, r := range p.Rows {
		if r.Censored != 0 {
			if limits == nil {
				limits = map[int][]problem.Row{}
			}
			limits[r.Arm] = nil
		}
	}
	if limits == nil {
		return nil
	}
	for _, r := range p.Rows {
		if of, limited := limits[r.Arm]; limited {
			limits[r.Arm] = append(of, r)
		}
	}
	q := without(p, nil, nil) // makes copies of the lists
	for i, of := range limits {
		q.Partial[i], q.Reps[i], q.Noise.SD[i] = mean(of), 1, math.NaN()
		if left := lists.Where(of, measured); len(left) > 0 {
			counts := lists.Map(left, func(r problem.Row) float64 { return r.Count })
			q.Partial[i], q.Reps[i] = mean(left), floats.Sum(counts)
			if n := float64(len(left)); n > 1 && q.Reps[i] == n && !grouped(p) {
				q.Noise.SD[i] = stat.StdDev(lists.Map(left, func(r problem.Row) float64 { return r.Reward }), nil)
			}
		}
	}
	p.Mean, p.Partial, p.Reps, p.Noise.SD = nil, q.Partial, q.Reps, q.Noise.SD
	if grouped(p) {
		p.Rows = lists.Where(p.Rows, func(r problem.Row) bool { return limits[r.Arm] == nil })
	}
	return limits
}

// measured reports whether a row has a value rather than a limit.
func measured(r problem.Row) bool { return r.Censored == 0 }

// possible returns the range of possible expected rewards, reward units: the stated bounds, or else the nonnegative values
// in the sign of the data if no measurement is negative.
func possible(p *problem.Problem) (lo, hi float64) {
	lo, hi = math.Inf(-1), math.Inf(1)
	if b := p.Noise.Bounds; b != nil {
		return b[0], b[1]
	}
	if lists.Count(rowsOf(p), func(r problem.Row) bool { return p.Turned(r.Reward) < 0 }) == 0 {
		b := p.TurnedBounds(&[2]float64{0, hi})
		lo, hi = b[0], b[1]
	}
	return lo, hi
}

// limit has the measurements of one arm with limits.
type limit struct {
	rows   []problem.Row
	lo, hi float64 // range of its expected reward, scaled units
	// posterior of its expected reward at some hyperparameters: grid points, and cumulative weights at these points; set
	// by tilted
	at, sums []float64
}

// limited reads the rows of arms with limits. Until their sites are found, arms without a value, and with shared effects
// all arms with limits, get the variance 1 in scaled units.
func (d *data) limited(of map[int][]problem.Row) {
	if of == nil {
		return
	}
	d.limits, d.fixed = map[int]*limit{}, make([]float64, len(d.cells))
	lo, hi := possible(d.standard.of)
	for k, i := range d.cells {
		if rows := of[i]; rows != nil {
			v := d.p.TaskOf[i]
			d.limits[k] = &limit{rows: rows, lo: d.scaled(d.standard.reward(v, lo)), hi: d.scaled(d.standard.reward(v, hi))}
			if d.blocks != nil || !slices.ContainsFunc(rows, measured) {
				d.fixed[k] = 1
			}
		}
	}
}

// bounded finds the sites of limits at the best hyperparameters, searches hyperparameters again, and finds the sites at
// these. Without limits it returns s.
func (s *search) bounded(rank int) (_ *search, err error) {
	defer try.Caught(&err)
	if s.d.limits == nil {
		return s, nil
	}
	try.To(s.sweep(rank))
	next := try.Of(newSearch(s.ctx, newChosen(s.model, s.at), s))
	try.To(next.sweep(rank))
	next.chosen = newChosen(next.model, next.at)
	return next, nil
}

// sweep updates all sites to the moments of the posterior, fewSweeps times.
func (s *search) sweep(rank int) error {
	d, sigma2 := s.d, s.value(s.best, noiseNumber, 1)
	for range fewSweeps {
		variances := d.variances(sigma2)
		f, err := s.foresight(rank)
		if err != nil {
			return err
		}
		posterior := make([]float64, len(f.arms.Mean)) // variance of each arm
		f.arms.AddVariances(posterior)
		for k, l := range d.limits {
			at, v := gp.Cavity(f.arms.Mean[d.cells[k]], posterior[d.cells[k]], d.y[k], variances[k])
			if !(v > 0) {
				continue
			}
			if mean, variance := l.tilted(at, v, f); variance < v { // the site turns N(at, v) into N(mean, variance)
				d.y[k], d.fixed[k] = gp.Cavity(mean, variance, at, v)
			}
		}
	}
	return nil
}

// tilted returns mean and variance of f under N(at, v) times the likelihood of the values and limits of the arm. It
// integrates on a grid within [l.lo, l.hi].
func (l *limit) tilted(at, v float64, by *foresight) (mean, variance float64) {
	noise := func(r problem.Row) (effect, variance float64) {
		if variance = by.noise[r.Arm] / r.Count; by.blocks == nil {
			return 0, variance
		}
		b := by.blocks[r.Block]
		return b.mean, variance + b.variance
	}
	for _, r := range lists.Where(l.rows, measured) {
		effect, of := noise(r)
		at, v = (at/v+(by.d.scaled(r.Reward)-effect)/of)/(1/v+1/of), 1/(1/v+1/of)
	}
	limits := lists.Where(l.rows, func(r problem.Row) bool { return !measured(r) })
	const points, wide = 800, 8.0
	f, logs := make([]float64, points+1), make([]float64, points+1)
	from, to := max(at-wide*math.Sqrt(v), l.lo), min(at+wide*math.Sqrt(v), l.hi)
	if !(from < to) { // the other data contradict the possible range, so ignore this range
		from, to = at-wide*math.Sqrt(v), at+wide*math.Sqrt(v)
	}
	for j := range f {
		f[j] = from + (to-from)*float64(j)/points
		logs[j] = -(f[j] - at) * (f[j] - at) / (2 * v)
		for _, r := range limits {
			effect, of := noise(r)
			logs[j] += logNormal(float64(r.Censored) * (f[j] + effect - by.d.scaled(r.Reward)) / math.Sqrt(of))
		}
	}
	top := floats.Max(logs)
	for j := range logs {
		logs[j] = math.Exp(logs[j] - top)
	}
	mean = stat.Mean(f, logs)
	for j, w := range logs {
		variance += w * (f[j] - mean) * (f[j] - mean)
	}
	l.at, l.sums = f, floats.CumSum(logs, logs)
	return mean, variance / l.sums[points]
}

// reshape transforms the draws of arms with limits, in scaled units, from a normal distribution to their posterior on the
// grid. It keeps the order of the draws.
func (d *data) reshape(draws *mat.Dense) {
	count, _ := draws.Dims()
	column, order := make([]float64, count), make([]int, count)
	for k, l := range d.limits {
		if l.at == nil {
			continue
		}
		mat.Col(column, d.cells[k], draws)
		floats.Argsort(column, order)
		j, last := 1, len(l.sums)-1
		for rank, row := range order {
			sum := (float64(rank) + 0.5) / float64(count) * l.sums[last]
			for j < last && l.sums[j] < sum {
				j++
			}
			share := (sum - l.sums[j-1]) / (l.sums[j] - l.sums[j-1])
			draws.Set(row, d.cells[k], l.at[j-1]+min(max(share, 0), 1)*(l.at[j]-l.at[j-1]))
		}
	}
}

// logNormal returns log Φ(z).
func logNormal(z float64) float64 {
	if z < -30 {
		return -z*z/2 - math.Log(-z*math.Sqrt(2*math.Pi))
	}
	return math.Log(math.Erfc(-z/math.Sqrt2) / 2)
}
