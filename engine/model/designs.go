package model

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Designs computes the allocations of a model, which distribute pulls over arms, and their ridges.
type Designs struct{ *Model }

// Design solves line 4 of Alg. 1 for the given candidate sets (one per task). The result is cached. It returns an error if
// a contrast cannot be estimated or if the context ends.
func (m Designs) Design(ridge float64, alive [][]int) (_ design.Design, err error) {
	defer try.Caught(&err)
	key := canon.Key{Kind: canon.KindDesign, Ridge: ridge, Sets: Contrasting(alive)}
	if ridge > 0 && m.Many() && len(key.Sets) > 0 {
		return Remembered(m.Model, key, func() (design.Design, error) { return m.rough(ridge, alive, 0) })
	}
	m.Model = try.Of(m.Exact())
	return Remembered(m.Model, key, func() (_ design.Design, err error) {
		defer try.Caught(&err)
		r := m.Layout.Reduce(alive)
		if len(r.Arms) == 0 {
			return design.Minimax(m.Space(ridge), design.Contrasts{}, design.Options{})
		}
		return r.Restore(m.Layout, try.Of(m.solve(r, ridge, 0))), nil
	})
}

// solve returns the design of a reduced problem. The result is cached for all models with the same reduced form. With
// threshold > 0 it only determines whether the value is above or below the threshold, and returns no weights.
func (m Designs) solve(r canon.Reduced, ridge, threshold float64) (design.Design, error) {
	k := canon.Key{Kind: canon.KindCanonical, Of: r.Identity, Ridge: m.Normalised(ridge), Level: threshold}
	return canon.Remember(m.Context(), m.Memory, k, func() (design.Design, error) {
		opt := m.Solver(DesignTolerance(len(r.Arms)))
		opt.Threshold = threshold
		d, err := design.Minimax(r.Space(m.Space(ridge)), design.Contrasts{Groups: r.Groups}, opt)
		if threshold > 0 {
			d.Weights, d.Certificate = nil, design.Certificate{}
		}
		return d, err
	})
}

// Omega returns the principal dimension ω(ξ, S) of a set S of arms [Du23, App. C.4], where ridge is ξ (kernel units). The
// result is cached.
func (m Designs) Omega(ridge float64, set []int) (float64, error) { return m.omega(ridge, set, 0) }

// OmegaExceeds reports whether ω(ξ, S) > limit ≥ 0. The solver stops when bounds on ω prove the answer. If ω is within the
// solver's tolerance of the limit, the computed value decides. The result is cached.
func (m Designs) OmegaExceeds(ridge float64, set []int, limit float64) (bool, error) {
	value, err := m.omega(ridge, set, limit)
	return value > limit, err
}

// omega returns ω(ξ, S). With threshold > 0 it returns some number on the same side of the threshold.
func (m Designs) omega(ridge float64, set []int, threshold float64) (_ float64, err error) {
	defer try.Caught(&err)
	key := canon.Key{Kind: canon.KindOmega, Ridge: ridge, Level: threshold, Sets: [][]int{set}}
	if ridge > 0 && m.Many() { // same side only if the solver proved it
		return Remembered(m.Model, key, func() (float64, error) {
			if len(set) < 2 {
				return 0, nil
			}
			d, err := m.rough(ridge, [][]int{set}, threshold)
			if d.Status == design.Separated && d.Lower > threshold {
				return d.Lower, err
			}
			return d.Reached, err
		})
	}
	m.Model = try.Of(m.Exact())
	return Remembered(m.Model, key, func() (float64, error) {
		r := m.Layout.Reduce([][]int{set})
		if len(r.Arms) == 0 {
			return 0, nil
		}
		d, err := m.solve(r, ridge, threshold)
		return d.Value, err
	})
}

// Round applies ROUND to n pulls for the contrasts c. If n is too small for the ratio 2(1+ε), covered is false and r is
// the best rounding found.
func (m Designs) Round(ridge float64, c design.Contrasts, weights []float64, n int) (r design.Rounding, covered bool, err error) {
	defer try.Caught(&err)
	if ridge > 0 && m.Many() { // few arms have weight, so round for all contrasts at once
		s, own, support, err := m.supported(ridge, weights)
		try.To(err)
		r = try.Of(design.RoundForAll(m.Context(), s, own, n))
		r.Counts = indices.Spread(len(weights), r.Counts, support)
		return r, Covers(r), nil
	}
	m.Model = try.Of(m.Exact())
	r, err = design.Round(m.Context(), m.Space(ridge), c, weights, n, engine.RoundingEpsilon)
	var ratio *design.RatioError
	if errors.As(err, &ratio) {
		err = nil
	}
	return r, Covers(r), err
}

