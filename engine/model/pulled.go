package model

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// onPulled returns the Estimator for counts that are positive for few of very many arms. It uses exact kernel values
// and coordinates c in the span of the s pulled arms. With A_s = Nξ I + Σ t_k c_kc_kᵀ in the span, and y_⊥ the part of
// a contrast y outside the span,
//
//	A⁻¹y = A_s⁻¹y_s + y_⊥/(Nξ).
//
// Estimates and their variances depend only on the part y_s in the span. The bias uses Nξ A⁻¹y with both orthogonal
// parts. Nothing is truncated. It returns an error if there are no pulls, if memory is short or if the context ends.
func onPulled(m *Model, ridge float64, counts []int) (_ *Estimator, err error) {
	defer try.Caught(&err)
	n, ctx := len(counts), m.Context()
	e := &Estimator{Total: make([]float64, n), unit: m.Unit, root: math.Sqrt(m.Scale)}
	var pulled []int
	for i, c := range counts {
		if c > 0 {
			pulled = append(pulled, i)
			e.Pulls += c
			e.Total[i] = float64(c) * m.Precision[i]
			e.precision += e.Total[i]
		}
	}
	if len(pulled) == 0 {
		return nil, errors.New("nothing was measured, so no arm can be estimated")
	}
	e.shrink = float64(e.Pulls) * m.Normalised(ridge)
	s := len(pulled)
	try.To(memlimit.Matrices(ctx, "the estimator", 3, n, s))
	coordinates, rest := try.Two(m.Designs().spanned(pulled))
	scaled := mat.NewDense(s, s, nil)
	for k, i := range pulled {
		addTo(scaled.RawRowView(k), math.Sqrt(e.Total[i]), coordinates.RawRowView(i))
	}
	information := mat.NewSymDense(s, nil)
	information.SymOuterK(1, scaled.T())
	var factor mat.Cholesky
	if !factor.Factorize(symmetric.Add(information, func(int) float64 { return e.shrink })) {
		return nil, fmt.Errorf("the information matrix of %d pulls is not positive definite at xi = %g; give a larger xi", e.Pulls, ridge)
	}
	inverse := try.Of(inverseFactor(&factor))
	e.White, e.solved = mat.NewDense(n, s, nil), mat.NewDense(n, s, nil)
	e.rest = make([]float64, n)
	err = cores.Do(ctx, n, rowsAtOnce, func(from, to int) {
		timesTransposed(rowsOf(e.White, from, to), rowsOf(coordinates, from, to), inverse)
		timesLower(rowsOf(e.solved, from, to), rowsOf(e.White, from, to), inverse)
		for i := from; i < to; i++ {
			e.rest[i] = math.Sqrt(rest[i])
		}
	})
	return e, err
}

// timesLower sets dst = x T for a lower triangular T.
func timesLower(dst, x, t *mat.Dense) {
	const tile = 64 // so small that BLAS starts no goroutines
	rows, s := x.Dims()
	for i := 0; i < rows; i += tile {
		end := min(i+tile, rows)
		for j := 0; j < s; j += tile {
			to := min(j+tile, s)
			dst.Slice(i, end, j, to).(*mat.Dense).Mul(x.Slice(i, end, j, s), t.Slice(j, s, j, to))
		}
	}
}

// inverseFactor returns L⁻¹, where LLᵀ is the given factor.
func inverseFactor(factor *mat.Cholesky) (*mat.Dense, error) {
	var lower, inverse mat.TriDense
	factor.LTo(&lower)
	if err := symmetric.Solved(inverse.InverseTri(&lower)); err != nil {
		return nil, err
	}
	return mat.DenseCopyOf(&inverse), nil
}

// The functions below process the features of many arms in parts, and check the context between two parts. Sums are added
// in the same order as without parts.

// byRows calls do for ranges of rows that together cover 0 ≤ i < n. Between two calls it checks the context, and returns
// its error.
func byRows(ctx context.Context, n int, do func(from, to int)) error {
	const together = 512
	for from := 0; from < n; from += together {
		if err := ctx.Err(); err != nil {
			return err
		}
		do(from, min(from+together, n))
	}
	return nil
}

