package gp

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Blocks is a covariance of N points that is 0 between points of different blocks.
type Blocks struct {
	Block, At []int           // by point: its block, and its position in the block
	Within    []*mat.SymDense // by block: its covariance matrix; nil if each point is a block
	Variance  []float64       // by point: its variance, if each point is a block
}

// Alone returns a diagonal covariance with the given variances.
func Alone(variance []float64) *Blocks {
	return &Blocks{indices.All(len(variance)), make([]int, len(variance)), nil, variance}
}

// Entry returns the covariance of points i and j. For a nil b it returns 0.
func (b *Blocks) Entry(i, j int) float64 {
	switch {
	case b == nil || b.Block[i] != b.Block[j]:
		return 0
	case b.Within == nil:
		return b.Variance[i]
	}
	return b.Within[b.Block[i]].At(b.At[i], b.At[j])
}

// AddTimes adds the product Bx to the slice to.
func (b *Blocks) AddTimes(to, x []float64) {
	if b.Within == nil {
		floats.Add(to, floats.MulTo(make([]float64, len(x)), b.Variance, x))
		return
	}
	sums := lists.Map(b.Within, func(c *mat.SymDense) []float64 { return make([]float64, c.SymmetricDim()) })
	for i, v := range x {
		sums[b.Block[i]][b.At[i]] += v
	}
	for i := range to {
		c, k := b.Within[b.Block[i]], b.At[i]
		for l, v := range sums[b.Block[i]] {
			to[i] += c.At(k, l) * v
		}
	}
}

// scaled returns the blocks multiplied by scale, plus the variance own(i) on the diagonal.
func (b *Blocks) scaled(scale float64, own func(i int) float64) *Blocks {
	out := &Blocks{Block: b.Block, At: b.At}
	if b.Within == nil {
		out.Variance = lists.Make(len(b.Variance), func(i int) float64 { return scale*b.Variance[i] + own(i) })
		return out
	}
	out.Within = lists.Map(b.Within, func(c *mat.SymDense) *mat.SymDense {
		to := mat.NewSymDense(c.SymmetricDim(), nil)
		to.ScaleSym(scale, c)
		return to
	})
	for i, g := range b.Block {
		k := b.At[i]
		out.Within[g].SetSym(k, k, out.Within[g].At(k, k)+own(i))
	}
	return out
}

// Blocked is the normal distribution of the latent values f of N points with covariance ΦΦᵀ + B: a part of low rank m plus blocks,
// as in the partially independent conditional of [Snelson and Ghahramani 2007]. f = μ + Φw + b with w ~ N(0, I) and b ~
// N(0, B). The distribution has this form without observations and given observations. The cost is linear in the number of blocks.
type Blocked struct {
	Mean     []float64  // μ; nil for 0
	Features *mat.Dense // Φ, N × m
	*Blocks             // B
	points   [][]int    // by block: its points
}

// NewBlocked returns the distribution with mean 0, features Φ and blocks own.
func NewBlocked(features *mat.Dense, own *Blocks) *Blocked {
	return &Blocked{nil, features, own, indices.Groups(max(len(own.Within), len(own.Variance)), own.Block)}
}

// With adds own(i) to the variance of each point i and returns the result.
func (b *Blocked) With(own func(i int) float64) *Blocked {
	return &Blocked{b.Mean, b.Features, b.scaled(1, own), b.points}
}

// Observations are y_k = β + f_i + noise with i = At[k]; each is of a different point.
type Observations struct {
	At       []int
	Y, Noise []float64
	Features *mat.Dense // row k is Φ for observation k; nil means the rows of the observed points
	Flat     bool       // whether β has a flat prior; otherwise β = 0
}

// BlockedPosterior is the distribution of β + f given observations.
type BlockedPosterior struct {
	*Blocked
	Quadratic float64 // (y - β̂)ᵀΣ⁻¹(y - β̂)
	Evidence  float64 // log p(y), with a flat prior up to the restricted likelihood's constant [RW06, eq. 2.8 and 2.45]
}

// whitened has the observations multiplied by L⁻¹ within each block: x = L⁻¹Φ, h = L⁻¹1 and z = L⁻¹y, where S = B + N =
// LLᵀ.
type whitened struct {
	x    *mat.Dense
	h, z []float64
}

