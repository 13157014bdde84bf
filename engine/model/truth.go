package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Truth has methods for the known expected rewards of a model, and for their representation by the kernel.
type Truth struct{ *Model }

// truth has the quantities derived from the expected rewards. They are computed once per Model.
type truth struct {
	best  []int     // V: the best arm of each task
	gap   []float64 // N: μ_best - μ_i of its task, normalised
	min   float64   // smallest gap of a rival, normalised; +Inf if no task has two arms
	minAt int       // the arm with the smallest gap
}

// TieTolerance is a relative difference of two means: up to it they count as equal, since the difference may be rounding.
const TieTolerance = 1e-14

func (m Truth) computeTruth() (*truth, error) {
	p := m.Problem
	if p.Mean == nil {
		return nil, fmt.Errorf("problem %q: %w", p.Name, engine.ErrUnknownMeans)
	}
	t := &truth{gap: make([]float64, p.N()), min: math.Inf(1), minAt: -1}
	for _, group := range p.Groups() {
		best := group[0]
		for _, i := range group {
			if p.Mean[i] > p.Mean[best] {
				best = i
			}
		}
		t.best = append(t.best, best)
		for _, i := range group {
			t.gap[i] = (p.Mean[best] - p.Mean[i]) / m.Unit
			if i != best && t.gap[i] < t.min {
				t.min, t.minAt = t.gap[i], i
			}
		}
	}
	return t, nil
}

// Best returns the best arm of each task, and among tied arms the first. It returns an error if the expected rewards are
// unknown.
func (m Truth) Best() ([]int, error) {
	return known(m, func(t *truth) []int { return slices.Clone(t.best) })
}

// DeltaMin returns the smallest gap Δ_min between the best and the second-best arm over all tasks, normalised. It is +Inf
// if no task has two arms.
func (m Truth) DeltaMin() (float64, error) {
	return known(m, func(t *truth) float64 { return t.min })
}

// known returns a quantity derived from the expected rewards, or an error if these are unknown.
func known[T any](m Truth, of func(t *truth) T) (out T, err error) {
	t, err := m.known()
	if err == nil {
		out = of(t)
	}
	return out, err
}

// Ties returns the arm with the smallest gap to its best arm, and whether the two are tied. It returns 0 and false if the
// expected rewards are unknown or no task has two arms.
func (m Truth) Ties() (rival int, tied bool) {
	t, err := m.known()
	if err != nil || t.minAt < 0 {
		return 0, false
	}
	scale := math.Abs(m.Problem.Mean[t.minAt]) / m.Unit
	return t.minAt, t.min <= TieTolerance*scale
}

// Hardness returns the design for ρ*(ξ) [Du23, eq. of ρ*(ξ)]. This is the minimax design over pairs of the best arm and a
// rival, where each squared norm is divided by the squared gap. Its Value counts the samples of all agents together.
// epsilon > 0 (normalised) replaces smaller gaps, as in the PAC form of the paper's upper bounds. It returns an error if
// arms are tied and epsilon is 0. The result is cached.
//
// For very many arms (Many, and more than 464), ρ*(0) is known only between two bounds. One is the value at an affordable
// ξ, since smaller ξ have larger values. The other is the value for unrelated arms, which no kernel exceeds.
func (m Truth) Hardness(ridge, epsilon float64) (design.Design, error) {
	return m.hardness(ridge, gaps{least: epsilon})
}

// Confirmation returns the design of Hardness, but with epsilon (normalised) added to the gaps. To refute that the best
// arm is within epsilon, a rival must exceed it by epsilon. At ξ = 0 it is the smallest design that confirms the best
// arms.
func (m Truth) Confirmation(ridge, epsilon float64) (design.Design, error) {
	return m.hardness(ridge, gaps{added: epsilon})
}

// gaps has the changes of the gaps that a design must resolve, normalised.
type gaps struct {
	least float64 // smaller gaps are replaced by this
	added float64
}

func (g gaps) of(gap float64) float64 { return max(gap, g.least) + g.added }

// key returns the cache key of the design for these gaps. With epsilon = 0, Hardness and Confirmation share a key.
func (g gaps) key(ridge float64) canon.Key {
	if g.added > 0 {
		return canon.Key{Kind: canon.KindConfirmation, Ridge: ridge, Level: g.added}
	}
	return canon.Key{Kind: canon.KindHardness, Ridge: ridge, Level: g.least}
}

func (m Truth) hardness(ridge float64, g gaps) (_ design.Design, err error) {
	defer try.Caught(&err)
	t := try.Of(m.known())
	if rival, tied := m.Ties(); tied && g == (gaps{}) {
		p := m.Problem
		best := t.best[p.TaskOf[rival]]
		return design.Design{}, fmt.Errorf(
			"problem %q, task %q: arms %q and %q tie for best, so no number of samples separates them. Give epsilon",
			p.Name, p.Tasks.Names[p.TaskOf[rival]], p.Arms.Names[best], p.Arms.Names[rival])
	}
	if m.Many() && m.Problem.N() > exactHardness {
		return m.manyHardness(ridge, g, t)
	}
	m.Model = try.Of(m.Exact())
	return Remembered(m.Model, g.key(ridge), func() (design.Design, error) {
		return design.Minimax(m.Space(ridge), m.rivals(t, g), m.Solver(DesignTolerance(m.Problem.N())))
	})
}

