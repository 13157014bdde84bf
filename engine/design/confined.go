package design

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// confined is the solution of a restricted problem of an Exchange.
type confined struct {
	value, lower float64
	lambda       []float64 // one per arm of T
	dual         []float64 // one per contrast carried, sum 1
	h            []float64 // variances
	g            []float64 // how much each arm of T helps
	status       Status
}

// nearCopy is added, relative to the square of a feature, where coordinates of nearly dependent arms are
// formed. Restricted problems alone go by them; what they yield is evaluated without.
const nearCopy = 1e-9

// coordinates returns the features of some arms in an orthonormal basis of their span, by a factor of
// their products.
func (x *Exchange) coordinates(arms []int) blas64.General {
	inner := x.among(arms)
	n := len(arms)
	out := reshape(blas64.General{}, n, n)
	x.do(n, 16, func(from, to int) {
		for k := from; k < to; k++ {
			inner(row(out, k), k, 0)
			out.Data[k*out.Stride+k] *= 1 + nearCopy
		}
	})
	if !cholesky(x.stop, out) {
		panic(ended{errSingular})
	}
	for k := range n {
		clear(row(out, k)[k+1:])
	}
	return out
}

// among returns the products among some arms, by position.
func (x *Exchange) among(arms []int) func(dst []float64, i, from int) {
	x.stop.check()
	inner, err := x.in.Among(arms)
	if err != nil {
		panic(ended{err})
	}
	return inner
}

// confine solves the restricted problem to a relative gap.
func (x *Exchange) confine(tolerance float64) confined {
	in := interior{ridge: x.in.Ridge, stop: x.stop}
	x.restricted(&in)
	n, k := len(x.arms), len(x.pairs)
	in.lambda = make([]float64, n)
	for a, l := range x.lambda {
		in.lambda[a] = 0.9*l + 0.1/float64(n)
	}
	in.z, in.s, in.u = make([]float64, n), make([]float64, k), make([]float64, k)
	in.size(n, k, n)
	if !in.evaluate() {
		panic(ended{errSingular})
	}
	in.center(2*slices.Max(in.h)/float64(n+k), true)
	d := confined{value: math.Inf(1), lower: 1, status: IterationLimit}
	const limit = 100
	for it := 0; it < limit; it++ {
		x.stop.check()
		if it > 0 && !in.evaluate() {
			d.status = Stalled
			break
		}
		x.iterations++
		value := slices.Max(in.h)
		lower := lowerBound(in.f, in.lambdaG, slices.Max(in.g), sum(in.u))
		if done := value <= lower*(1+tolerance); done || value/lower < d.value/d.lower {
			d.value, d.lower = value, lower
			d.lambda, d.dual = append(d.lambda[:0], in.lambda...), append(d.dual[:0], in.u...)
			d.h, d.g = append(d.h[:0], in.h...), append(d.g[:0], in.g...)
			if done {
				d.status = Optimal
				break
			}
		}
		if !in.step() {
			d.status = Stalled
			break
		}
	}
	scale(1/sum(d.dual), d.dual)
	return d
}

// restricted sets the arms and contrasts of a restricted problem.
func (x *Exchange) restricted(in *interior) {
	n := len(x.arms)
	list, at := slices.Clone(x.arms), map[int]int{}
	position := func(i int) int {
		if x.at[i] >= 0 {
			return x.at[i]
		}
		k, known := at[i]
		if !known {
			k = len(list)
			at[i] = k
			list = append(list, i)
		}
		return k
	}
	for _, q := range x.pairs {
		position(q.I)
		position(q.J)
	}
	inner := x.among(list)
	products := reshape(blas64.General{}, len(list), len(list))
	x.do(len(list), 16, func(from, to int) {
		for k := from; k < to; k++ {
			inner(row(products, k), k, 0)
		}
	})
	factor, inverse := reshape(blas64.General{}, n, n), reshape(blas64.General{}, n, n)
	for k := range n {
		copy(row(factor, k), row(products, k)[:n])
		factor.Data[k*factor.Stride+k] *= 1 + nearCopy
	}
	if !cholesky(x.stop, factor) {
		panic(ended{errSingular})
	}
	invert(x.stop, factor, inverse)
	phi := reshape(blas64.General{}, len(list), n)
	for k := range n {
		copy(row(phi, k), row(factor, k)[:k+1])
		clear(row(phi, k)[k+1:])
	}
	if len(list) > n {
		timesTriangle(window(products, n, 0, len(list)-n, n), inverse, block(phi, n, len(list)))
	}
	in.phi = block(phi, 0, n)
	if x.root != nil {
		in.root = pick(x.root, x.arms)
	}
	in.delta, in.fixed = reshape(in.delta, len(x.pairs), n), make([]float64, len(x.pairs))
	for k, q := range x.pairs {
		i, j := position(q.I), position(q.J)
		to := row(in.delta, k)
		copy(to, row(phi, i))
		axpy(-1, row(phi, j), to)
		whole := x.in.Squares[q.I] + x.in.Squares[q.J] - 2*row(products, i)[j]
		in.fixed[k] = q.Weight * max(whole-dot(to, to), 0) / x.in.Ridge
		scale(math.Sqrt(q.Weight), to)
	}
	in.large.on = n >= largeCols
}
