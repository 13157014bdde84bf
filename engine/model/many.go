package model

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

const (
	// MostPivots is the largest support of the initial design of a problem with very many arms.
	MostPivots = 384
	// roughPart and pivotPart are residual squared lengths in units of ξ. roughPart determines the first arms of an
	// algorithm's design, pivotPart the ξ of AffordableRidge.
	pivotPart, roughPart = 0.1, 0.3
	// mostDirections is the largest number of directions that Resolving allows.
	mostDirections = 192
	// rowsAtOnce is the number of arms that one core processes at a time.
	rowsAtOnce = 256
)

// pivots returns the pivots of a Cholesky factor of the given arms; nil means all arms. The factor stops at this residual
// (normalised) or at rank `most`.
func (m Designs) pivots(arms []int, residual float64, most int) (_ []int, err error) {
	defer try.Caught(&err)
	if arms == nil {
		return m.Pivots(most, residual)
	}
	among := try.Of(m.Among(arms))
	f := try.Of(kernels.Grow(among))
	_, chosen := try.Two(f.Columns(m.Context(), most, residual/f.Largest()))
	out := indices.Of(arms, chosen)
	return out, nil
}

// inner returns a function that sets dst to the exact kernel values φ_iᵀφ_j, normalised, for j = from, from+1 and so on.
func (m Designs) inner() func(dst []float64, i, from int) {
	gram := m.Gram()
	return func(dst []float64, i, from int) { kernels.Part(gram, dst, i, from) }
}

// spanned returns the coordinates of all arms in an orthonormal basis of the span of s arms, N × s, and N squared residual
// norms, which are 0 for arms in the span. Both use exact kernel values. It returns an error if rounding makes the arms
// dependent.
func (m Designs) spanned(arms []int) (_ *mat.Dense, _ []float64, err error) {
	defer try.Caught(&err)
	ctx, n, s := m.Context(), m.Problem.N(), len(arms)
	try.To(memlimit.Matrices(ctx, "the coordinates", 1, n, s))
	among := try.Of(m.Among(arms))
	gram := kernels.Dense(among)
	var factor mat.Cholesky
	if !factor.Factorize(gram) {
		return nil, nil, fmt.Errorf(
			"problem %q: the kernel cannot distinguish the %d selected arms, because of rounding. Give a larger xi", m.Problem.Name, s)
	}
	inverse := try.Of(inverseFactor(&factor))
	out, rest := mat.NewDense(n, s, nil), m.Variances()
	inner := m.inner()
	err = cores.Do(ctx, n, rowsAtOnce, func(from, to int) {
		rows, part := mat.NewDense(to-from, s, nil), make([]float64, to-from)
		for k, i := range arms {
			inner(part, i, from)
			for r, v := range part {
				rows.Set(r, k, v)
			}
		}
		timesTransposed(out.Slice(from, to, 0, s).(*mat.Dense), rows, inverse)
		for i := from; i < to; i++ {
			rest[i] = max(rest[i]-SquaredNorm(out.RawRowView(i)), 0)
		}
	})
	for _, i := range arms {
		rest[i] = 0
	}
	return out, rest, err
}

// timesTransposed sets dst = x Tᵀ for a lower triangular T. Its tiles are so small that BLAS starts no goroutines.
func timesTransposed(dst, x, t *mat.Dense) {
	const tile = 128
	raw, a, b := dst.RawMatrix(), x.RawMatrix(), t.RawMatrix()
	for i := 0; i < a.Rows; i += tile / 2 {
		ni := min(tile/2, a.Rows-i)
		for j := 0; j < b.Rows; j += tile {
			nj := min(tile, b.Rows-j)
			k := j + nj // entries above the diagonal are 0
			part := func(g blas64.General, r, rows, c, cols int) blas64.General {
				return blas64.General{Rows: rows, Cols: cols, Stride: g.Stride, Data: g.Data[r*g.Stride+c : (r+rows-1)*g.Stride+c+cols]}
			}
			blas64.Gemm(blas.NoTrans, blas.Trans, 1, part(a, i, ni, 0, k), part(b, j, nj, 0, k), 0, part(raw, i, ni, j, nj))
		}
	}
}

