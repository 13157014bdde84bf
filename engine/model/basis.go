package model

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// basis has the features of all arms along a few arms' features, the arms that were pulled so far:
//
//	φ_i = L⁻¹ k_S(x̃_i),  LLᵀ = K_SS,  φ_iᵀφ_j = k(x̃_i, x̃_j) for every j in S and every i.
//
// What is left of two arms, k(x̃_i, x̃_j) - φ_iᵀφ_j, is the part of their covariance that no reward of S
// bears on [RW06, sec. 8.1]: with the exact values of the kernel beside it nothing is lost, however
// many arms there are. A basis does not change; extended returns a larger one that shares its numbers.
// All numbers are normalised.
type basis struct {
	gram    kernels.Matrix
	largest float64   // of the diagonal
	dim     int       // columns
	stride  int       // for how many there is room
	data    []float64 // N × stride, row i is φ_i
	filled  *int      // columns of data that some basis has
	rest    []float64 // N: k(x̃_i, x̃_i) - ‖φ_i‖²; 0 for arms in the span
	inside  []bool    // N: whether the arm is in the span
	whole   *basis    // what this one is a view of, see knowing; nil of one that is none
}

// newBasis returns the basis of no arms; variances has the diagonal of the matrix.
func newBasis(gram kernels.Matrix, variances []float64) *basis {
	return &basis{gram: gram, largest: slices.Max(variances), filled: new(int), rest: slices.Clone(variances),
		inside: make([]bool, gram.Len())}
}

func (b *basis) row(i int) []float64 { return b.data[i*b.stride : i*b.stride+b.dim] }

// rows views φ_i of the arms from ≤ i < to; there must be columns.
func (b *basis) rows(from, to int) blas64.General {
	return blas64.General{Rows: to - from, Cols: b.dim, Stride: b.stride, Data: b.data[from*b.stride : (to-1)*b.stride+b.dim]}
}

// basisTogether is how many arms a basis takes in at a time, and basisRows how many arms a core brings
// up to date at a time.
const basisTogether, basisRows = 96, 512

// negligibleRest is the variance left of an arm that was pulled, relative to the variance of the mean of its rewards, up to which it
// is taken to be in the span. basisStep is how far the arms of one step may be below the one that counts most.
const negligibleRest, basisStep = 1e-4, 1. / 16

// extended returns the basis of these arms, too: O(N m) more values of the kernel and O(N m²)
// operations for m columns. What is left of an arm counts by its weight, one over the variance of the mean of its rewards:
// arms are taken in until negligibleRest or outsideBasis is left of each.
func (b *basis) extended(ctx context.Context, arms []int, weights []float64) (*basis, error) {
	for {
		top := 0.0
		for k, i := range arms {
			top = max(top, b.rest[i]*weights[k])
		}
		if top <= negligibleRest && b.dim > 0 {
			return b, ctx.Err()
		}
		least := max(negligibleRest, basisStep*top)
		open := indices.Where(len(arms), func(k int) bool { return b.rest[arms[k]]*weights[k] > least })
		every := 1 + len(open)/basisTogether // arms of all tasks, not of the first ones
		var part []int
		var of []float64
		for k := 0; k < len(open); k += every {
			part, of = append(part, arms[open[k]]), append(of, weights[open[k]])
		}
		var err error
		if b, err = b.with(ctx, part, of, least); err != nil {
			return nil, err
		}
	}
}

// knowing returns the basis as a posterior sees it that knows what is left of these arms: 0, as it is of arms in the span.
func (b *basis) knowing(arms []int) *basis {
	out := *b
	out.whole, out.rest, out.inside = b, slices.Clone(b.rest), slices.Clone(b.inside)
	for _, i := range arms {
		out.rest[i], out.inside[i] = 0, true
	}
	return &out
}

