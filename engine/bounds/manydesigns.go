package bounds

import (
	"fmt"
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
)

// anyDesigns sets what designs does, of very many arms on pivots.
func (b *builder) anyDesigns() error {
	if b.model.Many() {
		return b.manyDesigns()
	}
	return b.designs()
}

// manyDesigns sets ρ_1, ρ*(ξ), ω as two ends each, d̃ and the rounds.
func (b *builder) manyDesigns() error {
	m, r := b.model, b.r
	if b.opt.Ridge.Kind == engine.RidgeAuto {
		r.Notes = append(r.Notes, fmt.Sprintf("xi = %.3g is the smallest at which 256 of the arms represent all others to a tenth of it; the theorems ask for one so small that thousands of directions would have to be told apart", r.Ridge))
	}
	first, err := m.Certified(r.Ridge, design.Contrasts{Groups: m.Problem.Groups()}, 0)
	if err != nil {
		return err
	}
	r.Rho1 = Certified{first.Value, first.Lower}
	if r.RoundingDimension, err = m.EffectiveRank(r.Ridge, first.Weights); err != nil {
		return err
	}
	b.tau = float64(design.SamplesOf(first.Weights, engine.RoundingEpsilon))
	star, err := m.Hardness(r.Ridge, b.opt.Epsilon)
	if err != nil {
		return err
	}
	r.RhoStar = Certified{star.Value, star.Lower}
	all := make([]int, m.Problem.N())
	for i := range all {
		all[i] = i
	}
	omega, err := m.Certified(r.Ridge, design.Contrasts{Groups: [][]int{all}}, 0)
	if err != nil {
		return err
	}
	r.Omega = Certified{omega.Value, omega.Lower}
	b.noteEnds("rho_1", first)
	b.noteEnds("rho_star", star)
	b.noteEnds("omega", omega)
	r.RoundsFC = max(1, int(math.Ceil(math.Log2(2/b.gap)-1e-9))+1)
	r.RoundsFB = max(1, int(math.Ceil(math.Log2(r.Omega.Value)-1e-9))) // R of Alg. 2, or more than it
	return nil
}

// noteEnds notes a value of which both ends are shown.
func (b *builder) noteEnds(name string, d design.Design) {
	if d.DualityGap() <= 2e-3 {
		return
	}
	note := fmt.Sprintf("%s lies between %.6g and %.6g", name, d.Lower, d.Value)
	if d.Reached > 0 && d.Reached < 0.99*d.Value {
		note += fmt.Sprintf("; the pairs that were looked at, which are not all, reach %.6g", d.Reached)
	}
	b.r.Notes = append(b.r.Notes, note)
}
