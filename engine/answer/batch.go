package answer

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
)

// batch is a number of measurements of shortlisted arms, and the covariance after them. They are made in one block, or in several with
// the same arms in equal numbers, which give the same information on differences.
type batch struct {
	*planner
	within  []int // arms it may contain
	counts  []int
	total   int
	cov     *mat.SymDense
	reduced []float64 // variance of the contrast between each arm and its task's recommendation that the batch removes
}

func (q *planner) batch(within []int) *batch {
	b := &batch{planner: q, within: within, counts: make([]int, len(q.arms)), reduced: make([]float64, len(q.arms)),
		cov: mat.NewSymDense(len(q.arms)+1, nil)}
	b.cov.CopySym(q.cov)
	return b
}

// add adds measurements of the arm with the largest value if it is measured `repeated` times. With d the lead of the recommendation over
// an arm and s² the contrast variance that the batch would remove, the value is the sum over all arms of
//
//	s φ(d/s) - d Φ(-d/s),
//
// the expected gain of the better of two arms: it is the knowledge gradient of a batch for each pair [Frazier, Powell, Dayanik 2009,
// eq. 14].
func (b *batch) add(repeated, times int) {
	best, at, n := math.Inf(-1), -1, len(b.arms)
	beside := make([]float64, n) // covariance of the block effect with the contrast of each arm
	for _, x := range b.within {
		beside[x] = b.cov.At(b.pick[b.taskOf[x]], n) - b.cov.At(x, n)
	}
	for _, j := range b.within {
		spread := b.spread(j, repeated)
		value := 0.0
		for _, x := range b.within {
			p := b.pick[b.taskOf[x]]
			if x == p {
				continue
			}
			c := b.cov.At(p, j) - b.cov.At(x, j) + beside[x]
			value += gain(b.mean[p]-b.mean[x], math.Sqrt(b.reduced[x]+c*c/spread))
		}
		if value > best {
			best, at = value, j
		}
	}
	if !(best > 0) { // all recommendations are so sure that gains underflow
		at = b.telling(repeated, beside)
	}
	b.counts[at] += times
	b.total += times
	column := mat.NewVecDense(n+1, nil)
	for x := range n + 1 {
		column.SetVec(x, b.cov.At(x, at)+b.cov.At(x, n))
	}
	spread := b.spread(at, times)
	b.cov.SymRankOne(b.cov, -1/spread, column)
	for x := range n {
		c := column.AtVec(b.pick[b.taskOf[x]]) - column.AtVec(x)
		b.reduced[x] += c * c / spread
	}
}

// telling returns the arm whose measurements most reduce the variance of a lead: the least sure lead over the closest rival, over all
// tasks. For unrelated arms this is the recommendation or its rival. If no lead has any variance, it returns the recommendation with the
// fewest measurements.
func (b *batch) telling(repeated int, beside []float64) (at int) {
	rival, doubt := -1, 0.0
	for _, x := range b.within {
		p := b.pick[b.taskOf[x]]
		if z := math.Sqrt(b.cov.At(p, p)+b.cov.At(x, x)-2*b.cov.At(p, x)) / (b.mean[p] - b.mean[x]); x != p && z > doubt {
			rival, doubt = x, z
		}
	}
	if rival < 0 {
		return slices.MinFunc(b.pick, func(p, q int) int { return b.counts[p] - b.counts[q] })
	}
	most, p := math.Inf(-1), b.pick[b.taskOf[rival]]
	for _, j := range b.within {
		c := b.cov.At(p, j) - b.cov.At(rival, j) + beside[rival]
		if taken := c * c / b.spread(j, repeated); taken > most {
			most, at = taken, j
		}
	}
	return at
}

// spread returns the variance of the mean of a number of measurements of an arm, given the batch.
func (b *batch) spread(arm, times int) float64 {
	n := len(b.arms)
	return b.cov.At(arm, arm) + 2*b.cov.At(arm, n) + b.cov.At(n, n) + b.noise[arm]/float64(times)
}

// gain returns s φ(d/s) - d Φ(-d/s) for d ≥ 0, without cancellation for small values.
func gain(d, s float64) float64 {
	if !(s > 0) {
		return 0
	}
	z := d / s
	return s * (math.Exp(-z*z/2)/math.Sqrt(2*math.Pi) - z*math.Erfc(z/math.Sqrt2)/2)
}

// imagined returns possible means after the measurements of the batch, one row per future: normal, with the covariance that the batch
// removes.
func (b *batch) imagined(arms []int, count int) *mat.Dense {
	taken := among(arms, func(i, j int) float64 { return b.planner.cov.At(i, j) - b.cov.At(i, j) })
	out := normals(taken, count, 11)
	for i := range count {
		row := out.RawRowView(i)
		for k, x := range arms {
			row[k] += b.mean[x]
		}
	}
	return out
}

// normals draws from a centred normal distribution by the symmetric root of its covariance, so that similar covariances give similar
// draws.
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

// sure returns the mean, over futures, of the probability that the recommendation after the batch is within ε.
func (b *batch) sure(arms []int, futures int) float64 {
	means, truth := b.imagined(arms, futures), normals(among(arms, b.cov.At), truths, 13)
	within := 0
	for i := range futures {
		m := means.RawRowView(i)
		pick := floats.MaxIdx(m)
		for k := range truths {
			t := truth.RawRowView(k)
			best := math.Inf(-1)
			for j := range arms {
				best = max(best, m[j]+t[j])
			}
			if m[pick]+t[pick]+b.epsilon >= best { // compare values, not differences: rounding can make a difference above 0
				within++
			}
		}
	}
	return float64(within) / float64(futures*truths)
}

// gained returns the expected improvement of the recommendations after the batch, the mean over tasks.
func (b *batch) gained(all []int) float64 {
	means := b.imagined(all, futures)
	sum := 0.0
	for i := range futures {
		row := means.RawRowView(i)
		top := indices.Of(row, b.pick)
		for k, v := range b.taskOf {
			top[v] = max(top[v], row[k])
		}
		for v, p := range b.pick {
			sum += (top[v] - row[p]) / float64(futures*len(b.pick))
		}
	}
	return sum
}
