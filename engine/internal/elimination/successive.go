package elimination

import (
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// NewCoSuccessiveElimination returns collaborative best-arm identification of the classic bandit [Hillel13, the
// multi-round algorithm]. In every round all agents pull every remaining arm equally often. Decisions use sample means
// over the agents, and an arm that another beats is eliminated. All tasks must have the same arms, identified by name;
// otherwise the error wraps ErrUnsuited. On [Classic] problems Alg. 1 has the same allocation, by symmetry.
//
// Only the abstract of [Hillel13] was available: k agents learn k times faster, with communication logarithmic in 1/ε.
// It is interpreted as elimination in rounds that halve the accuracy. Pulls and thresholds follow the schedules of
// CoKernelFC, where ρ is the value of equal pulls. There is no regularisation (ξ = 0, ignoring the option).
func NewCoSuccessiveElimination(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	if err := sameTasks(m); err != nil {
		return nil, fmt.Errorf("%w: %w", engine.ErrUnsuited, err)
	}
	opt.Ridge = engine.Ridge{Kind: engine.RidgeValue}
	return newElimination(m, opt, equal{})
}

// equal is the method of Alg. 1 with equally many pulls of all remaining arms. Estimates identify arms by name; arms of
// different names are unrelated.
type equal struct{ joint }

// design returns equal weights for all candidates. It identifies arms by name.
func (equal) design(m *model.Model, _ float64, alive [][]int) design.Design {
	return remembered(m, canon.Key{Kind: canon.KindEqual, Sets: withNames(m, alive)}, func() design.Design {
		candidates := slices.Concat(alive...)
		d := design.Design{Weights: make([]float64, m.Problem.N())}
		for _, i := range candidates {
			d.Weights[i] = 1 / float64(len(candidates))
		}
		return valued(d, m, byName(m).Space(0), alive)
	})
}

// stage returns a stage with the same number of pulls of every candidate, n in total or slightly more. covered is always
// true.
func (equal) stage(m *model.Model, _ float64, alive [][]int, d design.Design, n int) (st *rounds.Stage, covered bool) {
	candidates := slices.Concat(alive...)
	each := (n + len(candidates) - 1) / len(candidates)
	return remembered(m, canon.Key{Kind: canon.KindEqualStage, Pulls: each, Sets: withNames(m, alive)}, func() *rounds.Stage {
		counts := make([]int, m.Problem.N())
		for _, i := range candidates {
			counts[i] = each
		}
		e := try.Of(model.NewEstimator(byName(m), 0, counts))
		return &rounds.Stage{Design: d, Rounding: design.Rounding{Counts: counts, Ratio: 1, Method: "equal"}, Estimate: e}
	}), true
}

// withNames returns the sets with a further one, the names of all arms, for the cache key. Features do not identify these
// arms.
func withNames(m *model.Model, alive [][]int) [][]int {
	return append([][]int{m.Problem.Arms.ID}, alive...)
}

// byName returns a model in which arms of the same name are equal and all others are unrelated.
func byName(m *model.Model) *model.Model {
	names := try.Of(model.NewContext(m.Context(), m.Problem.WithKernel(problem.SameArms()), m.Unit))
	return try.Of(names.Exact())
}

// sameTasks returns an error for the first difference between the tasks: an arm that is missing in one of them, or that
// has other features there. It returns nil if the tasks are equal.
func sameTasks(m *model.Model) error {
	p := m.Problem
	lo, hi := p.ArmsOf(0)
	first := map[int]int{} // arm of the first task by ID
	for i := lo; i < hi; i++ {
		if _, twice := first[p.Arms.ID[i]]; twice {
			return fmt.Errorf("the algorithm identifies arms by name, but task %q has two arms called %q", p.Tasks.Names[0], p.Arms.Names[i])
		}
		first[p.Arms.ID[i]] = i
	}
	for v := 1; v < p.V(); v++ {
		from, to := p.ArmsOf(v)
		if to-from != len(first) {
			return fmt.Errorf("the algorithm needs the same arms in every task, but task %q has %d and task %q has %d", p.Tasks.Names[0], len(first),
				p.Tasks.Names[v], to-from)
		}
		seen := map[int]bool{}
		for i := from; i < to; i++ {
			j, known := first[p.Arms.ID[i]]
			if !known || seen[p.Arms.ID[i]] {
				return fmt.Errorf("the algorithm needs the same arms in every task. Task %q has arm %q, but task %q does not",
					p.Tasks.Names[v], p.Arms.Names[i], p.Tasks.Names[0])
			}
			seen[p.Arms.ID[i]] = true
			if !m.Relations().Same(i, j) {
				return fmt.Errorf("the algorithm needs identical tasks, but the kernel distinguishes arm %q in tasks %q and %q", p.Arms.Names[i],
					p.Tasks.Names[v], p.Tasks.Names[0])
			}
		}
	}
	return nil
}
