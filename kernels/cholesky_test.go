package kernels

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/ending"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

func TestPivotedCholeskyRebuilds(t *testing.T) {
	p := testPoints(t, 5, "random")
	for _, row := range []struct {
		k    Kernel
		rank int // in exact arithmetic, on 40 points in general position
	}{
		{Linear{}, 5},
		{Linear{Bias: 1}, 6},
		{Polynomial{Degree: 2}, 15}, // monomials of degree 2 in 5 variables
		{Cosine{Dims: Dims{Index: []int{0, 1}}}, 4},
		{Identity{}, 2}, // two names
		{Constant{3}, 1},
		{RBF{Lengthscale: []float64{0.5}}, 40},
	} {
		m := try.Of(On(row.k, p))
		f := try.Of(PivotedCholesky(context.Background(), m, 0, 0))
		gram := Dense(m)
		if _, r := f.L.Dims(); r != row.rank || len(f.Pivots) != r {
			t.Errorf("%s: rank %d, want %d", row.k, r, row.rank)
		}
		// the stated residual is 1e-12 of the largest diagonal value
		checkFactor(t, row.k.String(), f, gram, 1e-11)
	}
}

// checkFactor compares L Lᵀ with the matrix, and the stated residual with what remains.
func checkFactor(t *testing.T, name string, f Factor, gram *mat.SymDense, tol float64) {
	t.Helper()
	var rebuilt mat.SymDense
	rebuilt.SymOuterK(1, f.L)
	worst, trace, largest := 0.0, 0.0, 0.0
	for i := range gram.SymmetricDim() {
		largest = max(largest, gram.At(i, i))
		trace += gram.At(i, i) - rebuilt.At(i, i)
		for j := range gram.SymmetricDim() {
			worst = max(worst, math.Abs(gram.At(i, j)-rebuilt.At(i, j)))
		}
	}
	rounding := 1e-13 * largest * float64(gram.SymmetricDim())
	if worst > tol*largest || worst > f.Residual+rounding || math.Abs(trace-f.ResidualTrace) > rounding {
		t.Errorf("%s: off by %v where %v is stated; residual trace %v where %v is stated", name, worst, f.Residual, trace, f.ResidualTrace)
	}
}

func TestPivotedCholeskyTruncates(t *testing.T) {
	p := gaussianPoints(t, 120, 2)
	m := try.Of(On(RBF{}, p))
	last := math.Inf(1)
	for _, r := range []int{3, 10, 30} {
		f := try.Of(PivotedCholesky(context.Background(), m, r, 0))
		if _, got := f.L.Dims(); got != r {
			t.Errorf("rank %d, want %d", got, r)
		}
		if f.Residual >= last {
			t.Errorf("residual %v at rank %d, %v before", f.Residual, r, last)
		}
		last = f.Residual
		checkFactor(t, fmt.Sprint("rank ", r), f, Dense(m), 1)
	}
	f := try.Of(PivotedCholesky(context.Background(), m, 0, 1e-4))
	if f.Residual > 1e-4 {
		t.Errorf("residual %v, asked for 1e-4", f.Residual)
	}
}

// The three cases of [Du23, app. A]: all vectors of {0,1}⁴ with two ones, in one, two or five
// copies of ℝ⁴, have features of rank 4, 8 and 20. Twins within rounding change nothing.
func TestPivotedCholeskyFindsTheRank(t *testing.T) {
	for _, row := range []struct {
		groups []float64 // which copy each of the five tasks lives in
		rank   int
	}{{[]float64{0, 0, 0, 0, 0}, 4}, {[]float64{0, 0, 1, 1, 1}, 8}, {[]float64{0, 1, 2, 3, 4}, 20}} {
		for _, twin := range []float64{0, 1e-9} {
			var z, x [][]float64
			var taskNames, armNames []string
			var taskOf []int
			for v, g := range row.groups {
				z, taskNames = append(z, []float64{g}), append(taskNames, fmt.Sprint("t", v))
				for a := range 4 {
					for b := range a {
						for range 2 {
							arm := make([]float64, 4)
							arm[a], arm[b] = 1, 1+twin*float64(len(x))
							x, armNames, taskOf = append(x, arm), append(armNames, fmt.Sprint(a, b)), append(taskOf, v)
						}
					}
				}
			}
			tasks := try.Of(NewPoints([]string{"z_1"}, taskNames, z))
			arms := try.Of(NewPoints([]string{"x_1", "x_2", "x_3", "x_4"}, armNames, x))
			m := try.Of(Joint{Terms: []Term{{1, Category{}, Linear{}}}}.On(context.Background(), tasks, arms, taskOf))
			f := try.Of(PivotedCholesky(context.Background(), m, 0, 0))
			if len(f.Pivots) != row.rank {
				t.Errorf("groups %v, twins %v: rank %d, want %d", row.groups, twin, len(f.Pivots), row.rank)
			}
		}
	}
}

