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
	// The belief does not use it, because the other measurements of its arm contradict it, too. The only measurement of an arm
	// is used, because an arm may really be so different. Several unlikely measurements of an arm are used, because they
	// support each other.
	LeftOut bool
}

// falseAlarms is the expected number of normal measurements in a table that are called unlikely. suspected is the expected
// number that are examined.
const falseAlarms, suspected = 0.005, 0.2

// fewestJudged is the smallest number of measurements for which each is compared with the others.
const fewestJudged = 8

// unlikely returns the measurements that all others contradict, the least likely first. Hyperparameters fitted to an error
// hide it, so all suspected measurements are left out together and compared with a fit to the rest. An error may also look
// like noise that differs between arms, or like tasks with different scales. So a measurement is suspected if it is far off
// in the chosen fit, or in a fit with the same noise for all arms, or in one that also has the same scale for all tasks.
func (s *search) unlikely(rank int) (_ []Unlikely, err error) {
	defer try.Caught(&err)
	told := rowsOf(s.d.standard.of)
	if s.d.wins != nil || s.d.limits != nil || len(told) < fewestJudged {
		return nil, nil
	}
	suspect := make([]bool, len(told))
	fits := []*search{s}
	if s.d.varies() {
		fits = append(fits, try.Of(s.simpler(s.d.standard)))
	}
	if s.d.own {
		fits = append(fits, try.Of(s.simpler(together(s.d.standard.of))))
	}
	for _, fit := range fits {
		if fit == nil {
			continue
		}
		all, n := try.Of(fit.foresight(rank)), float64(len(told))
		for k, r := range all.rows {
			suspect[k] = suspect[k] || widened(all.leaveOneOut(r).off(all.d.scaled(r.Reward)), n)*n < suspected
		}
	}
	var odd, rest []problem.Row
	for k, r := range told {
		if suspect[k] {
			odd = append(odd, r)
		} else {
			rest = append(rest, r)
		}
	}
	if len(odd) == 0 || len(rest) < fewestJudged {
		return nil, nil
	}
	others := without(s.d.standard.of, rest, odd)
	f, counts, err := s.again(others, rank)
	if err != nil {
		return nil, s.ctx.Err() // the rest has too few measurements for a fit
	}
	var out []Unlikely
	if counts {
		lo, hi := twoRewards(others)
		odd = slices.DeleteFunc(odd, func(r problem.Row) bool { return r.Reward == lo || r.Reward == hi })
		out = lists.Map(odd, func(r problem.Row) Unlikely { return Unlikely{Row: r} })
	} else {
		out = contradict([]*foresight{f}, odd)
	}
	if len(out) > 0 && !counts {
		if logs := inLogs(others); logs != nil {
			other, two, err := s.again(logs, rank)
			if err == nil && !two {
				other.log = true
				out = contradict([]*foresight{f, other}, odd)
			} else if s.ctx.Err() != nil {
				return nil, s.ctx.Err()
			}
		}
	}
	for k, u := range out {
		named := lists.Count(out, func(x Unlikely) bool { return x.Arm == u.Arm })
		all := lists.Count(told, func(r problem.Row) bool { return r.Arm == u.Arm })
		out[k].LeftOut = named == 1 && all > 1
	}
	return out, nil
}

// logOf returns the logarithm of a reward of p, with the sign of Problem.Mean; NaN unless the reward is positive.
func logOf(p *problem.Problem, reward float64) float64 {
	if !(p.Turned(reward) > 0) {
		return math.NaN()
	}
	return p.Turned(math.Log(p.Turned(reward)))
}

// inLogs returns a copy of the problem, as without returns it, with the logarithms of rewards; nil if some reward is not
// positive or the noise is stated.
func inLogs(p *problem.Problem) *problem.Problem {
	if noiseStated(p) {
		return nil
	}
	q := *p
	q.Partial, q.Noise.SD, q.Noise.Bounds = slices.Clone(p.Partial), slices.Clone(p.Noise.SD), nil
	q.Rows = lists.Map(p.Rows, func(r problem.Row) problem.Row {
		r.Reward = logOf(p, r.Reward)
		return r
	})
	byArm := map[int][2][]float64{}
	for _, r := range q.Rows {
		if math.IsNaN(r.Reward) {
			return nil
		}
		x := byArm[r.Arm]
		byArm[r.Arm] = [2][]float64{append(x[0], r.Reward), append(x[1], r.Count)}
	}
	for i, x := range byArm {
		if q.Partial[i] = stat.Mean(x[0], x[1]); q.Reps[i] == float64(len(x[0])) {
			q.Noise.SD[i] = stat.StdDev(x[0], nil) // NaN for one measurement
		} else { // the rows are means
			q.Noise.SD[i] /= math.Abs(p.Partial[i])
		}
	}
	return &q
}

