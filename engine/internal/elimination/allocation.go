package elimination

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/internal/individual"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// An allocator chooses the pulls of a round, for the methods of Alg. 1 and 2 and their variants.
type allocator interface {
	// design returns the proportions of the pulls for the candidate sets, one set per task. Its value is the largest
	// variance of a pair's gap with a single pull in total.
	design(m *model.Model, ridge float64, alive [][]int) design.Design
	// stage rounds the design to n pulls, and computes the estimator for these counts. covered reports whether the
	// rounding keeps the ratio 2(1+ε).
	stage(m *model.Model, ridge float64, alive [][]int, d design.Design, n int) (st *rounds.Stage, covered bool)
}

// allocation is an allocator with designs of one kind, which is part of the cache key.
type allocation struct {
	kind   canon.Kind
	choose func(m *model.Model, ridge float64, alive [][]int) design.Design
}

var _ allocator = allocation{}

func (a allocation) design(m *model.Model, ridge float64, alive [][]int) design.Design {
	return a.choose(m, ridge, alive)
}

func (a allocation) stage(m *model.Model, ridge float64, alive [][]int, d design.Design,
	n int) (st *rounds.Stage, covered bool) {
	k := canon.Key{Kind: canon.KindStage, From: a.kind, Ridge: ridge, Pulls: n, Sets: model.Contrasting(alive)}
	st = remembered(m, k, func() *rounds.Stage {
		k.Kind = canon.KindRounding
		r := remembered(m, k, func() design.Rounding {
			r, _, err := m.Designs().Round(ridge, design.Contrasts{Groups: alive}, d.Weights, n)
			try.To(err)
			return r
		})
		return &rounds.Stage{Design: d, Rounding: r, Estimate: try.Of(model.NewEstimator(m, ridge, r.Counts))}
	})
	return st, model.Covers(st.Rounding)
}

// remembered returns compute(), cached for the model under key k.
func remembered[T any](m *model.Model, k canon.Key, compute func() T) T {
	return try.Of(model.Remembered(m, k, try.Returning(compute)))
}

// shared returns the allocation of [Du23]: the minimax design over all tasks together.
func shared() allocation {
	return allocation{canon.KindDesign, func(m *model.Model, ridge float64, alive [][]int) design.Design {
		return try.Of(m.Designs().Design(ridge, alive))
	}}
}

// separate returns the allocation of the ablations: each task alone, with equal shares of the pulls.
func separate() allocation { return allocation{canon.KindLocal, localDesign} }

// NewCoKernelFCIndAlloc returns the ablation of Alg. 1 that samples by locally optimal allocations [Du23, App. A,
// CoKernel-IndAlloc]. As in Alg. 1, agents share their data in the kernelised estimator. Each agent pulls by the
// allocation that is optimal for its own open pairs with its own arms alone. The open tasks share a round's pulls
// equally. The number of pulls follows from the value of the joined allocation for all open pairs, so the guarantee of
// Alg. 1 holds.
func NewCoKernelFCIndAlloc(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	return newElimination(m, opt, joint{separate()})
}

// NewCoKernelFBIndAlloc returns the ablation of Alg. 2 that samples by locally optimal allocations [Du23, App. A,
// CoKernelFB-IndAlloc]. As in Alg. 2, agents share their data in the kernelised estimator and halve the dimension. Each
// agent pulls by the allocation that is optimal for its own candidates' pairs with its own arms alone. The tasks with
// several candidates share a round's pulls equally.
func NewCoKernelFBIndAlloc(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	return newHalving(m, opt, dimension{allocation: separate()})
}

// NewIndRAGE returns RAGE [Fiez19, Alg. 1] run by each agent on its own task at confidence δ/V. All answers are then
// correct together with probability 1 - δ. Each round uses a minimax design over the open pairs, least squares on the
// round's data alone, and elimination by estimated gaps. This is Alg. 1 of the paper for one agent at ξ = 0, ignoring
// the option: RAGE has no regularisation. It has the schedules of CoKernelFC, so the two differ only in the sharing of
// data.
func NewIndRAGE(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	opt.Ridge = engine.Ridge{Kind: engine.RidgeValue}
	return newIndividualFC(m, opt, func() method { return joint{shared()} })
}

