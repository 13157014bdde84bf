package model

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/internal/base/eigen"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// representation has the known expected rewards as the sum μ = f + u, with f in the kernel's space.
type representation struct {
	// smallest ‖f‖ among the functions closest to μ, kernel units; NaN if not computed
	norm   float64
	off    []float64 // N: u, normalised
	misfit float64   // max |u|, normalised
	worst  int       // the arm with this |u|
	// largest error of f from truncated features and rounding, normalised
	keeps   float64
	partial bool // whether f is only what truncated features represent
}

// represent computes the representation by least squares on the exact features. If these were cut, it uses the features of
// the whole Gram matrix for at most exactNorm arms; for more arms the norm is unknown. If representable is false, the
// result is partial and has no values.
func (m Truth) represent() (*representation, error) {
	if m.Problem.Mean == nil {
		_, err := m.known()
		return nil, err
	}
	if m.apartOnly { // the kernel represents any rewards
		return &representation{norm: math.Sqrt(SquaredNorm(m.Problem.Mean)) / m.Unit, off: make([]float64, m.Problem.N())}, nil
	}
	if small, err := m.representable(); err != nil || !small {
		return &representation{partial: true, norm: math.NaN(), off: make([]float64, m.Problem.N())}, err
	}
	var err error
	if m.Model, err = m.Exact(); err != nil {
		return nil, err
	}
	t := new(representation)
	features, scale, rest := m.Features, m.Scale, m.Truncation
	if m.cut && m.Problem.N() <= exactNorm {
		whole, err := m.source.whole(m.Context())
		if err != nil {
			return nil, fmt.Errorf("problem %q: %w", m.Problem.Name, err)
		}
		features, scale, rest = whole.L, 1, whole.Residual
	}
	t.partial = m.cut && m.Problem.N() > exactNorm
	mu := lists.Map(m.Problem.Mean, func(v float64) float64 { return v / m.Unit })
	solution, err := solveLeastSquares(m.Context(), features, mu)
	if err != nil {
		return nil, fmt.Errorf("problem %q: fitting the expected rewards: %w", m.Problem.Name, err)
	}
	theta := mat.NewVecDense(len(solution), solution)
	var fit mat.VecDense
	t.norm = mat.Norm(theta, 2) / math.Sqrt(scale)
	t.keeps = t.norm * (math.Sqrt(rest) + keptDigits*math.Sqrt(m.Diagonal))
	if t.partial {
		t.norm = math.NaN()
	}
	fit.MulVec(features, theta)
	t.off = lists.Make(m.Problem.N(), func(i int) float64 { return mu[i] - fit.AtVec(i) })
	t.misfit, t.worst = farthest(t.off)
	return t, nil
}

// representWork is the largest number of products for which represent fits the expected rewards of more than exactNorm
// arms.
const representWork = 2e8

// representable reports whether represent computes the representation. It does so for at most exactNorm arms, and for more
// arms if features exist or the kernel has small rank.
func (m Truth) representable() (bool, error) {
	n := m.Problem.N()
	if m.Features != nil || n <= exactNorm {
		return true, nil
	}
	return m.Relations().RankAtMost(int(math.Sqrt(representWork / float64(n))))
}

// keptDigits is the rounding error of features, and of rewards computed from them, divided by √k(x̃,x̃)‖f‖.
const keptDigits = 1e-9

// Norm returns the norm of the known expected rewards in the kernel's space: the smallest ‖θ*‖ of a function closest to
// them. One unit of it is Unit reward units per root of a kernel unit. It returns an error if the expected rewards are
// unknown, or if there are too many arms to compute the norm.
func (m Truth) Norm() (float64, error) {
	t, err := m.represented()
	if err != nil {
		return 0, err
	}
	if t.partial {
		return 0, fmt.Errorf("problem %q has %[3]d arms. If the rank of the kernel is high, the norm of the expected rewards is computed for "+
			"at most %[2]d", m.Problem.Name, exactNorm, m.Problem.N())
	}
	return t.norm, nil
}

// Misfit returns the largest distance (reward units) between an expected reward and the least-squares fit in the kernel's
// space, and the arm at that distance.
func (m Truth) Misfit() (float64, int, error) {
	t, err := m.represented()
	if err != nil {
		return 0, 0, err
	}
	return t.misfit * m.Unit, t.worst, nil
}

// Fidelity describes how far the expected rewards are from the kernel's space.
type Fidelity int

