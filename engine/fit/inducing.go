package fit

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// The covariance of many arms is not factored as a whole, O(n³), but along m of them, the inducing arms
// S: with Q = K_nS K_SS⁻¹ K_Sn and R = K - Q ≥ 0,
//
//	F = log p(y | Q + N) - t,  t = ½ Σ_i R_ii/N_i,
//
// is at most the log likelihood [Titsias 2009, eq. 9], for any S and any numbers of the kernel, so that
// it can be maximised in its place; and that is at most
//
//	U = log p(y | Q + N) + ½ αᵀRα,  α = (Q + N)⁻¹ (y - H β̂),
//
// since determinants grow with the covariance, and yᵀΣ⁻¹y ≥ 2αᵀy - αᵀΣα for every α. Both hold as well
// where levels are integrated out: t does not depend on them, and Hᵀα = 0. U - F is what is lost at
// most. S are the pivots of the Cholesky factor of K, as many as bring t to a limit, and S stays what it
// is while a search climbs, so that F is smooth.
//
// A number times identity() has no few inducing arms, and needs none: it is part of N.

// DenseArms is the most arms whose whole covariance is factored.
const DenseArms = 600

const (
	// t that inducing arms are added for, nats, and how many there are at most: while a search climbs,
	// and at its end
	roughlyLost, roughlyMost = 0.2, 160
	mostLost, mostInducing   = 1e-2, 700

	mostExact = 2000 // arms whose whole covariance is factored if inducing arms lose more than this:
	tooMuch   = 2    // t of mostInducing, nats
	// jitter, relative to the largest variance, that keeps K_SS definite; Q only becomes smaller by it
	inducingJitter = 1e-10
)

// inducing replaces the factored covariance in a process along inducing arms; n arms, m of
// them inducing.
type inducing struct {
	arms     []int
	own      float64      // variance of the arms by themselves
	noise    []float64    // n: N_i, with own
	rest     []float64    // n: R_ii
	trace    float64      // t
	corner   mat.Cholesky // of K_SS
	features *mat.Dense   // m × n: L⁻¹K_Sn; Q is its product with itself
	inner    mat.Cholesky // of A = I + Φᵀ N⁻¹ Φ
}

// parts returns the kernel at some values without what is identity(), and the variance that this has.
func (s *surface) parts(values []float64, some []bool) (smooth kernels.Joint, own float64, err error) {
	defer try.Caught(&err)
	k := try.Of(s.at(values))
	var rest kernels.Joint
	for t, term := range k.Terms {
		switch {
		case some != nil && !some[t]:
		case ownOfArms(term):
			rest.Terms = append(rest.Terms, term)
		default:
			smooth.Terms = append(smooth.Terms, term)
		}
	}
	if len(rest.Terms) > 0 {
		p := s.d.p
		m := try.Of(rest.On(s.ctx, p.Tasks, p.Arms.Subset([]int{0}), p.TaskOf[:1]))
		var one [1]float64
		m.Diagonal(one[:])
		own = one[0]
	}
	return smooth, own, nil
}

// matrix returns the Gram matrix of a kernel on the arms.
func (s *surface) matrix(k kernels.Joint) (kernels.Matrix, error) {
	return k.On(s.ctx, s.d.p.Tasks, s.d.p.Arms, s.d.p.TaskOf)
}

// induce returns inducing arms at some values, at most so many, and t with them: they end when it is
// small enough.
func (s *surface) induce(values []float64, enough float64, most int) (arms []int, trace float64, err error) {
	defer try.Caught(&err)
	smooth, own := try.Two(s.parts(values, nil))
	m := try.Of(s.matrix(smooth))
	g := try.Of(kernels.Grow(m))
	noise := s.variance(values)
	rest, done := slices.Clone(g.Diagonal()), 0
	for rank := 24; ; rank += rank / 3 {
		columns, pivots := try.Two(g.Columns(s.ctx, min(rank, most), inducingJitter))
		for _, c := range columns[done:] {
			for i, v := range c {
				rest[i] -= v * v
			}
		}
		done, trace = len(columns), 0
		for i, v := range rest {
			trace += 0.5 * max(v, 0) / (noise[i] + own)
		}
		if trace <= enough || done < rank {
			return pivots, trace, nil
		}
	}
}

// cross returns K_Sn and the diagonal of K.
func (s *surface) cross(k kernels.Joint, arms []int) (_ *mat.Dense, _ []float64, err error) {
	defer try.Caught(&err)
	n := len(s.d.y)
	rows, diagonal := mat.NewDense(len(arms), n, nil), make([]float64, n)
	if len(k.Terms) == 0 {
		return rows, diagonal, nil
	}
	m := try.Of(s.matrix(k))
	for a, i := range arms {
		try.To(s.ctx.Err())
		m.Row(rows.RawRowView(a), i)
	}
	m.Diagonal(diagonal)
	return rows, diagonal, nil
}

