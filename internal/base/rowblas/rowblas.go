// Package rowblas is gonum's BLAS with other products, for processors on which gonum has no assembly code. There, a step of
// a loop takes longer than its arithmetic, so each step adds elements of eight rows. In WebAssembly the products take a
// quarter of the time. Sums are in another order, so results differ by rounding.
package rowblas

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
)

// BLAS replaces four routines of gonum's BLAS, and so the routines of LAPACK that call them.
type BLAS struct{ gonum.Implementation }

// Use makes gonum use BLAS.
func Use() { blas64.Use(BLAS{}) }

// matrix has element (i, j) in data[i*stride+j].
type matrix struct {
	data   []float64
	stride int
}

// turned returns the transposed matrix of the first rows and columns, a copy.
func (m matrix) turned(rows, columns int) matrix {
	out := matrix{make([]float64, rows*columns), rows}
	for i := range rows {
		for j, v := range m.data[i*m.stride : i*m.stride+columns] {
			out.data[j*rows+i] = v
		}
	}
	return out
}

// Add adds to y the first count rows, row k times alpha x[k inc], one after the other. Rows have at least the length of y.
func Add(y []float64, alpha float64, x []float64, inc, count int, row func(k int) []float64) {
	n := len(y)
	if n == 0 {
		return
	}
	k := 0
	for ; k+8 <= count; k += 8 {
		r0, r1, r2, r3 := row(k)[:n], row(k + 1)[:n], row(k + 2)[:n], row(k + 3)[:n]
		r4, r5, r6, r7 := row(k + 4)[:n], row(k + 5)[:n], row(k + 6)[:n], row(k + 7)[:n]
		at := k * inc
		x0, x1, x2, x3 := alpha*x[at], alpha*x[at+inc], alpha*x[at+2*inc], alpha*x[at+3*inc]
		x4, x5, x6, x7 := alpha*x[at+4*inc], alpha*x[at+5*inc], alpha*x[at+6*inc], alpha*x[at+7*inc]
		for j, v := range y {
			y[j] = v + x0*r0[j] + x1*r1[j] + x2*r2[j] + x3*r3[j] + x4*r4[j] + x5*r5[j] + x6*r6[j] + x7*r7[j]
		}
	}
	for ; k < count; k++ {
		f, r := alpha*x[k*inc], row(k)[:n]
		for j, v := range y {
			y[j] = v + f*r[j]
		}
	}
}

func (m matrix) row(k int) []float64 { return m.data[k*m.stride:] }

func scale(y []float64, beta float64) {
	switch beta {
	case 1:
	case 0:
		clear(y)
	default:
		for j := range y {
			y[j] *= beta
		}
	}
}

// Dgemv computes y = α op(A) x + βy.
func (l BLAS) Dgemv(t blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int,
	beta float64, y []float64, incY int,
) {
	if t == blas.NoTrans || incX < 0 || incY != 1 {
		l.Implementation.Dgemv(t, m, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	scale(y[:n], beta)
	Add(y[:n], alpha, x, incX, m, matrix{a, lda}.row)
}

// Dgemm computes C = α op(A) op(B) + βC.
func (BLAS) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int,
	beta float64, c []float64, ldc int,
) {
	from, inc := lda, 1 // from row to row of op(A), and within a row
	if tA != blas.NoTrans {
		from, inc = 1, lda
	}
	right := matrix{b, ldb}
	if tB != blas.NoTrans && m > 0 {
		right = right.turned(n, k)
	}
	for i := range m {
		y := c[i*ldc : i*ldc+n]
		scale(y, beta)
		if k > 0 {
			Add(y, alpha, a[i*from:], inc, k, right.row)
		}
	}
}

// Dsyrk computes a triangle of C = α A Aᵀ + βC, or of α AᵀA + βC.
func (BLAS) Dsyrk(uplo blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	rows := matrix{a, lda}
	if t == blas.NoTrans {
		rows = rows.turned(n, k)
	}
	for i := range n {
		from, to := i, n
		if uplo == blas.Lower {
			from, to = 0, i+1
		}
		y := c[i*ldc+from : i*ldc+to]
		scale(y, beta)
		if k > 0 {
			Add(y, alpha, rows.data[i:], rows.stride, k, matrix{rows.data[from:], rows.stride}.row)
		}
	}
}

// Dtrsm overwrites B by X with op(A)X = αB, or with X op(A) = αB.
func (BLAS) Dtrsm(side blas.Side, uplo blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float64,
	a []float64, lda int, b []float64, ldb int,
) {
	to := matrix{b, ldb}
	if side == blas.Right { // op(A)ᵀXᵀ = αBᵀ
		to = to.turned(m, n)
		t = blas.NoTrans + blas.Trans - t
		m, n = n, m
	}
	from, inc := lda, 1 // from row to row of op(A), and within a row
	if t != blas.NoTrans {
		from, inc = 1, lda
	}
	lower := (uplo == blas.Lower) == (t == blas.NoTrans) // whether op(A) is lower triangular
	for step := range m {
		i, first := step, 0
		if !lower {
			i, first = m-1-step, m-step
		}
		y := to.data[i*to.stride : i*to.stride+n]
		scale(y, alpha)
		if step > 0 {
			Add(y, -1, a[i*from+first*inc:], inc, step, matrix{to.data[first*to.stride:], to.stride}.row)
		}
		if d == blas.NonUnit {
			scale(y, 1/a[i*lda+i])
		}
	}
	if side == blas.Right {
		for i, v := range to.data {
			b[i%n*ldb+i/n] = v
		}
	}
}