const (
	Unknown  Fidelity = iota // the expected rewards are unknown, or their distance is not computed
	Faithful                 // the distance is too small to affect a decision
	// they may be in the kernel's space, but features are not precise enough to decide this
	Blurred
	Rounded // they are outside by little compared with the smallest gap, for example because of rounding in a table
	Foreign // they are outside
)

// decisive is the largest ratio of misfit to smallest gap at which the misfit affects no decision. An estimated gap Σ c_k ȳ_k
// has a bias of at most misfit·‖c‖₁, and ‖c‖₁ is of the order of the root of the rank. If this bias is below the gap, no
// test errs more often.
const decisive = 1e-3

// beside is the largest ratio of misfit to smallest gap or epsilon at which the misfit counts as rounding. The bias of
// estimates is a few times larger.
const beside = 1.0 / 25

// Fidelity compares the distance of the expected rewards from the kernel's space with the smallest gap beyond epsilon
// (normalised). The result does not depend on the noise.
func (m Truth) Fidelity(epsilon float64) Fidelity {
	t, err := m.represented()
	if err != nil || t.partial {
		return Unknown
	}
	known, err := m.known()
	switch {
	case err != nil:
		return Unknown
	case t.misfit <= decisive*m.leastLead(known, epsilon):
		return Faithful
	case t.misfit <= t.keeps:
		return Blurred
	}
	if gap, err := m.Designs().gapOf(Terms{Options: engine.Options{Epsilon: epsilon}}); err == nil && t.misfit <= beside*gap {
		return Rounded
	}
	return Foreign
}

// leastLead returns the smallest positive excess of a gap over epsilon, normalised. It returns +Inf if the gaps of all
// arms are at most epsilon.
func (m Truth) leastLead(t *truth, epsilon float64) float64 {
	least := math.Inf(1)
	for i, gap := range t.gap {
		rounding := TieTolerance * (2*math.Abs(m.Problem.Mean[i])/m.Unit + gap + epsilon)
		if lead := gap - epsilon; lead > rounding {
			least = min(least, lead)
		}
	}
	return least
}

// RoundUp returns x > 0 rounded up to two significant digits, for messages that state a misfit.
func RoundUp(x float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(x))-1)
	return math.Ceil(x/unit) * unit
}

// ridgeFits are ridge fits of the known expected rewards μ by functions of the kernel's space, in the span of the first
// pivots of its factor. They are sorted from the smoothest on. With L the columns of the factor, N×rank, and r the
// ridge, a fit is f = Lc,
//
//	c = (LᵀL + rI)⁻¹Lᵀμ,  ‖f‖ = ‖c‖.
//
// If expected rewards were rounded, an interpolant follows the rounding and has a large norm, but a ridge fit does not.
type ridgeFits []Near

// Floats returns how many numbers are stored.
func (f ridgeFits) Floats() int { return 4 * len(f) }

// ridges is the number of ridges: the largest eigenvalue of LᵀL divided by powers of 2, down to the precision of a double.
const ridges = 49

// ridgeFits returns the fits of at most this rank. It returns none if the kernel is 0 on the arms, if memory is short, or
// if arms with equal features have different expected rewards. The result is cached.
func (m Truth) ridgeFits(rank int) (ridgeFits, error) {
	if _, err := m.known(); err != nil {
		return nil, err
	}
	return Remembered(m.Model, canon.Key{Kind: canon.KindFits, Pulls: rank}, func() (ridgeFits, error) { return m.fitRidges(rank) })
}

// pairsCompared is the number of pairs of arms that are compared before a fit, about all pairs of exactNorm arms. More
// arms allow 100 further pairs each.
const pairsCompared = 5_000_000

