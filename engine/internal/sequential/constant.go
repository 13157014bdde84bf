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

// resolution is the grid to which Constant rounds up. Rounding increases z², and with it the samples, by less than one
// part in a million.
const resolution = 1e-6

// Constant returns the smallest z on a grid of a millionth with
//
//	P(B(T) ≥ z √T at one of the times) ≤ alpha,
//
// where the probability includes the bound on its numerical error. This is the constant of [Pocock77] for any clock.
// Clocks with 60 looks need some milliseconds. alpha must lie in [1e-12, 1/2]; errors are as for [Crossing].
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
	// Let the looks cross as often as e^h independent looks. A single look would need z = lo; all looks together need at
	// most hi. h is nearly linear in z and changes slowly, so the secant method finds z in a few steps.
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

// Heights returns z_k, one per time, such that a Brownian motion B reaches B(T_k) ≥ z_k √T_k at some k with probability
// at most alpha. Looks with index late or higher share the fraction given by share of alpha, and the earlier looks the
// rest. Each of the two parts has a constant height, see [Constant], and the later height is never lower. It requires 0
// < late < len(times). Errors are as for Constant.
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

// Mixture returns heights z_k, one per time, for sums S of martingale differences that are sub-Gaussian on the clock, E
// exp(h dS | past) ≤ exp(h² dT/2). Every such sum satisfies
//
//	P(S(T_k) ≥ z_k √T_k at some k) ≤ alpha,
//
// for all of the times or for any subset. [Constant] is lower, and holds only for normal increments.
//
// The mean of exp(hS - h²T/2) over finitely many h > 0 is a supermartingale that begins at 1 [Robbins70]. z_k is the
// value at which it reaches 1/alpha [Ville39], rounded up to a millionth. There is one h for each of the first horizon
// times: the h that contributes most for a sum of about z_k √T_k. alpha must lie in [1e-12, 1/2]; 0 < horizon ≤
// len(times); errors are as for [Crossing].
func Mixture(alpha float64, times []float64, horizon int) ([]float64, error) {
	if !(alpha >= 1e-12 && alpha <= 0.5) {
		return nil, fmt.Errorf("boundary: the error probability must lie between 1e-12 and 0.5, got %g", alpha)
	}
	if err := check(times); err != nil {
		return nil, err
	}
	heights := make([]float64, len(times))
	// Any centre is valid; the height in the middle of the clock gives the lowest heights.
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

// height returns the z at which the logarithm of the mixture at a time reaches target, by bisection.
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

// A Score is the evidence of a round's own data on a gap μ_opponent - μ_x. Its method Z returns a number with a known
// distribution if the gap is known: Z of docs/theory/test.md.
type Score struct {
	Gap float64 // estimate of the gap minus the bound on its bias, normalised
	// standard error of Gap, normalised; estimated from the round's data if scales are unknown
	Sd      float64
	Freedom float64 // degrees of freedom of Sd; +Inf if scales are known
	Student bool    // (estimate - gap)/Sd has Student's distribution; if false, its tails are at most as heavy
	// for a bet with stakes, per stake: the log factor by which the capital changes, and the increase of this logarithm
	// per unit of loss
	Capital, Slope []float64
	Most           float64 // largest loss for which Slope is valid; 0 if it is valid for every loss
}

// Z returns the test statistic Z if the opponent is below x by loss ≥ 0. Z increases with loss. At the opponent's true
// loss, P(Z ≥ u) is at most that of a standard normal variable for every u. With known scales Z is N(0, 1), or
// sub-Gaussian with the same bound.
func (s Score) Z(loss float64) float64 {
	t := (s.Gap + loss) / s.Sd
	if t <= 0 && (!s.Student || s.Freedom > mostFreedom) || math.IsInf(s.Freedom, 1) {
		return t
	}
	// the normal quantile of Student's tail probability, which is nearer to 0 than t
	off := math.Abs(t)
	tail := distuv.StudentsT{Sigma: 1, Nu: min(s.Freedom, mostFreedom)}.Survival(off)
	return math.Copysign(min(-mathext.NormalQuantile(tail), largestScore, off), t)
}

// mostFreedom is the largest number of degrees of freedom that Z uses. With more, the incomplete beta function is too
// inaccurate to distinguish Student's from the normal distribution. Fewer degrees of freedom make Z smaller if t > 0. If
// t ≤ 0, Z is then t, which is smaller, too.
const mostFreedom = 1e6

// largestScore bounds Z where tail probabilities underflow.
const largestScore = 37
