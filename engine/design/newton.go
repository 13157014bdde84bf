package design

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// newton has the linear system of one interior-point step, and its solution.
type newton struct {
	e      blas64.General // E: n × K
	scaled blas64.General // E diag(u/s)^{1/2}
	matrix blas64.General // Cholesky factor of the n × n system
	vm, ym blas64.General // V M and the scaled contrasts
	tile   blas64.General
	tile2  blas64.General

	rs, ds, du, w     []float64 // K
	rz, dl, dz        []float64 // n
	a, x0, z0, z1     []float64 // n
	dt, dnu, sumRatio float64
}

// assemble factors the matrix of the Newton system after s, u and z are eliminated,
//
//	2 (W Wᵀ) ∘ (W M Wᵀ) + E diag(u/s) Eᵀ + diag(z/λ),   W = diag(1/σ) V
//
// The first term is the Hessian of Σ u_p h_p. It is computed by the r × r matrix M in n²r operations; C diag(u) Cᵀ with
// C = W Yᵀ would take n²K. Then assemble solves the system for the two columns of dt and dν. It reports whether the
// matrix is positive definite.
func (s *interior) assemble() bool {
	for i, f := range s.root { // E and the matrix need W and W M
		scale(f, row(s.v, i))
		scale(f, row(s.vm, i))
	}
	multiply(s.stop, blas.Trans, 1, s.v, s.y, 0, s.e)
	for p := range s.w {
		s.w[p] = math.Sqrt(s.u[p] / s.s[p])
	}
	for i := range s.e.Rows {
		ei, si := row(s.e, i), row(s.scaled, i)
		a := 0.0
		for p, c := range ei {
			c *= c
			ei[p] = c
			si[p] = c * s.w[p]
			a += si[p] * s.w[p]
		}
		s.a[i] = a
	}
	s.sumRatio = dot(s.w, s.w)
	setGram(s.stop, s.scaled, s.matrix)
	addProduct(s.stop, 2, s.v, s.vm, s.tile, s.tile2, s.matrix)
	for i := range s.matrix.Rows {
		d := &s.matrix.Data[i*s.matrix.Stride+i]
		// the relative 1e-14 matters only if rounding would make a pivot negative
		*d += s.z[i]/s.lambda[i] + 1e-14**d
	}
	if !cholesky(s.stop, s.matrix) {
		return false
	}
	copy(s.z0, s.a)
	for i := range s.z1 {
		s.z1[i] = 1
	}
	solve(s.matrix, s.z0)
	solve(s.matrix, s.z1)
	return true
}

// setGram sets the lower triangle of m to x xᵀ. A large matrix is computed row by row, from the same inner products, with
// checks of the context.
func setGram(stop stopper, x, m blas64.General) {
	const atOnce = 1 << 25 // products
	if m.Rows*m.Rows*x.Cols <= atOnce {
		blas64.Syrk(blas.NoTrans, 1, x, 0, lower(m))
		return
	}
	vector := func(i int) blas64.Vector { return blas64.Vector{N: x.Cols, Inc: 1, Data: row(x, i)} }
	for i := range m.Rows {
		stop.check()
		xi, to := vector(i), row(m, i)
		for j := range i + 1 {
			to[j] = blas64.Dot(vector(j), xi)
		}
	}
}

// addProduct adds alpha (W Wᵀ) ∘ (X Wᵀ) to the lower triangle of m, tile by tile; t1 and t2 are workspace.
func addProduct(stop stopper, alpha float64, w, x blas64.General, t1, t2, m blas64.General) {
	const strip = tileRows / 4 // so that few entries above the diagonal are computed
	for i0 := 0; i0 < m.Rows; i0 += strip {
		stop.check()
		ni := min(strip, m.Rows-i0)
		for j0 := 0; j0 < i0+ni; j0 += tileCols {
			nj := min(tileCols, i0+ni-j0)
			p, q := window(t1, 0, 0, ni, nj), window(t2, 0, 0, ni, nj)
			wj := block(w, j0, j0+nj)
			blas64.Gemm(blas.NoTrans, blas.Trans, alpha, block(w, i0, i0+ni), wj, 0, p)
			blas64.Gemm(blas.NoTrans, blas.Trans, 1, block(x, i0, i0+ni), wj, 0, q)
			for i := range ni {
				to := row(m, i0+i)[j0:min(j0+nj, i0+i+1)]
				a, b := row(p, i), row(q, i)
				for j := range to {
					to[j] += a[j] * b[j]
				}
			}
		}
	}
}

func scale(f float64, x []float64) { blas64.Scal(f, blas64.Vector{N: len(x), Inc: 1, Data: x}) }

// solve replaces x by A⁻¹x, where a is a Cholesky factor of A.
func solve(a blas64.General, x []float64) {
	b := blas64.Vector{N: len(x), Inc: 1, Data: x}
	blas64.Trsv(blas.NoTrans, factor(a), b)
	blas64.Trsv(blas.Trans, factor(a), b)
}