// Covers reports whether the ratio of a rounding is at most 2(1+ε).
func Covers(r design.Rounding) bool { return r.Ratio <= 2*(1+engine.RoundingEpsilon) }

// Contrasting returns the sets that have at least two arms.
func Contrasting(alive [][]int) [][]int {
	return lists.Where(alive, func(set []int) bool { return len(set) > 1 })
}

// Remembered returns the cached value of key k for this model, and otherwise computes and caches it. The value must depend
// only on the key and on the model's numbers, which include its expected rewards.
func Remembered[T any](m *Model, k canon.Key, compute func() (T, error)) (T, error) {
	k.Of = m.identity()
	return canon.Remember(m.Context(), m.Memory, k, compute)
}

// startPart determines the first arms of a certified design: their span leaves of every arm at most the squared length
// startPart·ξ.
const startPart = 1

// Certifier computes designs for very many arms, with a lower and an upper bound on the value. Each search starts from the
// result of the one before.
type Certifier struct{ x *design.Exchange }

// Certifier returns a Certifier for a ridge whose designs are within 2 % of the optimum.
func (m Designs) Certifier(ridge float64) (*Certifier, error) {
	return m.CertifierWithin(ridge, certifiedTolerance)
}

// CertifierWithin returns a Certifier of designs whose relative gap is a small multiple of the tolerance.
func (m Designs) CertifierWithin(ridge, tolerance float64) (*Certifier, error) {
	xi := m.Normalised(ridge)
	pivots, err := m.Pivots(MostPivots, startPart*xi)
	if err != nil {
		return nil, err
	}
	x, err := m.exchange(xi, pivots, m.Solver(tolerance))
	return &Certifier{x}, err
}

// exchange returns a search for designs that starts with the given arms. xi is the normalised ridge.
func (m Designs) exchange(xi float64, arms []int, opt design.Options) (*design.Exchange, error) {
	in := design.Values{Squares: m.Variances(), Precision: m.Precision, Ridge: xi, Inner: m.inner()}
	in.Among = func(arms []int) (func(dst []float64, i, from int), error) {
		among, err := m.Among(arms)
		if err != nil {
			return nil, err
		}
		return func(dst []float64, i, from int) { kernels.Part(among, dst, i, from) }, nil
	}
	return design.NewExchange(in, arms, opt)
}

// Design returns the design for all pairs within groups, or for the listed contrasts.
func (c *Certifier) Design(of design.Contrasts) (design.Design, error) { return c.x.Minimax(of) }

// Dual reports whether there are too many arms for posteriors with features of all arms. Posteriors of such a model need
// no exact features.
func (m Designs) Dual() bool { return m.Problem.N() > mostOwn }

const (
	// FinelySpanningRest is the residual variance, relative to the kernel's largest, that the first round of CoBayesFC may
	// leave of any arm. It is small because CoBayesFC may stop after that round. Measured with 500 arms of
	// internal/manyarms, ε = 0.1, δ = 0.05 and 200 runs: 1e-2 takes 64 samples per agent with 16 wrong runs, 5e-3 takes 65
	// with 13, 2e-3 takes 66 with 11, and 5e-4 takes 71 with 9.
	FinelySpanningRest = 5e-4
)

