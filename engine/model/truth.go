package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
)

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

func (m *Model) computeTruth() (*truth, error) {
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
func (m *Model) Best() ([]int, error) {
	t, err := m.known()
	if err != nil {
		return nil, err
	}
	return slices.Clone(t.best), nil
}

// DeltaMin returns the smallest gap Δ_min between best and second arm over all tasks, normalised;
// +Inf when no task has two arms.
func (m *Model) DeltaMin() (float64, error) {
	t, err := m.known()
	if err != nil {
		return 0, err
	}
	return t.min, nil
}

// Ties returns the two arms of the smallest gap when it is a tie.
func (m *Model) Ties() (rival int, tied bool) {
	t, err := m.known()
	if err != nil || t.minAt < 0 {
		return 0, false
	}
	scale := math.Abs(m.Problem.Mean[t.minAt]) / m.Unit
	return t.minAt, t.min <= TieTolerance*scale
}

// exactHardness is the most arms of which ρ* is solved in exact features whatever their rank.
const exactHardness = 464

// Hardness solves for ρ*(ξ) [Du23, eq. of ρ*(ξ)]: the minimax design over best against rival, each
// squared norm divided by the squared gap. epsilon > 0 (reward units) replaces smaller gaps, the
// PAC form. Samples of all agents together; remembered. A tie without epsilon is an error.
//
// Of very many arms (Many, and above 464) ρ*(0) is known to lie between the two ends only: the lower one of an affordable
// ξ, which no smaller ξ has below it, and the value that arms have which share nothing, which no
// kernel has above it.
func (m *Model) Hardness(ridge, epsilon float64) (design.Design, error) {
	t, err := m.known()
	if err != nil {
		return design.Design{}, err
	}
	if rival, tied := m.Ties(); tied && epsilon == 0 {
		p := m.Problem
		best := t.best[p.TaskOf[rival]]
		return design.Design{}, fmt.Errorf("problem %q: task %q: arms %q and %q tie for best, so no number of samples separates them; give epsilon",
			p.Name, p.Tasks.Names[p.TaskOf[rival]], p.Arms.Names[best], p.Arms.Names[rival])
	}
	if m.Many() && m.Problem.N() > exactHardness {
		return m.manyHardness(ridge, epsilon, t)
	}
	if m, err = m.Exact(); err != nil {
		return design.Design{}, err
	}
	return Remembered(m, canon.Key{Kind: canon.KindHardness, Ridge: ridge, Level: epsilon}, func() (design.Design, error) {
		return design.Minimax(m.Space(ridge), m.rivals(t, epsilon), m.Solver(DesignTolerance(m.Problem.N())))
	})
}

// Rivals returns the contrasts of ρ*: each best arm against its rivals, weighted by the squares of
// one over their gaps, of which epsilon (reward units) replaces smaller ones.
func (m *Model) Rivals(epsilon float64) (design.Contrasts, error) {
	t, err := m.known()
	if err != nil {
		return design.Contrasts{}, err
	}
	return m.rivals(t, epsilon), nil
}

func (m *Model) rivals(t *truth, epsilon float64) (c design.Contrasts) {
	for i, v := range m.Problem.TaskOf {
		if i != t.best[v] {
			gap := max(t.gap[i], epsilon/m.Unit)
			c.Pairs = append(c.Pairs, design.Pair{I: t.best[v], J: i, Weight: 1 / (gap * gap)})
		}
	}
	return c
}

// LowerBound returns T* log(1/2.4δ) with T* = 2ρ*(0): no δ-correct algorithm needs fewer samples in
// expectation, all agents together.
//
// The logarithm is the simplification of kl(δ, 1-δ) that holds for every δ in
// (0, 1) [Kaufmann, Cappé and Garivier 2016, p. 12]; it is vacuous for δ > 1/2.4.
func (m *Model) LowerBound(delta, epsilon float64) (float64, error) {
	d, err := m.Hardness(0, epsilon)
	if err != nil {
		return 0, err
	}
	return 2 * d.Lower * max(0, -math.Log(2.4*delta)), nil
}