// Rivals returns the contrasts of Confirmation: each best arm against its rivals, with weight 1/(gap + epsilon)²
// (normalised).
func (m Truth) Rivals(epsilon float64) (design.Contrasts, error) {
	return known(m, func(t *truth) design.Contrasts { return m.rivals(t, gaps{added: epsilon}) })
}

func (m Truth) rivals(t *truth, g gaps) (c design.Contrasts) {
	for i, v := range m.Problem.TaskOf {
		if i != t.best[v] {
			gap := g.of(t.gap[i])
			c.Pairs = append(c.Pairs, design.Pair{I: t.best[v], J: i, Weight: 1 / (gap * gap)})
		}
	}
	return c
}

// Near is a function of the kernel's space near the known expected rewards: an interpolant at some arms, of smallest norm,
// or a ridge fit.
type Near struct {
	// in units of Truth.Norm. For an interpolant, it is at most the norm of an interpolant of all expected rewards
	Norm   float64
	Misfit float64 // largest distance from an expected reward, reward units
	At     int     // the arm of Misfit
	Arms   int     // number of interpolated arms, or the rank of a ridge fit
}

// Near returns the interpolant of the expected rewards at the first pivots of the kernel's factor. It uses as many
// pivots as are needed for Misfit ≤ within (reward units), but at most maxRank (0 means the largest rank of features).
// With c_k the columns of the factor L, p_k its pivots and θ_k the coefficients, it is the Newton form of
// interpolation,
//
//	r ← μ,  θ_k = r_{p_k}/L_{p_k k},  r ← r - θ_k c_k,  ‖f‖² = Σ θ_k²
//
// The norm increases with every pivot, up to the norm of the smallest interpolant of all expected rewards. No features
// are needed: it takes O(N) operations per column of the shared factor.
//
// M. Pazouki, R. Schaback, Bases for kernel-based spaces, Journal of Computational and Applied Mathematics 236, 2011.
func (m Truth) Near(within float64, maxRank int) (near Near, err error) {
	defer try.Caught(&err)
	try.Of(m.known())
	if maxRank <= 0 {
		maxRank = m.source.maxRank
	}
	rest := slices.Clone(m.Problem.Mean)
	squares := 0.0
	near.Misfit, near.At = farthest(rest)
	for near.Misfit > within && near.Arms < maxRank {
		const together = 32 // columns requested at a time
		columns, pivots, err := m.source.factor.Columns(m.Context(), min(near.Arms+together, maxRank), 0)
		if err != nil {
			return Near{}, fmt.Errorf("problem %q: fitting the expected rewards: %w", m.Problem.Name, err)
		}
		if len(columns) == near.Arms { // the kernel has no further dimension on these arms
			break
		}
		for k := near.Arms; k < len(columns) && near.Misfit > within; k++ {
			theta := rest[pivots[k]] / columns[k][pivots[k]]
			try.To(cores.Do(m.Context(), len(rest), entriesAtOnce, func(from, to int) {
				addTo(rest[from:to], -theta, columns[k][from:to])
			}))
			squares += theta * theta
			near.Arms = k + 1
			near.Misfit, near.At = farthest(rest)
		}
	}
	near.Norm = math.Sqrt(squares) / m.Unit
	return near, nil
}

// Negligible returns a distance η (reward units). If expected rewards are within η of a function of the kernel's space, a
// guarantee for that function also holds for them (docs/theory/norm.md, "Expected rewards that were rounded"). η is a
// thousandth of the smallest gap beyond epsilon (normalised). It is 2σ·share/√samples if that is larger, but then at most
// half of that gap. With normal rewards of standard deviations ≥ σ and |μ - f| ≤ η, the probability of a wrong answer
// under μ exceeds that under f by at most share (Pinsker). samples is the expected number of pulls, all agents together;
// with 0, only the thousandth is used.
func (m Truth) Negligible(epsilon, share, samples float64) (float64, error) {
	return known(m, func(t *truth) float64 {
		lead := m.leastLead(t, epsilon) * m.Unit
		within := decisive * lead
		if e := m.Problem.Noise.Environment; samples > 0 && (e == problem.EnvironmentGaussian || e == "") {
			within = max(within, min(2*slices.Min(m.Problem.Noise.Deviations())*share/math.Sqrt(samples), lead/2))
		}
		return within
	})
}

