package engine

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// CoKernelFB is [Du23, Alg. 2]: fixed budget, halving the principle dimension
// of every task's candidates in a number of rounds fixed beforehand.
type CoKernelFB struct {
	candidates
	evidence
	opt   Options
	ridge float64 // ξ; with RidgeGP that of a round's pulls

	rounds int // R
	pulls  int // N per round
	round  int
	stage  *stage
	thin   float64 // largest rounding ratio above 2(1+ε), 0 when none
}

var _ Algorithm = (*CoKernelFB)(nil)

// NewCoKernelFB prepares Algorithm 2 on a model [Du23, Alg. 2, l. 1-2].
func NewCoKernelFB(m *Model, opt Options) (*CoKernelFB, error) {
	opt, err := opt.withDefaults(ModeFB)
	if err != nil {
		return nil, err
	}
	a := &CoKernelFB{candidates: newCandidates(m), opt: opt}
	if a.ridge, err = m.Ridge(ModeFB, opt); err != nil {
		return nil, err
	}
	total := opt.Budget * m.Problem.V()
	if opt.Ridge.Kind == RidgeGP {
		a.ridge = m.gpRidge(total)
	}
	if a.rounds, err = m.RoundsFB(a.ridge); err != nil {
		return nil, err
	}
	a.pulls = total / a.rounds
	if a.pulls < 1 {
		return nil, fmt.Errorf("a budget of %d pulls per agent, %d in all, is less than one pull in each of the %d rounds; give at least %d",
			opt.Budget, total, a.rounds, (a.rounds+m.Problem.V()-1)/m.Problem.V())
	}
	if opt.Ridge.Kind == RidgeGP {
		a.ridge = m.gpRidge(a.pulls)
	}
	norm, err := m.normBound(opt, a.ridge)
	a.evidence = newEvidence(m.Problem, opt.Delta, a.rounds, norm)
	return a, err
}

// RoundsFB is R = ⌈log₂ ω(ξ, X̃)⌉ [Du23, Alg. 2, l. 2], at least 1; ω is over all
// pairs of all arms, across tasks.
func (m *Model) RoundsFB(ridge float64) (int, error) {
	all := make([]int, m.Problem.N())
	for i := range all {
		all[i] = i
	}
	omega, err := m.Omega(ridge, all)
	if err != nil {
		return 0, err
	}
	return max(1, int(math.Ceil(math.Log2(omega)-1e-9))), nil
}

// Plan chooses the round's pulls [Du23, Alg. 2, l. 4-6].
func (a *CoKernelFB) Plan() (Plan, error) {
	st, covered, err := a.model.exactly(a.ridge, a.alive, a.pulls)
	if err != nil {
		return Plan{}, err
	}
	if !covered {
		a.thin = max(a.thin, st.rounding.Ratio)
	}
	a.stage = st
	a.round++
	return st.plan(a.round), nil
}

// Learn estimates the rewards and cuts every candidate set to half its
// dimension [Du23, Alg. 2, l. 8-15].
func (a *CoKernelFB) Learn(b Batch) error {
	if a.stage == nil {
		return fmt.Errorf("learn was called before plan")
	}
	if err := learned(a.stage.plan(a.round), b); err != nil {
		return err
	}
	estimates := a.stage.estimate.Estimates(b.Means) // l. 10
	a.weigh(a.stage.estimate, estimates, a.alive)
	for v, set := range a.alive {
		if len(set) < 2 {
			continue
		}
		kept, err := a.halve(set, estimates)
		if err != nil {
			return fmt.Errorf("round %d, task %q: %w", a.round, a.model.Problem.Tasks.Names[v], err)
		}
		for _, i := range set {
			if !slices.Contains(kept, i) {
				e := a.stage.estimate
				a.drop(a.round, i, kept[0], estimates[kept[0]]-estimates[i], math.Sqrt(e.Variance(i, kept[0])), ruleHalved)
			}
		}
		slices.Sort(kept)
		a.alive[v] = kept
	}
	return nil
}

// halve returns the longest prefix of the set, sorted by estimate, of at most
// half its principle dimension [Du23, Alg. 2, l. 11-13]. ω grows with the
// prefix, so bisection finds it. One arm has ω = 0: something always remains.
func (a *CoKernelFB) halve(set []int, estimates []float64) ([]int, error) {
	sorted := slices.Clone(set)
	sort.SliceStable(sorted, func(x, y int) bool { return estimates[sorted[x]] > estimates[sorted[y]] })
	whole, err := a.model.Omega(a.ridge, set)
	if err != nil {
		return nil, err
	}
	var failed error
	over := sort.Search(len(sorted)-1, func(k int) bool { // prefix of k+2 arms exceeds half
		prefix := slices.Clone(sorted[:k+2])
		slices.Sort(prefix)
		over, err := a.model.OmegaExceeds(a.ridge, prefix, whole/2*(1+1e-9))
		if err != nil {
			failed = err
		}
		return over
	})
	return sorted[:over+1], failed
}

// Done tells whether the rounds are used or nothing is left to decide [Du23,
// Alg. 2, l. 3].
func (a *CoKernelFB) Done() bool { return a.round >= a.rounds || a.single() }

// Answers returns each task's best estimate among its candidates, and whether
// the data support it (see evidence).
func (a *CoKernelFB) Answers() []Answer {
	out := make([]Answer, len(a.alive))
	for v, set := range a.alive {
		out[v] = a.supported(&a.candidates, v, set)
	}
	return out
}

// Warnings has the conditions of Theorem 2 that are known not to hold.
func (a *CoKernelFB) Warnings() []string {
	out := a.model.ridgeWarnings(ModeFB, a.opt, a.ridge)
	if a.thin > 0 {
		out = append(out, fmt.Sprintf("%d pulls a round are too few for the rounding ratio %.2g (reached %.3g): Theorem 2 does not cover this budget", a.pulls, 2*(1+RoundingEpsilon), a.thin))
	}
	return out
}