// varies reports whether the fitted noise differs between arms.
func (d *data) varies() bool { return d.shrunk != nil || d.scatter.Kind == ScatterMean }

// simpler returns a fit with the same noise for all arms; nil if it fails.
func (s *search) simpler(of *standard) (*search, error) {
	d, err := of.data(s.ctx, true)
	if err == nil {
		d.log = s.d.log
		if fit, err := d.climbed(s.ctx, nil, s.gaussian, densest); err == nil {
			return fit, nil
		}
	}
	return nil, s.ctx.Err()
}

// contradict returns the measurements of odd that are too far from their predictions by the fits, the farthest first. It
// returns at most three measurements or, if that is more, one in a hundred.
func contradict(fits []*foresight, odd []problem.Row) []Unlikely {
	n, weights := len(odd)+len(fits[0].rows), weigh(fits)
	slices.SortFunc(odd, func(a, b problem.Row) int { return cmp.Compare(fits[0].off(b), fits[0].off(a)) })
	for k := min(len(odd), max(3, n/100)); k > 0; k-- {
		laws, tail := lists.Map(fits, func(f *foresight) prediction { return f.errors(odd[k:]) }), 0.0
		for j, f := range fits {
			tail += weights[j] * f.predict(odd[k-1], laws[j]).tail(f.scaled(odd[k-1]))
		}
		if tail*float64(n) > falseAlarms {
			continue
		}
		best := floats.MaxIdx(weights)
		return lists.Map(odd[:k], func(r problem.Row) Unlikely {
			return Unlikely{Row: r, CI95: fits[best].interval(r, laws[best])}
		})
	}
	return nil
}

// weigh returns the weights of fits to the same measurements, by how well each predicts one measurement from the others
// [GE79].
//
// [GE79]: S. Geisser, W. F. Eddy, A predictive approach to model selection, J. Am. Stat. Assoc. 74(365), 1979.
func weigh(fits []*foresight) []float64 {
	logs := make([]float64, len(fits))
	laws := lists.Map(fits, func(f *foresight) prediction { return f.errors(nil) })
	for k := range fits[0].rows {
		some := lists.Make(len(fits), func(j int) float64 { return fits[j].density(k, laws[j]) })
		if !math.IsInf(floats.Min(some), -1) { // each fit predicts it
			floats.Add(logs, some)
		}
	}
	total := floats.LogSumExp(logs)
	return lists.Map(logs, func(l float64) float64 { return math.Exp(l - total) })
}

// errors returns the distribution of the errors of predictions, in their standard deviations. Predictions may be
// overconfident, and noise may have heavy tails, so it is Student's distribution of the errors for the measurements of the
// fit, each left out, and for more.
func (f *foresight) errors(more []problem.Row) prediction {
	var off []float64
	for _, r := range f.rows {
		if e := f.leaveOneOut(r); !math.IsInf(e.sd, 1) {
			off = append(off, e.off(f.d.scaled(r.Reward)))
		}
	}
	for _, r := range more {
		if e := f.off(r); !math.IsInf(e, 1) {
			off = append(off, e)
		}
	}
	scale, freedom := student(off)
	return prediction{0, scale, freedom}
}

// density returns the log density of measurement k of the fit, predicted from the others with this distribution of errors,
// in reward units; -∞ if they do not predict it.
func (f *foresight) density(k int, errors prediction) float64 {
	r := f.rows[k]
	e, v := f.leaveOneOut(r), f.d.p.TaskOf[r.Arm]
	sd := e.sd * errors.sd
	out := prediction{e.mean, 1, errors.freedom}.law().LogProb((f.d.scaled(r.Reward)-e.mean)/sd) - math.Log(sd*f.d.size(v))
	if f.log {
		out -= f.d.p.Turned(f.d.standard.back(v, r.Reward))
	}
	return out
}

// scaled returns the reward of a measurement of the table in scaled units; NaN if the fit needs its logarithm and it has
// none.
func (f *foresight) scaled(r problem.Row) float64 {
	if f.log {
		r.Reward = logOf(f.d.p, r.Reward)
	}
	return f.d.scaled(f.d.standard.reward(f.d.p.TaskOf[r.Arm], r.Reward))
}

// off returns the distance of a measurement of the table from its prediction, in standard deviations; ∞ without logarithm.
func (f *foresight) off(r problem.Row) float64 {
	if y := f.scaled(r); !math.IsNaN(y) {
		return f.of(r).off(y)
	}
	return math.Inf(1)
}