// localDesign combines the allocations λ_v that are optimal for each open task alone, with equal shares. Its value is the
// joint objective, the largest ‖y‖²_{A(ξ,λ)⁻¹} over the open pairs of all tasks. The value is exact, so Lower is equal to
// it. The result is cached.
func localDesign(m *model.Model, ridge float64, alive [][]int) design.Design {
	return remembered(m, canon.Key{Kind: canon.KindLocal, Ridge: ridge, Sets: alive}, func() design.Design {
		alone := try.Of(m.TaskModels())
		d := design.Design{Weights: make([]float64, m.Problem.N())}
		open := float64(len(model.Contrasting(alive)))
		for v, set := range alive {
			if len(set) < 2 {
				continue
			}
			lo, _ := m.Problem.ArmsOf(v)
			own := lists.Map(set, func(i int) int { return i - lo })
			part := try.Of(alone[v].Designs().Design(ridge, [][]int{own}))
			for k, w := range part.Weights {
				d.Weights[lo+k] = w / open
			}
		}
		return valued(d, m, m.Space(ridge), alive)
	})
}

// valued returns d with its exact value for the pairs of the candidate sets.
func valued(d design.Design, m *model.Model, s design.Space, alive [][]int) design.Design {
	value, _, err := design.MaxVariance(m.Context(), s, design.Contrasts{Groups: alive}, d.Weights)
	try.To(err)
	d.Value, d.Lower = value, value
	return d
}

// coveredStage returns the stage with the smallest number n·1.25^k of pulls that the rounding covers. This is the maximum
// with τ(ξ, λ, ε) in [Du23, Alg. 1, l. 5], where τ is the verified need of the rounding instead of its worst-case bound.
func coveredStage(a allocator, m *model.Model, ridge float64, alive [][]int, d design.Design, n int) *rounds.Stage {
	for {
		if st, covered := a.stage(m, ridge, alive, d, n); covered {
			return st
		}
		n += max(1, n/4)
	}
}

// NewIndKernelFC returns Alg. 1 run by each agent on its own task at confidence δ/V. All answers are then correct together
// with probability 1 - δ.
func NewIndKernelFC(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	return newIndividualFC(m, opt, func() method { return joint{shared()} })
}

// newIndividualFC runs an elimination method for each agent alone at δ/V. own returns the method of one agent.
func newIndividualFC(m *model.Model, opt model.Terms, own func() method) (engine.Algorithm, error) {
	opt.Delta /= float64(m.Problem.V())
	return individual.New(m, opt, func(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
		return newElimination(m, opt, own())
	})
}

// NewIndKernelFB returns Alg. 2 run by each agent on its own task with its own T pulls.
func NewIndKernelFB(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	return individual.NewFB(m, opt, func(m *model.Model, opt model.Terms) (engine.Algorithm, error) { return NewCoKernelFB(m, opt) })
}

// resolution chooses the ridge of CoKernelFC's rounds with very many arms. ξ of round r is the largest ridge whose bias is
// at most a fraction of the threshold 2^-s. The tuned schedule is valid for any ξ that is fixed before a round's data. The
// first threshold is several noise scales, for which a round needs no more pulls than its rounding. Clearly worse arms are
// then eliminated before the finer rounds, whose dimensions concern only the remaining arms.
type resolution struct {
	first int // s of round 1
}

// biasPart is the largest bias of a round as a fraction of 2^-s, by a rough bound.
const biasPart = 0.5

// newResolution chooses the first step: the smallest s for which RoundSamples gives two pulls for each of 2ρ dimensions.
// For a smaller s, the pulls that the rounding needs would measure more accurately than the step requires.
func newResolution(e *elimination) *resolution {
	_, deltaR := e.own.confidence(e)
	logTerm := math.Log(2 * e.Model.Problem.PairCount() / deltaR)
	perRho := 2 * (1 + engine.RoundingEpsilon) * logTerm
	first := int(math.Ceil(math.Log2(4/perRho) / 2))
	return &resolution{first: min(1, first)}
}

// refine sets ξ for the next round. It returns the round's step; s is the step counted from 1.
func (q *resolution) refine(e *elimination, s int) int {
	s += q.first - 1
	e.ridge = try.Of(e.Model.Designs().Resolving(e.Sets, e.bound.Norm, biasPart*math.Pow(2, -float64(s))))
	return s
}

// designValue returns the value that determines the number of pulls. If a design has too many pairs to check all, this is
// the largest variance that was checked.
func designValue(d design.Design) float64 {
	if d.Reached > 0 {
		return d.Reached
	}
	return d.Value
}

// byValues returns a model with exact features. A model with very many arms is returned unchanged.
func byValues(m *model.Model) (*model.Model, error) {
	if m.Many() {
		return m, nil
	}
	return m.Exact()
}
