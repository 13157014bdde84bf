package elimination

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// CoKernelFB is [Du23, Alg. 2]. With a fixed budget, it halves the principal dimension of every task's candidates in a
// fixed number of rounds. The loop over rounds is Run. Its variants differ in how they halve.
type CoKernelFB struct {
	rounds.Candidates
	rounds.Evidence
	own   halving
	opt   model.Terms
	ridge float64 // ξ; with RidgeGP the ridge of a round's pulls

	rounds int // R
	pulls  int // N per round
	round  int
	stage  *rounds.Stage
	thin   float64 // largest rounding ratio above 2(1+ε); 0 if none

	amended []int // rounds whose pulls differ from the plan
}

// halving holds the steps in which variants of Alg. 2 differ.
type halving interface {
	allocator
	// size returns the measure of a set that each round halves
	size(m *model.Model, ridge float64, set []int) float64
	// exceeds reports whether size > limit. It may be faster than size.
	exceeds(m *model.Model, ridge float64, set []int, limit float64) bool
	// rounds returns the number R of rounds; size is the size of all arms together.
	rounds(size float64) int
	// limit returns the largest size to which a round may cut a set of the given size
	limit(size float64) float64
	// rule returns the name of a cut in the audit trail.
	rule() engine.Rule
	// covered reports whether Theorem 2 of [Du23] applies
	covered() bool
}

// halves holds the number of rounds and the limit of Alg. 2.
type halves struct{}

// rounds returns the number of halvings after which the size is at most 1, at least 1 [Du23, Alg. 2, l. 2].
func (halves) rounds(size float64) int { return max(1, int(math.Ceil(math.Log2(size)-1e-9))) }

func (halves) limit(size float64) float64 { return size / 2 * (1 + 1e-9) }

// dimension is the halving of Alg. 2, which measures sets by ω.
type dimension struct {
	halves
	allocation
}

func (dimension) size(m *model.Model, ridge float64, set []int) float64 {
	return try.Of(m.Designs().Omega(ridge, set))
}

func (dimension) exceeds(m *model.Model, ridge float64, set []int, limit float64) bool {
	return try.Of(m.Designs().OmegaExceeds(ridge, set, limit))
}

func (dimension) rule() engine.Rule { return engine.RuleHalved }

// covered reports whether the allocation is the shared one, as in the theorem.
func (d dimension) covered() bool { return d.kind == canon.KindDesign }

var (
	_ engine.Detailed = (*CoKernelFB)(nil)
	_ engine.Amender  = (*CoKernelFB)(nil)
)

// NewCoKernelFB returns Algorithm 2 on a model [Du23, Alg. 2, l. 1-2].
func NewCoKernelFB(m *model.Model, opt model.Terms) (*CoKernelFB, error) {
	m, err := byValues(m)
	if err != nil {
		return nil, err
	}
	return newHalving(m, opt, dimension{allocation: shared()})
}

func newHalving(m *model.Model, opt model.Terms, own halving) (_ *CoKernelFB, err error) {
	defer try.Caught(&err)
	m = m.Own()
	a := &CoKernelFB{Candidates: rounds.NewCandidates(m), own: own, opt: opt}
	a.ridge = try.Of(m.Designs().Ridge(engine.ModeFB, opt))
	total := opt.Budget * m.Problem.V()
	if opt.Ridge.Kind == engine.RidgeGP {
		a.ridge = m.Designs().GpRidge(total)
	}
	a.rounds = halvings(m, a.ridge, own)
	a.pulls = total / a.rounds
	if a.pulls < 1 {
		return nil, fmt.Errorf("a budget of %d pulls per agent, %d in all, is less than one pull in each of the %d rounds; give at least %d",
			opt.Budget, total, a.rounds, (a.rounds+m.Problem.V()-1)/m.Problem.V())
	}
	if opt.Ridge.Kind == engine.RidgeGP {
		a.ridge = m.Designs().GpRidge(a.pulls)
	}
	a.Evidence, err = rounds.NewEvidence(&a.Candidates, opt, a.rounds, a.ridge)
	return a, err
}

// RoundsFB returns R = ⌈log₂ ω(ξ, X̃)⌉ [Du23, Alg. 2, l. 2], at least 1. X̃ contains all arms of all tasks.
func RoundsFB(m *model.Model, ridge float64) (int, error) {
	return try.Returning(func() int { return halvings(m, ridge, dimension{}) })()
}

// halvings returns the number of rounds R of a kind of halving.
func halvings(m *model.Model, ridge float64, own halving) int {
	return own.rounds(own.size(m, ridge, indices.All(m.Problem.N())))
}

// State implements engine.Algorithm.
func (a *CoKernelFB) State() engine.State { return engine.StateOf(a) }

