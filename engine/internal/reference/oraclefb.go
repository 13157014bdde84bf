package reference

import (
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// NewOracleFB spends the whole budget, that of all agents together, in one round in
// the proportions of T* (Model.Confirmation at ξ = 0), the best for a large budget
// when the rewards are known, and answers with the largest kernelised estimate. It
// knows θ* and is a reference for what a budget can do, not a competitor.
func NewOracleFB(m *model.Model, opt engine.Options) (engine.Algorithm, error) {
	opt, err := opt.Checked(engine.ModeFB)
	if err != nil {
		return nil, err
	}
	if rival, tied := m.Ties(); tied && opt.Epsilon == 0 {
		return nil, fmt.Errorf("%w: it samples in proportions that follow from the true gaps, and %s ties for best", engine.ErrUnsuited,
			m.Problem.Where(rival))
	}
	d, err := m.Confirmation(0, opt.Epsilon)
	if err != nil {
		return nil, fmt.Errorf("%w: it samples in proportions that follow from the true gaps: %w", engine.ErrUnsuited, err)
	}
	contrasts, err := m.Rivals(opt.Epsilon)
	if err != nil {
		return nil, err
	}
	n := opt.Budget * m.Problem.V()
	r, err := model.Remembered(m, canon.Key{Kind: canon.KindOracleRounding, Level: opt.Epsilon, Pulls: n}, func() (design.Rounding, error) {
		r, _, err := m.Round(0, contrasts, d.Weights, n)
		return r, err
	})
	if err != nil {
		return nil, err
	}
	return newOneRound(m, opt, canon.KindOracleEstimate, r.Counts)
}
