package belief

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Learner computes the posterior during a run. After each round it is recomputed from all data, fast enough for
// simulations of many runs. It has the prior of the package, plus a term for a stated kernel, and averages over
// hyperparameters (see sample). Rewards of 0 and 1 are treated as normal with one common variance.
type Learner struct {
	p          *problem.Problem
	knownNoise []float64       // N standard deviations of one measurement; nil if the noise is not known
	stated     *mat.SymDense   // N × N, squared reward units; nil if no kernel is stated
	given      []*mat.SymDense // N × N each: covariances stated with the problem, the stated kernel last
	unit       float64         // reward units of 1 in all results
	most       int             // largest number of arms for which posteriors use the full covariance matrix

	place    []int           // N, index in distinct of each arm
	distinct *kernels.Points // distinct features of arms; the same arm in several tasks occurs once
	rounds   int             // number of rounds with data
	chains   [][]float64     // hyperparameter vectors, in prior standard deviations from the prior means

	members []*outlook // posteriors of equal weight, in scaled units
	mean    []float64  // N, mean over members, in scaled units
	noise   []float64  // N variances of one measurement, in scaled units
	offset  float64    // reward that is 0 in scaled units, reward units
	scale   float64    // reward units of one scaled unit
	own     *standard  // scales of tasks that differ materially; else nil. If set, offset and scale are in standard rewards
}

// outlook is the posterior of all arms under one vector of hyperparameters.
type outlook struct {
	law
	mean    []float64 // N
	sigma2  float64
	factors []float64 // factor on σ² in each task; nil if σ² is the same in all tasks
}

// law is the posterior covariance of all arms, see gp.Blocked.
type law interface {
	AddVariances(to []float64)
	AddCovariances(to *mat.SymDense, arms []int)
	AddDifferences(to []float64, arms []int, from int)
}

// NewLearner returns a Learner without data. noise has the standard deviation of one measurement of each arm; nil if it is
// not known. stated has the stated covariances of the expected rewards, or is nil. Results are in multiples of unit reward
// units. If more than most arms are related, posteriors use features of the kernel instead of the full covariance matrix.
func NewLearner(p *problem.Problem, noise []float64, stated *mat.SymDense, unit float64, most int) *Learner {
	return &Learner{p: p, knownNoise: noise, stated: stated, unit: unit, most: most}
}

// Learn recomputes the posterior from all data so far: counts, mean rewards and sums of squared deviations, N of each.
func (l *Learner) Learn(ctx context.Context, counts []int, means, squares []float64) error {
	d := l.data(counts, means, squares)
	c := l.chosen(d)
	if err := l.sample(ctx, c); err != nil {
		return err
	}
	l.rounds++
	return l.average(ctx, c)
}

// leastFree is the smallest number of degrees of freedom at which the noise is subtracted from the spread of means.
const leastFree = 6

// data returns the measurements in scaled units.
func (l *Learner) data(counts []int, means, squares []float64) *data {
	q := *l.p
	n := q.N()
	q.Mean, q.Rewards, q.Rows, q.Blocks, q.Levels, q.Block = nil, nil, nil, nil, nil, nil
	q.Partial, q.Reps = make([]float64, n), make([]float64, n)
	q.Noise = problem.NoiseModel{UnknownBy: problem.UnknownProblem, SD: make([]float64, n), Bounds: l.p.Noise.Bounds}
	for i, c := range counts {
		q.Partial[i], q.Reps[i], q.Noise.SD[i] = math.NaN(), 1, math.NaN()
		if c > 0 {
			q.Partial[i], q.Reps[i] = means[i], float64(c)
		}
		if c > 1 {
			q.Noise.SD[i] = math.Sqrt(squares[i] / float64(c-1))
		}
	}
	noise := l.knownNoise
	if l.own = nil; l.stated == nil && cellsOf(&q).counted() == nil {
		l.own = equally(&q, mean(rowsOf(&q)), 1).apart()
	}
	if l.own != nil {
		q = *l.own.problem()
		if noise != nil {
			noise = lists.Make(n, func(i int) float64 { return noise[i] / l.size(i) })
		}
	}
	d := cellsOf(&q)
	d.columns()
	if wins := d.counted(); wins != nil && noise == nil {
		lo, hi := q.TwoRewards()
		share := (floats.Sum(wins) + 0.5) / (floats.Sum(d.n) + 1)
		noise = slices.Repeat([]float64{(hi - lo) * math.Sqrt(share*(1-share))}, n)
	}
	if noise != nil {
		q.Noise = problem.NoiseModel{Scales: noise}
	}
	d.noise(false)
	d.measure(d.known || d.free >= leastFree)
	return d
}