// along is the distribution of w and β given whitened observations: A = I + XᵀX of the centred rows, w ~ N(A⁻¹Xᵀz, A⁻¹).
type along struct {
	precision float64   // hᵀh, the precision of β; 0 if β = 0
	level     float64   // weighted mean of the observations
	middle    []float64 // weighted mean of their features
	known     mat.Cholesky
	w         *mat.VecDense
	quadratic float64
	logDet    float64 // log |A| + log hᵀh
}

// along centres the rows if flat is set, and factors A [RW06, eq. 2.8, A.9 and A.10]. It overwrites the observations.
func (o *whitened) along(flat bool) (*along, error) {
	_, m := o.x.Dims()
	a := &along{middle: make([]float64, m), w: mat.NewVecDense(m, nil)}
	if flat {
		a.precision = floats.Dot(o.h, o.h)
		a.level = floats.Dot(o.h, o.z) / a.precision
		blas64.Gemv(blas.Trans, 1/a.precision, o.x.RawMatrix(), vector(o.h), 0, vector(a.middle))
		blas64.Ger(-1, vector(o.h), vector(a.middle), o.x.RawMatrix())
		floats.AddScaled(o.z, -a.level, o.h)
		a.logDet = math.Log(a.precision)
	}
	inner := mat.NewSymDense(m, nil)
	blas64.Syrk(blas.Trans, 1, o.x.RawMatrix(), 0, inner.RawSymmetric())
	if !a.known.Factorize(symmetric.Add(inner, func(int) float64 { return 1 })) {
		return nil, ErrSingular
	}
	right := mat.NewVecDense(m, nil)
	blas64.Gemv(blas.Trans, 1, o.x.RawMatrix(), vector(o.z), 0, right.RawVector())
	_ = a.known.SolveVecTo(a.w, right) // A is at least I, so the error is only a warning about the condition number
	a.quadratic = max(0, floats.Dot(o.z, o.z)-mat.Dot(right, a.w))
	a.logDet += a.known.LogDet()
	return a, nil
}

// vector returns x as a BLAS vector, without a copy.
func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// byBlock returns, for each block, the indices of its observations, in the order of its points.
func (b *Blocked) byBlock(at []int) [][]int {
	place := make([]int, len(b.Block)) // by point: 1 + its index among the observations; 0 without one
	for k, i := range at {
		place[i] = k + 1
	}
	return lists.Map(b.points, func(points []int) []int {
		var seen []int
		for _, i := range points {
			if place[i] > 0 {
				seen = append(seen, place[i]-1)
			}
		}
		return seen
	})
}

// rows returns a function of k: the features of observation k.
func (b *Blocked) rows(o Observations) func(k int) []float64 {
	if o.Features != nil {
		return o.Features.RawRowView
	}
	return func(k int) []float64 { return b.Features.RawRowView(o.At[k]) }
}

// Posterior returns the distribution of f, with β added, given observations. In each block with observed points P, let G = B_·P S⁻¹, where
// S = B_PP + N. Then
//
//	f = Gy + (Φ - GΦ_P)w + (1 - G1)β + e,  Cov e = B - G B_P·.
func (b *Blocked) Posterior(ctx context.Context, o Observations) (_ *BlockedPosterior, err error) {
	defer try.Caught(&err)
	n, m := b.Features.Dims()
	columns := m
	if o.Flat {
		columns++
	}
	g := &given{
		Blocked: b, of: o, row: b.rows(o), mean: make([]float64, n), root: mat.NewDense(n, columns, nil), level: make([]float64, n),
		own:  &Blocks{Block: b.Block, At: b.At},
		rest: whitened{mat.NewDense(max(1, len(o.At)), m, nil), make([]float64, len(o.At)), make([]float64, len(o.At))},
	}
	if b.Within == nil {
		g.own.Variance = make([]float64, n)
	} else {
		g.own.Within = make([]*mat.SymDense, len(b.points))
	}
	for block, seen := range b.byBlock(o.At) {
		try.To(ctx.Err())
		if b.Within == nil {
			g.point(b.points[block][0], seen)
		} else if err := g.block(block, seen); err != nil {
			return nil, err
		}
	}
	a := try.Of(g.rest.along(o.Flat))
	var lower mat.TriDense
	a.known.LTo(&lower)
	err = cores.Do(ctx, n, 256, func(from, to int) { // R = (Φ - GΦ_P - (1 - G1)φ̄ᵀ)L⁻ᵀ, and (1 - G1)/√hᵀh for β
		for i := from; i < to; i++ {
			row := g.root.RawRowView(i)
			if o.Flat {
				floats.AddScaled(row[:m], -g.level[i], a.middle)
				row[m] = g.level[i] / math.Sqrt(a.precision)
			}
			g.mean[i] += floats.Dot(row[:m], a.w.RawVector().Data) + g.level[i]*a.level
		}
		blas64.Trsm(blas.Right, blas.Trans, 1, lower.RawTriangular(), g.root.Slice(from, to, 0, m).(*mat.Dense).RawMatrix())
	})
	free := float64(len(o.At))
	if o.Flat {
		free--
	}
	evidence := -0.5 * (a.quadratic + a.logDet + g.logDet + free*math.Log(2*math.Pi))
	return &BlockedPosterior{&Blocked{g.mean, g.root, g.own, b.points}, a.quadratic, evidence}, err
}

