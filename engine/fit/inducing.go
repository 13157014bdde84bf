package fit

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// For many arms, an O(n³) factorization of the whole covariance is too slow. It is approximated by m inducing arms S.
// With Q = K_nS K_SS⁻¹ K_Sn and R = K - Q ≥ 0, the fit maximises
//
//	F = log p(y | Q + N) - t,  t = ½ Σ_i R_ii/N_i
//
// This is at most the log likelihood [Titsias 2009, eq. 9], for any S and any hyperparameters. The log likelihood is at
// most
//
//	U = log p(y | Q + N) + ½ αᵀRα,  α = (Q + N)⁻¹ (y - H β̂),
//
// because determinants increase with the covariance, and yᵀΣ⁻¹y ≥ 2αᵀy - αᵀΣα for every α. Both bounds also hold if
// levels are integrated out: t does not depend on the levels, and Hᵀα = 0. So U - F is the largest possible loss of log
// likelihood. S are the first pivots of the Cholesky factor of K, as many as are needed for a small t. During a search
// S does not change, so that F is smooth.
//
// A term g*identity() would need all arms as inducing arms, so it is added to N.

// DenseArms is the largest number of arms for which the whole covariance is factored.
const DenseArms = 600

const (
	// induce adds inducing arms until t (nats) is at most the first number, or their number is the second: roughly… during
	// a search, most… at its end
	roughlyLost, roughlyMost = 0.2, 160
	mostLost, mostInducing   = 1e-2, 700

	mostExact = 2000 // arms up to which the whole covariance is factored if inducing arms lose too much
	tooMuch   = 2    // with a larger t (nats), mostInducing arms lose too much
	// added to the diagonal of K_SS, relative to the largest variance, so that it is positive definite; it only makes Q
	// smaller
	inducingJitter = 1e-10
)

// inducing is the covariance Q + N of n arms by m inducing arms. Its features are Φ = L⁻¹K_Sn with LLᵀ = K_SS. Its noise
// is N plus own.
type inducing struct {
	*gp.LowRank
	arms   []int
	own    float64      // variance of independent effects of arms, from terms g*identity()
	rest   []float64    // n: R_ii
	trace  float64      // t
	corner mat.Cholesky // of K_SS
}

// parts returns the kernel at the given values in two parts: smooth, without the terms g*identity(), and own, the variance
// of these. With some, only the marked terms count; nil means all.
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

// matrix returns the Gram matrix of kernel k on the arms.
func (s *surface) matrix(k kernels.Joint) (kernels.Matrix, error) {
	return k.On(s.ctx, s.d.p.Tasks, s.d.p.Arms, s.d.p.TaskOf)
}

// induce returns inducing arms for given values of the hyperparameters, and their t as trace. It adds arms until t is at
// most enough, there are `most` of them, or the kernel has no further dimension.
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

// cross returns K_Sn for the given arms S, and the diagonal of K, for kernel k.
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

// induced returns the process at the given values by inducing arms: F and its derivatives, in O(n m²).
func (s *surface) induced(values []float64, arms []int) (_ *process, err error) {
	defer try.Caught(&err)
	smooth, own := try.Two(s.parts(values, nil))
	cross, diagonal := try.Two(s.cross(smooth, arms))
	n, m, variance := len(s.d.y), len(arms), s.variance(values)
	l, noise := &inducing{arms: arms, own: own, rest: diagonal}, make([]float64, n)
	corner := symmetric.Make(m, func(a, b int) float64 { return cross.At(b, arms[a]) })
	largest := slices.Max(indices.Of(diagonal, arms))
	if !l.corner.Factorize(symmetric.Add(corner, func(int) float64 { return inducingJitter * largest })) {
		return nil, gp.ErrSingular
	}
	gp.SolveLower(&l.corner, cross)
	for a := range m {
		for i, v := range cross.RawRowView(a) {
			l.rest[i] -= v * v
		}
	}
	for i, v := range variance {
		noise[i], l.rest[i] = v+own, max(l.rest[i], 0)
		l.trace += 0.5 * l.rest[i] / noise[i]
	}
	try.To(s.ctx.Err())
	l.LowRank = try.Of(gp.NewLowRank(cross, noise))
	g := try.Of(s.d.process(l, variance))
	g.low = l
	g.likelihood -= l.trace
	return g, nil
}

// lost returns U - F at the given values, where g is the process at them. It computes αᵀRα from all values of the kernel.
func (s *surface) lost(g *process, values []float64) (_ float64, err error) {
	defer try.Caught(&err)
	l, sum := g.low, 0.0
	smooth, _ := try.Two(s.parts(values, nil))
	m := try.Of(s.matrix(smooth))
	row := make([]float64, len(l.Noise))
	for i, a := range g.Weights {
		try.To(s.ctx.Err())
		m.Row(row, i)
		for j, v := range row {
			sum += a * g.Weights[j] * v
		}
	}
	var along mat.VecDense
	along.MulVec(l.Features, mat.NewVecDense(len(row), g.Weights))
	return l.trace + 0.5*max(sum-mat.Dot(&along, &along), 0), nil
}
