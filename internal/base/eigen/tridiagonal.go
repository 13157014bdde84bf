package eigen

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	lapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
)

// tridiagonal is a matrix reduced to A = Q T Qᵀ with T tridiagonal.
type tridiagonal struct {
	n                int
	diagonal, beside []float64 // of T; beside has n entries, the last unused
	data, tau        []float64 // Q as reflectors, as LAPACK's dsytrd leaves them
}

// panel is the number of columns reduced at a time.
const panel = 32

// reduce runs LAPACK's dsytrd on the upper triangle, with a look at the context between panels.
func reduce(ctx context.Context, a *mat.SymDense) (*tridiagonal, error) {
	n := a.SymmetricDim()
	t := &tridiagonal{n: n, diagonal: make([]float64, n), beside: make([]float64, n), tau: make([]float64, n-1)}
	full := mat.DenseCopyOf(a).RawMatrix()
	t.data = full.Data
	var impl lapack.Implementation
	work := make([]float64, n*panel)
	first := n - (n-1)/panel*panel
	for i := n - panel; i >= first; i -= panel {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		impl.Dlatrd(blas.Upper, i+panel, panel, t.data, n, t.beside, t.tau, work, panel)
		blas64.Syr2k(blas.NoTrans, -1, blas64.General{Rows: i, Cols: panel, Stride: n, Data: t.data[i:]},
			blas64.General{Rows: i, Cols: panel, Stride: panel, Data: work},
			1, blas64.Symmetric{Uplo: blas.Upper, N: i, Stride: n, Data: t.data})
		for j := i; j < i+panel; j++ {
			t.data[(j-1)*n+j] = t.beside[j-1]
			t.diagonal[j] = t.data[j*n+j]
		}
	}
	impl.Dsytd2(blas.Upper, first, t.data, n, t.diagonal, t.beside, t.tau)
	return t, nil
}

// values returns the eigenvalues, ascending.
func (t *tridiagonal) values() ([]float64, error) {
	var impl lapack.Implementation
	if !impl.Dsterf(t.n, t.diagonal, t.beside[:t.n-1]) {
		return nil, errDiverged
	}
	return t.diagonal, nil
}

// basis returns the columns of Q.
func (t *tridiagonal) basis() [][]float64 {
	var impl lapack.Implementation
	work := make([]float64, 1)
	impl.Dorgtr(blas.Upper, t.n, t.data, t.n, t.tau, work, -1)
	work = make([]float64, int(work[0]))
	impl.Dorgtr(blas.Upper, t.n, t.data, t.n, t.tau, work, len(work))
	columns := make([][]float64, t.n)
	for k := range columns {
		columns[k] = make([]float64, t.n)
		for i := range t.n {
			columns[k][i] = t.data[i*t.n+k]
		}
	}
	return columns
}

// mostSweeps limits the steps of an eigenvalue; two are usual.
const mostSweeps = 60

// diagonalise overwrites the diagonal by the eigenvalues and rotates the vectors along, by the QL
// algorithm with implicit shifts.
//
//	G. H. Golub, C. F. Van Loan, Matrix Computations, 4th edition, 2013, sec. 8.3.
func diagonalise(ctx context.Context, d, e []float64, vectors [][]float64) error {
	for l := range d {
		for sweep := 0; ; sweep++ {
			end := l
			for end < len(d)-1 && math.Abs(e[end]) > 0x1p-53*(math.Abs(d[end])+math.Abs(d[end+1])) {
				end++
			}
			if end == l {
				break
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if sweep == mostSweeps {
				return errDiverged
			}
			chase(d, e, l, end, vectors)
		}
	}
	return nil
}

// chase takes one implicit QL step on rows l to end.
func chase(d, e []float64, l, end int, vectors [][]float64) {
	g := (d[l+1] - d[l]) / (2 * e[l])
	g = d[end] - d[l] + e[l]/(g+math.Copysign(math.Hypot(g, 1), g))
	s, c, p := 1.0, 1.0, 0.0
	for i := end - 1; i >= l; i-- {
		f, b := s*e[i], c*e[i]
		r := math.Hypot(f, g)
		e[i+1] = r
		if r == 0 { // the matrix has split
			d[i+1] -= p
			e[end] = 0
			return
		}
		s, c = f/r, g/r
		g = d[i+1] - p
		r = (d[i]-g)*s + 2*c*b
		p = s * r
		d[i+1] = g + p
		g = c*r - b
		rotate(vectors[i], vectors[i+1], c, s)
	}
	d[l] -= p
	e[l], e[end] = g, 0
}

func rotate(x, y []float64, c, s float64) {
	y = y[:len(x)]
	for k, v := range x {
		w := y[k]
		x[k], y[k] = c*v-s*w, s*v+c*w
	}
}
