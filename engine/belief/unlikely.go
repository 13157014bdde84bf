package belief

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Unlikely is a measurement that all others contradict, probably a recording error.
type Unlikely struct {
	problem.Row
	// 95 % interval predicted from the other measurements, in reward units with the sign of Problem.Mean. Both ends are
	// equal if the other measurements are counts of two rewards.
	CI95 [2]float64
}

// falseAlarms is the expected number of normal measurements in a table that are called unlikely. suspected is the expected
// number that are examined.
const falseAlarms, suspected = 0.005, 0.2

// fewestJudged is the smallest number of measurements for which each is compared with the others.
const fewestJudged = 8

// unlikely returns the measurements that all others contradict, the least likely first. Hyperparameters fitted to an error
// hide it, so all suspected measurements are left out together and compared with a fit to the rest.
func (s *search) unlikely(rank int) ([]Unlikely, error) {
	rows, told := rowsOf(s.d.p), rowsOf(s.d.standard.of)
	n := float64(len(rows))
	if s.d.wins != nil || s.d.limits != nil || n < fewestJudged {
		return nil, nil
	}
	all, err := s.foresight(rows, rank)
	if err != nil {
		return nil, err
	}
	var odd, rest, toldOdd, toldRest []problem.Row
	original := map[problem.Row]problem.Row{}
	for k, r := range rows {
		if widened(all.leaveOneOut(r).off(all.d.scaled(r.Reward)), n)*n < suspected {
			odd, toldOdd = append(odd, r), append(toldOdd, told[k])
			original[r] = told[k]
		} else {
			rest, toldRest = append(rest, r), append(toldRest, told[k])
		}
	}
	if len(odd) == 0 || len(rest) < fewestJudged {
		return nil, nil
	}
	others, counts, err := s.again(without(s.d.standard.of, toldRest, toldOdd), rest, rank)
	if err != nil {
		return nil, s.ctx.Err() // the rest has too few measurements for a fit
	}
	if counts {
		lo, hi := twoRewards(s.d.standard.of)
		toldOdd = slices.DeleteFunc(toldOdd, func(r problem.Row) bool { return r.Reward == lo || r.Reward == hi })
		return lists.Map(toldOdd, func(r problem.Row) Unlikely { return Unlikely{Row: r} }), nil
	}
	return lists.Map(others.contradict(odd, rest), func(u Unlikely) Unlikely {
		u.Row = original[u.Row]
		return u
	}), nil
}

// contradict returns the measurements of odd that are too far from their predictions, the farthest first. Predictions may
// be overconfident, and noise may have heavy tails. So it calibrates predictions by the errors of all other measurements.
// It returns at most three measurements or, if that is more, one in a hundred.
func (f *foresight) contradict(odd, rest []problem.Row) []Unlikely {
	n := len(odd) + len(rest)
	off := make([]float64, 0, n)
	for _, r := range rest {
		if e := f.leaveOneOut(r); !math.IsInf(e.sd, 1) {
			off = append(off, e.off(f.d.scaled(r.Reward)))
		}
	}
	others := len(off)
	far := func(r problem.Row) float64 { return f.of(r).off(f.d.scaled(r.Reward)) }
	slices.SortFunc(odd, func(a, b problem.Row) int { return cmp.Compare(far(b), far(a)) })
	for k := min(len(odd), max(3, n/100)); k > 0; k-- {
		beside := append(off[:others], lists.Map(odd[k:], far)...)
		scale, freedom := student(beside)
		within := func(r problem.Row) prediction {
			e := f.of(r)
			return prediction{e.mean, e.sd * scale, min(e.freedom, freedom)}
		}
		if within(odd[k-1]).tail(f.d.scaled(odd[k-1].Reward))*float64(n) > falseAlarms {
			continue
		}
		return lists.Map(odd[:k], func(r problem.Row) Unlikely { return Unlikely{r, within(r).interval(f.d, f.d.p.TaskOf[r.Arm])} })
	}
	return nil
}