// rowsOf returns a view of the rows from ≤ i < to.
func rowsOf(x *mat.Dense, from, to int) *mat.Dense {
	_, dim := x.Dims()
	return x.Slice(from, to, 0, dim).(*mat.Dense)
}

// panelWidth is the number of columns that solveInSteps factors at a time. stripWidth is the number of columns that it
// then updates at a time.
const panelWidth, stripWidth = 32, 128

// atOnce is the largest number of products for which solveLeastSquares uses gonum's QR decomposition, which cannot be
// interrupted.
const atOnce = 1 << 29

// solveLeastSquares returns the θ that minimises ‖Φθ - μ‖, by Householder's QR decomposition. features is Φ.
func solveLeastSquares(ctx context.Context, features *mat.Dense, mu []float64) ([]float64, error) {
	n, dim := features.Dims()
	if n*dim*dim > atOnce {
		return solveInSteps(ctx, features, mu)
	}
	var qr mat.QR
	var theta mat.VecDense
	qr.Factorize(features)
	if err := symmetric.Solved(qr.SolveVecTo(&theta, false, mat.NewVecDense(n, mu))); err != nil {
		return nil, err
	}
	return theta.RawVector().Data, nil
}

// solveInSteps is solveLeastSquares by panels of columns, with a check of the context between them.
func solveInSteps(ctx context.Context, features *mat.Dense, mu []float64) (_ []float64, err error) {
	defer try.Caught(&err)
	n, dim := features.Dims()
	try.To(memlimit.Matrices(ctx, "the fit of the expected rewards", 1, n, dim+1))
	both := mat.NewDense(n, dim+1, nil) // Φ and μ
	try.To(byRows(ctx, n, func(from, to int) {
		both.Slice(from, to, 0, dim).(*mat.Dense).Copy(rowsOf(features, from, to))
	}))
	both.SetCol(dim, mu)
	raw := both.RawMatrix()
	part := func(row, from, to int) blas64.General {
		return blas64.General{Rows: n - row, Cols: to - from, Stride: raw.Stride, Data: raw.Data[row*raw.Stride+from:]}
	}
	tau, work := make([]float64, panelWidth), make([]float64, stripWidth*panelWidth*4)
	for j := 0; j < dim; j += panelWidth {
		try.To(ctx.Err())
		end := min(j+panelWidth, dim)
		panel := part(j, j, end)
		lapack64.Geqrf(panel, tau[:end-j], work, len(work))
		for from := end; from <= dim; from += stripWidth {
			try.To(ctx.Err())
			strip := part(j, from, min(from+stripWidth, dim+1))
			lapack64.Ormqr(blas.Left, blas.Trans, panel, tau[:end-j], strip, work, len(work))
		}
	}
	theta := lists.Make(dim, func(k int) float64 { return both.At(k, dim) })
	r := blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: dim, Stride: raw.Stride, Data: raw.Data}
	blas64.Trsv(blas.NoTrans, r, blas64.Vector{N: dim, Inc: 1, Data: theta})
	return theta, nil
}

// Pool has the data of all rounds so far.
type Pool struct {
	Counts []int     // N
	Sums   []float64 // N: of rewards
}

// NewPool returns the pool of n arms before any data.
func NewPool(n int) Pool { return Pool{make([]int, n), make([]float64, n)} }

// Means returns the mean reward of each arm, N values, 0 for arms without data.
func (p *Pool) Means() []float64 {
	means := make([]float64, len(p.Sums))
	for i, c := range p.Counts {
		if c > 0 {
			means[i] = p.Sums[i] / float64(c)
		}
	}
	return means
}

// Take adds the data of a pool with other arms. at[k] is the index of its arm k in p, or -1 if that arm is dropped.
func (p *Pool) Take(from Pool, at []int) {
	for k, i := range at {
		if i >= 0 {
			p.Counts[i] += from.Counts[k]
			p.Sums[i] += from.Sums[k]
		}
	}
}

// Add adds the data of a round. It returns the mean reward of each arm over all rounds, N values, 0 for arms without data.
func (p *Pool) Add(b engine.Batch) []float64 {
	for i, c := range b.Counts {
		if c > 0 {
			p.Counts[i] += c
			p.Sums[i] += float64(c) * b.Means[i]
		}
	}
	return p.Means()
}