// Spanning returns arms, in increasing order, from which all other arms can be predicted. They are pivots of the kernel's Cholesky
// factor, up to a residual of rest times its largest variance, and at most min(most, 256) of them. An arm may be replaced by an arm of
// another task with the same name and equal features, so that the tasks have similar numbers of arms. Pivots outside the sets are dropped.
func (m Designs) Spanning(sets [][]int, most int, rest float64) ([]int, error) {
	pivots, err := m.Pivots(min(most, spanningMost), rest*m.Diagonal/m.Scale)
	if err != nil {
		return nil, err
	}
	p := m.Problem
	among, named := make([]bool, p.N()), map[int][]int{}
	for _, set := range sets {
		for _, i := range set {
			among[i] = true
			named[p.Arms.ID[i]] = append(named[p.Arms.ID[i]], i)
		}
	}
	load := make([]int, p.V())
	var out []int
	for _, i := range pivots {
		best := i
		for _, j := range named[p.Arms.ID[i]] {
			if (!among[best] || load[p.TaskOf[j]] < load[p.TaskOf[best]]) && m.Relations().Same(i, j) {
				best = j
			}
		}
		if among[best] {
			load[p.TaskOf[best]]++
			out = append(out, best)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// RankAbove reports whether the kernel's rank on the arms exceeds rank, up to rounding.
func (m Designs) RankAbove(rank int) (bool, error) {
	if rank >= m.Problem.N() {
		return false, nil
	}
	if m.Features != nil && !m.derived { // one column per dimension of the kernel, up to a limit
		if dim := m.Features.RawMatrix().Cols; dim > rank || dim < m.source.maxRank {
			return dim > rank, nil
		}
	}
	pivots, err := m.Pivots(rank+1, 0)
	return len(pivots) > rank, err
}

// Decoupled returns the model in coordinates for ξ = 0. Without a ridge, an invertible change of coordinates does not
// change variances, designs and estimates, and the norm of θ* is not used. In the new coordinates, the arms of a maximal
// independent set have unit vectors. This shows the block structure: with as many dimensions as arms, each arm is its own
// block.
//
// A model whose features were cut at MaxRank is returned unchanged, because the bound on their error holds only in its
// coordinates. Call Decoupled before any change of precisions; the precisions of its result may be changed. It returns an
// error if the context ends.
func (m Designs) Decoupled() (_ *Model, err error) {
	defer try.Caught(&err)

	m.Model = try.Of(m.Exact())
	if m.cut || m.apartOnly {
		return m.Model, nil
	}
	plain := try.Of(m.plain())
	out := *m.Model
	out.derived = true
	out.Features, out.Layout, out.numbers, out.identity = plain.Features, plain.Layout, plain.numbers, plain.identity
	return &out, nil
}

// plainly computes the model in coordinates for least squares. From features L, the coordinates are L L_B⁻¹, where L_B is
// the lower triangle of the pivots' rows. Pivoting keeps entries of order one. Arms with equal features get equal
// coordinates, bit for bit.
func (m Designs) plainly() (_ *Model, err error) {
	defer try.Caught(&err)
	ctx := m.Context()

	m.Model = try.Of(m.Exact())
	factor := try.Of(m.source.exact(ctx))
	n, dim := factor.matrix.Dims()
	try.To(memlimit.Matrices(ctx, "the coordinates", 1, n, dim))
	features := mat.NewDense(n, dim, nil)
	firsts := try.Of(canon.FirstEqual(ctx, factor.matrix))
	triangle, unit := mat.NewDense(dim, dim, nil), make([]int, n)
	for k, i := range factor.pivots {
		triangle.SetRow(k, factor.matrix.RawRowView(i))
		unit[firsts[i]] = k + 1
	}
	for i := range n {
		try.To(ctx.Err())
		to := features.RawRowView(i)
		switch first := firsts[i]; {
		case first < i:
			copy(to, features.RawRowView(first))
		case unit[i] > 0:
			to[unit[i]-1] = 1
		default:
			copy(to, factor.matrix.RawRowView(i))
			backward(triangle, to)
		}
	}
	// set entries below the rounding of features to 0, since they would link unrelated arms
	raw, quantum := features.RawMatrix().Data, canon.SameFeature*canon.LargestEntry(features)
	for k, v := range raw {
		if math.Abs(v) <= quantum {
			raw[k] = 0
		}
	}
	return m.withFeatures(features)
}

// backward replaces the row x by xL⁻¹, where l is lower triangular.
func backward(l *mat.Dense, x []float64) {
	for k := len(x) - 1; k >= 0; k-- {
		row := l.RawRowView(k)
		x[k] /= row[k]
		for j, v := range row[:k] {
			x[j] -= x[k] * v
		}
	}
}

// GramOf returns the m × m matrix Σ_i w_i φ_i φ_iᵀ, where φ_i are the rows of features and w_i ≥ 0 the weights.
func GramOf(ctx context.Context, features *mat.Dense, weights []float64) (*mat.SymDense, error) {
	_, dim := features.Dims()
	sum := mat.NewSymDense(dim, nil)
	var scaled mat.Dense
	err := byRows(ctx, len(weights), func(from, to int) {
		scaled.Reset()
		scaled.ReuseAs(to-from, dim)
		for i, w := range weights[from:to] {
			if w == 0 {
				continue
			}
			floats.ScaleTo(scaled.RawRowView(i), math.Sqrt(w), features.RawRowView(from+i))
		}
		blas64.Syrk(blas.Trans, 1, scaled.RawMatrix(), 1, sum.RawSymmetric())
	})
	return sum, err
}
