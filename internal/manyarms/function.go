package manyarms

import (
	"math"
	"math/rand/v2"
)

const (
	inputs = 5 // one feature of tasks and four of arms
	degree = 6 // of the polynomials that make up the function
	seed   = 5 // of the function and of the arms
)

// Norm is ‖f‖ in reward units; a script states Norm/Noise: the root of the number of terms, which is
// what a draw from the Gaussian process with this kernel has in expectation.
const Norm = 21.5

// function is a member of the reproducing kernel Hilbert space of k(x, y) = exp(-‖x - y‖²/2) on
// R⁵. For multi-indices α, the functions
//
//	φ_α(x) = exp(-‖x‖²/2) x^α / √α!
//
// are an orthonormal basis of that space, because Σ_α φ_α(x) φ_α(y) = exp(-‖x‖²/2 - ‖y‖²/2 + xᵀy).
// So f = Σ w_α φ_α has norm ‖w‖₂.
//
//	I. Steinwart, D. Hush, C. Scovel, An explicit description of the reproducing kernel Hilbert
//	spaces of Gaussian RBF kernels, IEEE Transactions on Information Theory 52, 2006, theorem 3.
type function struct {
	powers  [][inputs]int
	weights []float64 // w_α
}

// newFunction draws w from the normal distribution, for all α of |α| ≤ 6, and scales it to Norm.
func newFunction() function {
	var f function
	var alpha [inputs]int
	var fill func(place, left int)
	fill = func(place, left int) {
		if place == inputs {
			f.powers = append(f.powers, alpha)
			return
		}
		for a := 0; a <= left; a++ {
			alpha[place] = a
			fill(place+1, left-a)
		}
		alpha[place] = 0
	}
	fill(0, degree)
	rng := rand.New(rand.NewPCG(seed, 0))
	var squares float64
	for range f.powers {
		w := rng.NormFloat64()
		f.weights = append(f.weights, w)
		squares += w * w
	}
	for k := range f.weights {
		f.weights[k] *= Norm / math.Sqrt(squares)
	}
	return f
}

// at evaluates the function at a point.
func (f function) at(x [inputs]float64) float64 {
	var scaled [inputs][degree + 1]float64 // x_jᵃ / √a!
	var square float64
	for j, v := range x {
		square += v * v
		scaled[j][0] = 1
		for a := 1; a <= degree; a++ {
			scaled[j][a] = scaled[j][a-1] * v / math.Sqrt(float64(a))
		}
	}
	var sum float64
	for k, alpha := range f.powers {
		term := f.weights[k]
		for j, a := range alpha {
			term *= scaled[j][a]
		}
		sum += term
	}
	return math.Exp(-square/2) * sum
}