const (
	// witnessMost is the largest number of arms for which Witness computes the factor up to N·rank² = witnessWork products. For more arms
	// it uses rank witnessLeast, which designs compute anyway.
	witnessMost  = 3000
	witnessWork  = 6e9
	witnessLeast = 128
	// witnessShare is the fraction of δ that the distance from a witness may cost.
	witnessShare = 1.0 / 50
	// costlyShare is the larger fraction that the distance may cost if the guarantee then states this cost.
	costlyShare = 1.0 / 4
)

// Witnessed reports whether Witness finds a function.
func (m Truth) Witnessed(opt Terms, samples float64) bool {
	_, found := m.Witness(opt, samples)
	return found
}

// Witness searches for a function of the kernel's space within the stated norm that is close to the known expected
// rewards. A guarantee for this function then also holds for the rewards (see Negligible; samples as there), and the whole
// kernel need not be factored. If a misfit is stated, it is the allowed distance. cost is the part of δ that the distance
// costs: 0, or a quarter of δ if rewards were coarsely rounded. It searches only if there are more than eagerArms arms;
// found = false is inconclusive.
func (m Truth) Witness(opt Terms, samples float64) (cost float64, found bool) {
	n := m.Problem.N()
	if n <= eagerArms || opt.Norm <= 0 || m.Problem.Mean == nil {
		return 0, false
	}
	if opt.Misfit > 0 {
		near, found, err := m.Closest(opt.Norm)
		return 0, err == nil && found && near.Misfit <= opt.Misfit*m.Unit
	}
	rank, fitted := witnessLeast, [2]int{witnessLeast / 2, witnessLeast}
	if n <= witnessMost {
		rank, fitted = min(n, int(math.Sqrt(witnessWork/float64(n)))), m.fitRanks()
	}
	for _, share := range []float64{witnessShare, costlyShare} {
		within, err := m.Negligible(opt.Epsilon, share*opt.Delta, samples)
		if err != nil {
			return 0, false
		}
		if share == witnessShare {
			if near, err := m.Near(within, rank); err == nil && near.Misfit <= within && near.Norm <= opt.Norm {
				return 0, true
			}
			continue
		}
		for _, rank := range fitted {
			fits, err := m.ridgeFits(rank)
			if err == nil && slices.ContainsFunc(fits, func(n Near) bool { return n.Norm <= opt.Norm && n.Misfit <= within }) {
				return share * opt.Delta, true
			}
		}
	}
	return 0, false
}

// LowerBound returns T* kl(δ, 1-δ), or 0 if no bound on T* is known. This is a lower bound on the expected samples, all
// agents together, of any algorithm with error probability at most δ for all rewards of the kernel.
func (m Truth) LowerBound(delta, epsilon float64) (float64, error) {
	lower, _, err := m.CharacteristicTime(0, epsilon)
	return Nats(delta) * lower, err
}

// CharacteristicTime returns bounds on T*, all agents together. 1/T* is the maximum over allocations λ of the smallest
// divergence Σ λ_i KL_i from the rewards to an alternative. An alternative has other rewards of the kernel, for which
// every right answer (within epsilon of the best arm, normalised) is wrong. An allocation must distinguish all
// alternatives; otherwise errors are more frequent than δ at some of them.
//
// If each task has one right answer and noise is normal, T* = 2ρ* with epsilon added to the gaps. ρ* is taken at ξ = 0, or
// for the lower bound at a given ξ. If tasks have several right answers, or rewards are two-valued or resampled, the lower
// bound is a game between allocations and some alternatives, and the upper bound is unknown (0). Both bounds are 0 if none
// is known: if all arms are right answers, for other bounded rewards, for rewards with common block effects, and for too
// large games. LimitTime has the limit for δ → 0 with several right answers.
func (m Truth) CharacteristicTime(ridge, epsilon float64) (lower, upper float64, err error) {
	t, err := m.known()
	if err != nil {
		return 0, 0, err
	}
	several := false
	for i, v := range m.Problem.TaskOf {
		several = several || epsilon > 0 && i != t.best[v] && t.right(i, epsilon)
	}
	noise := m.Problem.Noise
	divergent := diverges(m.Problem)
	switch {
	case noise.Bounds != nil && !divergent, m.Problem.Block != nil: // within blocks there is less noise
		return 0, 0, nil
	case divergent || several:
		value, err := m.leastTold(math.Inf(1), epsilon)
		if err != nil || value == 0 {
			return 0, 0, err
		}
		return 1 / value, 0, nil
	}
	d, err := m.Confirmation(ridge, epsilon)
	return 2 * d.Lower, 2 * d.Value, err
}

// diverges reports whether rewards are two-valued or resampled. Alternatives then differ from them by the divergence of
// distributions within bounds.
func diverges(p *problem.Problem) bool {
	return p.Noise.Environment == problem.EnvironmentBernoulli ||
		p.Noise.Bounds != nil && p.Noise.Environment == problem.EnvironmentResampled && p.Rewards != nil
}

// right reports whether the gap of arm i is at most epsilon (normalised), up to rounding.
func (t *truth) right(i int, epsilon float64) bool {
	const rounding = 1e-9
	return t.gap[i] <= epsilon*(1+rounding)
}
