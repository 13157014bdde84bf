package design

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// MaxVariance returns the objective of Minimax at given weights λ ≥ 0, which need
// not sum to one,
//
//	max_p ‖y_p‖²_{A(ξ,λ)⁻¹},
//
// and a contrast that attains it. At ξ = 0 only arms with positive weight measure
// anything: a contrast outside their span is ErrUnestimable with value +Inf.
// Without contrasts the value is 0. A negative or infinite weight is an error
// that names the arm; a wrong number of weights panics. The end of the context is its error.
func MaxVariance(ctx context.Context, s Space, c Contrasts, weights []float64) (value float64, at Pair, err error) {
	defer caught(&err)
	return maxVariance(stopper{ctx}, s, c, weights)
}

func maxVariance(stop stopper, s Space, c Contrasts, weights []float64) (value float64, at Pair, err error) {
	p, err := weighted(stop, s, c, weights)
	if err != nil {
		return math.Inf(1), Pair{}, err
	}
	return p.variance(weights)
}

// variance returns MaxVariance for weights on the arms that span p.
func (p *problem) variance(weights []float64) (value float64, at Pair, err error) {
	n, r := p.phi.Rows, p.phi.Cols
	if r == 0 {
		return 0, Pair{}, nil
	}
	v := reshape(blas64.General{}, n, r)
	l := reshape(blas64.General{}, r, r)
	if !information(p.stop, p.phi, p.root, weights, p.ridge, v, l) {
		return math.Inf(1), Pair{}, ErrUnestimable
	}
	whiten(p.stop, p.phi, l, v)
	value, at = newScan(n).run(p, v, 0, 0)
	return max(value, 0), at, nil
}

// CountsVariance returns MaxVariance after whole numbers of pulls, n in total: the largest variance
// in units of the noise of one pull,
//
//	max_p ‖y_p‖²_{(nξI + Σ_i counts_i φ_i φ_iᵀ/σ_i²)⁻¹}   [Du23, App. "Rounding Procedure"].
func CountsVariance(s Space, c Contrasts, counts []int) (value float64, at Pair, err error) {
	total := 0.0
	for i, k := range counts {
		if k < 0 {
			return math.Inf(1), Pair{}, fmt.Errorf("design: arm %d: a count must not be negative, but is %d", i, k)
		}
		total += float64(k)
	}
	if total == 0 {
		return math.Inf(1), Pair{}, ErrUnestimable
	}
	weights := make([]float64, len(counts))
	for i, k := range counts {
		weights[i] = float64(k) / total
	}
	value, at, err = MaxVariance(context.Background(), s, c, weights)
	return value / total, at, err
}

// weighted checks the weights and reduces the problem to what they measure.
func weighted(stop stopper, s Space, c Contrasts, weights []float64) (*problem, error) {
	if err := checkWeights(s, weights); err != nil {
		return nil, err
	}
	importance := make([]float64, len(weights))
	for i, w := range weights {
		importance[i] = w
		if s.Precision != nil {
			importance[i] *= s.Precision[i]
		}
	}
	return newProblem(stop, s, c, importance)
}

func checkWeights(s Space, weights []float64) error {
	if n, _ := s.Features.Dims(); len(weights) != n {
		panic("design: one weight per arm is needed")
	}
	for i, w := range weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return fmt.Errorf("design: arm %d: the weight must be finite and not negative, but is %v", i, w)
		}
	}
	return nil
}
