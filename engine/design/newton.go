package design

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// newton holds the linear system of one step and its solution.
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

// assemble factors the matrix left after s, u and z are eliminated,
//
//	2 (W Wᵀ) ∘ (W M Wᵀ) + E diag(u/s) Eᵀ + diag(z/λ),   W = diag(1/σ) V,
//
// whose first term is the Hessian of Σ u_p h_p; going through the r × r matrix M
// costs n²r where C diag(u) Cᵀ with C = W Yᵀ would cost n²K. It then solves for
// the two columns by which dt and dν enter.
func (s *interior) assemble() bool {
	if s.root != nil { // E and the matrix need W and W M
		for i, f := range s.root {
			scale(f, row(s.v, i))
			scale(f, row(s.vm, i))
		}
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
		// The relative 1e-14 only matters where rounding would make a pivot negative.
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

// setGram sets the lower triangle of m to x xᵀ. A large one goes row by row, by the same inner
// products.
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

// addProduct adds alpha (W Wᵀ) ∘ (X Wᵀ) to the lower triangle of m, tile by tile.
func addProduct(stop stopper, alpha float64, w, x blas64.General, t1, t2, m blas64.General) {
	const strip = tileRows / 4 // little of the upper triangle is computed in vain
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

func scale(f float64, x []float64) {
	blas64.Scal(f, blas64.Vector{N: len(x), Inc: 1, Data: x})
}

// solve overwrites x with a⁻¹x for a Cholesky factor of a.
func solve(a blas64.General, x []float64) {
	b := blas64.Vector{N: len(x), Inc: 1, Data: x}
	blas64.Trsv(blas.NoTrans, factor(a), b)
	blas64.Trsv(blas.Trans, factor(a), b)
}

// direction solves the linearised optimality conditions for the complementarity
// right-hand sides rs (s u) and rz (λ z).
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
	// The simplex and Σ u = 1 close the system: two unknowns, dt and dν.
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

// lengths returns how far the primal and the dual iterate can go: at most 1, and
// at most the given fraction of the way to the boundary.
func (s *interior) lengths(fraction float64) (primal, dual float64) {
	primal = min(boundary(s.lambda, s.dl), boundary(s.s, s.ds))
	dual = min(boundary(s.z, s.dz), boundary(s.u, s.du))
	return min(1, fraction*primal), min(1, fraction*dual)
}

// boundary returns the step along d at which some x reaches zero.
func boundary(x, d []float64) float64 {
	limit := math.Inf(1)
	for i, v := range d {
		if v < 0 {
			limit = min(limit, -x[i]/v)
		}
	}
	return limit
}