// with returns the basis of at most basisTogether arms more, until no more than the least is left of each by its weight.
func (b *basis) with(ctx context.Context, arms []int, weights []float64, least float64) (_ *basis, err error) {
	defer try.Caught(&err)
	chosen, lower := b.choose(arms, weights, least)
	out := *b
	out.inside = slices.Clone(b.inside)
	for _, i := range chosen {
		out.inside[i] = true
	}
	if len(chosen) == 0 { // what is left is rounding
		for _, i := range arms {
			out.inside[i] = true
		}
	}
	more := len(chosen)
	if b.dim == 0 {
		more = max(1, more) // arms without any variance: a column of zeros
	}
	try.To(out.grow(ctx, more))
	out.rest = slices.Clone(b.rest)
	if len(chosen) > 0 {
		try.To(out.fill(ctx, chosen, lower))
	}
	out.dim = b.dim + more
	for i, left := range out.rest {
		if out.inside[i] = out.inside[i] || left <= outsideBasis*b.largest; out.inside[i] {
			out.rest[i] = 0
		}
	}
	return &out, nil
}

// choose orders arms by what the basis leaves of them times their weights, the largest first, and leaves out those with at most the
// least; lower is the Cholesky factor of the rest's residual.
func (b *basis) choose(arms []int, weights []float64, least float64) (chosen []int, lower *mat.TriDense) {
	n := len(arms)
	if n == 0 {
		return nil, nil
	}
	left := mat.NewDense(n, n, nil)
	for k, i := range arms {
		for l, j := range arms[:k+1] {
			var v [1]float64
			kernels.Part(b.gram, v[:], i, j)
			if b.dim > 0 {
				v[0] -= Dot(b.row(i), b.row(j))
			}
			left.Set(k, l, v[0])
			left.Set(l, k, v[0])
		}
	}
	var columns [][]float64
	var order []int
	for range n {
		best := -1
		for k := range n {
			if !slices.Contains(order, k) && (best < 0 || left.At(k, k)*weights[k] > left.At(best, best)*weights[best]) {
				best = k
			}
		}
		if rest := left.At(best, best); !(rest > outsideBasis*b.largest && rest*weights[best] > least) {
			break
		}
		column := mat.NewVecDense(n, mat.Col(nil, best, left))
		for _, k := range order {
			column.SetVec(k, 0)
		}
		root := math.Sqrt(left.At(best, best))
		for k := range n {
			column.SetVec(k, column.AtVec(k)/root)
		}
		column.SetVec(best, root)
		left.RankOne(left, -1, column, column)
		columns, order, chosen = append(columns, column.RawVector().Data), append(order, best), append(chosen, arms[best])
	}
	if len(order) == 0 {
		return nil, nil
	}
	lower = mat.NewTriDense(len(order), mat.Lower, nil)
	for k, at := range order {
		for l := range k + 1 {
			lower.SetTri(k, l, columns[l][at])
		}
	}
	return chosen, lower
}

// outsideBasis is the variance left of an arm, relative to the largest diagonal value, above which it is not
// in the span: below it what is left is rounding, as in a pivoted Cholesky factor.
const outsideBasis = 1e-12

// grow makes room for more columns, beside the columns of a basis that this one shares its numbers with.
func (b *basis) grow(ctx context.Context, more int) error {
	if b.dim+more <= b.stride && *b.filled == b.dim {
		*b.filled += more
		return nil
	}
	n := len(b.rest)
	stride := (max(b.dim+more, b.stride*3/2) + 31) &^ 31
	if err := memlimit.Matrices(ctx, "the features of the arms that were pulled", 1, n, stride); err != nil {
		return err
	}
	data := make([]float64, n*stride)
	for i := range n {
		copy(data[i*stride:], b.row(i))
	}
	b.data, b.stride, b.filled = data, stride, new(int)
	*b.filled = b.dim + more
	return ctx.Err()
}

// fill adds the columns of the chosen arms, L⁻¹(k - Φ_chosen φ_i) for arm i.
func (b *basis) fill(ctx context.Context, chosen []int, lower *mat.TriDense) error {
	q, dim := len(chosen), b.dim
	before := blas64.General{Rows: q, Cols: dim, Stride: max(1, dim), Data: make([]float64, max(1, q*dim))}
	for k, i := range chosen {
		copy(before.Data[k*dim:], b.row(i))
	}
	err := cores.Do(ctx, len(b.rest), basisRows, func(from, to int) {
		width := to - from
		part := blas64.General{Rows: q, Cols: width, Stride: width, Data: make([]float64, q*width)}
		for k, i := range chosen {
			kernels.Part(b.gram, part.Data[k*width:(k+1)*width], i, from)
		}
		if dim > 0 {
			blas64.Gemm(blas.NoTrans, blas.Trans, -1, before, b.rows(from, to), 1, part)
		}
		blas64.Trsm(blas.Left, blas.NoTrans, 1, lower.RawTriangular(), part)
		for i := range width {
			row := b.data[(from+i)*b.stride+dim:]
			left := b.rest[from+i]
			for k := range q {
				v := part.Data[k*width+i]
				row[k] = v
				left -= v * v
			}
			b.rest[from+i] = max(left, 0)
		}
	})
	return err
}

