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

// Hardness solves for ρ*(ξ) [Du23, eq. of ρ*(ξ)]: the minimax design over best against rival, each
// squared norm divided by the squared gap. epsilon > 0 (reward units) replaces smaller gaps, the
// PAC form of the paper's upper bounds. Samples of all agents together; remembered. A tie without
// epsilon is an error.
//
// Of very many arms (Many, and above 464) ρ*(0) is known to lie between the two ends only: the lower one of an affordable
// ξ, which no smaller ξ has below it, and the value that arms have which share nothing, which no
// kernel has above it.
func (m *Model) Hardness(ridge, epsilon float64) (design.Design, error) {
	return m.hardness(ridge, gaps{least: epsilon})
}

// Confirmation solves for the design that Hardness is of, with gaps that are larger by epsilon (reward
// units) in place of none below it: to refute that the best arm is within epsilon, a rival has to be
// above it by as much. At ξ = 0 it is the least that confirms the best arms as answers.
func (m *Model) Confirmation(ridge, epsilon float64) (design.Design, error) {
	return m.hardness(ridge, gaps{added: epsilon})
}

// gaps says by how much rivals have to be told from the best arm, reward units.
type gaps struct {
	least float64 // replaces smaller gaps
	added float64
}

func (g gaps) of(m *Model, gap float64) float64 { return max(gap, g.least/m.Unit) + g.added/m.Unit }

// key returns where a design for these gaps is remembered: without epsilon there is one only.
func (g gaps) key(ridge float64) canon.Key {
	if g.added > 0 {
		return canon.Key{Kind: canon.KindConfirmation, Ridge: ridge, Level: g.added}
	}
	return canon.Key{Kind: canon.KindHardness, Ridge: ridge, Level: g.least}
}

func (m *Model) hardness(ridge float64, g gaps) (design.Design, error) {
	t, err := m.known()
	if err != nil {
		return design.Design{}, err
	}
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
	if m, err = m.Exact(); err != nil {
		return design.Design{}, err
	}
	return Remembered(m, g.key(ridge), func() (design.Design, error) {
		return design.Minimax(m.Space(ridge), m.rivals(t, g), m.Solver(DesignTolerance(m.Problem.N())))
	})
}

// Rivals returns the contrasts of Confirmation: each best arm against its rivals, weighted by the squares
// of one over their gaps, which are larger by epsilon (reward units).
func (m *Model) Rivals(epsilon float64) (design.Contrasts, error) {
	t, err := m.known()
	if err != nil {
		return design.Contrasts{}, err
	}
	return m.rivals(t, gaps{added: epsilon}), nil
}

func (m *Model) rivals(t *truth, g gaps) (c design.Contrasts) {
	for i, v := range m.Problem.TaskOf {
		if i != t.best[v] {
			gap := g.of(m, t.gap[i])
			c.Pairs = append(c.Pairs, design.Pair{I: t.best[v], J: i, Weight: 1 / (gap * gap)})
		}
	}
	return c
}
