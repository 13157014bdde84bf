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

// Truth is what is known of the expected rewards of a model, and how its kernel represents them.
type Truth struct{ *Model }

// truth holds all that follows from the expected rewards: computed once per Model.
type truth struct {
	best  []int     // V: the best arm of each task
	gap   []float64 // N: μ_best - μ_i of its task, normalised
	min   float64   // smallest gap of a rival, normalised; +Inf when no task has two arms
	minAt int       // the arm of the smallest gap
}

// TieTolerance is the difference, relative to their size, at which two means still count as equal:
// differences below it are rounding of the means themselves.
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

// Best returns the best arm of each task (the first of tied ones).
func (m Truth) Best() ([]int, error) {
	return known(m, func(t *truth) []int { return slices.Clone(t.best) })
}

// DeltaMin returns the smallest gap Δ_min between best and second arm over all tasks, normalised;
// +Inf when no task has two arms.
func (m Truth) DeltaMin() (float64, error) {
	return known(m, func(t *truth) float64 { return t.min })
}

// known returns what follows from the expected rewards.
func known[T any](m Truth, of func(t *truth) T) (out T, err error) {
	t, err := m.known()
	if err == nil {
		out = of(t)
	}
	return out, err
}

// Ties returns the two arms of the smallest gap when it is a tie.
func (m Truth) Ties() (rival int, tied bool) {
	t, err := m.known()
	if err != nil || t.minAt < 0 {
		return 0, false
	}
	scale := math.Abs(m.Problem.Mean[t.minAt]) / m.Unit
	return t.minAt, t.min <= TieTolerance*scale
}

// Hardness solves for ρ*(ξ) [Du23, eq. of ρ*(ξ)]: the minimax design over best against rival, each
// squared norm divided by the squared gap. epsilon > 0 (normalised) replaces smaller gaps, the
// PAC form of the paper's upper bounds. Samples of all agents together; remembered. A tie without
// epsilon is an error.
//
// Of very many arms (Many, and above 464) ρ*(0) is known to lie between the two ends only: the lower one of an affordable
// ξ, which no smaller ξ has below it, and the value that arms have which share nothing, which no
// kernel has above it.
func (m Truth) Hardness(ridge, epsilon float64) (design.Design, error) {
	return m.hardness(ridge, gaps{least: epsilon})
}

// Confirmation solves for the design that Hardness is of, with gaps that are larger by epsilon
// (normalised) instead of none below it: to refute that the best arm is within epsilon, a rival has to be
// above it by as much. At ξ = 0 it is the least that confirms the best arms as answers.
func (m Truth) Confirmation(ridge, epsilon float64) (design.Design, error) {
	return m.hardness(ridge, gaps{added: epsilon})
}

// gaps says by how much rivals have to be told from the best arm, normalised.
type gaps struct {
	least float64 // replaces smaller gaps
	added float64
}

func (g gaps) of(gap float64) float64 { return max(gap, g.least) + g.added }

// key returns where a design for these gaps is remembered: without epsilon there is one only.
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
			"problem %q: task %q: arms %q and %q tie for best, so no number of samples separates them; give epsilon",
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

// Rivals returns the contrasts of Confirmation: each best arm against its rivals, weighted by the squares
// of one over their gaps, which are larger by epsilon (normalised).
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

// Near is a function of the kernel's space that is near the known expected rewards: the one of least
// norm that is equal to them at some arms.
type Near struct {
	// of the function, in units of Truth.Norm; no function that is equal to all expected rewards has a
	// smaller one
	Norm   float64
	Misfit float64 // the largest distance of it from an expected reward, reward units
	At     int     // the arm of Misfit
	Arms   int     // at how many arms they are equal
}