// chosen returns the measured arms from which hyperparameters are searched, with the model.
func (l *Learner) chosen(d *data) *chosen {
	part := nothingStated
	if l.stated != nil {
		part = besideStated
	}
	m := newKernelModel(d, part, func(columns int) float64 { return float64(columns) })
	if l.stated != nil {
		m.add("stated", math.Exp, 0, 1.5)
		d.given = append(d.given, given{"stated", covariance{l.p.N(), l.stated.At}, 1 / (d.unit * d.unit), withVariance})
	}
	m.addNoise()
	at := d.evenly(l.sources(m))
	c := newChosen(m, at)
	c.allTasks()
	c.withinOf, c.freeOf = make([]float64, l.p.V()), make([]float64, l.p.V())
	if !d.known {
		squares, freedom := d.squares()
		for k, v := range squares {
			c.withinOf[l.p.TaskOf[d.cells[k]]] += v / (d.rel[k] * d.unit * d.unit)
			c.freeOf[l.p.TaskOf[d.cells[k]]] += freedom[k]
		}
	}
	if l.place == nil {
		of := &chosen{model: m}
		of.merge(indices.All(l.p.N()))
		l.place, l.distinct = of.place, of.distinct
	}
	if l.dense(m) {
		c.distinct, c.row = l.distinct, indices.Of(d.cells, at)
		c.place = indices.Of(l.place, c.row)
		c.given = l.whole(d.given)
	}
	return c
}

// whole returns the stated covariances of all N arms. It computes them once and reuses them in later rounds.
func (l *Learner) whole(all []given) []*mat.SymDense {
	for _, g := range all[len(l.given):] {
		l.given = append(l.given, g.among(indices.All(l.p.N())))
	}
	return l.given
}

// average computes the posterior of all arms under the hyperparameters of each chain, and their average.
func (l *Learner) average(ctx context.Context, c *chosen) error {
	d, n := c.d, l.p.N()
	numbers := l.chains
	if n > l.most {
		numbers = numbers[:min(len(numbers), membersLarge)]
	}
	found := make([]*outlook, len(numbers))
	err := cores.Do(ctx, len(numbers), 1, func(from, to int) {
		for k := from; k < to; k++ {
			if o, err := l.outlook(ctx, c, c.numbersAt(numbers[k])); err == nil {
				found[k] = o
			}
		}
	})
	if err != nil {
		return err
	}
	if l.members = lists.Where(found, func(o *outlook) bool { return o != nil }); len(l.members) == 0 {
		return errNoMember
	}
	l.mean, l.noise, l.offset, l.scale = make([]float64, n), make([]float64, n), d.offset, d.unit
	relative, share := relativeNoise(d), 1/float64(len(l.members))
	for _, o := range l.members {
		floats.AddScaled(l.mean, share, o.mean)
		for i, v := range l.p.TaskOf {
			f := share * o.sigma2 * relative[i]
			if o.factors != nil {
				f *= o.factors[v]
			}
			l.noise[i] += f
		}
	}
	return nil
}

// relativeNoise returns the variance of one measurement of each arm, relative to σ². An unmeasured arm gets the mean over
// its task, or 1 if its task has no measured arm.
func relativeNoise(d *data) []float64 {
	out := make([]float64, d.p.N())
	sums, counts := make([]float64, d.p.V()), make([]float64, d.p.V())
	for k, i := range d.cells {
		out[i] = d.rel[k]
		sums[d.p.TaskOf[i]] += d.rel[k]
		counts[d.p.TaskOf[i]]++
	}
	for i := range out {
		v := d.p.TaskOf[i]
		switch {
		case d.known:
			out[i] = d.p.Noise.Scales[i] * d.p.Noise.Scales[i] / (d.unit * d.unit)
		case out[i] == 0 && counts[v] > 0:
			out[i] = sums[v] / counts[v]
		case out[i] == 0:
			out[i] = 1
		}
	}
	return out
}