// predict predicts a measurement of the table, calibrated by the distribution of errors.
func (f *foresight) predict(r problem.Row, errors prediction) prediction {
	e := f.of(r)
	return prediction{e.mean, e.sd * errors.sd, min(e.freedom, errors.freedom)}
}

// interval returns the calibrated 95 % prediction interval of a measurement of the table, reward units.
func (f *foresight) interval(r problem.Row, errors prediction) [2]float64 {
	p := f.d.p
	ci := f.predict(r, errors).interval(f.d, p.TaskOf[r.Arm])
	if f.log {
		for k, y := range ci {
			ci[k] = p.Turned(math.Exp(p.Turned(y)))
		}
	}
	return ci
}

// student fits Student's distribution with mean 0 to z by maximum likelihood, and returns its scale, at least 1, and its
// degrees of freedom. If the gain is small or z is empty, it returns a nearly normal distribution.
func student(z []float64) (scale, freedom float64) {
	const normal = 1e6
	if len(z) == 0 {
		return 1, normal
	}
	likelihood := func(scale, freedom float64) (sum float64) {
		law := distuv.StudentsT{Sigma: scale, Nu: freedom}
		for _, x := range z {
			sum += law.LogProb(x)
		}
		return sum
	}
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

// withoutWrong returns the problem without the measurements that are left out; nil if there are none.
func withoutWrong(p *problem.Problem, all []Unlikely) *problem.Problem {
	odd := lists.Map(lists.Where(all, func(u Unlikely) bool { return u.LeftOut }), func(u Unlikely) problem.Row { return u.Row })
	if len(odd) == 0 {
		return nil
	}
	return without(p, lists.Where(rowsOf(p), func(r problem.Row) bool { return !slices.Contains(odd, r) }), odd)
}

// Used returns the problem without the measurements that the belief does not use.
func (b *Belief) Used() *problem.Problem {
	if right := withoutWrong(b.Problem, b.Unlikely); right != nil {
		return right
	}
	return b.Problem
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

// again fits hyperparameters, scales of tasks and the noise distribution to the measurements of p, and returns its
// foresight. counts is true if these measurements are counts of two rewards; then f is nil.
func (s *search) again(p *problem.Problem, rank int) (f *foresight, counts bool, err error) {
	defer try.Caught(&err)
	d := try.Of(dataOf(s.ctx, p))
	if d.wins != nil {
		return nil, true, nil
	}
	d.log = s.d.log
	next := try.Of(d.climbed(s.ctx, nil, s.gaussian, densest))
	next = try.Of(next.apart())
	next = try.Of(next.changed(rank))
	f, err = next.foresight(rank)
	return f, false, err
}

// foresight predicts measurements from others at the most probable hyperparameters, in scaled units.
type foresight struct {
	d       *data
	rows    []problem.Row // measurements of the fit, in standard rewards
	log     bool          // whether the fit uses the logarithms of the table's rewards
	arms    *gp.BlockedPosterior
	noise   []float64     // variance of one measurement of each arm
	usual   float64       // usual variance of one measurement
	place   map[int]int   // index in d.cells, by arm
	freedom float64       // degrees of freedom of the noise if it is the same for all arms
	blocks  []blockEffect // nil without blocks
}

// blockEffect is the posterior of a block's effect b. Given the expected rewards f of the arms, b is normal with the mean
// mean - Σ_j share_j (f_j - E f_j) and the given variance. share_j is the weight of the block's measurements of arm j over
// the sum of all weights and the prior precision.
type blockEffect struct {
	mean, variance float64
	share          []share
	features       []float64 // Σ_j share_j Φ_j, where ΦΦᵀ + B is the posterior covariance of f
	own            float64   // Σ_jk share_j share_k B_jk
}

func (s *search) foresight(rank int) (_ *foresight, err error) {
	defer try.Caught(&err)
	d, sigma2, rows := s.d, s.value(s.best, noiseNumber, 1), rowsOf(s.d.p)
	l := try.Of(s.layout(s.ctx, s.best, d.y, d.variances(sigma2), rank, true))
	f := &foresight{
		d: d, rows: rows, arms: try.Of(l.posterior(s.ctx, l.owns(), l.target)), noise: relativeNoise(d), usual: sigma2,
		place: map[int]int{}, freedom: cmp.Or(d.free, float64(len(rows)-1)),
	}
	floats.Scale(sigma2, f.noise)
	for k, i := range d.cells {
		f.place[i] = k
	}
	for i := range f.noise { // a measurement adds new effects of random columns
		f.noise[i] += s.randomVariance(s.best)
	}
	if len(d.p.Blocks) > 1 && d.blocks != nil {
		f.blocks = f.effects(1 / s.value(s.best, blocksNumber, 0))
	}
	return f, nil
}

// effects returns the posterior of each block's effect, given the prior precision of an effect.
func (f *foresight) effects(precision float64) []blockEffect {
	_, rank := f.arms.Features.Dims()
	out := lists.Make(len(f.d.p.Blocks), func(int) blockEffect { return blockEffect{features: make([]float64, rank)} })
	weights := slices.Repeat([]float64{precision}, len(out))
	for _, r := range f.rows {
		weight, b := r.Count/f.noise[r.Arm], &out[r.Block]
		b.mean += weight * (f.d.scaled(r.Reward) - f.arms.Mean[r.Arm])
		b.share = append(b.share, share{r.Arm, weight})
		weights[r.Block] += weight
	}
	for k := range out {
		b := &out[k]
		b.mean, b.variance, b.share = b.mean/weights[k], 1/weights[k], merged(b.share)
		for j := range b.share {
			b.share[j].weight /= weights[k]
			floats.AddScaled(b.features, b.share[j].weight, f.arms.Features.RawRowView(b.share[j].of))
		}
		for _, x := range b.share {
			b.own += x.weight * f.ownWith(x.of, b)
		}
	}
	return out
}

// ownWith returns Σ_j share_j B_ij for arm i.
func (f *foresight) ownWith(i int, b *blockEffect) float64 {
	return lists.Sum(b.share, func(x share) float64 { return x.weight * f.arms.Entry(i, x.of) })
}

// expected returns mean and variance of the expected reward of a measurement: that of its arm plus the effect of its
// block.
func (f *foresight) expected(r problem.Row) (mean, variance float64) {
	i := r.Arm
	row := f.arms.Features.RawRowView(i)
	if mean = f.arms.Mean[i]; f.blocks == nil {
		return mean, floats.Dot(row, row) + f.arms.Entry(i, i)
	}
	b := &f.blocks[r.Block]
	distance := floats.Distance(row, b.features, 2)
	return mean + b.mean, distance*distance + f.arms.Entry(i, i) - 2*f.ownWith(i, b) + b.own + b.variance
}

// of predicts a new measurement r.
func (f *foresight) of(r problem.Row) prediction {
	mean, variance := f.expected(r)
	noise := f.noise[r.Arm]
	if f.d.scatter.Kind == ScatterMean { // the fitted exponential may underestimate the noise at its end
		noise = max(noise, f.usual)
	}
	out := prediction{mean, math.Sqrt(variance + noise/r.Count), f.freedom}
	if law := f.d.shrunk; law != nil {
		out.freedom = 2 * law.a
		if k, measured := f.place[r.Arm]; measured {
			out.freedom += law.counts[law.group[k]]
		}
	}
	return out
}

// leaveOneOut predicts a measurement from all others. It removes the measurement from the posterior of its expected
// reward, and the measurement's squared deviation from the sum of squares of its noise group.
func (f *foresight) leaveOneOut(r problem.Row) prediction {
	m, v := f.expected(r)
	s := f.noise[r.Arm] / r.Count
	if !(v < s) { // with random columns this condition is approximate
		return prediction{mean: m, sd: math.Inf(1)}
	}
	k := f.place[r.Arm]
	noise := s
	if law, n := f.d.shrunk, f.d.n[k]; law != nil && f.blocks == nil && n > r.Count {
		square := r.Count * n / (n - r.Count) * math.Pow(r.Reward-f.d.mean(k), 2)
		noise *= law.of(law.group[k], square, 1) / law.of(law.group[k], 0, 0)
	}
	m, v = gp.Cavity(m, v, f.d.scaled(r.Reward), s)
	return prediction{mean: m, sd: math.Sqrt(v + noise)}
}

// prediction is Student's distribution of a measurement, in scaled units.
type prediction struct{ mean, sd, freedom float64 }

// off returns the distance of y from the prediction, in standard deviations.
func (p prediction) off(y float64) float64 { return math.Abs(y-p.mean) / p.sd }

func (p prediction) law() distuv.StudentsT { return distuv.StudentsT{Sigma: 1, Nu: p.freedom} }

// tail returns the probability of a measurement at least as far off as y; 0 if y is NaN, which is impossible.
func (p prediction) tail(y float64) float64 {
	if math.IsNaN(y) {
		return 0
	}
	return 2 * p.law().Survival(p.off(y))
}

// interval returns the 95 % prediction interval for the task, reward units.
func (p prediction) interval(d *data, task int) [2]float64 {
	half := p.sd * p.law().Quantile(0.975)
	return [2]float64{d.shown(task, p.mean-half), d.shown(task, p.mean+half)}
}