// given is a posterior during its computation, block by block.
type given struct {
	*Blocked
	of     Observations
	row    func(k int) []float64 // features of an observation
	mean   []float64             // Gy
	root   *mat.Dense            // Φ - GΦ_P
	level  []float64             // 1 - G1
	own    *Blocks
	rest   whitened
	count  int     // number of whitened observations so far
	logDet float64 // Σ log |S|
}

// point is block for a block that is the single point i.
func (g *given) point(i int, seen []int) {
	to, v := g.root.RawRowView(i), g.Variance[i]
	copy(to, g.Features.RawRowView(i))
	if g.level[i], g.own.Variance[i] = 1, v; len(seen) == 0 {
		return
	}
	k := seen[0]
	s, from := v+g.of.Noise[k], g.row(k)
	gain := v / s
	g.level[i], g.own.Variance[i], g.mean[i] = g.of.Noise[k]/s, gain*g.of.Noise[k], gain*g.of.Y[k]
	floats.AddScaled(to[:len(from)], -gain, from)
	if g.of.Features == nil { // the same with smaller rounding errors
		floats.ScaleTo(to[:len(from)], g.level[i], from)
	}
	whiten := 1 / math.Sqrt(s)
	floats.ScaleTo(g.rest.x.RawRowView(g.count), whiten, from)
	g.rest.h[g.count], g.rest.z[g.count] = whiten, whiten*g.of.Y[k]
	g.count++
	g.logDet += math.Log(s)
}

// block computes the part of the posterior for one block; seen has its observations. For observed points it computes I -
// G_P as NS⁻¹, which avoids cancellation.
func (g *given) block(block int, seen []int) error {
	points, prior := g.points[block], g.Within[block]
	_, m := g.Features.Dims()
	size, n := len(points), len(seen)
	own := mat.NewSymDense(max(1, size), nil)
	own.CopySym(prior)
	g.own.Within[block] = own
	for _, i := range points {
		copy(g.root.RawRowView(i), g.Features.RawRowView(i))
		g.level[i] = 1
	}
	if n == 0 {
		return nil
	}
	at := lists.Map(seen, func(k int) int { return g.At[g.of.At[k]] })
	s, err := NewDense(symmetric.Make(n, func(a, c int) float64 {
		if a == c {
			return prior.At(at[a], at[a]) + g.of.Noise[seen[a]]
		}
		return prior.At(at[a], at[c])
	}))
	if err != nil {
		return err
	}
	g.logDet += s.LogDet()
	x, noise := mat.NewDense(n, m+2, nil), mat.NewDense(n, n, nil) // L⁻¹[Φ_P 1 y] and L⁻¹N
	for a, k := range seen {
		row := x.RawRowView(a)
		copy(row, g.row(k))
		row[m], row[m+1] = 1, g.of.Y[k]
		noise.Set(a, a, g.of.Noise[k])
	}
	blas64.Trsm(blas.Left, blas.Trans, 1, s.Upper, x.RawMatrix())
	blas64.Trsm(blas.Left, blas.Trans, 1, s.Upper, noise.RawMatrix())
	for a := range seen {
		row := x.RawRowView(a)
		copy(g.rest.x.RawRowView(g.count), row[:m])
		g.rest.h[g.count], g.rest.z[g.count] = row[m], row[m+1]
		g.count++
	}
	t := mat.NewDense(size, n, nil) // B_·P L⁻ᵀ
	for k := range size {
		for a := range seen {
			t.Set(k, a, prior.At(k, at[a]))
		}
	}
	blas64.Trsm(blas.Right, blas.NoTrans, 1, s.Upper, t.RawMatrix())
	blas64.Syrk(blas.NoTrans, -1, t.RawMatrix(), 1, own.RawSymmetric())
	var gain, residual, observed mat.Dense // G[Φ_P 1 y], NS⁻¹[Φ_P 1 y] and GN
	gain.Mul(t, x)
	residual.Mul(noise.T(), x)
	observed.Mul(t, noise)
	for _, i := range points {
		row := gain.RawRowView(g.At[i])
		g.mean[i] += row[m+1]
		g.level[i] -= row[m]
		floats.Sub(g.root.RawRowView(i)[:m], row[:m])
	}
	for a, k := range seen {
		i, row := g.of.At[k], residual.RawRowView(a)
		g.level[i] = row[m]
		if g.of.Features == nil {
			copy(g.root.RawRowView(i), row[:m])
		}
		for c := range size {
			own.SetSym(c, at[a], observed.At(c, a))
		}
	}
	return nil
}

