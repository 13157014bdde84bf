package belief

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The own parts of arms may have heavy tails: most own parts are small, and a few are large. The large ones may all be on one
// side: a few options are much better than the others, or much worse. The distribution is a mixture of two normal
// distributions. Its mean is 0, and its variance is the variance own that the model states for own parts,
//
//	e ~ (1 - p) N(-p d, s) + p N((1 - p) d, f s),  (1 - p + p f) s + p (1 - p) d² = own.
//
// The posterior is an average over the normal distribution and several mixtures, weighed by evidence. For a mixture, the
// distribution of each own part is replaced by a normal one that gives the same posterior moments (expectation propagation
// [RW06, sec. 3.6]). Draws are then transformed to the quantiles of the mixture.

// shape is a distribution of own parts: p, f and d/√own.
type shape struct{ share, factor, apart float64 }

// shapes are the normal distribution, three mixtures with heavy tails on both sides, and two with a heavy tail on one side.
// They have the same prior probability.
var shapes = []shape{{0, 1, 0}, {0.05, 100, 0}, {0.1, 30, 0}, {0.25, 8, 0}, {0.1, 11, 3}, {0.1, 11, -3}}

// part is a component of a mixture of normal distributions.
type part struct{ weight, mean, variance float64 }

// parts returns the components of the distribution of own parts with variance own.
func (s shape) parts(own float64) []part {
	p, d := s.share, s.apart*math.Sqrt(own)
	usual := (own - p*(1-p)*d*d) / (1 - p + p*s.factor)
	return []part{{1 - p, -p * d, usual}, {p, (1 - p) * d, usual * s.factor}}
}

// observed returns the distribution given an observation y with noise variance noise, and the log density of y.
func observed(law []part, y, noise float64) (given []part, log float64) {
	logs := make([]float64, len(law))
	for j, p := range law {
		v, off := p.variance+noise, y-p.mean
		logs[j] = math.Log(p.weight) - 0.5*(off*off/v+math.Log(2*math.Pi*v))
		given = append(given, part{0, p.mean + p.variance/v*off, p.variance * noise / v})
	}
	log = floats.LogSumExp(logs)
	for j, l := range logs {
		given[j].weight = math.Exp(l - log)
	}
	return given, log
}

// moments returns mean and variance of a mixture.
func moments(law []part) (mean, variance float64) {
	for _, p := range law {
		mean += p.weight * p.mean
	}
	for _, p := range law {
		variance += p.weight * (p.variance + (p.mean-mean)*(p.mean-mean))
	}
	return mean, variance
}

// tails are normal distributions N(shift, own) of the own parts of all arms. They approximate a mixture, whose log
// evidence is evidence.
type tails struct {
	shape
	shift, own []float64
	variance   float64 // variance of own parts in the mixture
	evidence   float64
}

// scaled returns a copy in which own parts have another variance.
func (t *tails) scaled(variance float64) *tails {
	out := *t
	out.shift, out.own, out.variance = slices.Clone(t.shift), slices.Clone(t.own), variance
	floats.Scale(variance/t.variance, out.own)
	return &out
}

// sweeps is the largest number of updates of the normal approximations, and damping the weight of the new value in each
// update. Updates end when the evidence changes by less than settled nats.
const sweeps, damping, settled = 12, 0.7, 0.1

// tails finds the normal approximations N(shift, own) of the own parts under the mixture s. It starts from near, the
// result for other hyperparameters, unless near is nil. For each measured arm, the kernel and the other measurements
// predict the reward without its own part as N(m, v). So y - m is an observation of the own part, with variance v + noise.
func (l *layout) tails(ctx context.Context, s shape, near *tails) (_ *tails, err error) {
	defer try.Caught(&err)
	t := &tails{s, make([]float64, l.d.p.N()), l.owns(), l.own, math.Inf(-1)}
	if near != nil {
		t = near.scaled(l.own)
		t.evidence = math.Inf(-1)
	}
	variance := make([]float64, l.d.p.N())
	for range sweeps {
		p := try.Of(l.posterior(ctx, t.own, l.less(t.shift)))
		evidence := p.Evidence
		if s.share == 0 {
			t.evidence = evidence
			return t, nil
		}
		clear(variance)
		p.AddVariances(variance)
		law := s.parts(l.own)
		for k, i := range l.d.cells {
			m, v, ok := l.cavity(k, p.Mean[i]+t.shift[i], variance[i], t)
			if !ok {
				continue
			}
			c, of := l.target[k]-m, v+l.noise[k]
			given, log := observed(law, c, of)
			off := c - t.shift[i]
			evidence += log + 0.5*(off*off/(of+t.own[i])+math.Log(2*math.Pi*(of+t.own[i])))
			mean, spread := moments(given)
			precision := max(1/spread-1/of, 1/(4*(law[1].variance+law[1].mean*law[1].mean)))
			pull := mean*(precision+1/of) - c/of
			before := 1 / t.own[i]
			pull = damping*pull + (1-damping)*t.shift[i]*before
			t.own[i] = 1 / (damping*precision + (1-damping)*before)
			t.shift[i] = pull * t.own[i]
		}
		last := t.evidence
		if t.evidence = evidence; math.Abs(evidence-last) < settled {
			break
		}
	}
	return t, nil
}

