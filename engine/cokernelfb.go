package engine

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// CoKernelFB is [Du23, Alg. 2]: fixed budget, halving the principle dimension
// of every task's candidates in a number of rounds fixed beforehand. The loop over rounds
// is Run. Its relatives differ in their halving.
type CoKernelFB struct {
	candidates
	evidence
	own   halving
	opt   Options
	ridge float64 // ξ; with RidgeGP that of a round's pulls

	rounds int // R
	pulls  int // N per round
	round  int
	stage  *stage
	thin   float64 // largest rounding ratio above 2(1+ε), 0 when none
}

// halving holds the steps in which algorithms of the kind of Alg. 2 differ.
type halving interface {
	allocator
	// size measures a set of arms; a round halves it.
	size(m *Model, ridge float64, set []int) (float64, error)
	// exceeds reports whether size > limit, at less cost than size where possible.
	exceeds(m *Model, ridge float64, set []int, limit float64) (bool, error)
	// rounds is R for the size of all arms together.
	rounds(size float64) int
	// limit is the size to which a round cuts a set.
	limit(size float64) float64
	// rule names a cut in the audit trail.
	rule() Rule
	// covered reports whether Theorem 2 of [Du23] is about the answers.
	covered() bool
}

// halves are the number of rounds and the cut of Alg. 2.
type halves struct{}

// rounds is how many halvings bring the size to 1, at least 1 [Du23, Alg. 2, l. 2].
func (halves) rounds(size float64) int { return max(1, int(math.Ceil(math.Log2(size)-1e-9))) }

func (halves) limit(size float64) float64 { return size / 2 * (1 + 1e-9) }

// dimension is the halving of Alg. 2: by ω.
type dimension struct {
	halves
	allocation
}

func (dimension) size(m *Model, ridge float64, set []int) (float64, error) {
	return m.Omega(ridge, set)
}

func (dimension) exceeds(m *Model, ridge float64, set []int, limit float64) (bool, error) {
	return m.OmegaExceeds(ridge, set, limit)
}

func (dimension) rule() Rule { return RuleHalved }

// covered reports whether the allocation is the shared one, which the theorem is about.
func (d dimension) covered() bool { return d.kind == kindDesign }

var (
	_ Algorithm = (*CoKernelFB)(nil)
	_ Explainer = (*CoKernelFB)(nil)
)

// NewCoKernelFB prepares Algorithm 2 on a model [Du23, Alg. 2, l. 1-2].
func NewCoKernelFB(m *Model, opt Options) (*CoKernelFB, error) {
	return newHalving(m, opt, dimension{allocation: shared()})
}

