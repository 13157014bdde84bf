package model

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/internal/base/ending"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Models, what follows from known rewards, estimators and coordinates stop wherever their context
// ends.
func TestModelsStop(t *testing.T) {
	p := enginetest.Instances(t)[3]
	counts := make([]int, p.N())
	for i := range counts {
		counts[i] = 3
	}
	counts[0], counts[1] = 0, 0
	background := model(t, p)
	ending.Check(t, "NewModelContext", 2, func(ctx context.Context) error {
		_, err := NewContext(ctx, p, 0)
		return err
	})
	ending.Check(t, "Hardness", 1, func(ctx context.Context) error {
		m := *background
		m.Memory = new(Memory)
		_, err := m.Until(ctx).Truth().Hardness(0, 0)
		return err
	})
	ending.Check(t, "NewEstimator", 1, func(ctx context.Context) error {
		m := *background
		_, err := NewEstimator(m.Until(ctx), 0.1, counts)
		return err
	})
	ending.Check(t, "TaskModels", 2, func(ctx context.Context) error {
		m := *background
		_, err := m.Until(ctx).perTask()
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
	want := try.Of(solveLeastSquares(context.Background(), x, mu))
	got := try.Of(solveInSteps(context.Background(), x, mu))
	for k := range want {
		// of numbers of the order of 0.1, with condition below 100
		if math.Abs(got[k]-want[k]) > 1e-11 {
			t.Fatalf("%d: %g in steps, %g at once", k, got[k], want[k])
		}
	}
	ending.Check(t, "solveInSteps", 1, func(ctx context.Context) error {
		_, err := solveInSteps(ctx, x, mu)
		return err
	})
}

// The fit of means leaves nothing to test when the context has ended in it.
func TestLeastSquaresStops(t *testing.T) {
	p := enginetest.Instances(t)[3]
	m := model(t, p)
	data, factor := NewReplicates(p.N()), make([]float64, p.N())
	b := engine.Batch{Counts: make([]int, p.N()), Means: p.Mean}
	for i := range factor {
		factor[i], b.Counts[i] = 1, 2
	}
	data.Add(b)
	whole := ending.Never()
	if l := m.Until(whole).LeastSquares(data, factor, 0); l.Freedom != p.N()-m.Rank() || whole.Asked() < m.Rank() {
		t.Fatalf("%d degrees of freedom of %d arms at rank %d, asked %d times", l.Freedom, p.N(), m.Rank(), whole.Asked())
	}
	for ends := range whole.Asked() {
		ctx := ending.After(ends)
		if l := m.Until(ctx).Share(new(Memory)).LeastSquares(data, factor, 0); l.Freedom != 0 || ctx.Asked() > ends+2 {
			t.Errorf("the context ended after %d questions: asked %d times, %d degrees of freedom", ends, ctx.Asked(), l.Freedom)
		}
	}
}
