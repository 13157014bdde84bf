package kernels

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/rowblas"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Growing is a pivoted Cholesky factorisation that computes further columns on demand. Its first k columns are bit-identical to those of
// PivotedCholesky at rank k, for any number of cores. It is safe for concurrent use: a caller waits while another one computes columns,
// until its own context ends.
type Growing struct {
	m        Matrix
	diagonal []float64 // N
	largest  float64   // largest value of diagonal

	turn      chan struct{} // holds one value while no caller computes columns
	columns   [][]float64   // columns of N values each; never changed
	pivots    []int
	rest      []float64 // diagonal of the matrix minus the product of the columns, N values
	spare     []float64 // buffer for the next rest, N values; nil until needed
	factors   []float64 // buffer for the factors of earlier columns in the next one
	residuals []float64 // residuals[k] is the largest value of rest after k columns
}

// Grow begins the factorisation of m by reading its diagonal. It returns an error if the diagonal is zero, not finite, or below -1e-8 of
// its largest value.
func Grow(m Matrix) (*Growing, error) {
	g := &Growing{m: m, diagonal: make([]float64, m.Len()), turn: make(chan struct{}, 1)}
	m.Diagonal(g.diagonal)
	for i, v := range g.diagonal {
		if !isFinite(v) {
			return nil, fmt.Errorf("the kernel of point %d and itself is %s; values must be finite", i+1, number(v))
		}
	}
	low := 0.0
	if len(g.diagonal) > 0 {
		g.largest, low = slices.Max(g.diagonal), slices.Min(g.diagonal)
	}
	if low < -indefinite*g.largest {
		return nil, negativeRest(m, low, g.largest)
	}
	if g.largest <= 0 {
		return nil, fmt.Errorf("the kernel is zero at each of the %d points", m.Len())
	}
	g.rest = slices.Clone(g.diagonal)
	g.turn <- struct{}{}
	return g, nil
}

// Largest returns the largest diagonal value of the matrix.
func (g *Growing) Largest() float64 { return g.largest }

// Diagonal returns the diagonal of the matrix, N values. The caller must not change it.
func (g *Growing) Diagonal() []float64 { return g.diagonal }

// Continued returns a factorisation that starts with the columns computed so far. Columns that it computes later are not
// added to g.
func (g *Growing) Continued(ctx context.Context) (*Growing, error) {
	if err := g.take(ctx); err != nil {
		return nil, err
	}
	defer g.give()
	out := *g
	out.turn = make(chan struct{}, 1)
	out.turn <- struct{}{}
	out.columns, out.pivots, out.residuals = slices.Clip(g.columns), slices.Clip(g.pivots), slices.Clip(g.residuals)
	out.rest, out.spare, out.factors = slices.Clone(g.rest), nil, nil
	return &out, nil
}

// Columns returns the columns and pivots of PivotedCholesky with the same limits, or its error. The caller must not change
// them.
func (g *Growing) Columns(ctx context.Context, maxRank int, tol float64) (columns [][]float64, pivots []int, err error) {
	defer try.Caught(&err)
	try.To(g.take(ctx))
	defer g.give()
	rank := g.extend(ctx, maxRank, tol)
	return slices.Clip(g.columns[:rank]), slices.Clip(g.pivots[:rank]), nil
}

// Factor returns the result of PivotedCholesky with the same limits. It has at least one column.
func (g *Growing) Factor(ctx context.Context, maxRank int, tol float64) (f Factor, err error) {
	defer try.Caught(&err)
	columns, pivots := try.Two(g.Columns(ctx, maxRank, tol))
	if len(columns) == 0 { // a tolerance above the whole diagonal still gives one column
		columns, pivots = try.Two(g.Columns(ctx, 1, 0))
	}
	f = Factor{L: mat.NewDense(len(g.diagonal), len(columns), nil), Pivots: pivots, Largest: g.largest}
	try.To(transpose(ctx, columns, f.L))
	f.Rest = try.Of(g.restOf(ctx, columns, pivots))
	for _, v := range f.Rest {
		f.Residual = max(f.Residual, v)
		f.ResidualTrace += max(v, 0)
	}
	return f, nil
}

// Residual returns the largest remaining diagonal value after the given number of columns; 0 if fewer columns were computed.
func (g *Growing) Residual(ctx context.Context, columns int) (float64, error) {
	if err := g.take(ctx); err != nil {
		return 0, err
	}
	defer g.give()
	switch {
	case columns < len(g.residuals):
		return g.residuals[columns], nil
	case columns == len(g.columns):
		return max(slices.Max(g.rest), 0), nil
	}
	return 0, nil
}