// less returns the targets minus the shifts of their arms.
func (l *layout) less(shift []float64) []float64 {
	return lists.Make(len(l.target), func(k int) float64 { return l.target[k] - shift[l.d.cells[k]] })
}

// cavity returns mean m and variance v of the reward of measured arm k, without its own part, given the other
// measurements. The arguments mean and variance are those of its posterior. ok is false if the measurement carries no
// information.
func (l *layout) cavity(k int, mean, variance float64, t *tails) (m, v float64, ok bool) {
	i := l.d.cells[k]
	if !(variance < l.noise[k]) {
		return 0, 0, false
	}
	m, v = gp.Cavity(mean, variance, l.target[k], l.noise[k])
	return m - t.shift[i], max(v-t.own[i], 0), true
}

// form is a hyperparameter vector with a distribution of own parts.
type form struct {
	weighed
	*tails // nil for the normal distribution
}

// hopeless is a difference in nats: a distribution of own parts is left out if its evidence is farther below the best one.
const hopeless = 6

// fewestTails is the smallest number of measured arms for which mixtures are tried.
const fewestTails = 20

// shapeWork is the largest number of floating-point operations for weighing distributions of own parts. posteriorsEach is
// the approximate number of posteriors that this needs for each hyperparameter vector.
const shapeWork, posteriorsEach = 3e9, 18

// work estimates the floating-point operations of one posterior.
func (l *layout) work() float64 {
	n, m := l.prior.Features.Dims()
	blocks := lists.Sum(l.prior.Within, func(b *mat.SymDense) float64 { return math.Pow(float64(b.SymmetricDim()), 3) })
	return 3 * (float64(n)*float64(m)*float64(m) + blocks)
}

// shaped combines each hyperparameter vector with each distribution of own parts, weighed by evidence. For large tables it
// weighs the distributions under some vectors only, and for the largest not at all. It uses the normal distribution alone
// with shared effects, counts, limits, unknown noise, or fewer than fewestTails measured arms.
func (d *data) shaped(ctx context.Context, found []weighed, at func(weighed) (*layout, error)) ([]form, error) {
	plain := lists.Map(found, func(w weighed) form { return form{w, nil} })
	noiseFound := d.known || d.free > 0
	if d.blocks != nil || d.wins != nil || d.limits != nil || !noiseFound || len(d.cells) < fewestTails {
		return plain, nil
	}
	// logs has, for each distribution, its log evidence minus that of the normal distribution.
	logs, near := make([][]float64, len(shapes)), make([]*tails, len(shapes))
	of, gain := make([][]*tails, len(found)), make([][]float64, len(found))
	every, best := 1, math.Inf(-1)
	for j := 0; j < len(found); j += every {
		l, err := at(found[j])
		if err != nil {
			return nil, err
		}
		if j == 0 {
			tried := shapeWork / (posteriorsEach * l.work())
			if tried < 1 {
				return plain, nil
			}
			every = max(1, int(math.Ceil(float64(len(found))/tried)))
		}
		of[j], gain[j] = make([]*tails, len(shapes)), slices.Repeat([]float64{math.Inf(-1)}, len(shapes))
		for k, s := range shapes {
			if k > 0 && len(logs[k]) >= 4 && floats.Max(logs[k]) < best-hopeless {
				continue
			}
			t, err := l.tails(ctx, s, near[k])
			if err != nil || math.IsNaN(t.evidence) {
				if k == 0 {
					return plain, ctx.Err()
				}
				continue
			}
			near[k], of[j][k] = t, t
			gain[j][k] = t.evidence - of[j][0].evidence
			logs[k], best = append(logs[k], gain[j][k]), max(best, gain[j][k])
		}
	}
	var out []form
	var weights []float64
	for j, w := range found {
		for k := range shapes {
			if len(logs[k]) == 0 {
				continue
			}
			t, log := near[k], floats.LogSumExp(logs[k])-math.Log(float64(len(logs[k])))
			if of[j] != nil {
				t, log = of[j][k], gain[j][k]
			}
			if t == nil {
				continue
			}
			if k == 0 {
				t = nil
			}
			out, weights = append(out, form{w, t}), append(weights, math.Log(w.weight)+log)
		}
	}
	total := floats.LogSumExp(weights)
	for k := range out {
		out[k].weight = math.Exp(weights[k] - total)
	}
	return out, nil
}

