package design

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// largeCols is the smallest number of coordinates for which restricted problems use the methods of large.
const largeCols = 48

// large has faster methods for an interior-point iteration with hundreds of coordinates. Their results are equal up to
// rounding. They multiply rows by rows, which is twice as fast as rows by columns, and multiply by L⁻¹ where the other
// methods substitute.
type large struct {
	on      bool
	inverse blas64.General // L⁻¹
	across  blas64.General // a matrix transposed
}

// information sets chol to the Cholesky factor of A = ξI + Σ λ_i φ_iφ_iᵀ/σ_i², and g.inverse to the inverse of that
// factor. It reports whether A is positive definite.
func (g *large) information(stop stopper, phi blas64.General, root, lambda []float64, ridge float64, chol blas64.General) bool {
	f := make([]float64, phi.Rows)
	for i, l := range lambda {
		f[i] = math.Sqrt(l) * root[i]
	}
	g.gram(stop, phi, f, chol)
	for i := range chol.Rows {
		chol.Data[i*chol.Stride+i] += ridge
	}
	if !cholesky(stop, chol) {
		return false
	}
	g.inverse = reshape(g.inverse, chol.Rows, chol.Rows)
	invert(stop, chol, g.inverse)
	return true
}

// gram sets the lower triangle of m to Σ f_i² x_i x_iᵀ, where x_i are the rows of x. It skips rows with f_i = 0.
func (g *large) gram(stop stopper, x blas64.General, f []float64, m blas64.General) {
	count := lists.Count(f, func(v float64) bool { return v != 0 })
	g.across = reshape(g.across, x.Cols, count)
	at := 0
	for i, v := range f {
		if v == 0 {
			continue
		}
		for k, e := range row(x, i) {
			g.across.Data[k*g.across.Stride+at] = v * e
		}
		at++
	}
	if count == 0 {
		for i := range m.Rows {
			clear(row(m, i))
		}
		return
	}
	for i := 0; i < m.Rows; i += tileRows {
		stop.check()
		ni := min(tileRows, m.Rows-i)
		for j := 0; j < i+ni; j += tileCols {
			nj := min(tileCols, i+ni-j)
			blas64.Gemm(blas.NoTrans, blas.Trans, 1, block(g.across, i, i+ni), block(g.across, j, j+nj), 0, window(m, i, j, ni, nj))
		}
	}
}

// moment sets m = Σ u_p y_p y_pᵀ.
func (g *large) moment(stop stopper, y blas64.General, u []float64, m blas64.General) {
	f := lists.Map(u, math.Sqrt)
	g.gram(stop, y, f, m)
	mirror(m)
}

// invert sets inv to L⁻¹ for a lower triangular l, with zeros above the diagonal.
func invert(stop stopper, l, inv blas64.General) {
	m := l.Rows
	for i := range m {
		clear(row(inv, i))
	}
	for j := 0; j < m; j += tileRows {
		stop.check()
		nj := min(tileRows, m-j)
		d := window(inv, j, j, nj, nj)
		for k := range nj {
			d.Data[k*d.Stride+k] = 1
		}
		below := window(inv, j, 0, nj, j+nj)
		if j > 0 { // -L_{jk} (L⁻¹)_{k·}
			multiply(stop, blas.NoTrans, -1, window(l, j, 0, nj, j), window(inv, 0, 0, j, j), 0, window(inv, j, 0, nj, j))
		}
		blas64.Trsm(blas.Left, blas.NoTrans, 1, factor(window(l, j, j, nj, nj)), below)
	}
}

// timesTriangle sets v = x Tᵀ for a lower triangular t. It does not multiply the entries above the diagonal.
func timesTriangle(x, t, v blas64.General) {
	for i := 0; i < x.Rows; i += tileRows {
		ni := min(tileRows, x.Rows-i)
		for j := 0; j < t.Rows; j += tileCols {
			nj := min(tileCols, t.Rows-j)
			k := j + nj
			blas64.Gemm(blas.NoTrans, blas.Trans, 1, window(x, i, 0, ni, k), window(t, j, 0, nj, k), 0, window(v, i, j, ni, nj))
		}
	}
}