// AddVariances adds the variance of each point to the slice to.
func (b *Blocked) AddVariances(to []float64) {
	for i := range to {
		row := b.Features.RawRowView(i)
		to[i] += floats.Dot(row, row) + b.Entry(i, i)
	}
}

// AddCovariances adds the covariance matrix of the given points to the matrix to.
func (b *Blocked) AddCovariances(to *mat.SymDense, points []int) {
	_, rank := b.Features.Dims()
	part := mat.NewDense(len(points), rank, nil)
	for k, i := range points {
		copy(part.RawRowView(k), b.Features.RawRowView(i))
		for l, j := range points[:k+1] {
			to.SetSym(k, l, to.At(k, l)+b.Entry(i, j))
		}
	}
	blas64.Syrk(blas.NoTrans, 1, part.RawMatrix(), 1, to.RawSymmetric())
}

// AddDifferences adds to to[k] the variance of the difference between points[k] and the point from.
func (b *Blocked) AddDifferences(to []float64, points []int, from int) {
	other := b.Features.RawRowView(from)
	for k, i := range points {
		if i != from {
			square := floats.Distance(b.Features.RawRowView(i), other, 2)
			to[k] += b.Entry(i, i) + b.Entry(from, from) - 2*b.Entry(i, from) + square*square
		}
	}
}

// Draw fills each row of a matrix with a joint draw of all points [RW06, sec. A.2].
func (b *Blocked) Draw(rng *rand.Rand, into *mat.Dense) {
	count, n := into.Dims()
	_, rank := b.Features.Dims()
	z := mat.NewDense(count, rank, nil)
	z.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, z)
	into.Mul(z, b.Features.T())
	sds := lists.Map(b.Variance, math.Sqrt)
	for k := range count {
		row := into.RawRowView(k)
		if b.Mean != nil {
			floats.Add(row, b.Mean)
		}
		for i, sd := range sds {
			row[i] += sd * rng.NormFloat64()
		}
	}
	own := make([]float64, n)
	for g, c := range b.Within {
		root := rootOf(c)
		for k := range count {
			for l := range own[:c.SymmetricDim()] {
				own[l] = rng.NormFloat64()
			}
			for _, i := range b.points[g] {
				l := b.At[i]
				into.Set(k, i, into.At(k, i)+floats.Dot(root.RawRowView(l)[:l+1], own[:l+1]))
			}
		}
	}
}

// rootOf returns a lower triangular T with TTᵀ = C. Rounding may make eigenvalues of C negative, so a pivot that is tiny
// relative to its variance counts as 0.
func rootOf(c *mat.SymDense) *mat.Dense {
	const nothing = 1e-14
	n := c.SymmetricDim()
	t := mat.NewDense(n, n, nil)
	for i := range n {
		row := t.RawRowView(i)
		for j := range i {
			if d := t.At(j, j); d > 0 {
				row[j] = (c.At(i, j) - floats.Dot(row[:j], t.RawRowView(j)[:j])) / d
			}
		}
		if square := c.At(i, i) - floats.Dot(row[:i], row[:i]); square > nothing*c.At(i, i) {
			row[i] = math.Sqrt(square)
		}
	}
	return t
}
