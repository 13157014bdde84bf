package bounds

import (
	"fmt"
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/elimination"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// mostMisfitRounds is the largest number of rounds of the bound. Gaps left after them are below 2⁻⁴⁰ noise scales plus the
// bias.
const mostMisfitRounds = 40

// Misfit has an upper bound on the samples if rewards differ from the kernel's space by at most η, after Camilleri,
// Katz-Samuels and Jamieson (2021).
type Misfit struct {
	Stated float64 `json:"stated"` // η, reward units
	// samples per agent of an elimination in phases by least squares; 0 if the bias prevents a decision
	Samples float64 `json:"samples"`
	Floor   float64 `json:"floor"`  // reward units: smaller gaps may remain undecided
	Rounds  int     `json:"rounds"` // number of rounds after which all tasks are decided
}

// MisfitOf returns the bound on samples for the stated misfit, which may be 0. It returns an error if the expected rewards are
// unknown.
func MisfitOf(m *model.Model, opt engine.Options) (Misfit, error) {
	terms, err := m.Terms(engine.ModeFC, opt)
	if err != nil {
		return Misfit{}, fmt.Errorf("bounds: %w", err)
	}
	return misspecified(m, terms)
}

// misfit sets the bound for the stated misfit, unless there are very many arms.
func (b *builder) misfit() error {
	if b.opt.Misfit == 0 || b.model.Many() {
		return nil
	}
	bound, err := misspecified(b.model, b.opt)
	b.r.Misfit = &bound
	return err
}

// misspecified returns the bound of docs/theory/misfit.md, "Upper bound". Round r has a design for the arms S_r that
// may remain, at ξ = 0 with value ρ_r. It makes
//
//	N_r = 32·4^r (1+ε)² ρ_r log(2n²V/δ_r) pulls,  δ_r = δ/(2r²).
//
// It removes an arm whose estimate is below another by 2^{-r}/2 + B_r, where
//
//	B_r = η (2 + √(2(1+ε) ρ_r max 1/σ²))
//
// is a bound on the bias of an estimated gap. The remaining arms have gaps below 2^{-r} + 2B_r. Options.Epsilon
// replaces smaller gaps. If tasks are undecided after mostMisfitRounds rounds, Samples and Rounds are 0.
func misspecified(m *model.Model, opt model.Terms) (out Misfit, err error) {
	defer try.Caught(&err)
	out.Stated = opt.Misfit * m.Unit
	m = try.Of(m.Exact())
	best := try.Of(m.Truth().Best())
	p := m.Problem
	gap := math.Max(try.Of(m.Truth().DeltaMin()), opt.Epsilon)
	precision := 0.0
	for _, x := range m.Precision {
		precision = max(precision, x)
	}
	lead := func(i int) float64 { return (p.Mean[best[p.TaskOf[i]]] - p.Mean[i]) / m.Unit }
	left := p.Groups()
	samples, floor := 0.0, math.Inf(1)
	for r := 1; r <= mostMisfitRounds; r++ {
		d, err := m.Designs().Design(0, left)
		if err != nil {
			return out, fmt.Errorf("misfit: %w", err)
		}
		bias := opt.Misfit * (2 + math.Sqrt(2*(1+engine.RoundingEpsilon)*d.Value*precision))
		logTerm := math.Log(4 * p.PairCount() * float64(r*r) / opt.Delta)
		tau := float64(design.Samples(d.Weights, engine.RoundingEpsilon))
		samples += math.Max(elimination.RoundSamples(engine.SchedulePaper, r, d.Value, logTerm), tau)
		floor = math.Min(floor, 2*bias)
		out.Floor = floor * m.Unit
		most := math.Exp2(-float64(r)) + 2*bias
		if most <= gap {
			out.Samples, out.Rounds = samples/float64(p.V()), r
			return out, nil
		}
		for v, group := range left {
			kept := indices.Where(len(group), func(k int) bool { return group[k] == best[v] || lead(group[k]) < most })
			left[v] = indices.Of(group, kept)
		}
	}
	return out, nil
}