// outside returns what the basis leaves of two arms, k(x̃_i, x̃_j) - φ_iᵀφ_j.
func (b *basis) outside(i, j int) float64 {
	switch {
	case b.inside[i] || b.inside[j]:
		return 0
	case i == j:
		return b.rest[i]
	}
	var v [1]float64
	kernels.Part(b.gram, v[:], i, j)
	return v[0] - Dot(b.row(i), b.row(j))
}

// tridiagonal holds a positive semi-definite m×m matrix M as T = QᵀMQ with T tridiagonal, and vectors c
// turned along with it: all that the likelihood of a scale depends on, at a quarter of the cost of
// eigenvalues with their vectors.
type tridiagonal struct {
	diagonal []float64 // m: of T
	beside   []float64 // m-1: beside its diagonal
	along    []float64 // m: Qᵀc
	middle   []float64 // m: the same of another vector; nil without
}

// reducedWhole is the largest matrix that Dsytrd does not reduce by blocks, and how many columns a block has, which take memory to work in.
const reducedWhole = 32

// newTridiagonal reduces a matrix by Householder's reflections. The vectors are turned in place; middle may be nil.
func newTridiagonal(of *mat.SymDense, along, middle []float64) tridiagonal {
	n := of.SymmetricDim()
	t := tridiagonal{diagonal: make([]float64, n), beside: make([]float64, max(0, n-1)), along: along, middle: middle}
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
	// Q = H_{n-2}…H_0, each H_i = I - τvvᵀ with v_i = 1, v above i in column i+1 of a, and 0 below:
	// Qᵀ x applies them in the order n-2, …, 0.
	for i := n - 2; i >= 0; i-- {
		for _, x := range [2][]float64{along, middle} {
			if x == nil {
				continue
			}
			dot := x[i]
			for k := range i {
				dot += a[k*n+i+1] * x[k]
			}
			dot *= tau[i]
			x[i] -= dot
			for k := range i {
				x[k] -= dot * a[k*n+i+1]
			}
		}
	}
	return t
}

// largest returns a bound on the largest eigenvalue: the largest sum of absolute values of a row.
func (t *tridiagonal) largest() float64 {
	largest := 0.0
	for j, v := range t.diagonal {
		sum := v
		for _, k := range []int{j - 1, j} {
			if k >= 0 && k < len(t.beside) {
				sum += math.Abs(t.beside[k])
			}
		}
		largest = max(largest, sum)
	}
	return largest
}

// solved are log det(I + sT) and, for c along and o in the middle, cᵀ(I + sT)⁻¹c, oᵀ(I + sT)⁻¹o and oᵀ(I + sT)⁻¹c.
type solved struct{ logDet, quadratic, square, cross float64 }

// manyPivots is a product of pivots whose logarithm is taken, so that another one, below scaleMost times data, does not overflow.
const manyPivots = 1e100

// solved returns these by the factors LDLᵀ.
func (t *tridiagonal) solved(scale float64) (out solved) {
	var z, w float64
	inverse, product := 1., 1.
	for k, v := range t.diagonal {
		next, f := 1+scale*v, 0.
		if k > 0 {
			e := scale * t.beside[k-1]
			f = e * inverse
			next -= e * f
		}
		pivot := max(next, 1) // I + sT is at least I: a smaller pivot is rounding
		inverse = 1 / pivot
		z = t.along[k] - f*z
		out.quadratic += z * z * inverse
		if t.middle != nil {
			w = t.middle[k] - f*w
			out.square += w * w * inverse
			out.cross += w * z * inverse
		}
		if product *= pivot; product > manyPivots {
			out.logDet += math.Log(product)
			product = 1
		}
	}
	out.logDet += math.Log(product)
	return out
}

