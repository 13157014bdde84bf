package design

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// A product is cut into tiles of this shape: gonum's Gemm stays in the calling
// goroutine as long as its result has fewer than four 64×64 blocks.
const tileRows, tileCols = 64, 192

// reshape returns an r × c matrix, reusing the storage of g when it suffices.
// The contents are undefined.
func reshape(g blas64.General, r, c int) blas64.General {
	if cap(g.Data) < r*c {
		// A quarter in reserve: working sets grow by a few rows at a time.
		g.Data = make([]float64, r*c, r*c+r*c/4)
	}
	return blas64.General{Rows: r, Cols: c, Stride: max(c, 1), Data: g.Data[:r*c]}
}

// tile returns storage for one tile of a product with n rows and columns.
func tile(g blas64.General, n int) blas64.General {
	return reshape(g, min(n, tileRows), min(n, tileCols))
}

// row returns row i of g.
func row(g blas64.General, i int) []float64 {
	return g.Data[i*g.Stride : i*g.Stride+g.Cols]
}

// block returns the rows i0 ≤ i < i1 of g.
func block(g blas64.General, i0, i1 int) blas64.General {
	return blas64.General{Rows: i1 - i0, Cols: g.Cols, Stride: g.Stride, Data: g.Data[i0*g.Stride : (i1-1)*g.Stride+g.Cols]}
}

// window returns the r × c part of g whose corner is at (i, j).
func window(g blas64.General, i, j, r, c int) blas64.General {
	return blas64.General{Rows: r, Cols: c, Stride: g.Stride, Data: g.Data[i*g.Stride+j : (i+r-1)*g.Stride+j+c]}
}

// lower views the square g as the lower triangle of a symmetric matrix.
func lower(g blas64.General) blas64.Symmetric {
	return blas64.Symmetric{Uplo: blas.Lower, N: g.Rows, Stride: g.Stride, Data: g.Data}
}

// factor views the square g as a lower triangular Cholesky factor.
func factor(g blas64.General) blas64.Triangular {
	return blas64.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: g.Rows, Stride: g.Stride, Data: g.Data}
}

// mirror copies the lower triangle of g to the upper one.
func mirror(g blas64.General) {
	for i := range g.Rows {
		for j := range i {
			g.Data[j*g.Stride+i] = g.Data[i*g.Stride+j]
		}
	}
}

// multiply sets c = c·beta + alpha·a·b, or alpha·a·bᵀ when t is blas.Trans.
func multiply(stop stopper, t blas.Transpose, alpha float64, a, b blas64.General, beta float64, c blas64.General) {
	for i := 0; i < c.Rows; i += tileRows {
		ri := min(tileRows, c.Rows-i)
		ai := block(a, i, i+ri)
		stop.check()
		for j := 0; j < c.Cols; j += tileCols {
			cj := min(tileCols, c.Cols-j)
			var bj blas64.General
			if t == blas.Trans {
				bj = block(b, j, j+cj)
			} else {
				bj = window(b, 0, j, b.Rows, cj)
			}
			blas64.Gemm(blas.NoTrans, t, alpha, ai, bj, beta, window(c, i, j, ri, cj))
		}
	}
}

// addOuter sets the lower triangle of m to xᵀx, a few rows of x at a time: the same sums in the
// same order as at once.
func addOuter(stop stopper, x, m blas64.General) {
	const together = 256
	for i, beta := 0, 0.0; i < x.Rows; i, beta = i+together, 1 {
		stop.check()
		blas64.Syrk(blas.Trans, 1, block(x, i, min(i+together, x.Rows)), beta, lower(m))
	}
}

// cholesky overwrites the lower triangle of a with L, a = L Lᵀ, and reports
// whether a was numerically positive definite. The upper triangle is not used.
func cholesky(stop stopper, a blas64.General) bool {
	n := a.Rows
	for j := 0; j < n; j += tileRows {
		stop.check()
		w := min(tileRows, n-j)
		d := window(a, j, j, w, w)
		if j > 0 {
			blas64.Syrk(blas.NoTrans, -1, window(a, j, 0, w, j), 1, lower(d))
		}
		if !choleskyBlock(d) {
			return false
		}
		if rest := n - j - w; rest > 0 {
			below := window(a, j+w, j, rest, w)
			if j > 0 {
				multiply(stop, blas.Trans, -1, window(a, j+w, 0, rest, j), window(a, j, 0, w, j), 1, below)
			}
			blas64.Trsm(blas.Right, blas.Trans, 1, factor(d), below)
		}
	}
	return true
}

// choleskyBlock factors like cholesky without blocking, for small matrices. Columns are the outer
// loop: the inner products of a column do not wait for each other.
func choleskyBlock(a blas64.General) bool {
	for j := range a.Rows {
		rj := a.Data[j*a.Stride : j*a.Stride+j+1]
		d := rj[j] - dot(rj[:j], rj[:j])
		if !(d > 0) || math.IsInf(d, 1) {
			return false
		}
		rj[j] = math.Sqrt(d)
		f := 1 / rj[j]
		for i := j + 1; i < a.Rows; i++ {
			ri := a.Data[i*a.Stride : i*a.Stride+j+1]
			ri[j] = (ri[j] - dot(rj[:j], ri)) * f
		}
	}
	return true
}

// dot returns xᵀy for vectors of equal length. Four running sums, for rows too
// short to be worth a call into assembly.
func dot(x, y []float64) float64 {
	y = y[:len(x)]
	var a, b, c, d float64
	for len(x) >= 4 {
		a += x[0] * y[0]
		b += x[1] * y[1]
		c += x[2] * y[2]
		d += x[3] * y[3]
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		a += v * y[i]
	}
	return (a + b) + (c + d)
}

// axpy adds alpha·x to y.
func axpy(alpha float64, x, y []float64) {
	n := len(x)
	blas64.Axpy(alpha, blas64.Vector{N: n, Inc: 1, Data: x}, blas64.Vector{N: n, Inc: 1, Data: y})
}

// apply sets y = a·x, or aᵀ·x when t is blas.Trans.
func apply(t blas.Transpose, a blas64.General, x, y []float64) {
	blas64.Gemv(t, 1, a, blas64.Vector{N: len(x), Inc: 1, Data: x}, 0, blas64.Vector{N: len(y), Inc: 1, Data: y})
}

// sum returns Σ x_i.
func sum(x []float64) float64 {
	total := 0.0
	for _, v := range x {
		total += v
	}
	return total
}