// student fits Student's distribution with mean 0 to z by maximum likelihood, and returns its scale, at least 1, and its
// degrees of freedom. If the gain is small, it returns a nearly normal distribution.
func student(z []float64) (scale, freedom float64) {
	likelihood := func(scale, freedom float64) (sum float64) {
		law := distuv.StudentsT{Sigma: scale, Nu: freedom}
		for _, x := range z {
			sum += law.LogProb(x)
		}
		return sum
	}
	const normal = 1e6
	scale = floats.Norm(z, 2) / math.Sqrt(float64(len(z)))
	best, s := likelihood(scale, normal)+gainAsked, scale
	scale, freedom = max(scale, 1), normal
	for _, nu := range []float64{30, 15, 10, 7, 5, 4, 3, 2} {
		for range 20 { // EM algorithm
			var sum float64
			for _, x := range z {
				sum += (nu + 1) * x * x / (nu + x*x/(s*s))
			}
			s = math.Sqrt(sum / float64(len(z)))
		}
		if l := likelihood(s, nu); l > best {
			best, scale, freedom = l, max(s, 1), nu
		}
	}
	return scale, freedom
}

// rowsOf returns the measurements of a problem: the rows of its table if there are any, else the rewards or means of its
// arms.
func rowsOf(p *problem.Problem) []problem.Row {
	if p.Rows != nil {
		return p.Rows
	}
	var rows []problem.Row
	for i, m := range p.Means() {
		switch {
		case math.IsNaN(m):
		case p.Rewards != nil:
			rows = append(rows, lists.Map(p.Rewards[i], func(y float64) problem.Row { return problem.Row{Arm: i, Reward: y, Count: 1} })...)
		case p.Reps != nil:
			rows = append(rows, problem.Row{Arm: i, Reward: m, Count: p.Reps[i]})
		default:
			rows = append(rows, problem.Row{Arm: i, Reward: m, Count: 1})
		}
	}
	return rows
}

// without returns a copy of the problem with the measurements rest, after odd was removed. Arms whose rows are means keep
// their standard deviation.
func without(p *problem.Problem, rest, odd []problem.Row) *problem.Problem {
	q := *p
	q.Mean, q.Partial, q.Rewards, q.Rows = nil, slices.Clone(p.Means()), nil, rest
	q.Reps, q.Noise.SD = slices.Repeat([]float64{1}, p.N()), slices.Repeat([]float64{math.NaN()}, p.N())
	if p.Reps != nil {
		copy(q.Reps, p.Reps)
	}
	copy(q.Noise.SD, deviations(p))
	for i, y := range p.Rewards {
		q.Noise.SD[i] = stat.StdDev(y, nil)
	}
	byArm := lists.Keyed(odd, func(_ int, r problem.Row) (int, [2][]float64) { return r.Arm, [2][]float64{} })
	for _, r := range rest {
		if x, touched := byArm[r.Arm]; touched {
			byArm[r.Arm] = [2][]float64{append(x[0], r.Reward), append(x[1], r.Count)}
		}
	}
	for i, x := range byArm {
		y, counts := x[0], x[1]
		if len(y) == 0 {
			q.Partial[i], q.Reps[i], q.Noise.SD[i] = math.NaN(), 1, math.NaN()
			continue
		}
		q.Partial[i], q.Reps[i] = stat.Mean(y, counts), floats.Sum(counts)
		if q.Reps[i] == float64(len(y)) {
			q.Noise.SD[i] = stat.StdDev(y, nil) // NaN for one measurement
		}
	}
	return &q
}

// again fits hyperparameters to the measurements of p and returns its foresight. counts is true if these measurements are
// counts of two rewards; then f is nil.
func (s *search) again(p *problem.Problem, rows []problem.Row, rank int) (f *foresight, counts bool, err error) {
	defer try.Caught(&err)
	if cellsOf(p).counted() != nil {
		return nil, true, nil
	}
	if u := undetermined(p); u != nil {
		return nil, false, u
	}
	d := try.Of(s.d.on(p).data(s.ctx))
	d.log = s.d.log
	next := try.Of(d.climbed(s.ctx, nil, s.gaussian, densest))
	next = try.Of(next.changed(rank))
	f, err = next.foresight(rows, rank)
	return f, false, err
}

// foresight predicts measurements from others at the most probable hyperparameters, in scaled units.
type foresight struct {
	d              *data
	mean, variance []float64    // mean and variance of the expected reward of each arm
	noise          []float64    // variance of one measurement of each arm
	usual          float64      // usual variance of one measurement
	place          map[int]int  // index in d.cells, by arm
	freedom        float64      // degrees of freedom of the noise if it is the same for all arms
	blocks         [][2]float64 // for each block: Σ of weights, and weighted Σ of rewards minus expected rewards; nil without blocks
	precision      float64      // prior precision of the effects of blocks
}