// direction solves the linearised optimality conditions. rs and rz are the right-hand sides for the complementarity
// products s u and λ z. It sets the direction dl, dz, ds, du, dt and dnu.
func (s *interior) direction() {
	// w = rs/s + (u/s) r_p with the primal residual r_p = s + h - t.
	sumW := 0.0
	for p := range s.w {
		s.w[p] = (s.rs[p] + s.u[p]*(s.s[p]+s.h[p]-s.t)) / s.s[p]
		sumW += s.w[p]
	}
	apply(blas.NoTrans, s.e, s.w, s.x0)
	for i := range s.x0 {
		s.x0[i] += s.g[i] + s.z[i] - s.nu + s.rz[i]/s.lambda[i]
	}
	solve(s.matrix, s.x0)
	// the conditions on Σ λ and on Σ u determine the remaining unknowns dt and dν
	a11, a12, b1 := dot(s.a, s.z0)-s.sumRatio, dot(s.a, s.z1), 1-sum(s.u)-sumW+dot(s.a, s.x0)
	a21, a22, b2 := -sum(s.z0), -sum(s.z1), -sum(s.x0)
	det := a11*a22 - a12*a21
	s.dt, s.dnu = (b1*a22-a12*b2)/det, (a11*b2-b1*a21)/det
	for i := range s.dl {
		s.dl[i] = s.x0[i] - s.dt*s.z0[i] - s.dnu*s.z1[i]
		s.dz[i] = (s.rz[i] - s.z[i]*s.dl[i]) / s.lambda[i]
	}
	apply(blas.Trans, s.e, s.dl, s.ds)
	for p := range s.ds {
		s.ds[p] += s.dt - (s.s[p] + s.h[p] - s.t)
		s.du[p] = (s.rs[p] - s.u[p]*s.ds[p]) / s.s[p]
	}
}

// lengths returns the step lengths of the primal and of the dual iterate: the given fraction of the way to the boundary,
// but at most 1.
func (s *interior) lengths(fraction float64) (primal, dual float64) {
	primal = min(boundary(s.lambda, s.dl), boundary(s.s, s.ds))
	dual = min(boundary(s.z, s.dz), boundary(s.u, s.du))
	return min(1, fraction*primal), min(1, fraction*dual)
}

// boundary returns the smallest step along d at which an entry of x becomes zero; +Inf if there is none.
func boundary(x, d []float64) float64 {
	limit := math.Inf(1)
	for i, v := range d {
		if v < 0 {
			limit = min(limit, -x[i]/v)
		}
	}
	return limit
}

// Products are computed in tiles of this shape. gonum's Gemm runs in the calling goroutine if its result has fewer than
// four 64×64 blocks.
const tileRows, tileCols = 64, 192

// reshape returns an r × c matrix that uses the storage of g if that is large enough. Its values are undefined.
func reshape(g blas64.General, r, c int) blas64.General {
	if cap(g.Data) < r*c {
		// a quarter more, since working sets grow by a few rows at a time
		g.Data = make([]float64, r*c, r*c+r*c/4)
	}
	return blas64.General{Rows: r, Cols: c, Stride: max(c, 1), Data: g.Data[:r*c]}
}

// tile returns storage for one tile of a product with n rows and n columns, reusing that of g.
func tile(g blas64.General, n int) blas64.General {
	return reshape(g, min(n, tileRows), min(n, tileCols))
}

func row(g blas64.General, i int) []float64 { return g.Data[i*g.Stride : i*g.Stride+g.Cols] }

// block returns the rows i0 ≤ i < i1 of g.
func block(g blas64.General, i0, i1 int) blas64.General {
	return blas64.General{Rows: i1 - i0, Cols: g.Cols, Stride: g.Stride, Data: g.Data[i0*g.Stride : (i1-1)*g.Stride+g.Cols]}
}

// window returns a view of the r × c part of g with its upper left entry at (i, j).
func window(g blas64.General, i, j, r, c int) blas64.General {
	return blas64.General{Rows: r, Cols: c, Stride: g.Stride, Data: g.Data[i*g.Stride+j : (i+r-1)*g.Stride+j+c]}
}

// lower returns a view of the square g as the lower triangle of a symmetric matrix.
func lower(g blas64.General) blas64.Symmetric {
	return blas64.Symmetric{Uplo: blas.Lower, N: g.Rows, Stride: g.Stride, Data: g.Data}
}

// factor returns a view of the square g as a lower triangular Cholesky factor.
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

// multiply sets c to beta·c + alpha·a·b, or to beta·c + alpha·a·bᵀ if t is blas.Trans.
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

// addOuter sets the lower triangle of m to xᵀx, adding a few rows of x at a time. The sums have the same order as in one
// product.
func addOuter(stop stopper, x, m blas64.General) {
	const together = 256
	for i, beta := 0, 0.0; i < x.Rows; i, beta = i+together, 1 {
		stop.check()
		blas64.Syrk(blas.Trans, 1, block(x, i, min(i+together, x.Rows)), beta, lower(m))
	}
}

// cholesky overwrites the lower triangle of a with L, where a = L Lᵀ. It reports whether a was positive definite up to
// rounding. It does not use the upper triangle.
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

// choleskyBlock is cholesky without blocks, for small matrices. The outer loop is over columns, so that the inner products
// of a column can run in parallel on the processor.
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

// dot returns xᵀy for vectors of equal length. It uses four running sums, which for short rows is faster than a call of
// assembly code.
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

func axpy(alpha float64, x, y []float64) {
	n := len(x)
	blas64.Axpy(alpha, blas64.Vector{N: n, Inc: 1, Data: x}, blas64.Vector{N: n, Inc: 1, Data: y})
}

// apply sets y = a·x, or aᵀ·x when t is blas.Trans.
func apply(t blas.Transpose, a blas64.General, x, y []float64) {
	blas64.Gemv(t, 1, a, blas64.Vector{N: len(x), Inc: 1, Data: x}, 0, blas64.Vector{N: len(y), Inc: 1, Data: y})
}

// sum returns Σ x_i.
func sum(x []float64) float64 { return lists.Total(x) }

// largest returns the largest entry of x, and 0 if x is empty.
func largest(x []float64) float64 { return lists.Max(x, func(v float64) float64 { return v }) }
