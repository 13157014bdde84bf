package sequential

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Mixture returns heights z_k, one per time, that hold for every sum S of martingale
// differences that are sub-Gaussian on the clock, E exp(h dS | past) ≤ exp(h² dT/2):
//
//	P(S(T_k) ≥ z_k √T_k at some k) ≤ alpha,
//
// whether all times are looked at or some. [Constant] is lower, and holds for normal increments
// only.
//
// The mean of exp(hS - h²T/2) over finitely many h > 0 is then a supermartingale that begins at 1
// [Robbins70], and z_k is where it reaches 1/alpha [Ville39], rounded up to a millionth. There is
// one h for every time, the one for which a sum at about z_k √T_k counts most. alpha must lie in
// [1e-12, 1/2]; errors are as for [Crossing].
func Mixture(alpha float64, times []float64) ([]float64, error) {
	if !(alpha >= 1e-12 && alpha <= 0.5) {
		return nil, fmt.Errorf("boundary: the error probability must lie between 1e-12 and 0.5, got %g", alpha)
	}
	if err := check(times); err != nil {
		return nil, err
	}
	heights := make([]float64, len(times))
	// Any centre is valid; the height in the middle of the clock is the best one.
	centre := math.Sqrt(2 * math.Log(1/alpha))
	for range 4 {
		m := mixture{centre: centre, times: times, exponents: make([]float64, len(times))}
		for k := range times {
			heights[k] = m.height(k, math.Log(1/alpha))
		}
		centre = heights[len(heights)/2]
	}
	return heights, nil
}

// mixture is Σ_j exp(h_j S - h_j² T/2)/K with h_j = centre/√T_j.
type mixture struct {
	centre    float64
	times     []float64
	exponents []float64 // scratch
}

// logarithm returns the logarithm of the mixture at S = z √T_k.
func (m *mixture) logarithm(k int, z float64) float64 {
	for j, t := range m.times {
		h := m.centre * math.Sqrt(m.times[k]/t)
		m.exponents[j] = h*z - h*h/2
	}
	return floats.LogSumExp(m.exponents) - math.Log(float64(len(m.times)))
}

// height returns the z at which the mixture reaches its target at look k, by bisection: it rises
// with z.
func (m *mixture) height(k int, target float64) float64 {
	lo, hi := 0.0, 2*m.centre
	for m.logarithm(k, hi) < target {
		hi *= 2
	}
	for hi-lo > resolution/4 {
		if mid := (lo + hi) / 2; m.logarithm(k, mid) < target {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Ceil(hi/resolution) * resolution
}