// stored is a matrix given as numbers, for what no kernel gives.
type stored struct{ *mat.SymDense }

func (m stored) Len() int { return m.SymmetricDim() }
func (m stored) Row(dst []float64, i int) {
	mat.Row(dst, i, m)
}
func (m stored) Diagonal(dst []float64) {
	for i := range dst {
		dst[i] = m.At(i, i)
	}
}

func TestPivotedCholeskyRejects(t *testing.T) {
	for _, row := range []struct {
		name string
		data []float64 // 2×2
		want string
	}{
		{"indefinite", []float64{1, 2, 2, 1}, "not positive semi-definite: the smallest eigenvalue is -1; it must be at least 0 (down to -1e-08 counts as rounding)"},
		{"negative diagonal", []float64{1, 0, 0, -1}, "not positive semi-definite: the smallest eigenvalue is -1; it must be at least 0 (down to -1e-08 counts as rounding)"},
		{"zero", []float64{0, 0, 0, 0}, "the kernel is zero at each of the 2 points"},
		{"infinite", []float64{1, math.Inf(1), math.Inf(1), 1}, "the kernel of points 1 and 2 is +Inf; values must be finite"},
		{"not a number", []float64{1, 0, 0, math.NaN()}, "the kernel of point 2 and itself is NaN; values must be finite"},
	} {
		_, err := PivotedCholesky(context.Background(), stored{mat.NewSymDense(2, row.data)}, 0, 0)
		if err == nil || err.Error() != row.want {
			t.Errorf("%s: got %v, want %s", row.name, err, row.want)
		}
	}
}

// counted is a matrix that counts the rows which are read.
type counted struct {
	Matrix
	rows int
}

func (c *counted) Row(dst []float64, i int) {
	c.rows++
	c.Matrix.Row(dst, i)
}

// A factorisation stops where its context ends, and reads no row after that.
func TestPivotedCholeskyStops(t *testing.T) {
	const n = 200
	names, x := make([]string, n), make([][]float64, n)
	for i := range n {
		names[i], x[i] = fmt.Sprint(i), []float64{float64(i)}
	}
	p, err := NewPoints([]string{"x_1"}, names, x)
	if err != nil {
		t.Fatal(err)
	}
	for _, ends := range []int{0, 1, 50, 150} {
		m := try.Of(On(RBF{}, p))
		ctx, rows := ending.After(ends), &counted{Matrix: m}
		if _, err := PivotedCholesky(ctx, rows, 0, 0); !errors.Is(err, context.Canceled) || ctx.Asked() > ends+2 || rows.rows > ends {
			t.Errorf("the context ended after %d questions: asked %d times, read %d rows, %v", ends, ctx.Asked(), rows.rows, err)
		}
	}
	// Memory is asked for before it is taken.
	m := try.Of(On(RBF{}, p))
	rows := &counted{Matrix: many{m}}
	_, err = PivotedCholesky(memlimit.Named(context.Background(), 1e8, "the limit that was set"), rows, 0, 0)
	if refused := (*memlimit.Error)(nil); !errors.As(err, &refused) || rows.rows > 0 {
		t.Errorf("read %d rows, %v", rows.rows, err)
	}
}

// many is a matrix said to have a million rows.
type many struct{ Matrix }

func (many) Len() int { return 1_000_000 }

func (many) Diagonal(dst []float64) {
	for i := range dst {
		dst[i] = 1
	}
}