// take waits until no other caller computes columns. It returns the context's error if ctx ends first.
func (g *Growing) take(ctx context.Context) error {
	select {
	case <-g.turn:
		return nil
	default:
	}
	select {
	case <-g.turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *Growing) give() { g.turn <- struct{}{} }

// extend computes columns until there are maxRank, or the largest remaining diagonal value is at most tol times the
// largest diagonal value. It returns the number of columns that these limits need; more columns may exist already.
func (g *Growing) extend(ctx context.Context, maxRank int, tol float64) (rank int) {
	n := len(g.diagonal)
	if maxRank <= 0 || maxRank > n {
		maxRank = n
	}
	if tol <= 0 {
		tol = negligible
	}
	for rank < maxRank {
		if rank == len(g.columns) {
			try.To(room(ctx, n, rank, maxRank))
		}
		if rank == len(g.residuals) {
			g.residuals = append(g.residuals, slices.Max(g.rest))
		}
		if g.residuals[rank] <= tol*g.largest {
			break
		}
		if rank == len(g.columns) {
			try.To(g.next(ctx))
		}
		rank++
	}
	return rank
}

// growRows is the number of rows that a core processes at a time, so that the rows of two columns fit its cache.
const growRows = 1024

// tied is a relative tolerance: remaining diagonal values that differ by less, relative to the largest diagonal value,
// count as equal. Symmetric designs have many equal values. Rounding differs between processors and must not decide which
// of them is the pivot.
const tied = 1e-13

// pivot returns the index of the largest remaining diagonal value, the first one if several are equal; 0 if values are not
// finite.
func (g *Growing) pivot() int {
	least := slices.Max(g.rest) - tied*g.largest
	return max(0, slices.IndexFunc(g.rest, func(v float64) bool { return v >= least }))
}

// next computes one more column.
func (g *Growing) next(ctx context.Context) error {
	pivot := g.pivot()
	root := math.Sqrt(g.rest[pivot])
	if g.spare == nil {
		g.spare = make([]float64, len(g.rest))
	}
	column, rest := make([]float64, len(g.rest)), g.spare
	g.factors = g.factors[:0]
	var earlier [][]float64 // without those with factor 0, which independent tasks have
	for _, c := range g.columns {
		if c[pivot] != 0 {
			earlier, g.factors = append(earlier, c), append(g.factors, c[pivot])
		}
	}
	bad := make([]int, (len(column)+growRows-1)/growRows) // for each block of rows: 1 + index of the first value that is not finite, or 0
	err := cores.Do(ctx, len(column), growRows, func(from, to int) {
		own := column[from:to]
		Part(g.m, own, pivot, from)
		for j, v := range own {
			if !isFinite(v) {
				bad[from/growRows] = from + j + 1
				return
			}
		}
		if ctx.Err() != nil {
			return
		}
		rowblas.Add(own, -1, g.factors, 1, len(earlier), func(k int) []float64 { return earlier[k][from:] })
		residual := rest[from:to]
		for j, v := range own {
			v /= root
			own[j], residual[j] = v, g.rest[from+j]-v*v
		}
	})
	for _, j := range bad {
		if j > 0 {
			return g.notFinite(pivot, j-1)
		}
	}
	if err != nil {
		return err
	}
	column[pivot], rest[pivot] = root, 0
	if low := slices.Min(rest); low < -indefinite*g.largest {
		return negativeRest(g.m, low, g.largest)
	}
	g.columns, g.pivots = append(g.columns, column), append(g.pivots, pivot)
	g.rest, g.spare = rest, g.rest
	return nil
}

// notFinite returns the error for entry (i, j) of the matrix.
func (g *Growing) notFinite(i, j int) error {
	var v [1]float64
	Part(g.m, v[:], i, j)
	return fmt.Errorf("the kernel of points %d and %d is %s; values must be finite", i+1, j+1, number(v[0]))
}

// restOf returns the diagonal of the matrix minus the product of the given columns.
func (g *Growing) restOf(ctx context.Context, columns [][]float64, pivots []int) ([]float64, error) {
	rest := slices.Clone(g.diagonal)
	at := make([]int, len(rest)) // for each point: 1 + the column of which it is the pivot, or 0
	for k, i := range pivots {
		at[i] = k + 1
	}
	err := cores.Do(ctx, len(rest), growRows, func(from, to int) {
		residual := rest[from:to]
		for k, c := range columns {
			for j, v := range c[from:to] {
				if residual[j] -= v * v; at[from+j] == k+1 {
					residual[j] = 0
				}
			}
		}
	})
	return rest, err
}

// room returns an error if ctx has ended or there is not enough memory for the next block of columns. It is called for
// each block, because the total number of columns is not known in advance.
func room(ctx context.Context, n, columns, maxRank int) error {
	const together = 64
	if columns%together > 0 {
		return ctx.Err()
	}
	more := min(columns+together, maxRank)
	// The columns and the matrix that they are copied to exist at the same time.
	bytes := 8 * float64(n) * float64(more-columns+more)
	if err := ctx.Err(); err != nil {
		return err
	}
	return memlimit.Claim(ctx, memlimit.Need{What: "the features", Bytes: bytes, Count: n, Of: "arms"})
}
