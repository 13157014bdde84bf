package engine

import (
	"errors"

	"github.com/gonb-cope/gonb-cope/engine/design"
)

// allocated is atLeast for an allocation of another origin than line 4 of Alg. 1:
// n pulls in its proportions, or as many more as the rounding needs to serve the
// pairs of alive at the ratio 2(1+ε), with the estimator that they give. kind and
// alive name the allocation in the model's memory.
func (m *Model) allocated(kind byte, ridge float64, alive [][]int, d design.Design, n int) (*stage, error) {
	for {
		st, err := m.remember(key(kind, ridge, n, alive), func() (*stage, error) {
			r, err := design.Round(m.Space(ridge), design.Contrasts{Groups: alive}, d.Weights, n, RoundingEpsilon)
			var ratio *design.RatioError
			if err != nil && !errors.As(err, &ratio) {
				return nil, err
			}
			e, err := NewEstimator(m, ridge, r.Counts)
			return &stage{design: d, rounding: r, estimate: e}, err
		})
		if err != nil || st.rounding.Ratio <= 2*(1+RoundingEpsilon) {
			return st, err
		}
		n += max(1, n/4)
	}
}