// contrasted returns, in increasing order, the arms of all candidate sets with at least two arms. It returns nil if these
// are all arms.
func (m Designs) contrasted(alive [][]int) []int {
	in, count := make([]bool, m.Problem.N()), 0
	for _, set := range Contrasting(alive) {
		for _, i := range set {
			if !in[i] {
				in[i] = true
				count++
			}
		}
	}
	if count == len(in) {
		return nil
	}
	return indices.Where(len(in), func(i int) bool { return in[i] })
}

// Numbers of directions for designs with ξ="auto": AffordableAll for all pairs, AffordableRivals for the rivals of known
// best arms.
const (
	AffordableAll    = 128
	AffordableRivals = 256
)

// AffordableRidge returns the smallest ξ (kernel units) for which this number of pivots leaves a residual of at most
// pivotPart·ξ in every arm. It replaces a smaller ξ, for which thousands of directions would have to be measured.
func (m Designs) AffordableRidge(directions int) (float64, error) {
	columns, pivots, err := m.source.factor.Columns(m.Context(), directions, 0)
	if err != nil {
		return 0, err
	}
	last := len(pivots) - 1
	v := columns[last][pivots[last]]
	return v * v / pivotPart, nil
}

// Resolving returns the largest ξ (kernel units) for which the approximate bias bound of a difference, norm·√(ξρ), is at
// most bias. ρ is the value of a design on the candidate sets, approximated by half the number of directions at ξ, as for
// smooth kernels. Algorithms later use the exact bias of their pulls. If this needs more than mostDirections directions, ξ
// is the value for mostDirections.
func (m Designs) Resolving(alive [][]int, norm, bias float64) (_ float64, err error) {
	defer try.Caught(&err)
	arms := m.contrasted(alive)
	factor := m.source.factor
	scale := 1.0
	if arms != nil {
		among := try.Of(m.Among(arms))
		factor = try.Of(kernels.Grow(among))
		scale = m.Scale
	}
	limit := bias * bias / (norm * norm)
	const step = 16 // number of directions between two checks
	for most := step; ; most += step {
		columns, pivots := try.Two(factor.Columns(m.Context(), most, 0))
		for k := max(0, most-step); k < len(pivots); k++ {
			v := columns[k][pivots[k]]
			if ridge := v * v * scale; ridge*float64(k+1)/2 <= limit || k == mostDirections-1 {
				return ridge, nil
			}
		}
		if len(pivots) < most { // the factor has full rank
			return limit * 2 / float64(len(pivots)), nil
		}
	}
}

// supported returns the space of the arms with positive weight, from exact kernel values. `own` has their weights and
// support their indices, in increasing order.
func (m Designs) supported(ridge float64, weights []float64) (s design.Space, own []float64, support []int, err error) {
	s.Ridge = m.Normalised(ridge)
	for i, w := range weights {
		if w > 0 {
			support, own, s.Precision = append(support, i), append(own, w), append(s.Precision, m.Precision[i])
		}
	}
	among, err := m.Among(support)
	if err != nil {
		return s, nil, nil, err
	}
	f, err := kernels.PivotedCholesky(m.Context(), among, 0, 0)
	s.Features = f.L
	return s, own, support, err
}

// EffectiveRank returns d̃(ξ, λ) of the weights λ [Du23, App. "Rounding Procedure"].
func (m Designs) EffectiveRank(ridge float64, weights []float64) (int, error) {
	if !m.Many() {
		return design.EffectiveRank(m.Context(), m.Space(ridge), weights)
	}
	s, own, _, err := m.supported(ridge, weights)
	if err != nil {
		return 0, err
	}
	return design.EffectiveRank(m.Context(), s, own)
}

const (
	// manyTolerance is the relative gap of designs inside algorithms. The samples may increase by at most this fraction;
	// the guarantee does not depend on it.
	manyTolerance = 0.1
	// manyScan is the largest number of products for which such a design compares all pairs. The guarantee of later tests
	// does not depend on it.
	manyScan = 1e10
	// certifiedTolerance is the relative gap of designs whose value is displayed.
	certifiedTolerance = 0.02
)

