package model

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// scaling searches for the scale of the kernel. natural is the scale that leaves the kernel unchanged, and is the result
// if the data have no information on the scale.
type scaling struct {
	natural float64
	near    float64 // result of the last search, where the next one starts; 0 before the first
}

// Range and steps of the search. Scales range from scaleLeast to scaleMost·(1 + sum of squares of the data), both divided
// by the largest eigenvalue. scaleStep is the step of the grid, and scaleTolerance the accuracy, both of log s.
const (
	scaleLeast     = 1e-3
	scaleMost      = 1e8
	scaleStep      = 0.25
	scaleTolerance = 1e-6
)

// coarseSteps is the first step of the search, in grid steps. It may be large because a deviance varies slowly, over units
// of log s.
const coarseSteps = 4

// least returns the scale of smallest deviance: the best of a grid, refined. The grid reaches from scales at which noise
// hides any signal to scales at which the prior has no influence. largest is the largest eigenvalue of the information
// matrix, or an upper bound, and squares the sum of squares of the data. If near is above 0, the search starts there and
// returns the local minimum. It returns an error if the deviance is not finite.
func (s *scaling) least(largest, squares float64, deviance func(scale float64) float64) (float64, error) {
	if largest == 0 {
		return s.natural, nil
	}
	lo, hi := math.Log(scaleLeast/largest), math.Log(scaleMost*(1+squares)/largest)
	of := func(x float64) float64 { return deviance(math.Exp(x)) }
	steps := int(math.Ceil((hi - lo) / scaleStep))
	at := func(k int) float64 { return lo + float64(k)*(hi-lo)/float64(steps) }
	best, least := 0, math.Inf(1)
	scan := func(from, to, every int) {
		for k := max(0, from); k <= min(to, steps); k += every {
			if y := of(at(k)); y < least {
				best, least = k, y
			}
		}
	}
	if s.near > 0 {
		from := min(max(0, int(math.Round((math.Log(s.near)-lo)/(hi-lo)*float64(steps)))), steps)
		scan(from, from, 1)
		for _, by := range [2]int{1, -1} {
			for k := from + by; best == k-by; k += by {
				scan(k, k, 1)
			}
		}
	} else {
		scan(0, steps, coarseSteps)
		scan(steps, steps, 1)
		scan(best-coarseSteps+1, best+coarseSteps-1, 1)
	}
	s.near = math.Exp(leastBetween(math.Max(lo, at(best)-scaleStep), math.Min(hi, at(best)+scaleStep), of))
	if !(s.near > 0) || math.IsInf(s.near, 0) {
		return 0, errors.New("no scale of the kernel fits")
	}
	return s.near, nil
}

// narrow is a standard deviation of log s: below it, one scale represents the density.
const narrow = 0.3

// beneath is the depth in nats, below the maximum, at which a density's tails are cut because they are below rounding.
// resolved is the smallest standard deviation, in grid steps, for which a sum equals the integral to a hundredth of a nat.
const beneath, resolved = 40, 0.6

// law integrates exp(-deviance/2) over log s, on a grid that it refines until the grid resolves the density. The grid
// extends from the scale near to both sides. It returns the log of the integral, and one or three scales with shares (sum
// 1) that have the mean and variance of log s, see Mixture.
func (s *scaling) law(largest, squares float64, deviance func(scale float64) float64) (log float64, scales, shares []float64) {
	defer func() { s.near = scales[len(scales)/2] }()
	if largest == 0 {
		return -deviance(s.natural) / 2, []float64{s.natural}, []float64{1}
	}
	lo := math.Log(scaleLeast / largest)
	steps := int(math.Ceil((math.Log(scaleMost*(1+squares)/largest)-lo)/scaleStep)) + 1
	mean, sd := math.Log(cmp.Or(s.near, s.natural)), 0.0
	for step, last := scaleStep, steps-1; ; step, last = step/4, last*4 {
		var logs, at []float64
		best := math.Inf(-1)
		scan := func(k, by int) {
			for l := best; k >= 0 && k <= last && l >= best-beneath; k += by {
				x := lo + float64(k)*step
				l = -deviance(math.Exp(x)) / 2
				best = max(best, l)
				logs, at = append(logs, l), append(at, x)
			}
		}
		from := min(max(0, int(math.Round((mean-lo)/step))), last)
		scan(from, 1)
		scan(from-1, -1)
		log, mean = floats.LogSumExp(logs), 0
		for k, l := range logs {
			mean += math.Exp(l-log) * at[k]
		}
		square := 0.0
		for k, l := range logs {
			square += math.Exp(l-log) * (at[k] - mean) * (at[k] - mean)
		}
		log += math.Log(step)
		if sd = math.Sqrt(square); sd >= resolved*step || step < scaleTolerance {
			break
		}
	}
	if sd < narrow {
		return log, []float64{math.Exp(mean)}, []float64{1}
	}
	ratio := math.Exp(math.Sqrt(3) * sd)
	return log, []float64{math.Exp(mean) / ratio, math.Exp(mean), math.Exp(mean) * ratio}, []float64{1. / 6, 2. / 3, 1. / 6}
}