// draw sets into to joint draws of all arms, one per row. Unless below is nil, it also adds to each below[k] the
// predictive probability that the mean of measured arm k is lower, given all others, times the weight of f.
func (f form) draw(ctx context.Context, at func(weighed) (*layout, error), rng *rand.Rand, into *mat.Dense, below []float64) (err error) {
	defer try.Caught(&err)
	l := try.Of(at(f.weighed))
	t := &tails{shapes[0], make([]float64, l.d.p.N()), l.owns(), l.own, 0}
	if f.tails != nil {
		t = f.tails.scaled(l.own)
	}
	p := try.Of(l.posterior(ctx, t.own, l.less(t.shift)))
	if f.tails == nil && below == nil {
		p.Draw(rng, into)
		return nil
	}
	means := p.Mean
	p.Draw(rng, into)
	variance, measured := make([]float64, len(means)), make([]bool, len(means))
	p.AddVariances(variance)
	column := make([]float64, into.RawMatrix().Rows)
	bend := func(i int, law []part) {
		if f.tails == nil {
			return
		}
		mat.Col(column, i, into)
		bent(column, means[i], math.Sqrt(variance[i]), law)
		into.SetCol(i, column)
	}
	about := func(m, v float64) []part {
		return lists.Map(t.parts(l.own), func(p part) part { return part{p.weight, m + p.mean, v + p.variance} })
	}
	for k, i := range l.d.cells {
		measured[i] = true
		m, v, ok := l.cavity(k, means[i]+t.shift[i], variance[i], t)
		if ok {
			given, _ := observed(about(m, v), l.target[k], l.noise[k])
			bend(i, given)
		}
		if below != nil && ok {
			below[k] += f.weight * shareBelow(about(m, v+l.noise[k]), l.target[k])
		} else if below != nil {
			below[k] += f.weight / 2
		}
	}
	if f.tails == nil {
		return nil
	}
	for i, m := range means {
		if !measured[i] {
			bend(i, about(m, max(variance[i]-l.own, 0)))
		}
	}
	return nil
}

// shareBelow returns the probability that a value from the mixture is at most y.
func shareBelow(law []part, y float64) float64 {
	return lists.Sum(law, func(p part) float64 { return p.weight * 0.5 * math.Erfc((p.mean-y)/math.Sqrt(2*p.variance)) })
}

// interleaved returns the numbers of two ascending lists in ascending order.
func interleaved(a, b []float64) []float64 {
	out := make([]float64, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0] <= b[0] {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// bent transforms draws from N(mean, sd²) to the mixture law by quantiles. It interpolates the distribution function
// between points, and computes it only where draws need it.
func bent(draws []float64, mean, sd float64, law []part) {
	const widest, step = 4.5, 0.25
	var at []float64
	for _, p := range law {
		root, own := math.Sqrt(p.variance), make([]float64, 0, int(2*widest/step)+1)
		for z := -widest; z <= widest; z += step {
			own = append(own, p.mean+z*root)
		}
		at = interleaved(at, own)
	}
	known := slices.Repeat([]float64{-1}, len(at))
	below := func(i int) float64 {
		if known[i] < 0 {
			known[i] = shareBelow(law, at[i])
		}
		return known[i]
	}
	for k, y := range draws {
		share := 0.5 * math.Erfc((mean-y)/(sd*math.Sqrt2))
		to := sort.Search(len(at), func(i int) bool { return below(i) >= share })
		to = min(max(to, 1), len(at)-1)
		part := 0.5
		if wide := below(to) - below(to-1); wide > 0 {
			part = min(max((share-below(to-1))/wide, 0), 1)
		}
		draws[k] = at[to-1] + part*(at[to]-at[to-1])
	}
}
