package kernels

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// manyPoints is a joint Gram matrix of three tasks whose arms fill several blocks of rows.
func manyPoints(t *testing.T, n int) Matrix {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 7))
	names, rows, taskOf := make([]string, n), make([][]float64, n), make([]int, n)
	for i := range n {
		names[i], taskOf[i] = number(float64(i)), i*3/n
		rows[i] = []float64{rng.Float64(), rng.Float64(), rng.Float64()}
	}
	arms := try.Of(NewPoints([]string{"x_1", "x_2", "x_3"}, names, rows))
	tasks := try.Of(NewPoints([]string{"z_1"}, []string{"a", "b", "c"}, [][]float64{{0}, {0.3}, {2}}))
	j := Joint{Terms: []Term{{Scale: 1.7, Task: RBF{}, Arm: Add(RBF{}, Linear{})}, {Scale: 0.1, Arm: Matern{Nu: 2.5}}}}
	return try.Of(j.On(context.Background(), tasks, arms, taskOf))
}

// plainFactor is a literal transcription of [Harbrecht, Peters, Schneider 2012, alg. 1], column by
// column.
func plainFactor(m Matrix, rank int) (columns [][]float64, pivots []int, rest []float64) {
	n := m.Len()
	rest = make([]float64, n)
	m.Diagonal(rest)
	for range rank {
		p := floats.MaxIdx(rest)
		c := make([]float64, n)
		m.Row(c, p)
		for _, b := range columns {
			f := b[p]
			for j := range c {
				c[j] -= f * b[j]
			}
		}
		root := math.Sqrt(rest[p])
		for j := range c {
			c[j] /= root
			rest[j] -= c[j] * c[j]
		}
		c[p], rest[p] = root, 0
		columns, pivots = append(columns, c), append(pivots, p)
	}
	return columns, pivots, rest
}

// The factor has the bits of the plain algorithm, for any number of cores and any order of requests
// for its parts.
func TestGrowingIsTheFactorStopped(t *testing.T) {
	m := manyPoints(t, 2500)
	want, pivots, _ := plainFactor(m, 40)
	for _, n := range []int{1, 2, 5} {
		ctx := cores.Within(context.Background(), n)
		g := try.Of(Grow(m))
		for _, rank := range []int{3, 40, 17, 1} {
			f := try.Of(g.Factor(ctx, rank, 0))
			if !slices.Equal(f.Pivots, pivots[:rank]) {
				t.Fatalf("%d cores: pivots %v", n, f.Pivots)
			}
			for k := range rank {
				for i := range m.Len() {
					if f.L.At(i, k) != want[k][i] {
						t.Fatalf("%d cores: entry %d, %d is %v, want %v", n, i, k, f.L.At(i, k), want[k][i])
					}
				}
			}
			_, _, rest := plainFactor(m, rank)
			if !slices.Equal(f.Rest, rest) || f.Residual != slices.Max(rest) {
				t.Errorf("%d cores, rank %d: another rest", n, rank)
			}
		}
		// a tolerance stops at the same place, whether the columns are there or not
		tol := want[20][pivots[20]] * want[20][pivots[20]] / g.Largest()
		for range 2 {
			f, err := g.Factor(ctx, 0, tol)
			if err != nil || len(f.Pivots) != 20 || f.Residual > tol*g.Largest() {
				t.Errorf("stopped at %g: %d columns, rest %g, error %v", tol, len(f.Pivots), f.Residual, err)
			}
			g = try.Of(Grow(m))
		}
	}
}

func TestGrowingIsShared(t *testing.T) {
	m := manyPoints(t, 1500)
	want, _, _ := plainFactor(m, 30)
	g := try.Of(Grow(m))
	var wg sync.WaitGroup
	for rank := 1; rank <= 30; rank++ {
		wg.Go(func() {
			columns, _, err := g.Columns(context.Background(), rank, 0)
			if err != nil || len(columns) != rank || !slices.Equal(columns[rank-1], want[rank-1]) {
				t.Errorf("rank %d: %d columns, error %v", rank, len(columns), err)
			}
		})
	}
	wg.Wait()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := g.take(context.Background()); err != nil { // holds the lock, as a caller that computes does
		t.Fatal(err)
	}
	if _, _, err := g.Columns(ended, 31, 0); err == nil {
		t.Error("waits for others after its context has ended")
	}
	g.give()
}

// Parts of rows have the bits of the rows.
func TestPart(t *testing.T) {
	m := manyPoints(t, 300)
	row, part := make([]float64, m.Len()), make([]float64, m.Len())
	for _, i := range []int{0, 99, 100, 299} {
		m.Row(row, i)
		for _, from := range []int{0, 1, 99, 100, 101, 250, 299} {
			for _, length := range []int{0, 1, 7, m.Len() - from} {
				if from+length > m.Len() {
					continue
				}
				Part(m, part[:length], i, from)
				if !slices.Equal(part[:length], row[from:from+length]) {
					t.Fatalf("row %d from %d, %d values", i, from, length)
				}
				Part(struct{ Matrix }{m}, part[:length], i, from) // without a method for it
				if !slices.Equal(part[:length], row[from:from+length]) {
					t.Fatalf("row %d from %d, %d values, by the whole row", i, from, length)
				}
			}
		}
	}
}
