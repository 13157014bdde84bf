package engine

import (
	"errors"

	"github.com/gonb-cope/gonb-cope/engine/design"
)

// NewCoKernelFBIndAlloc is the ablation of Alg. 2 that samples by locally optimal
// allocations [Du23, App. A, CoKernelFB-IndAlloc]: agents pool their data in the
// kernelised estimator and halve the dimension as in Alg. 2, but each pulls by the
// allocation that is optimal for its own candidates' pairs under its own arms alone.
// The tasks with several candidates share a round's pulls equally.
func NewCoKernelFBIndAlloc(m *Model, opt Options) (Algorithm, error) {
	return newHalving(m, opt, localDimension{})
}

// localDimension is the halving of Alg. 2 with the allocation of each agent its own.
type localDimension struct{ dimension }

func (localDimension) allocate(m *Model, ridge float64, alive [][]int, n int) (*stage, bool, error) {
	return m.proportionally('L', ridge, alive, n, func() (design.Design, error) { return m.localDesign(ridge, alive) })
}

func (localDimension) theorem() string { return "" }

// proportionally is exactly for an allocation of another origin than line 4 of Alg.
// 1: n pulls in its proportions, with the estimator that they give. kind and alive
// name the allocation in the model's memory.
func (m *Model) proportionally(kind byte, ridge float64, alive [][]int, n int, choose func() (design.Design, error)) (st *stage, covered bool, err error) {
	st, err = m.remember(key(kind, ridge, n, alive), func() (*stage, error) {
		d, err := choose()
		if err != nil {
			return nil, err
		}
		r, err := design.Round(m.Space(ridge), design.Contrasts{Groups: alive}, d.Weights, n, RoundingEpsilon)
		var ratio *design.RatioError
		if err != nil && !errors.As(err, &ratio) {
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