func (s *search) foresight(rows []problem.Row, rank int) (_ *foresight, err error) {
	defer try.Caught(&err)
	d, sigma2 := s.d, s.value(s.best, noiseNumber, 1)
	l := try.Of(s.layout(s.ctx, s.best, d.y, d.variances(sigma2), rank, true))
	m := try.Of(l.posterior(s.ctx, l.owns(), l.target))
	f := &foresight{
		d: d, mean: m.Mean, variance: make([]float64, len(m.Mean)), noise: relativeNoise(d), usual: sigma2, place: map[int]int{},
		freedom: d.free,
	}
	floats.Scale(sigma2, f.noise)
	f.freedom = cmp.Or(f.freedom, float64(len(rows)-1))
	m.AddVariances(f.variance)
	for k, i := range d.cells {
		f.place[i] = k
	}
	for i := range f.noise { // a measurement adds new effects of random columns
		f.noise[i] += s.randomVariance(s.best)
	}
	if len(d.p.Blocks) > 1 && d.blocks != nil {
		f.blocks, f.precision = make([][2]float64, len(d.p.Blocks)), 1/s.value(s.best, blocksNumber, 0)
		for _, r := range rows {
			f.count(r, 1)
		}
	}
	return f, nil
}

// count adds a measurement to the sums for the effect of its block; times -1 removes it.
func (f *foresight) count(r problem.Row, times float64) {
	weight, b := times*r.Count/f.noise[r.Arm], &f.blocks[r.Block]
	b[0], b[1] = b[0]+weight, b[1]+weight*(f.d.scaled(r.Reward)-f.mean[r.Arm])
}

// effect returns mean and variance of the effect of the measurement's block.
func (f *foresight) effect(r problem.Row) (mean, variance float64) {
	if f.blocks == nil {
		return 0, 0
	}
	b := f.blocks[r.Block]
	return b[1] / (b[0] + f.precision), 1 / (b[0] + f.precision)
}

// of predicts a new measurement r.
func (f *foresight) of(r problem.Row) prediction {
	effect, unknown := f.effect(r)
	noise := f.noise[r.Arm]
	if f.d.scatter.Kind == ScatterMean { // the fitted exponential may underestimate the noise at its end
		noise = max(noise, f.usual)
	}
	out := prediction{f.mean[r.Arm] + effect, math.Sqrt(f.variance[r.Arm] + noise/r.Count + unknown), f.freedom}
	if law := f.d.shrunk; law != nil {
		out.freedom = 2 * law.a
		if k, measured := f.place[r.Arm]; measured {
			out.freedom += law.counts[law.group[k]]
		}
	}
	return out
}

// leaveOneOut predicts a measurement from all others. It removes the measurement from the posterior of its arm, and the
// measurement's squared deviation from the sum of squares of its noise group.
func (f *foresight) leaveOneOut(r problem.Row) prediction {
	if f.blocks != nil {
		f.count(r, -1)
		defer f.count(r, 1)
	}
	effect, unknown := f.effect(r)
	m, v, s, y := f.mean[r.Arm], f.variance[r.Arm], f.noise[r.Arm]/r.Count, f.d.scaled(r.Reward)-effect
	if !(v < s) { // with shared effects this condition is approximate
		return prediction{mean: m, sd: math.Inf(1)}
	}
	k := f.place[r.Arm]
	noise := s
	if law, n := f.d.shrunk, f.d.n[k]; law != nil && f.blocks == nil && n > r.Count {
		square := r.Count * n / (n - r.Count) * math.Pow(r.Reward-f.d.mean(k), 2)
		noise *= law.of(law.group[k], square, 1) / law.of(law.group[k], 0, 0)
	}
	m, v = gp.Cavity(m, v, y, s)
	return prediction{mean: m + effect, sd: math.Sqrt(v + noise + unknown)}
}

// prediction is Student's distribution of a measurement, in scaled units.
type prediction struct{ mean, sd, freedom float64 }

// off returns the distance of y from the prediction, in standard deviations.
func (p prediction) off(y float64) float64 { return math.Abs(y-p.mean) / p.sd }

func (p prediction) law() distuv.StudentsT { return distuv.StudentsT{Sigma: 1, Nu: p.freedom} }

// tail returns the probability of a measurement at least as far off as y.
func (p prediction) tail(y float64) float64 { return 2 * p.law().Survival(p.off(y)) }

// interval returns the 95 % prediction interval for the task, reward units.
func (p prediction) interval(d *data, task int) [2]float64 {
	half := p.sd * p.law().Quantile(0.975)
	return [2]float64{d.shown(task, p.mean-half), d.shown(task, p.mean+half)}
}