func newHalving(m *Model, opt Options, own halving) (*CoKernelFB, error) {
	opt, err := opt.withDefaults(ModeFB)
	if err != nil {
		return nil, err
	}
	a := &CoKernelFB{candidates: newCandidates(m), own: own, opt: opt}
	if a.ridge, err = m.Ridge(ModeFB, opt); err != nil {
		return nil, err
	}
	total := opt.Budget * m.Problem.V()
	if opt.Ridge.Kind == RidgeGP {
		a.ridge = m.gpRidge(total)
	}
	if a.rounds, err = halvings(m, a.ridge, own); err != nil {
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
func (m *Model) RoundsFB(ridge float64) (int, error) { return halvings(m, ridge, dimension{}) }

// halvings is R for a way of halving.
func halvings(m *Model, ridge float64, own halving) (int, error) {
	all := make([]int, m.Problem.N())
	for i := range all {
		all[i] = i
	}
	size, err := own.size(m, ridge, all)
	if err != nil {
		return 0, err
	}
	return own.rounds(size), nil
}

// Plan chooses the round's pulls [Du23, Alg. 2, l. 4-6].
func (a *CoKernelFB) Plan() (Plan, error) {
	d, err := a.own.design(a.model, a.ridge, a.alive) // l. 4
	if err != nil {
		return Plan{}, err
	}
	st, covered, err := a.own.stage(a.model, a.ridge, a.alive, d, a.pulls) // l. 5
	if err != nil {
		return Plan{}, err
	}
	if !covered {
		a.thin = max(a.thin, st.rounding.Ratio)
	}
	a.stage = st
	a.round++
	return st.plan(a.round), nil // l. 6
}

// Learn estimates the rewards and cuts every candidate set to half its size
// [Du23, Alg. 2, l. 8-15].
func (a *CoKernelFB) Learn(b Batch) error {
	if err := checkBatch(a.stage.plan(a.round), b); err != nil {
		return err
	}
	estimates := a.stage.estimate.Estimates(b.Means) // l. 9-10
	a.weigh(a.stage.estimate, estimates, a.alive)
	for v, set := range a.alive {
		if len(set) < 2 {
			continue
		}
		kept, err := a.halve(set, estimates) // l. 11-13
		if err != nil {
			return fmt.Errorf("round %d, task %q: %w", a.round, a.model.Problem.Tasks.Names[v], err)
		}
		a.keep(v, kept, a.stage.estimate, estimates)
	}
	return nil
}

// keep leaves task v the arms kept, best first, and records why the others went.
func (a *CoKernelFB) keep(v int, kept []int, e *Estimator, estimates []float64) {
	best := kept[0]
	for _, i := range a.alive[v] {
		if !slices.Contains(kept, i) {
			a.drop(a.round, i, best, estimates[best]-estimates[i], math.Sqrt(e.Variance(i, best)), a.own.rule())
		}
	}
	slices.Sort(kept)
	a.alive[v] = kept
}

// halve returns the longest prefix of the set, sorted by estimate, of at most
// half its size [Du23, Alg. 2, l. 11-13]. The size grows with the prefix, so
// bisection finds it. One arm has size 0: something always remains.
func (a *CoKernelFB) halve(set []int, estimates []float64) ([]int, error) {
	sorted := slices.Clone(set)
	sort.SliceStable(sorted, func(x, y int) bool { return estimates[sorted[x]] > estimates[sorted[y]] })
	whole, err := a.own.size(a.model, a.ridge, set)
	if err != nil {
		return nil, err
	}
	var failed error
	over := sort.Search(len(sorted)-1, func(k int) bool { // prefix of k+2 arms exceeds half
		prefix := slices.Clone(sorted[:k+2])
		slices.Sort(prefix)
		over, err := a.own.exceeds(a.model, a.ridge, prefix, a.own.limit(whole))
		if err != nil {
			failed = err
		}
		return over
	})
	return sorted[:over+1], failed
}

// Done reports whether the rounds are used or nothing is left to decide [Du23,
// Alg. 2, l. 3].
func (a *CoKernelFB) Done() bool { return a.round >= a.rounds || a.single() }

// Answers returns each task's best estimate among its candidates, and whether
// the data support it (see evidence).
func (a *CoKernelFB) Answers() []Answer { return a.judged(&a.candidates) }

// Warnings has the conditions of its theorem that are known not to hold.
func (a *CoKernelFB) Warnings() []Warning {
	out, thin := misfitWarnings(a.model, a.opt), WarnThinRound
	if a.own.covered() {
		out, thin = a.model.ridgeWarnings(ModeFB, a.opt, a.ridge), WarnThinBudget
	}
	if a.thin > 0 {
		out = append(out, Warning{Kind: thin, Numbers: []float64{float64(a.pulls), 2 * (1 + RoundingEpsilon)}}) // the same for every run
	}
	return out
}

// Progress goes by the evidence for each task's answer.
func (a *CoKernelFB) Progress() []Progress { return a.progress(&a.candidates, a.Answers()) }

// Remaining is the samples of a further round after which all answers would be supported.
func (a *CoKernelFB) Remaining() float64 { return remaining(a.Progress()) }