// rough returns a design for all pairs of the candidate sets whose value is at most a tenth above the optimum. With
// threshold > 0 it stops when the optimum is proved to be above the threshold. The search starts with pivots of the sets'
// arms.
func (m Designs) rough(ridge float64, alive [][]int, threshold float64) (_ design.Design, err error) {
	defer try.Caught(&err)
	xi := m.Normalised(ridge)
	pivots := try.Of(m.pivots(m.contrasted(alive), roughPart*xi, MostPivots))
	opt := m.Solver(manyTolerance)
	opt.Scan, opt.Threshold = manyScan, threshold
	x := try.Of(m.exchange(xi, pivots, opt))
	return x.Minimax(design.Contrasts{Groups: Contrasting(alive)})
}

// manyHardness computes the design for ρ*(ξ) among very many arms. For ξ = 0, its Lower and Value are bounds, see
// Hardness. The result is cached.
func (m Truth) manyHardness(ridge float64, g gaps, t *truth) (design.Design, error) {
	return Remembered(m.Model, g.key(ridge), func() (_ design.Design, err error) {
		defer try.Caught(&err)
		at := ridge
		if ridge == 0 {
			at = try.Of(m.Designs().AffordableRidge(AffordableRivals))
		}
		d, err := m.Designs().Certified(at, m.rivals(t, g))
		if ridge == 0 && err == nil {
			d.Value = m.unsharedHardness(t, g)
			d.Lower, d.Reached = min(d.Lower, d.Value), 0
		}
		return d, err
	})
}

// UnsharedHardness returns ρ*(0) for the same rewards and unrelated arms, with gaps increased by epsilon (normalised). It
// is an upper bound for every kernel.
func (m Truth) UnsharedHardness(epsilon float64) (float64, error) {
	return known(m, func(t *truth) float64 { return m.unsharedHardness(t, gaps{added: epsilon}) })
}

// unsharedHardness returns ρ*(0) for the same rewards and unrelated arms, with the gaps of g. It is the sum over tasks
// of
//
//	min x_b + Σ_i x_i  such that  σ_b²/x_b + σ_i²/x_i ≤ Δ_i²  for all rivals i of the best arm b
//
// Here x_i follows from x_b, and the sum is convex in x_b. Estimates that use only an arm's own pulls are unbiased for
// every kernel. Least squares is the best unbiased estimate, so no kernel has a larger value.
func (m Truth) unsharedHardness(t *truth, g gaps) float64 {
	sum := 0.0
	for v, group := range m.Problem.Groups() {
		b, least := t.best[v], math.Inf(1)
		for _, i := range group {
			if i != b {
				least = min(least, g.of(t.gap[i]))
			}
		}
		if math.IsInf(least, 1) {
			continue
		}
		own := 1 / m.Precision[b]
		total := func(excess float64) float64 { // excess is the relative excess of x_b over its smallest value
			x := own / (least * least) * (1 + excess)
			all := x
			for _, i := range group {
				if i != b {
					gap := g.of(t.gap[i])
					all += 1 / m.Precision[i] / (gap*gap - own/x)
				}
			}
			return all
		}
		// at the minimum, excess is of the order of the root of the number of rivals
		lo, hi := -20.0, 20.0 // bounds on log excess
		for range 200 {
			if a, c := lo+(hi-lo)/3, hi-(hi-lo)/3; total(math.Exp(a)) < total(math.Exp(c)) {
				hi = c
			} else {
				lo = a
			}
		}
		sum += total(math.Exp((lo + hi) / 2))
	}
	return sum
}

// Certified returns the design for all pairs within groups, or for the listed contrasts, within 2 % of the optimum. The
// result is not cached.
func (m Designs) Certified(ridge float64, c design.Contrasts) (design.Design, error) {
	x, err := m.Certifier(ridge)
	if err != nil {
		return design.Design{}, err
	}
	return x.Design(c)
}