// induced returns the process at some values along inducing arms: F and all that the fit asks of it, O(n m²).
func (s *surface) induced(values []float64, arms []int) (_ *process, err error) {
	defer try.Caught(&err)
	smooth, own := try.Two(s.parts(values, nil))
	cross, diagonal := try.Two(s.cross(smooth, arms))
	n, m, variance := len(s.d.y), len(arms), s.variance(values)
	l := &inducing{arms: arms, own: own, noise: make([]float64, n), rest: diagonal, features: cross}
	corner := symmetric.Make(m, func(a, b int) float64 { return cross.At(b, arms[a]) })
	largest := slices.Max(indices.Of(diagonal, arms))
	if !l.corner.Factorize(symmetric.Add(corner, func(int) float64 { return inducingJitter * largest })) {
		return nil, errSingular
	}
	solveLower(&l.corner, l.features)
	for a := range m {
		for i, v := range l.features.RawRowView(a) {
			l.rest[i] -= v * v
		}
	}
	for i, v := range variance {
		l.noise[i], l.rest[i] = v+own, max(l.rest[i], 0)
		l.trace += 0.5 * l.rest[i] / l.noise[i]
	}
	try.To(s.ctx.Err())
	inner := mat.NewSymDense(m, nil)
	inner.SymOuterK(1, overRoot(l.features, l.noise))
	if !l.inner.Factorize(symmetric.Add(inner, func(int) float64 { return 1 })) {
		return nil, errSingular
	}
	g := &process{d: s.d, variance: variance, sigma: l, low: l}
	try.To(g.learn())
	g.likelihood -= l.trace
	return g, nil
}

// lost returns U - F at the values of a process, with αᵀRα from all values of the kernel.
func (s *surface) lost(g *process, values []float64) (_ float64, err error) {
	defer try.Caught(&err)
	l, sum := g.low, 0.0
	smooth, _ := try.Two(s.parts(values, nil))
	m := try.Of(s.matrix(smooth))
	row := make([]float64, len(l.noise))
	alpha := g.alpha.RawVector().Data
	for i, a := range alpha {
		try.To(s.ctx.Err())
		m.Row(row, i)
		for j, v := range row {
			sum += a * alpha[j] * v
		}
	}
	var along mat.VecDense
	along.MulVec(l.features, g.alpha)
	return l.trace + 0.5*max(sum-mat.Dot(&along, &along), 0), nil
}

// overRoot returns a matrix whose columns are over the roots of variances.
func overRoot(x mat.Matrix, variance []float64) *mat.Dense {
	out := mat.DenseCopyOf(x)
	roots := lists.Map(variance, func(v float64) float64 { return 1 / math.Sqrt(v) })
	for a := range out.RawMatrix().Rows {
		floats.Mul(out.RawRowView(a), roots)
	}
	return out
}

// LogDet returns log det(Q + N) = log det A + log det N.
func (l *inducing) LogDet() float64 {
	return l.inner.LogDet() + lists.Sum(l.noise, math.Log)
}

// Cond returns a bound on the condition number: the largest eigenvalue is at most A's times the largest noise, and the smallest at
// least the least noise.
func (l *inducing) Cond() float64 {
	var inner mat.SymDense
	l.inner.ToSym(&inner)
	return mat.Trace(&inner) * slices.Max(l.noise) / slices.Min(l.noise)
}

// solve returns (Q + N)⁻¹x = N⁻¹x - N⁻¹Φ A⁻¹ Φᵀ N⁻¹x for the columns of x.
func (l *inducing) solve(x *mat.Dense) (*mat.Dense, error) {
	n, _ := x.Dims()
	over := mat.DenseCopyOf(x)
	for i := range n {
		row := over.RawRowView(i)
		for j := range row {
			row[j] /= l.noise[i]
		}
	}
	var along, back, solved mat.Dense
	along.Mul(l.features, over)
	if err := l.inner.SolveTo(&solved, &along); err != nil && math.IsInf(l.inner.Cond(), 1) {
		return nil, errSingular
	}
	back.Mul(l.features.T(), &solved)
	for i := range n {
		row, to := back.RawRowView(i), over.RawRowView(i)
		for j, v := range row {
			to[j] -= v / l.noise[i]
		}
	}
	return over, nil
}

// inverseDiagonal returns the diagonal of (Q + N)⁻¹.
func (l *inducing) inverseDiagonal() []float64 {
	white := mat.DenseCopyOf(l.features)
	solveLower(&l.inner, white)
	out := lists.Map(l.noise, func(v float64) float64 { return 1 / v })
	m, _ := white.Dims()
	for a := range m {
		for i, v := range white.RawRowView(a) {
			out[i] -= v * v / (l.noise[i] * l.noise[i])
		}
	}
	return out
}

// solveLower overwrites x by L⁻¹x.
func solveLower(c *mat.Cholesky, x *mat.Dense) {
	var lower mat.TriDense
	c.LTo(&lower)
	blas64.Trsm(blas.Left, blas.NoTrans, 1, lower.RawTriangular(), x.RawMatrix())
}
