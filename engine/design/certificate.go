package design

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// bound keeps the best certified bounds seen in a solve, each with the point
// that proves it: the two need not come from the same iterate.
type bound struct {
	value  float64   // smallest objective over all contrasts
	lambda []float64 // where, one per arm of the space

	lower float64 // largest lower bound
	dual  Certificate
}

func newBound(n int) *bound {
	return &bound{value: math.Inf(1), lambda: make([]float64, n), dual: Certificate{Weights: make([]float64, n)}}
}

// gap returns the relative duality gap certified so far.
func (b *bound) gap() float64 {
	if b.lower <= 0 {
		return math.Inf(1)
	}
	return max(b.value/b.lower-1, 0)
}

// lowerBound returns the dual bound at (λ, u): for every λ' on the simplex and every number a,
// ‖y‖²_{A(λ')⁻¹} ≥ 2a yᵀA⁻¹y - a² yᵀA⁻¹ A(λ') A⁻¹ y. Summed with u_p, minimised over λ' and
// maximised over a,
//
//	min_λ' max_p ‖y_p‖²_{A(λ')⁻¹} ≥ f² / (f - λ·g + G),
//
// with f = Σ u_p h_p, g_i = Σ_p u_p (φ_iᵀA⁻¹y_p)²/σ_i² and G = max g_i over all
// arms. Dual weights that sum to total instead of 1 scale f, λ·g and G alike.
func lowerBound(f, lambdaG, top, total float64) float64 {
	// f - λ·g = ξ Σ u_p ‖A⁻¹y_p‖² cannot be negative.
	return f / total * f / (max(f-lambdaG, 0) + top)
}

// pull computes how much each arm would help, g_i = ρ_i v_iᵀ M v_i with M = Σ u_p y_p y_pᵀ (all
// whitened) and ρ_i = 1/σ_i², leaving V M in vm.
func pull(stop stopper, v, m blas64.General, root []float64, vm blas64.General, g []float64) {
	multiply(stop, blas.NoTrans, 1, v, m, 0, vm)
	for i := range g {
		g[i] = dot(row(vm, i), row(v, i))
		if root != nil {
			g[i] *= root[i] * root[i]
		}
	}
}

// moment sets m = Σ_p u_p y_p y_pᵀ for the rows of y, with scaled as workspace.
func moment(stop stopper, y blas64.General, u []float64, scaled, m blas64.General) {
	for k, w := range u {
		f := math.Sqrt(w)
		to := row(scaled, k)
		for i, x := range row(y, k) {
			to[i] = f * x
		}
	}
	addOuter(stop, scaled, m)
	mirror(m)
}
