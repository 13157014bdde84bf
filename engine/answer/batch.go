package answer

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// batch is a set of measurements of shortlisted arms, and the posterior covariance after them. The measurements are in one
// block, or in several blocks with equal numbers of each arm: both give the same information on differences.
type batch struct {
	*planner
	within  []int // positions on the shortlist of the arms that the batch may contain
	counts  []int
	total   int
	cov     *mat.SymDense
	reduced []float64 // by arm: how much the batch reduces the variance of the difference between the arm and its task's recommendation
	worth   float64   // expected gain of the batch; only set if measurements have costs
}

func (q *planner) batch(within []int) *batch {
	b := batch{planner: q, within: within, counts: make([]int, len(q.arms)), reduced: make([]float64, len(q.arms)), cov: q.cov}
	return b.clone()
}

// clone returns an independent copy of the batch.
func (b *batch) clone() *batch {
	c := *b
	c.counts, c.reduced, c.cov = slices.Clone(b.counts), slices.Clone(b.reduced), mat.NewSymDense(b.cov.SymmetricDim(), nil)
	c.cov.CopySym(b.cov)
	return &c
}

// addTimes adds times measurements of one arm: the one with the largest value, see choose.
func (b *batch) addTimes(repeated, times int) {
	b.take(b.choose(b.within, repeated), times)
}

// choose returns the arm with the largest value per cost, if it is measured repeated times. d is the lead of a
// recommendation over an arm, and s² the variance of this lead that the batch, including the new measurements, removes.
// The value is the sum over all compared arms of the expected gain from choosing the better of the two later,
//
//	s φ(d/s) - d Φ(-d/s).
//
// For each pair this is the knowledge gradient for a batch [Frazier, Powell, Dayanik 2009, eq. 14].
func (b *batch) choose(among []int, repeated int) int {
	best, at := math.Inf(-1), -1
	compared := b.compared()
	lead := make([]float64, len(compared))
	shared := map[int][]float64{} // by the row of a block effect: its covariance with the contrast of each compared arm
	for k, x := range compared {
		lead[k] = b.mean[b.pick[b.taskOf[x]]] - b.mean[x]
	}
	for _, j := range among {
		e := b.effect[j]
		if shared[e] == nil {
			shared[e] = lists.Map(compared, func(x int) float64 { return b.cov.At(b.pick[b.taskOf[x]], e) - b.cov.At(x, e) })
		}
		spread := b.spread(j, repeated)
		value := 0.0
		for k, x := range compared {
			p := b.pick[b.taskOf[x]]
			if x == p {
				continue
			}
			c := b.cov.At(p, j) - b.cov.At(x, j) + shared[e][k]
			value += gain(lead[k], math.Sqrt(b.reduced[x]+c*c/spread))
		}
		if value -= b.worth; b.costs() != nil {
			value /= b.cost(j)
		}
		if value > best {
			best, at = value, j
		}
	}
	if !(best > 0) { // all recommendations are so sure that gains underflow
		at = b.telling(among, repeated)
	}
	return at
}

// take adds measurements of the arm at position at, and updates the covariance.
func (b *batch) take(at, times int) {
	n := b.cov.SymmetricDim()
	b.counts[at] += times
	b.total += times
	column := mat.NewVecDense(n, nil)
	for x := range n {
		column.SetVec(x, b.cov.At(x, at)+b.cov.At(x, b.effect[at]))
	}
	spread := b.spread(at, times)
	b.cov.SymRankOne(b.cov, -1/spread, column)
	b.worth = 0
	for _, x := range b.compared() {
		p := b.pick[b.taskOf[x]]
		c := column.AtVec(p) - column.AtVec(x)
		b.reduced[x] += c * c / spread
		if b.costs() != nil && x != p { // gain per cost compares each arm's gain with that of the batch so far
			b.worth += gain(b.mean[p]-b.mean[x], math.Sqrt(b.reduced[x]))
		}
	}
}

// telling returns the arm whose measurements most reduce the variance of the least certain lead over a rival, over all
// tasks. For unrelated arms this is the recommendation or its rival. If no lead has any variance, it returns the arm with
// the fewest measurements, preferably a recommended one.
func (b *batch) telling(among []int, repeated int) (at int) {
	rival, doubt := -1, 0.0
	for _, x := range b.compared() {
		p := b.pick[b.taskOf[x]]
		if z := math.Sqrt(b.cov.At(p, p)+b.cov.At(x, x)-2*b.cov.At(p, x)) / (b.mean[p] - b.mean[x]); x != p && z > doubt {
			rival, doubt = x, z
		}
	}
	if rival < 0 {
		if picks := lists.Where(b.pick, func(k int) bool { return slices.Contains(among, k) }); len(picks) > 0 {
			among = picks
		}
		return slices.MinFunc(among, func(p, q int) int { return b.counts[p] - b.counts[q] })
	}
	most, p := math.Inf(-1), b.pick[b.taskOf[rival]]
	for _, j := range among {
		e := b.effect[j]
		c := b.cov.At(p, j) - b.cov.At(rival, j) + b.cov.At(p, e) - b.cov.At(rival, e)
		if taken := c * c / b.spread(j, repeated) / b.cost(j); taken > most {
			most, at = taken, j
		}
	}
	return at
}

