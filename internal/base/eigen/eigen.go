package eigen

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	lapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// errDiverged is the error for a matrix with an entry that is NaN or infinite.
var errDiverged = errors.New("the eigenvalues could not be computed: the matrix has entries that are not finite")

// small is the largest order of matrices that are passed to gonum. It takes a fraction of a second for them.
const small = 256

// Values returns the eigenvalues of a, ascending.
func Values(ctx context.Context, a *mat.SymDense) ([]float64, error) {
	values, _, err := decompose(ctx, a, false)
	return values, err
}

// Decompose returns the eigenvalues of a, ascending, and the orthonormal eigenvectors, one per
// column.
func Decompose(ctx context.Context, a *mat.SymDense) ([]float64, *mat.Dense, error) {
	return decompose(ctx, a, true)
}

func decompose(ctx context.Context, a *mat.SymDense, vectors bool) (_ []float64, _ *mat.Dense, err error) {
	defer try.Caught(&err)
	try.To(ctx.Err())
	n := a.SymmetricDim()
	scale := try.Of(scaleOf(a))
	scaled := mat.NewSymDense(n, nil)
	scaled.ScaleSym(1/scale, a)
	var values []float64
	var v *mat.Dense
	if n <= small {
		values, v, err = byGonum(scaled, vectors)
	} else {
		values, v, err = bySteps(ctx, scaled, vectors)
	}
	for i := range values {
		values[i] *= scale
	}
	return values, v, err
}

// scaleOf returns a power of two near the largest absolute entry; dividing by it causes no rounding. gonum panics on
// matrices of much smaller scale.
func scaleOf(a *mat.SymDense) (float64, error) {
	raw, largest := a.RawSymmetric(), 0.0
	for i := range raw.N {
		for _, v := range raw.Data[i*raw.Stride+i : i*raw.Stride+raw.N] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return 0, errDiverged
			}
			largest = max(largest, math.Abs(v))
		}
	}
	if largest == 0 {
		return 1, nil
	}
	_, exponent := math.Frexp(largest)
	return math.Ldexp(1, max(exponent, -1021)), nil // its reciprocal must be finite
}

func byGonum(a *mat.SymDense, vectors bool) ([]float64, *mat.Dense, error) {
	var eigen mat.EigenSym
	if !eigen.Factorize(a, vectors) {
		return nil, nil, errDiverged
	}
	if !vectors {
		return eigen.Values(nil), nil, nil
	}
	v := new(mat.Dense)
	eigen.VectorsTo(v)
	return eigen.Values(nil), v, nil
}

// bySteps reduces the matrix to a tridiagonal matrix and computes the eigenvalues of the latter. Without vectors it calls
// LAPACK's dsterf.
func bySteps(ctx context.Context, a *mat.SymDense, vectors bool) (_ []float64, _ *mat.Dense, err error) {
	defer try.Caught(&err)
	t := try.Of(reduce(ctx, a))
	if !vectors {
		var impl lapack.Implementation
		if !impl.Dsterf(t.n, t.diagonal, t.beside[:t.n-1]) {
			return nil, nil, errDiverged
		}
		return t.diagonal, nil, nil
	}
	rows := t.basis()
	try.To(diagonalise(ctx, t.diagonal, t.beside, rows))
	order := indices.All(len(t.diagonal))
	slices.SortFunc(order, func(i, j int) int {
		if t.diagonal[i] < t.diagonal[j] {
			return -1
		}
		return 1
	})
	values, v := make([]float64, len(order)), mat.NewDense(len(order), len(order), nil)
	for to, from := range order {
		values[to] = t.diagonal[from]
		v.SetCol(to, rows[from])
	}
	return values, v, nil
}

// tridiagonal is the decomposition A = Q T Qᵀ with tridiagonal T.
type tridiagonal struct {
	n                int
	diagonal, beside []float64 // diagonal and off-diagonal of T; beside has n entries, the last of which is unused
	data, tau        []float64 // Q as reflectors, in the form of LAPACK's dsytrd
}

// panel is the number of columns that reduce reduces between two checks of the context.
const panel = 32

// reduce runs LAPACK's dsytrd on the upper triangle, and checks the context between panels.
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

// basis returns the columns of Q as slices.
func (t *tridiagonal) basis() [][]float64 {
	var impl lapack.Implementation
	work := make([]float64, 1)
	impl.Dorgtr(blas.Upper, t.n, t.data, t.n, t.tau, work, -1)
	work = make([]float64, int(work[0]))
	impl.Dorgtr(blas.Upper, t.n, t.data, t.n, t.tau, work, len(work))
	return lists.Make(t.n, func(k int) []float64 { return lists.Make(t.n, func(i int) float64 { return t.data[i*t.n+k] }) })
}

// mostSweeps limits the QL steps per eigenvalue. Usually two suffice.
const mostSweeps = 60

// diagonalise computes the eigenvalues of the tridiagonal matrix with diagonal d and off-diagonal e, by the QL algorithm with
// implicit shifts. It stores them in d and applies the same rotations to the vectors.
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

// chase performs one implicit QL step on rows l to end of the tridiagonal matrix with diagonal d and off-diagonal e.
func chase(d, e []float64, l, end int, vectors [][]float64) {
	g := (d[l+1] - d[l]) / (2 * e[l])
	g = d[end] - d[l] + e[l]/(g+math.Copysign(math.Hypot(g, 1), g))
	s, c, p := 1.0, 1.0, 0.0
	for i := end - 1; i >= l; i-- {
		f, b := s*e[i], c*e[i]
		r := math.Hypot(f, g)
		e[i+1] = r
		if r == 0 { // the matrix has split into two blocks
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