// leastBetween returns the minimiser of a function between lo and hi, to scaleTolerance, by golden-section search.
func leastBetween(lo, hi float64, of func(x float64) float64) float64 {
	const golden = 0.6180339887498949
	left, right := hi-golden*(hi-lo), lo+golden*(hi-lo)
	atLeft, atRight := of(left), of(right)
	for hi-lo > scaleTolerance {
		if atLeft <= atRight {
			hi, right, atRight = right, left, atLeft
			left = hi - golden*(hi-lo)
			atLeft = of(left)
		} else {
			lo, left, atLeft = left, right, atRight
			right = lo + golden*(hi-lo)
			atRight = of(right)
		}
	}
	return (lo + hi) / 2
}

// tridiagonal has a positive semi-definite m×m matrix M in the form T = QᵀMQ, where T is tridiagonal, and a vector c in
// the form Qᵀc. The likelihood of a scale depends only on these. They take a quarter of the time of an eigendecomposition.
type tridiagonal struct {
	diagonal []float64 // m: diagonal of T
	beside   []float64 // m-1: off-diagonal of T
	along    []float64 // m: Qᵀc
}

// reducedWhole is the largest size of a matrix that Dsytrd reduces without blocks. It is also the number of columns of a
// block, which determines the workspace.
const reducedWhole = 32

// newTridiagonal reduces a matrix by Householder reflections. It rotates the vector along in place.
func newTridiagonal(of *mat.SymDense, along []float64) tridiagonal {
	n := of.SymmetricDim()
	t := tridiagonal{diagonal: make([]float64, n), beside: make([]float64, max(0, n-1)), along: along}
	a := slices.Clone(of.RawSymmetric().Data)
	if n < 2 {
		copy(t.diagonal, a)
		return t
	}
	tau := make([]float64, n-1)
	var lapack gonum.Implementation
	work := make([]float64, 1)
	if n > reducedWhole {
		work = make([]float64, reducedWhole*n)
	}
	lapack.Dsytrd(blas.Upper, n, a, n, t.diagonal, t.beside, tau, work, len(work))
	// Q = H_{n-2}…H_0 with H_i = I - τvvᵀ. v_i = 1, the entries of v above i are in column i+1 of a, and those below are
	// 0. Qᵀx applies H_{n-2} first and H_0 last.
	for i := n - 2; i >= 0; i-- {
		dot := along[i]
		for k := range i {
			dot += a[k*n+i+1] * along[k]
		}
		dot *= tau[i]
		along[i] -= dot
		for k := range i {
			along[k] -= dot * a[k*n+i+1]
		}
	}
	return t
}

// largest returns the trace, an upper bound on the largest eigenvalue that is insensitive to rounding, unlike T.
func (t *tridiagonal) largest() float64 { return lists.Total(t.diagonal) }

// manyPivots is a product of pivots: when it is exceeded, solved takes the logarithm, so that the next pivot cannot
// overflow.
const manyPivots = 1e100

// solved returns log det(I + sT) and cᵀ(I + sT)⁻¹c, where s is scale, from an LDLᵀ factorization.
func (t *tridiagonal) solved(scale float64) (logDet, quadratic float64) {
	var z float64
	inverse, product := 1., 1.
	for k, v := range t.diagonal {
		next, f := 1+scale*v, 0.
		if k > 0 {
			e := scale * t.beside[k-1]
			f = e * inverse
			next -= e * f
		}
		pivot := max(next, 1) // I + sT ≥ I, so a smaller pivot is a rounding error
		inverse = 1 / pivot
		z = t.along[k] - f*z
		quadratic += z * z * inverse
		if product *= pivot; product > manyPivots {
			logDet += math.Log(product)
			product = 1
		}
	}
	return logDet + math.Log(product), quadratic
}

// deviance returns -2 times the log of the penalised restricted likelihood of a scale s [Patterson and Thompson 1971],
// up to a constant. An unknown mean with a flat prior is integrated out, and the penalty is the factor √s:
//
//	log det(I + sT) - s cᵀ(I + sT)⁻¹c - log s.
//
// The penalty is from [Chung et al. 2013]: a gamma density of shape 2 and rate 0 for the standard deviation. Without it
// the likelihood of few data is often largest at s = 0, and the posterior is then certain that all arms are equal.
func (t *tridiagonal) deviance(scale float64) float64 {
	logDet, quadratic := t.solved(scale)
	return logDet - scale*quadratic - math.Log(scale)
}
