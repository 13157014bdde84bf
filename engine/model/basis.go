package model

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// basis has the features of all arms, in an orthonormal basis of the span of the pulled arms S:
//
//	φ_i = L⁻¹ k_S(x̃_i),  LLᵀ = K_SS,  φ_iᵀφ_j = k(x̃_i, x̃_j) for every j in S and every i.
//
// The residual k(x̃_i, x̃_j) - φ_iᵀφ_j is the part of the covariance that is independent of the rewards of S [RW06,
// sec. 8.1]. It is computed from exact kernel values, so nothing is truncated, for any number of arms. A basis is
// immutable; extended returns a larger basis that shares its memory. All numbers are normalised.
type basis struct {
	gram    kernels.Matrix
	largest float64   // the largest diagonal value
	dim     int       // columns
	stride  int       // allocated columns
	data    []float64 // N × stride, row i is φ_i
	filled  *int      // columns of data in use by any basis that shares data
	rest    []float64 // N: k(x̃_i, x̃_i) - ‖φ_i‖²; 0 for arms in the span
	inside  []bool    // N: whether the arm is in the span
	whole   *basis    // the basis of which this one is a view, see knowing; nil if it is not a view
}

// newBasis returns the basis of no arms. variances has the diagonal of gram, N values.
func newBasis(gram kernels.Matrix, variances []float64) *basis {
	return &basis{gram: gram, largest: slices.Max(variances), filled: new(int), rest: slices.Clone(variances),
		inside: make([]bool, gram.Len())}
}

func (b *basis) row(i int) []float64 { return b.data[i*b.stride : i*b.stride+b.dim] }

// rows returns a view of φ_i for the arms from ≤ i < to. It requires dim > 0.
func (b *basis) rows(from, to int) blas64.General {
	return blas64.General{Rows: to - from, Cols: b.dim, Stride: b.stride, Data: b.data[from*b.stride : (to-1)*b.stride+b.dim]}
}

// basisTogether is the largest number of arms that one step adds to a basis. basisRows is the number of rows that one core
// updates at a time.
const basisTogether, basisRows = 96, 512

// negligibleRest is the largest residual variance, divided by the variance of the arm's mean, at which a pulled arm counts
// as in the span. basisStep is the smallest weighted residual, divided by the largest, for which a step adds an arm.
const negligibleRest, basisStep = 1e-4, 1. / 16

// extended returns the basis extended by the given arms. weights[k] is 1/(variance of the mean of arms[k]). It adds arms
// until each residual variance, times its weight, is at most negligibleRest, or the residual is at most outsideBasis. For
// m columns this takes O(N m) further kernel values and O(N m²) operations. It returns an error if the context ends or
// memory is short.
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
		every := 1 + len(open)/basisTogether // so that one step has arms of all tasks, not only of the first ones
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

// knowing returns a view of the basis in which the given arms have residual 0, as if they were in the span.
func (b *basis) knowing(arms []int) *basis {
	out := *b
	out.whole, out.rest, out.inside = b, slices.Clone(b.rest), slices.Clone(b.inside)
	for _, i := range arms {
		out.rest[i], out.inside[i] = 0, true
	}
	return &out
}

// with returns the basis extended by some of the arms, at most basisTogether. It stops when each residual, times its
// weight, is at most `least`.
func (b *basis) with(ctx context.Context, arms []int, weights []float64, least float64) (_ *basis, err error) {
	defer try.Caught(&err)
	chosen, lower := b.choose(arms, weights, least)
	out := *b
	out.inside = slices.Clone(b.inside)
	for _, i := range chosen {
		out.inside[i] = true
	}
	if len(chosen) == 0 { // only rounding remains
		for _, i := range arms {
			out.inside[i] = true
		}
	}
	more := len(chosen)
	if b.dim == 0 {
		more = max(1, more) // if no arm has variance, add one column of zeros
	}
	try.To(out.grow(ctx, more))
	out.rest = slices.Clone(b.rest)
	if len(chosen) > 0 {
		try.To(out.fill(ctx, chosen, lower))
	}
	out.dim = b.dim + more
	for i, residual := range out.rest {
		if out.inside[i] = out.inside[i] || residual <= outsideBasis*b.largest; out.inside[i] {
			out.rest[i] = 0
		}
	}
	return &out, nil
}

// choose returns the arms in the order of a pivoted Cholesky factor: each has the largest weighted residual variance given
// those before it. It stops when that value is at most `least`. `lower` is the Cholesky factor of the chosen arms' residual
// covariance. Both results are nil if no arm is chosen.
func (b *basis) choose(arms []int, weights []float64, least float64) (chosen []int, lower *mat.TriDense) {
	n := len(arms)
	if n == 0 {
		return nil, nil
	}
	residual := mat.NewDense(n, n, nil)
	for k, i := range arms {
		for l, j := range arms[:k+1] {
			var v [1]float64
			kernels.Part(b.gram, v[:], i, j)
			if b.dim > 0 {
				v[0] -= Dot(b.row(i), b.row(j))
			}
			residual.Set(k, l, v[0])
			residual.Set(l, k, v[0])
		}
	}
	var columns [][]float64
	var order []int
	for range n {
		best := -1
		for k := range n {
			if !slices.Contains(order, k) && (best < 0 || residual.At(k, k)*weights[k] > residual.At(best, best)*weights[best]) {
				best = k
			}
		}
		if rest := residual.At(best, best); !(rest > outsideBasis*b.largest && rest*weights[best] > least) {
			break
		}
		column := mat.NewVecDense(n, mat.Col(nil, best, residual))
		for _, k := range order {
			column.SetVec(k, 0)
		}
		root := math.Sqrt(residual.At(best, best))
		for k := range n {
			column.SetVec(k, column.AtVec(k)/root)
		}
		column.SetVec(best, root)
		residual.RankOne(residual, -1, column, column)
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

// outsideBasis is the residual variance, divided by the largest diagonal value, up to which an arm counts as in the span.
// Smaller residuals are rounding errors, as in a pivoted Cholesky factor.
const outsideBasis = 1e-12

// grow reserves `more` columns. It allocates new memory if the present memory is full or another basis uses its next
// columns.
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

// fill computes the columns of the chosen arms, L⁻¹(k - Φ_chosen φ_i) for each arm i, with L = lower. It also updates the
// residuals of all arms.
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
			residual := b.rest[from+i]
			for k := range q {
				v := part.Data[k*width+i]
				row[k] = v
				residual -= v * v
			}
			b.rest[from+i] = max(residual, 0)
		}
	})
	return err
}

// outside returns the residual covariance k(x̃_i, x̃_j) - φ_iᵀφ_j of arms i and j; it is 0 if one of them is in the span.
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
