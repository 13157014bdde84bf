package belief

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// A measurement of "<0.05" is a limit: all that is known is that the reward is not above it. It says nothing of the noise. Its likelihood
// at the expected reward f is Φ((limit - f)/σ) [Tobin58]. Of an arm with limits a normal law stands for the likelihood, which has the
// moments of the posterior (expectation propagation [RW06, sec. 3.6], with censored rewards [GL12]); the sites are found at the most
// probable numbers, as those of counts are. Where blocks have effects, limits are taken for measured values.
//
// [Tobin58]: J. Tobin, Estimation of relationships for limited dependent variables, Econometrica 26(1), 1958.
// [GL12]: P. Groot, P. Lucas, Gaussian process regression with censored data using expectation propagation, PGM 2012.

// fewSweeps is how often the sites are found anew, before and after numbers are.
const fewSweeps = 4

// withoutLimits takes the limits out of means, counts and standard deviations, and returns the limits of each arm; nil without any.
func withoutLimits(p *problem.Problem) map[int][]problem.Row {
	var limits map[int][]problem.Row
	if len(p.Blocks) > 1 {
		return nil
	}
	exact := map[int][]problem.Row{}
	for _, r := range p.Rows {
		if r.Censored == 0 {
			exact[r.Arm] = append(exact[r.Arm], r)
			continue
		}
		if limits == nil {
			limits = map[int][]problem.Row{}
		}
		limits[r.Arm] = append(limits[r.Arm], r)
	}
	if limits == nil {
		return nil
	}
	q := without(p, nil, nil) // with lists of its own
	for i, of := range limits {
		q.Partial[i], q.Reps[i], q.Noise.SD[i] = mean(of), 1, math.NaN()
		if left := exact[i]; left != nil {
			counts := lists.Map(left, func(r problem.Row) float64 { return r.Count })
			q.Partial[i], q.Reps[i] = mean(left), floats.Sum(counts)
			if n := float64(len(left)); n > 1 && q.Reps[i] == n {
				q.Noise.SD[i] = stat.StdDev(lists.Map(left, func(r problem.Row) float64 { return r.Reward }), nil)
			}
		}
	}
	p.Mean, p.Partial, p.Reps, p.Noise.SD = nil, q.Partial, q.Reps, q.Noise.SD
	return limits
}

// limit holds what limits say of an arm.
type limit struct {
	rows           []problem.Row
	exact          bool    // it has measured values beside
	mean, variance float64 // of the values, in scaled units; the variance in units of σ²
	// the posterior of its expected reward at some numbers, and of each the sum of the weights up to it; found by sweep
	at, sums []float64
}

// limited reads the limits. Until sites are found, those without a value beside are taken for measured, with the variance of the arms.
func (d *data) limited(of map[int][]problem.Row) {
	if of == nil {
		return
	}
	d.limits, d.fixed = map[int]*limit{}, make([]float64, len(d.cells))
	exact := map[int]bool{}
	for _, r := range d.p.Rows {
		exact[r.Arm] = exact[r.Arm] || r.Censored == 0
	}
	for k, i := range d.cells {
		if rows := of[i]; rows != nil {
			d.limits[k] = &limit{rows: rows, exact: exact[i], mean: d.y[k], variance: d.rel[k] / d.n[k]}
			if !exact[i] {
				d.fixed[k] = 1
			}
		}
	}
}

// bounded finds the sites of limits at the best numbers, then numbers again, and sites at these.
func (s *search) bounded(rank int) (*search, error) {
	if s.d.limits == nil {
		return s, nil
	}
	if err := s.sweep(rank); err != nil {
		return nil, err
	}
	next, err := newSearch(s.ctx, newChosen(s.model, s.at), s)
	if err != nil {
		return nil, err
	}
	if err := next.sweep(rank); err != nil {
		return nil, err
	}
	next.chosen = newChosen(next.model, next.at)
	return next, nil
}

// sweep moves all sites to the moments of the posterior, fewSweeps times.
func (s *search) sweep(rank int) error {
	d, sigma2 := s.d, s.value(s.best, noiseNumber, 1)
	for range fewSweeps {
		variances := d.variances(sigma2)
		m, err := s.memberAt(s.ctx, s.best, d.y, variances, rank)
		if err != nil {
			return err
		}
		for k, l := range d.limits {
			i := d.cells[k]
			root := m.root.RawRowView(i)
			v := floats.Dot(root, root) + m.own[i]*m.own[i]
			// the posterior without the site
			precision := 1/v - 1/variances[k]
			if !(precision > 0) {
				continue
			}
			at := (m.mean[i]/v - d.y[k]/variances[k]) / precision
			mean, variance := d.tilted(l, at, 1/precision, sigma2, d.rel[k])
			if site := 1/variance - precision; site > 0 {
				d.fixed[k], d.y[k] = 1/site, (mean/variance-at*precision)/site
			}
		}
	}
	return nil
}

// tilted returns mean and variance of f under the law N(at, v) times the likelihood of the values and the limits of an arm.
func (d *data) tilted(l *limit, at, v, sigma2, rel float64) (mean, variance float64) {
	if l.exact {
		of := sigma2 * l.variance
		at, v = (at/v+l.mean/of)/(1/v+1/of), 1/(1/v+1/of)
	}
	const points, wide = 800, 8.0
	f, logs := make([]float64, points+1), make([]float64, points+1)
	for j := range f {
		z := wide * (2*float64(j)/points - 1)
		f[j], logs[j] = at+z*math.Sqrt(v), -z*z/2
		for _, r := range l.rows {
			logs[j] += logNormal(float64(r.Censored) * (f[j] - d.scaled(r.Reward)) / math.Sqrt(sigma2*rel/r.Count))
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

// reshape gives the draws of arms with limits, in scaled units, the law that these have in place of a normal one. Their order stays.
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