// Near returns the function that is equal to the expected rewards at the first pivots of the kernel's
// factor, as many as it takes for Misfit ≤ within, and at most maxRank (0 means MaxRank, which others may exceed). With c_k
// the columns of the factor L, p_k its pivots and θ_k the coefficients, this is interpolation in
// Newton form,
//
//	r ← μ,  θ_k = r_{p_k}/L_{p_k k},  r ← r - θ_k c_k,  ‖f‖² = Σ θ_k²,
//
// whose norm grows with every pivot up to the norm of the least function through all expected rewards. It
// takes no features: of the factor that all share O(N) operations a column.
//
//	M. Pazouki, R. Schaback, Bases for kernel-based spaces, Journal of Computational and Applied
//	Mathematics 236, 2011.
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
		const together = 32 // columns asked for at a time
		columns, pivots, err := m.source.factor.Columns(m.Context(), min(near.Arms+together, maxRank), 0)
		if err != nil {
			return Near{}, fmt.Errorf("problem %q: fitting the expected rewards: %w", m.Problem.Name, err)
		}
		if len(columns) == near.Arms { // the kernel has no more dimensions on these arms
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

// Negligible returns how far expected rewards may be off a function of the kernel's space, in reward
// units, for a guarantee under that function to hold for them (docs/theory/norm.md, "Expected rewards that
// were rounded"): a thousandth of the smallest lead of a best arm beyond epsilon (normalised), or η = 2σ·share/√samples
// where that is larger and below half of that lead. With normal rewards of standard deviations ≥ σ
// and |μ - f| ≤ η, a wrong answer is more likely under μ than under f by share at most (Pinsker). samples
// is the expected number of pulls, all agents together; 0 leaves η out.
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
	// witnessMost is the most arms whose factor is taken as far as witnessWork allows, N·rank² products;
	// beyond, to witnessLeast, which designs take, too.
	witnessMost  = 3000
	witnessWork  = 6e9
	witnessLeast = 128
	// witnessShare is the part of δ that expected rewards off a witness may cost.
	witnessShare = 1.0 / 50
	// costlyShare is the part that it may cost when the guarantee says so.
	costlyShare = 1.0 / 4
)

// Witnessed reports whether Witness finds one.
func (m Truth) Witnessed(opt Terms, samples float64) bool {
	_, found := m.Witness(opt, samples)
	return found
}

// Witness reports whether a function of the kernel's space within the stated norm was found that is so
// near to the known expected rewards that a guarantee under it holds for them (see Negligible; samples as
// there), and what of δ their distance costs beside: 0, or a quarter of it where rewards were rounded
// coarsely. Then nothing need be factored whole. A stated misfit is the distance that may be. It looks for
// one only where arms are many; false otherwise, which says nothing.
func (m Truth) Witness(opt Terms, samples float64) (cost float64, found bool) {
	n := m.Problem.N()
	if n <= eagerArms || opt.Norm <= 0 || opt.Robust || m.Problem.Mean == nil {
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

// LowerBound returns T* kl(δ, 1-δ): no algorithm that errs with probability at most δ at any rewards of
// the kernel needs fewer samples in expectation, all agents together. 0 where none is known.
func (m Truth) LowerBound(delta, epsilon float64) (float64, error) {
	lower, _, err := m.CharacteristicTime(0, epsilon)
	return Nats(delta) * lower, err
}

// CharacteristicTime returns T*, all agents together, between two ends: 1/T* is the largest over
// allocations λ of the least divergence Σ λ_i KL_i from the rewards to others of the kernel under which
// every answer that is right (within epsilon of the best arm, normalised) is wrong. Allocations tell
// all such others from the rewards, or errors are more frequent than δ at some of them.
//
// Where each task has one right answer and noise is normal, T* = 2ρ* with gaps that are larger by
// epsilon, at ξ = 0, or for the lower end at a given ξ. Where tasks have several, or rewards are two
// numbers, the lower end is a game between allocations and some other rewards, and the upper end is not
// known (0). Both are 0 if no bound is known: where all arms are right answers, of rewards within
// bounds that are neither two numbers nor drawn from measured ones, of rewards that blocks have in common, and of many arms whose game is
// too large. At δ → 0 alone more is
// known where several answers are right:
//
//	R. Degenne, W. M. Koolen, Pure exploration with multiple correct answers, NeurIPS 2019.
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
	case noise.Bounds != nil && !divergent, m.Problem.Block != nil: // within blocks less noise is left
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

// diverges reports whether other rewards are told apart by the divergence of laws within bounds: of two numbers, or of
// measured rewards that are drawn again.
func diverges(p *problem.Problem) bool {
	return p.Noise.Environment == problem.EnvironmentBernoulli ||
		p.Noise.Bounds != nil && p.Noise.Environment == problem.EnvironmentResampled && p.Rewards != nil
}

// right reports whether an arm is within epsilon (normalised) of the best one, to rounding.
func (t *truth) right(i int, epsilon float64) bool {
	const rounding = 1e-9
	return t.gap[i] <= epsilon*(1+rounding)
}