func (m Truth) fitRidges(rank int) (_ ridgeFits, err error) {
	defer try.Caught(&err)
	_, _, difference, err := m.Relations().unequalCopies(pairsCompared + 100*m.Problem.N())
	if errors.Is(err, errManyAlike) || difference > 0 {
		return nil, nil // the run continues without fits
	} else if err != nil {
		return nil, err
	}
	columns, _, err := m.source.factor.Columns(m.Context(), rank, 0)
	if err == nil {
		err = m.Context().Err() // after an interrupt, the existing columns are still returned; copying those of 10⁵ arms takes time
	}
	if err != nil || len(columns) == 0 {
		return nil, err
	}
	rank = min(rank, len(columns))
	n := m.Problem.N()
	if memlimit.Matrices(m.Context(), "fits of the expected rewards", 1, n, rank) != nil {
		return nil, nil // the run continues without fits
	}
	across := mat.NewDense(rank, n, nil) // Lᵀ
	for k, c := range columns[:rank] {
		across.SetRow(k, c)
	}
	gram := mat.NewSymDense(rank, nil)
	for i := range rank { // row by row, so that an interrupt takes effect before all are computed
		try.To(m.Context().Err())
		for j := i; j < rank; j++ {
			gram.SetSym(i, j, floats.Dot(across.RawRowView(i), across.RawRowView(j)))
		}
	}
	values, vectors := try.Two(eigen.Decompose(m.Context(), gram))
	moment, turned := new(mat.VecDense), new(mat.VecDense)
	moment.MulVec(across, mat.NewVecDense(n, m.Problem.Mean))
	turned.MulVec(vectors.T(), moment)
	top := floats.Max(values)
	out, along, off := make(ridgeFits, ridges), mat.NewVecDense(rank, nil), make([]float64, n)
	for k := range out {
		try.To(m.Context().Err())
		for j, v := range values {
			along.SetVec(j, turned.AtVec(j)/(max(v, 0)+math.Ldexp(top, -k)))
		}
		c, fit := new(mat.VecDense), new(mat.VecDense)
		c.MulVec(vectors, along)
		fit.MulVec(across.T(), c)
		for i, v := range m.Problem.Mean {
			off[i] = v - fit.AtVec(i)
		}
		near := Near{Norm: mat.Norm(c, 2) / m.Unit, Arms: rank}
		near.Misfit, near.At = farthest(off)
		out[k] = near
	}
	return out, nil
}

// least returns the fit with the smallest cost. `found` is false if no cost is finite.
func (f ridgeFits) least(cost func(Near) float64) (best Near, found bool) {
	lowest := math.Inf(1)
	for _, near := range f {
		if c := cost(near); c < lowest {
			best, lowest, found = near, c, true
		}
	}
	return best, found
}

// NormLowerBound returns a lower bound on the expected samples, all agents together, at the known means. It holds for
// any algorithm with error probability at most delta for every reward function f with ‖f‖ ≤ norm. Noise is normal or,
// for EnvironmentBernoulli, rewards are two-valued. LowerBound does not hold for algorithms that use a bound on the
// norm, but this bound does (docs/theory/lower-bound.md):
//
//	E N ≥ kl(δ, 1-δ) / max_i Σ_g w_g (g_i - μ_i)²/(2σ_i²)
//
// Here g are any functions with ‖g‖ ≤ norm for which every right answer under μ is wrong, and w are weights on them
// with sum 1. The search covers few such functions, so the bound is valid but not the largest. It is 0 for more than
// 400 arms, and if no such function was found, for example because every function within the norm has the same right
// answers. epsilon is normalised. The result is cached.
func (m Truth) NormLowerBound(norm, delta, epsilon float64) (float64, error) {
	value, err := m.leastTold(norm, epsilon)
	if err != nil || value == 0 {
		return 0, err
	}
	return Nats(delta) / value, nil
}

// leastTold returns the value max_i Σ_g w_g (g_i - μ_i)²/(2σ_i²) of NormLowerBound, and 0 if no g was found. The norm may
// be +Inf.
func (m Truth) leastTold(norm, epsilon float64) (_ float64, err error) {
	defer try.Caught(&err)
	if m.Problem.N() > mostAlternatives {
		return 0, nil
	}
	t := try.Of(m.known())
	features := try.Of(m.functions())
	return Remembered(m.Model, canon.Key{Kind: canon.KindNormBound, Ridge: norm, Level: epsilon}, func() (float64, error) {
		return newAlternatives(m.Model, t, features, norm, epsilon).solve()
	})
}

// functions returns coordinates φ_i of the arms, N rows, such that the function φ_iᵀθ has norm ‖θ‖/√Scale. These are the
// exact features or, for very many arms, approximate features with 128 columns.
func (m Truth) functions() (*mat.Dense, error) {
	const directions = 128
	if m.Many() {
		s, err := m.Stopped(directions, 0)
		return s.Features, err
	}
	var err error
	if m.Model, err = m.Exact(); err != nil {
		return nil, err
	}
	return m.Features, nil
}