// Plan returns the pulls of the next round [Du23, Alg. 2, l. 4-6].
func (a *CoKernelFB) Plan(ctx context.Context) (_ engine.Plan, err error) {
	defer try.Caught(&err)
	defer a.Model.During(ctx)()
	d := a.own.design(a.Model, a.ridge, a.Sets)                      // l. 4
	st, covered := a.own.stage(a.Model, a.ridge, a.Sets, d, a.pulls) // l. 5
	if !covered {
		a.thin = max(a.thin, st.Rounding.Ratio)
	}
	a.stage = st
	a.round++
	return st.Plan(a.round), nil // l. 6
}

// Learn estimates the rewards and cuts every set of two or more candidates to at most half its size [Du23, Alg. 2, l.
// 9-15]. The size is that of halving, such as ω, not the number of arms.
func (a *CoKernelFB) Learn(ctx context.Context, b engine.Batch) (err error) {
	defer try.Caught(&err)
	defer a.Model.During(ctx)()
	if err := rounds.CheckBatch(a.stage.Plan(a.round), b); err != nil || b.Empty() {
		return err // nil if Amend has set all counts to 0
	}
	width, estimates, err := a.Estimate(a.stage.Estimate, b) // l. 9-10
	try.To(err)
	for v, set := range a.Sets {
		if len(set) < 2 {
			continue
		}
		a.keep(v, a.halve(v, estimates), width, estimates) // l. 11-13
	}
	return nil
}

// keep reduces the candidates of task v to retained, which begins with the best arm, and records the eliminated arms.
func (a *CoKernelFB) keep(v int, retained []int, e *model.Estimator, estimates []float64) {
	best := retained[0]
	for _, i := range a.Sets[v] {
		if !slices.Contains(retained, i) {
			a.Drop(a.round, i, best, estimates[best]-estimates[i], math.Sqrt(e.Variance(i, best)), a.own.rule())
		}
	}
	slices.Sort(retained)
	a.Sets[v] = retained
}

// halve returns the candidates of task v in descending order of their estimates, cut to the longest prefix of at most half
// the set's size [Du23, Alg. 2, l. 11-13]. The size grows with the prefix, so bisection finds the cut. A single arm has
// size 0, so at least one arm remains.
func (a *CoKernelFB) halve(v int, estimates []float64) []int {
	sorted := slices.Clone(a.Sets[v])
	sort.SliceStable(sorted, func(x, y int) bool { return estimates[sorted[x]] > estimates[sorted[y]] })
	over, err := try.Returning(func() int {
		whole := a.own.size(a.Model, a.ridge, a.Sets[v])
		return sort.Search(len(sorted)-1, func(k int) bool { // prefix of k+2 arms exceeds half
			prefix := slices.Clone(sorted[:k+2])
			slices.Sort(prefix)
			return a.own.exceeds(a.Model, a.ridge, prefix, a.own.limit(whole))
		})
	})()
	if err != nil {
		try.To(fmt.Errorf("round %d, task %q: %w", a.round, a.Model.Problem.Tasks.Names[v], err))
	}
	return sorted[:over+1]
}

// Done reports whether all rounds are done or every task has one candidate [Du23, Alg. 2, l. 3].
func (a *CoKernelFB) Done() bool { return a.round >= a.rounds || a.Single() }

// Unspent returns why pulls are left, "" if none are. Either every task has one candidate before the last round, or the
// number of rounds does not divide the budget.
func (a *CoKernelFB) Unspent() string {
	unspent := a.opt.Budget*a.Model.Problem.V() - a.round*a.pulls
	switch {
	case unspent <= 0:
		return ""
	case a.round < a.rounds:
		return fmt.Sprintf("halving left one arm per task after round %d of %d, without a test", a.round, a.rounds)
	}
	return fmt.Sprintf("there are %d rounds of %d pulls each", a.rounds, a.pulls)
}

// Warnings returns the conditions of Theorem 2 that do not hold.
func (a *CoKernelFB) Warnings() []engine.Warning {
	out, thin := model.MisfitWarnings(a.Model, a.opt), engine.WarnThinRound
	if a.own.covered() {
		out, thin = a.Model.Designs().RidgeWarnings(engine.ModeFB, a.opt, a.ridge), engine.WarnThinBudget
	}
	if a.thin > 0 {
		// the warning has the same numbers in every run
		out = append(out, engine.Warning{Kind: thin, Numbers: []float64{float64(a.pulls), 2 * (1 + engine.RoundingEpsilon)}})
	}
	if len(a.amended) > 0 {
		out = append(out, engine.Warning{Kind: engine.WarnAmended, Numbers: []float64{float64(len(a.amended)), float64(a.round)}})
	}
	return append(out, a.Doubts()...)
}
