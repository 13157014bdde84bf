package engine

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// after is a context that ends when it has been asked a number of times.
type after struct {
	context.Context
	asked, ends int
}

func (a *after) Err() error {
	if a.asked++; a.asked > a.ends {
		return context.Canceled
	}
	return nil
}

// stops checks that something stops wherever its context ends, and asks no more than slack times after that.
func stops(t *testing.T, name string, slack int, do func(ctx context.Context) error) {
	t.Helper()
	whole := &after{Context: context.Background(), ends: math.MaxInt}
	if err := do(whole); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if whole.asked < 2 {
		t.Errorf("%s: asks its context only %d times", name, whole.asked)
	}
	for _, ends := range []int{0, 1, whole.asked / 4, whole.asked / 2, whole.asked - 1} {
		ctx := &after{Context: context.Background(), ends: ends}
		if err := do(ctx); !errors.Is(err, context.Canceled) || ctx.asked > ends+slack {
			t.Errorf("%s: the context ended after %d of %d questions: asked %d times, %v", name, ends, whole.asked, ctx.asked, err)
		}
	}
}

// Models, what follows from known rewards, estimators and coordinates stop wherever their context ends.
func TestModelsStop(t *testing.T) {
	p := instances(t)[3]
	counts := make([]int, p.N())
	for i := range counts {
		counts[i] = 3
	}
	counts[0], counts[1] = 0, 0
	background, err := NewModel(p, 0)
	if err != nil {
		t.Fatal(err)
	}
	stops(t, "NewModelContext", 2, func(ctx context.Context) error {
		_, err := NewModelContext(ctx, p, 0)
		return err
	})
	stops(t, "Hardness", 1, func(ctx context.Context) error {
		m := *background
		m.memory = new(Memory)
		_, err := m.Until(ctx).Hardness(0, 0)
		return err
	})
	stops(t, "NewEstimator", 1, func(ctx context.Context) error {
		m := *background
		_, err := NewEstimator(m.Until(ctx), 0.1, counts)
		return err
	})
	stops(t, "Alone", 2, func(ctx context.Context) error {
		m := *background
		_, err := m.Until(ctx).perTask()
		return err
	})
	stops(t, "contests", 1, func(ctx context.Context) error {
		m := *background
		_, err := m.Until(ctx).contests(true)
		return err
	})
}

// The QR decomposition in steps gives gonum's solution, to rounding, and stops.
func TestSolveInSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, dim = 300, 170
	x, mu := mat.NewDense(n, dim, nil), make([]float64, n)
	for i := range n {
		for k := range dim {
			x.Set(i, k, rng.NormFloat64())
		}
		mu[i] = rng.NormFloat64()
	}
	want, err := solveLeastSquares(context.Background(), x, mu)
	if err != nil {
		t.Fatal(err)
	}
	got, err := solveInSteps(context.Background(), x, mu)
	if err != nil {
		t.Fatal(err)
	}
	for k := range want {
		if math.Abs(got[k]-want[k]) > 1e-11 { // of numbers of the order of 0.1, with condition below 100
			t.Fatalf("%d: %g in steps, %g at once", k, got[k], want[k])
		}
	}
	stops(t, "solveInSteps", 1, func(ctx context.Context) error {
		_, err := solveInSteps(ctx, x, mu)
		return err
	})
}

// The fit of means leaves nothing to test when the context has ended in it.
func TestLeastSquaresStops(t *testing.T) {
	p := instances(t)[3]
	m, err := NewModel(p, 0)
	if err != nil {
		t.Fatal(err)
	}
	data, factor := newReplicates(p.N()), make([]float64, p.N())
	b := Batch{Counts: make([]int, p.N()), Means: p.Mean}
	for i := range factor {
		factor[i], b.Counts[i] = 1, 2
	}
	data.add(b)
	whole := &after{Context: context.Background(), ends: math.MaxInt}
	if l := m.Until(whole).leastSquares(data, factor, 0); l.freedom != p.N()-m.Rank() || whole.asked < m.Rank() {
		t.Fatalf("%d degrees of freedom of %d arms at rank %d, asked %d times", l.freedom, p.N(), m.Rank(), whole.asked)
	}
	for ends := range whole.asked {
		ctx := &after{Context: context.Background(), ends: ends}
		if l := m.Until(ctx).leastSquares(data, factor, 0); l.freedom != 0 || ctx.asked > ends+2 {
			t.Errorf("the context ended after %d questions: asked %d times, %d degrees of freedom", ends, ctx.asked, l.freedom)
		}
	}
}