// spread returns the variance of the mean of times measurements of an arm, given the measurements of the batch.
func (b *batch) spread(arm, times int) float64 {
	e := b.effect[arm]
	return b.cov.At(arm, arm) + 2*b.cov.At(arm, e) + b.cov.At(e, e) + b.noise[arm]/float64(times)
}

// gain returns s φ(d/s) - d Φ(-d/s) for d ≥ 0, without cancellation for small values.
func gain(d, s float64) float64 {
	if !(s > 0) {
		return 0
	}
	z := d / s
	return s * (math.Exp(-z*z/2)/math.Sqrt(2*math.Pi) - z*math.Erfc(z/math.Sqrt2)/2)
}

// imagined returns count simulated posterior means after the measurements of the batch, a row for each. They are normal;
// their covariance is the reduction of the covariance by the batch.
func (b *batch) imagined(arms []int, count int) *mat.Dense {
	return b.around(arms, normals(among(arms, func(i, j int) float64 { return b.planner.cov.At(i, j) - b.cov.At(i, j) }), count, 11))
}

// around adds the present means of arms to each row.
func (b *batch) around(arms []int, rows *mat.Dense) *mat.Dense {
	for i := range rows.RawMatrix().Rows {
		row := rows.RawRowView(i)
		for k, x := range arms {
			row[k] += b.mean[x]
		}
	}
	return rows
}

// normals returns count draws from a normal distribution with mean 0, a row for each. It uses the symmetric root of the
// covariance, so that similar covariances give similar draws.
func normals(cov *mat.SymDense, count int, stream uint64) *mat.Dense {
	n := cov.SymmetricDim()
	var eigen mat.EigenSym
	root := mat.NewDense(n, n, nil)
	if eigen.Factorize(cov, true) {
		var vectors, scaled mat.Dense
		eigen.VectorsTo(&vectors)
		scaled.CloneFrom(&vectors)
		for j, l := range eigen.Values(nil) {
			for i := range n {
				scaled.Set(i, j, vectors.At(i, j)*math.Sqrt(max(l, 0)))
			}
		}
		root.Mul(&scaled, vectors.T())
	}
	rng := rand.New(rand.NewPCG(5, stream))
	z := mat.NewDense(count, n, nil)
	for i := range count {
		for j := range n {
			z.Set(i, j, rng.NormFloat64())
		}
	}
	var out mat.Dense
	out.Mul(z, root)
	return &out
}

// sure returns the expected probability that the best of arms after the batch is within ε of the true best. It averages
// over the given number of simulated results.
func (b *batch) sure(arms []int, futures int) float64 {
	means, truth := b.imagined(arms, futures), normals(among(arms, b.cov.At), truths, 13)
	low, high := slices.Clone(truth.RawRowView(0)), slices.Clone(truth.RawRowView(0))
	for k := range truths {
		for j, t := range truth.RawRowView(k) {
			low[j], high[j] = min(low[j], t), max(high[j], t)
		}
	}
	within := 0
	for i := range futures {
		m := means.RawRowView(i)
		pick := floats.MaxIdx(m)
		// Only rivals can be better than the pick by more than ε. Values are compared, not differences: rounding can make a
		// difference above 0.
		rivals := indices.Where(len(m), func(j int) bool { return m[j]+high[j] > m[pick]+low[pick]+b.epsilon })
		for k := range truths {
			t := truth.RawRowView(k)
			least := m[pick] + t[pick] + b.epsilon
			if !slices.ContainsFunc(rivals, func(j int) bool { return m[j]+t[j] > least }) {
				within++
			}
		}
	}
	return float64(within) / float64(futures*truths)
}

// removed returns the fraction of the expected simple regret that the batch removes. It is the expected improvement of the
// recommendations, relative to the improvement if all rewards became known. Both are simulated with normal rewards. The
// posterior may not be normal, for instance if options must meet a requirement. So callers multiply its regret by the
// fraction.
func (b *batch) removed(compared []int) float64 {
	all := b.improvement(compared, b.around(compared, normals(among(compared, b.planner.cov.At), futures, 11)))
	if !(all > 0) {
		return 0
	}
	return min(b.improvement(compared, b.imagined(compared, futures))/all, 1)
}

// improvement returns by how much the best of the compared arms exceeds the recommendation, a sum over tasks and means. A
// row of means has one mean for each compared arm.
func (b *batch) improvement(compared []int, means *mat.Dense) (sum float64) {
	place := lists.Keyed(compared, func(k, x int) (int, int) { return x, k })
	for i := range means.RawMatrix().Rows {
		row := means.RawRowView(i)
		top := lists.Map(b.pick, func(p int) float64 { return row[place[p]] })
		for k, x := range compared {
			top[b.taskOf[x]] = max(top[b.taskOf[x]], row[k])
		}
		for v, p := range b.pick {
			sum += top[v] - row[place[p]]
		}
	}
	return sum
}
