package bounds

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// anyDesigns sets what designs does, of very many arms by exchange.
func (b *builder) anyDesigns() error {
	if b.model.Many() {
		return b.manyDesigns()
	}
	return b.designs()
}

// manyDesigns sets ρ_1, ρ*(ξ), ω as two ends each, d̃ and the rounds.
func (b *builder) manyDesigns() error {
	m, r := b.model, b.r
	certifier, err := m.Certifier(r.Ridge)
	if err != nil {
		return err
	}
	first, err := certifier.Design(design.Contrasts{Groups: m.Problem.Groups()})
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
	omega, err := certifier.Design(design.Contrasts{Groups: [][]int{all}}) // all of whose pairs within tasks are there already
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

// norm returns the norm of the known means. Of very many arms it may not be known; then 0, with a note.
func (b *builder) norm() (float64, error) {
	norm, err := b.model.Norm()
	if err != nil && b.model.Many() && b.r.DeltaMin > 0 {
		b.note(engine.WarnBoundsNorm, nil)
		return 0, nil
	}
	return norm, err
}

// condition returns both sides of the condition of a theorem on ξ, of very many arms from the values
// that are there.
func (b *builder) condition(mode string, opt engine.Options) (left, right float64, err error) {
	r := b.r
	switch {
	case !b.model.Many():
		return b.model.RidgeCondition(mode, opt, r.Ridge)
	case r.Norm == 0:
		return 0, 0, nil
	case mode == engine.ModeFB:
		return r.Ridge, 1 / math.Pow(4*(1+engine.RoundingEpsilon)*r.RhoStar.Value*r.Norm, 2), nil
	}
	return math.Sqrt(r.Ridge * r.Rho1.Value), b.gap / (32 * (1 + engine.RoundingEpsilon) * r.Norm), nil
}

// anyLowerBound sets what lowerBound does; of very many arms T* as what it is not below.
func (b *builder) anyLowerBound() error {
	m, r := b.model, b.r
	if !m.Many() {
		return b.lowerBound()
	}
	lower, upper, err := m.CharacteristicTime(r.Ridge, b.opt.Epsilon)
	if err != nil {
		return err
	}
	r.CharacteristicTime = lower
	r.LowerBoundSamples = lower * model.Nats(r.Delta) / float64(r.Tasks)
	if upper == 0 {
		return nil
	}
	if upper, err = m.UnsharedHardness(b.opt.Epsilon); err != nil {
		return err
	}
	r.CharacteristicTimeUpper = 2 * upper
	b.note(engine.WarnBoundsTime, nil, r.CharacteristicTime, r.Ridge, r.CharacteristicTimeUpper)
	return nil
}

// ball sets the lower bound for algorithms that use the norm stated.
func (b *builder) ball() error {
	m, r := b.model, b.r
	if b.opt.Norm == 0 {
		return nil
	}
	bound, err := m.NormLowerBound(b.opt.Norm, r.Delta, b.opt.Epsilon)
	if r.LowerBoundSamplesNorm = bound / float64(r.Tasks); bound > 0 {
		b.note(engine.WarnBoundsWithNorm, nil, b.opt.Norm, r.LowerBoundSamplesNorm)
	}
	return err
}

// noteEnds notes a value of which both ends are shown.
func (b *builder) noteEnds(name string, d design.Design) {
	if d.DualityGap() <= 2e-3 {
		return
	}
	if d.Reached > 0 && d.Reached < 0.99*d.Value {
		b.note(engine.WarnBoundsReached, []string{name}, d.Lower, d.Value, d.Reached)
		return
	}
	b.note(engine.WarnBoundsEnds, []string{name}, d.Lower, d.Value)
}
