package engine

import (
	"errors"

	"github.com/gonb-cope/gonb-cope/engine/design"
)

// stage is what one round of sampling is decided by before its data: the
// design, the rounded counts, and the estimator they give.
type stage struct {
	design   design.Design
	rounding design.Rounding
	estimate *Estimator
}

// round is ROUND to n pulls for the contrasts. When n pulls are too few for the ratio
// 2(1+ε), covered is false and the rounding is the best that was found.
func (m *Model) round(ridge float64, c design.Contrasts, weights []float64, n int) (r design.Rounding, covered bool, err error) {
	r, err = design.Round(m.context(), m.Space(ridge), c, weights, n, RoundingEpsilon)
	var ratio *design.RatioError
	if errors.As(err, &ratio) {
		err = nil
	}
	return r, r.Ratio <= 2*(1+RoundingEpsilon), err
}

// exactly rounds an allocation to n pulls and factors the estimator of those counts.
// covered is that of round.
func (m *Model) exactly(a allocation, ridge float64, alive [][]int, n int) (st *stage, covered bool, err error) {
	st, err = remembered(m, key{kind: kindStage, from: a.kind, ridge: ridge, pulls: n, sets: contrasting(alive)}, func() (*stage, error) {
		d, err := a.choose(m, ridge, alive)
		if err != nil {
			return nil, err
		}
		r, _, err := m.round(ridge, design.Contrasts{Groups: alive}, d.Weights, n)
		if err != nil {
			return nil, err
		}
		e, err := NewEstimator(m, ridge, r.Counts)
		return &stage{design: d, rounding: r, estimate: e}, err
	})
	if err != nil {
		return nil, false, err
	}
	return st, st.rounding.Ratio <= 2*(1+RoundingEpsilon), nil
}

// atLeast is exactly for the smallest n·1.25^k pulls that the rounding covers:
// the maximum with τ(ξ, λ, ε) in [Du23, Alg. 1, l. 5], where τ is what the
// rounding is verified to need instead of its worst-case bound.
func (m *Model) atLeast(a allocation, ridge float64, alive [][]int, n int) (*stage, error) {
	for {
		st, covered, err := m.exactly(a, ridge, alive, n)
		if err != nil || covered {
			return st, err
		}
		n += max(1, n/4)
	}
}

// plan returns the stage as the plan of a round; without a stage it has no counts.
func (st *stage) plan(round int) Plan {
	if st == nil {
		return Plan{}
	}
	return Plan{
		Round: round, Counts: st.rounding.Counts, Rho: st.design.Value, RhoLower: st.design.Lower,
		Rounding: st.rounding.Ratio, Digest: digest(round, st.rounding.Counts),
	}
}
