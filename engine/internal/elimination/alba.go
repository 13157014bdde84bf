package elimination

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// NewIndALBA returns ALBA [Tao18] run by each agent on its own task at confidence δ/V. Let d be the rank of the arms'
// span. Phase q = 0, 1, … eliminates arms until at most ⌊d/2^q⌋ remain (ElimTil_p). Each phase counts its rounds s = 1,
// 2, … from 1. A round samples the remaining arms by their G-optimal allocation, which minimises the largest variance
// of an arm's own estimate. It estimates by least squares (ξ = 0, ignoring the option) from its own data alone, and
// eliminates every arm that another beats.
//
// The schedules are those of CoKernelFC with 4g instead of ρ, where g is the value of the G-optimal design. The
// variance of a pair's gap is at most four times the larger variance of its arms. The error probability is divided as
// δ_q = 6δ/(π²(q+1)²) and δ_{q,s} = 6δ_q/(π²s²).
func NewIndALBA(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	opt.Ridge = engine.Ridge{Kind: engine.RidgeValue}
	return newIndividualFC(m, opt, func() method { return &alba{allocation: gOptimal()} })
}

// alba is the method of IndALBA, for a model of one task.
type alba struct {
	allocation
	phase int // q
	step  int // s, counted from 1 in each phase
}

// target returns the number of arms with which phase q ends: ⌊d/2^q⌋, at least 1.
func (a *alba) target(e *elimination) int { return max(1, e.Model.Rank()>>a.phase) }

// confidence returns the step of the next round and its error probability. It first skips phases whose target is already
// reached.
func (a *alba) confidence(e *elimination) (s int, deltaR float64) {
	for a.target(e) > 1 && e.Alive() <= a.target(e) {
		a.phase, a.step = a.phase+1, 0
	}
	a.step++
	return a.step, e.opt.Delta * basel(a.phase+1) * basel(a.step)
}

// basel returns 6/(π²k²). The sum over k = 1, 2, … is 1.
func basel(k int) float64 { return 6 / (math.Pi * math.Pi * float64(k) * float64(k)) }

func (*alba) cut(e *elimination, v int) { e.eliminate(v) }

// gOptimal returns the G-optimal allocation, which IndALBA uses.
func gOptimal() allocation { return allocation{canon.KindArms, armDesign} }

// armDesign returns the G-optimal allocation of the candidates of a model with one task. Its value is 4 max ‖φ_i‖²_{A⁻¹},
// which bounds ‖φ_i - φ_j‖²_{A⁻¹} for all pairs. With ξ = 0 and equal noise, the maximum is the rank of the set [Kiefer
// and Wolfowitz 1960]. The result is cached.
func armDesign(m *model.Model, ridge float64, alive [][]int) design.Design {
	set := alive[0]
	return remembered(m, canon.Key{Kind: canon.KindArms, Ridge: ridge, Sets: alive}, func() design.Design {
		_, dim := m.Features.Dims()
		// The norm of an arm is the norm of its contrast with a row of zeros, which cannot be pulled.
		space := design.Space{Features: mat.NewDense(len(set)+1, dim, nil), Precision: make([]float64, len(set)+1), Ridge: m.Normalised(ridge)}
		var pairs []design.Pair
		for k, i := range set {
			space.Features.SetRow(k, m.Features.RawRowView(i))
			space.Precision[k] = m.Precision[i]
			pairs = append(pairs, design.Pair{I: k, J: len(set), Weight: 1})
		}
		d := try.Of(design.Minimax(space, design.Contrasts{Pairs: pairs}, m.Solver(model.DesignTolerance(len(set)))))
		out := design.Design{Value: 4 * d.Value, Lower: 4 * d.Lower, Weights: indices.Spread(m.Problem.N(), d.Weights, set), Status: d.Status,
			Iterations: d.Iterations}
		return out
	})
}

// NewIndPolyALBA returns PolyALBA [Du21] run by each agent on its own task at confidence δ/V. Let d be the rank of the
// arms' span. A first epoch searches for the d best arms. Its rounds s = 1, 2, … use one static allocation over all
// arms. They eliminate nothing until the best estimate exceeds every arm outside the d best ones by the threshold; then
// the d best arms remain. The phases q = 1, 2, … of ALBA follow. A task with at most d arms begins with these phases.
//
// The paper treats sets of arms that are too large to list. Here arms can be listed, and the static allocation is the
// G-optimal one over all of them. Schedules, least squares and parts of δ are as in IndALBA.
func NewIndPolyALBA(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	opt.Ridge = engine.Ridge{Kind: engine.RidgeValue}
	return newIndividualFC(m, opt, func() method { return &polyALBA{alba{allocation: gOptimal()}} })
}

// polyALBA is ALBA with another elimination rule in phase 0.
type polyALBA struct{ alba }

func (a *polyALBA) cut(e *elimination, v int) {
	if a.phase > 0 {
		e.eliminate(v)
		return
	}
	ranked := slices.Clone(e.Sets[v])
	slices.SortStableFunc(ranked, func(i, j int) int { return cmp.Compare(e.estimates[j], e.estimates[i]) })
	first, d := ranked[0], a.target(e)
	for _, i := range ranked[d:] {
		if gap := e.estimates[first] - e.estimates[i]; gap < e.width(i, first) {
			return // not separated yet
		}
	}
	for _, i := range ranked[d:] {
		e.Drop(e.round, i, first, e.estimates[first]-e.estimates[i], e.width(i, first), e.rule())
	}
	e.Sets[v] = ranked[:d]
	slices.Sort(e.Sets[v])
}
