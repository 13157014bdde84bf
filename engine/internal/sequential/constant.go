package sequential

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// resolution is the grid on which Constant rounds up. It raises z² by less than one
// part in a million, and samples with it.
const resolution = 1e-6

// Constant returns the smallest z on a grid of a millionth with
//
//	P(B(T) ≥ z √T at one of the times) ≤ alpha,
//
// the bound on the numerical error of this probability included: the constant of [Pocock77] for any
// clock. It takes some milliseconds for 60 looks. alpha must lie in [1e-12, 1/2]; errors are as for
// [Crossing].
func Constant(alpha float64, times []float64) (_ float64, err error) {
	defer try.Caught(&err)
	if !(alpha >= 1e-12 && alpha <= 0.5) {
		return 0, fmt.Errorf("boundary: the error probability must lie between 1e-12 and 0.5, got %g", alpha)
	}
	excess := func(z float64) float64 {
		p, slack, err := Crossing(z, times)
		try.To(err)
		return math.Log((p + slack) / alpha)
	}
	// The looks cross as often as e^h that know nothing of each other. One alone needs lo, all of them need hi at most. h is
	// nearly linear in z and changes slowly, so that a secant through it finds z in a few steps.
	lo, hi := quantile(alpha), quantile(alpha/float64(max(len(times), 1)))+resolution
	z, last, before, slope := hi, hi, 0., 0.
	for step := math.Inf(1); step > 100*resolution; step = math.Abs(z - last) {
		h := excess(z) + math.Log(alpha/above(z))
		if z != last {
			slope = (h - before) / (z - last)
		}
		last, before = z, h
		for range 20 {
			z = min(max(quantile(alpha/math.Exp(max(h+slope*(z-last), 0))), lo), hi)
		}
	}
	z = math.Floor(z/resolution) * resolution
	for excess(z) <= 0 {
		z -= resolution
	}
	for z += resolution; excess(z) > 0; z += resolution {
	}
	return z, nil
}

// Heights returns z_k, one per time, such that a Brownian motion B has B(T_k) ≥ z_k √T_k at some k with probability at
// most alpha, by the union bound: looks from late on share that part of alpha, the others have the rest, each by its
// [Constant], and no height falls. 0 < late < len(times); errors are as for Constant.
func Heights(alpha float64, times []float64, late int, share float64) ([]float64, error) {
	z, err := Constant((1-share)*alpha, times[:late])
	if err != nil {
		return nil, err
	}
	after, err := Constant(share*alpha, times[late:])
	return append(slices.Repeat([]float64{z}, late), slices.Repeat([]float64{max(z, after)}, len(times)-late)...), err
}

// quantile returns z with P(ξ ≥ z) = alpha for a standard normal ξ.
func quantile(alpha float64) float64 { return -mathext.NormalQuantile(alpha) }

// Mixture returns heights z_k, one per time, that hold for every sum S of martingale
// differences that are sub-Gaussian on the clock, E exp(h dS | past) ≤ exp(h² dT/2):
//
//	P(S(T_k) ≥ z_k √T_k at some k) ≤ alpha,
//
// whether all times are looked at or some. [Constant] is lower, and holds for normal increments
// only.
//
// The mean of exp(hS - h²T/2) over finitely many h > 0 is then a supermartingale that begins at 1
// [Robbins70], and z_k is the value at which it reaches 1/alpha [Ville39], rounded up to a millionth. There is one h for every one
// of the first times, up to a horizon, the one for which a sum at about z_k √T_k counts most. alpha must lie in [1e-12, 1/2]; 0 <
// horizon ≤ len(times); errors are as for [Crossing].
func Mixture(alpha float64, times []float64, horizon int) ([]float64, error) {
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
		m := mixture{centre: centre, times: times[:horizon], exponents: make([]float64, horizon)}
		for k, at := range times {
			heights[k] = m.height(at, math.Log(1/alpha))
		}
		centre = heights[horizon/2]
	}
	return heights, nil
}

// mixture is Σ_j exp(h_j S - h_j² T/2)/K with h_j = centre/√T_j.
type mixture struct {
	centre    float64
	times     []float64
	exponents []float64 // scratch
}

// logarithm returns the logarithm of the mixture at S = z √T.
func (m *mixture) logarithm(at, z float64) float64 {
	for j, t := range m.times {
		h := m.centre * math.Sqrt(at/t)
		m.exponents[j] = h*z - h*h/2
	}
	return floats.LogSumExp(m.exponents) - math.Log(float64(len(m.times)))
}

// height returns the z at which the mixture reaches its target at a time, by bisection: it rises
// with z.
func (m *mixture) height(at, target float64) float64 {
	lo, hi := 0.0, 2*m.centre
	for m.logarithm(at, hi) < target {
		hi *= 2
	}
	for hi-lo > resolution/4 {
		if mid := (lo + hi) / 2; m.logarithm(at, mid) < target {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Ceil(hi/resolution) * resolution
}

// A Score is the evidence of a round's own data on a gap μ_opponent - μ_x, as a number whose law is
// known when the gap is: Z of docs/theory/test.md.
type Score struct {
	Gap float64 // the estimate, less the bound on its bias, normalised
	// standard error of Gap, normalised; estimated from the round if scales are unknown
	Sd      float64
	Freedom float64 // degrees of freedom of Sd; +Inf if scales are known
	Student bool    // whether (estimate - gap)/sd has Student's law, and not only tails that are no larger
	// for a bet with stakes, by stake: the logarithm of the factor by which the capital changes, and the increase of
	// this logarithm per unit of loss
	Capital, Slope []float64
	Most           float64 // largest loss for which Slope is valid; 0 if it is valid for every loss
}

// Z returns Z if the opponent were that loss ≥ 0 below x. It rises with the loss, and at the opponent's
// loss no probability P(Z ≥ u) is above the standard normal law's; with known scales it is
// N(0, 1), or as sub-Gaussian as that.
func (s Score) Z(loss float64) float64 {
	t := (s.Gap + loss) / s.Sd
	if t <= 0 && !s.Student || math.IsInf(s.Freedom, 1) {
		return t
	}
	// The normal quantile of Student's law. It is nearer to 0 than t.
	off := math.Abs(t)
	tail := distuv.StudentsT{Sigma: 1, Nu: min(s.Freedom, mostFreedom)}.Survival(off)
	return math.Copysign(min(-mathext.NormalQuantile(tail), largestScore, off), t)
}

// mostFreedom is the most degrees of freedom that are counted: with more, the incomplete beta
// function loses the digits in which Student's law differs from the normal one, and with fewer Z is
// lower.
const mostFreedom = 1e6

// largestScore bounds Z where tails vanish in double precision.
const largestScore = 37