// Estimates returns the posterior means of all arms.
func (l *Learner) Estimates() []float64 {
	return lists.Make(len(l.mean), func(i int) float64 {
		y := l.offset + l.scale*l.mean[i]
		if l.own != nil {
			y = l.own.back(l.p.TaskOf[i], y)
		}
		return y / l.unit
	})
}

// size returns the reward units of a standard reward of 1 in the task of arm i; 1 if tasks share one scale.
func (l *Learner) size(i int) float64 {
	if l.own == nil {
		return 1
	}
	return l.own.scale[l.p.TaskOf[i]]
}

// square returns the factor that converts variances from scaled units to units of the results.
func (l *Learner) square() float64 { return l.scale / l.unit * l.scale / l.unit }

// Precision returns the reciprocal of the variance of one measurement of each arm.
func (l *Learner) Precision() []float64 {
	return lists.Make(len(l.noise), func(i int) float64 { return 1 / (l.noise[i] * l.square() * l.size(i) * l.size(i)) })
}

// off returns, for each of the arms, the posterior mean of member o minus that of the mixture.
func (l *Learner) off(o *outlook, arms []int) *mat.VecDense {
	out, means := mat.NewVecDense(len(arms), nil), o.mean
	for k, i := range arms {
		out.SetVec(k, means[i]-l.mean[i])
	}
	return out
}

// CovarianceMatrix returns the posterior covariance matrix of the given arms.
func (l *Learner) CovarianceMatrix(arms []int) *mat.SymDense {
	out := mat.NewSymDense(len(arms), nil)
	for _, o := range l.members {
		o.AddCovariances(out, arms)
		out.SymRankOne(out, 1, l.off(o, arms))
	}
	out.ScaleSym(l.square()/float64(len(l.members)), out)
	for a, i := range arms {
		for b := range arms[:a+1] {
			out.SetSym(a, b, out.At(a, b)*l.size(i)*l.size(arms[b]))
		}
	}
	return out
}

// Groups returns the posterior covariances as a common low-rank factor plus a variance for each arm. It returns nil if the
// posteriors use the full covariance matrix.
func (l *Learner) Groups() *gp.Blocked {
	var roots []*gp.Blocked
	columns := 0
	for _, o := range l.members {
		of, features := o.law.(*member)
		if !features {
			return nil
		}
		roots = append(roots, of.Blocked)
		columns += of.Features.RawMatrix().Cols + 1
	}
	n, share := l.p.N(), math.Sqrt(l.square()/float64(len(l.members)))
	root, own := mat.NewDense(n, columns, nil), make([]float64, n)
	for i := range n {
		row, f, at := root.RawRowView(i), share*l.size(i), 0
		for _, of := range roots {
			own[i] += f * f * of.Entry(i, i)
			for j, v := range of.Features.RawRowView(i) {
				row[at+j] = f * v
			}
			at += of.Features.RawMatrix().Cols
			row[at] = f * (of.Mean[i] - l.mean[i])
			at++
		}
	}
	return gp.NewBlocked(root, gp.Alone(own))
}

// VariancesFrom sets dst[k] to the posterior variance of the difference of the rewards of arms[k] and from. All these arms
// must belong to the same task. The error is always nil.
func (l *Learner) VariancesFrom(dst []float64, arms []int, from int) error {
	clear(dst)
	for _, o := range l.members {
		o.AddDifferences(dst, arms, from)
		off, other := l.off(o, arms), l.off(o, []int{from}).AtVec(0)
		for k := range dst {
			dst[k] += (off.AtVec(k) - other) * (off.AtVec(k) - other)
		}
	}
	floats.Scale(l.square()*l.size(from)*l.size(from)/float64(len(l.members)), dst)
	return nil
}