// deviance returns the same as centred.deviance: log det(I + sT) - s cᵀ(I + sT)⁻¹c - log s.
func (t *tridiagonal) deviance(scale float64) float64 {
	at := t.solved(scale)
	return at.logDet - scale*at.quadratic - math.Log(scale)
}

// coarseSteps is how many steps of the grid of scales are looked at together at first: a deviance bends over units of log s.
const coarseSteps = 4

// leastDeviance returns the scale of the least deviance, the best of a grid, refined: from where noise
// hides any signal to where nothing is left of the prior. largest is the largest eigenvalue of the
// information, and squares the sum of squares of the data. With a scale near that is above 0 it is the next least one from there.
func leastDeviance(largest, squares, near float64, deviance func(scale float64) float64) float64 {
	lo, hi := math.Log(scaleLeast/largest), math.Log(scaleMost*(1+squares)/largest)
	of := func(x float64) float64 { return deviance(math.Exp(x)) }
	steps := int(math.Ceil((hi - lo) / scaleStep))
	at := func(k int) float64 { return lo + float64(k)*(hi-lo)/float64(steps) }
	best, least := 0, math.Inf(1)
	look := func(from, to, every int) {
		for k := max(0, from); k <= min(to, steps); k += every {
			if y := of(at(k)); y < least {
				best, least = k, y
			}
		}
	}
	if near > 0 {
		from := min(max(0, int(math.Round((math.Log(near)-lo)/(hi-lo)*float64(steps)))), steps)
		look(from, from, 1)
		for _, by := range [2]int{1, -1} {
			for k := from + by; best == k-by; k += by {
				look(k, k, 1)
			}
		}
	} else {
		look(0, steps, coarseSteps)
		look(steps, steps, 1)
		look(best-coarseSteps+1, best+coarseSteps-1, 1)
	}
	return math.Exp(leastBetween(math.Max(lo, at(best)-scaleStep), math.Min(hi, at(best)+scaleStep), at(best), least, of))
}

// leastBetween returns where a function is least between two places, from a place x inside with its value there, to scaleTolerance: by
// Brent's method, the least of a parabola through three values, or golden sections where that leads nowhere.
//
// [Brent73]: R. P. Brent, Algorithms for Minimization without Derivatives (1973), ch. 5.
func leastBetween(lo, hi, x, y float64, of func(x float64) float64) float64 {
	const golden = 0.3819660112501051
	second, third, ySecond, yThird := x, x, y, y
	step, before := 0., 0.
	for {
		middle := (lo + hi) / 2
		if math.Abs(x-middle) <= scaleTolerance-(hi-lo)/2 {
			return x
		}
		r := (x - second) * (y - yThird)
		q := (x - third) * (y - ySecond)
		p := (x-third)*q - (x-second)*r
		if q = 2 * (q - r); q > 0 {
			p = -p
		}
		q = math.Abs(q)
		if math.Abs(p) < math.Abs(q*before/2) && p > q*(lo-x) && p < q*(hi-x) {
			before, step = step, p/q
			if x+step-lo < scaleTolerance || hi-x-step < scaleTolerance {
				step = math.Copysign(scaleTolerance/2, middle-x)
			}
		} else {
			before = hi - x
			if x >= middle {
				before = lo - x
			}
			step = golden * before
		}
		u := x + step
		if math.Abs(step) < scaleTolerance/2 {
			u = x + math.Copysign(scaleTolerance/2, step)
		}
		v := of(u)
		if v <= y {
			if u < x {
				hi = x
			} else {
				lo = x
			}
			third, yThird, second, ySecond, x, y = second, ySecond, x, y, u, v
			continue
		}
		if u < x {
			lo = u
		} else {
			hi = u
		}
		if v <= ySecond || second == x {
			third, yThird, second, ySecond = second, ySecond, u, v
		} else if v <= yThird || third == x || third == second {
			third, yThird = u, v
		}
	}
}

// scaleRange returns log of the least scale that leastDeviance looks at, and how many steps of scaleStep there
// are from it to the largest.
func scaleRange(largest, squares float64) (lo float64, steps int) {
	lo = math.Log(scaleLeast / largest)
	return lo, int(math.Ceil((math.Log(scaleMost*(1+squares)/largest)-lo)/scaleStep)) + 1
}
