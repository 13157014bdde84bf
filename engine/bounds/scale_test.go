package bounds_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/ending"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// scaled returns the paper's second case with its kernel times a factor.
func scaled(t *testing.T, factor float64) *problem.Problem {
	t.Helper()
	p := enginetest.Paper(t, 2, 0.2)
	k := try.Of(kernels.ScaleJoint(factor, p.Kernel))
	return p.WithKernel(k)
}

// A kernel factor of any size gives an answer or an error, never a panic; with ξ scaled alike the spectrum scales too.
func TestSpectrumAtEveryScale(t *testing.T) {
	at := func(factor float64) (bounds.Spectrum, error) {
		opt := engine.Options{Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-3 * factor}}
		return bounds.SpectrumOf(context.Background(), scaled(t, factor), opt)
	}
	want := try.Of(at(1))
	for exponent := -300; exponent <= 140; exponent += 20 {
		factor := math.Pow(10, float64(exponent))
		got, err := at(factor)
		if err != nil {
			t.Logf("1e%d: %v", exponent, err)
			continue
		}
		for k, v := range want.Task {
			if math.Abs(got.Task[k]/factor-v) > 1e-9*want.Task[0] {
				t.Errorf("1e%d: eigenvalue %d of the tasks is %g, want %g", exponent, k, got.Task[k], v*factor)
			}
		}
		if _, err := bounds.Compute(context.Background(), scaled(t, factor), engine.Options{}); err != nil {
			t.Logf("bounds at 1e%d: %v", exponent, err)
		}
	}
}

// All theory computations stop soon after their context ends: each function checks at most once more on its way out.
func TestTheoryStops(t *testing.T) {
	p := scaled(t, 1)
	opt := engine.Options{Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-6}}
	for name, compute := range map[string]func(context.Context) error{
		"bounds":   func(ctx context.Context) error { _, err := bounds.Compute(ctx, p, opt); return err },
		"spectrum": func(ctx context.Context) error { _, err := bounds.SpectrumOf(ctx, p, opt); return err },
		"hardness": func(ctx context.Context) error { _, err := bounds.HardnessOf(ctx, p); return err },
		"design":   func(ctx context.Context) error { _, err := bounds.FirstRound(ctx, p, opt, 0); return err },
		"rank":     func(ctx context.Context) error { _, err := bounds.RankTask(ctx, p); return err },
	} {
		whole := ending.Never()
		if err := compute(whole); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for ends := 0; ends < whole.Asked(); ends += 1 + whole.Asked()/50 {
			ctx := ending.After(ends)
			if err := compute(ctx); !errors.Is(err, context.Canceled) || ctx.Asked() > ends+4 {
				t.Errorf("%s: the context ended after %d of %d questions: asked %d times, %v", name, ends, whole.Asked(), ctx.Asked(), err)
			}
		}
	}
}

// The eigenvalues of many tasks come from a low-rank factor, and are the same.
func TestManyTasks(t *testing.T) {
	if testing.Short() {
		t.Skip("eigenvalues of 1,100 tasks")
	}
	const n = 1100
	names, x := make([]string, n), make([][]float64, n)
	taskOf, mean, noise := make([]int, n), make([]float64, n), make([]float64, n)
	for i := range n {
		names[i], x[i], taskOf[i], noise[i] = fmt.Sprint(i), []float64{float64(i) / n}, i, 1
	}
	points := try.Of(kernels.NewPoints([]string{"z_1"}, names, x))
	p := try.Of(problem.New("many", points, points, taskOf, kernels.LiftTask(kernels.RBF{}), noise, mean))
	gram := try.Of(p.Kernel.TaskGram(context.Background(), points))
	var whole mat.EigenSym // of the 1,100 × 1,100 matrix itself
	if !whole.Factorize(gram, false) {
		t.Fatal("no eigenvalues")
	}
	want, values := 0, whole.Values(nil)
	for _, v := range values {
		if v > 1e-10*values[n-1] {
			want++
		}
	}
	if rank, err := bounds.RankTask(context.Background(), p); err != nil || rank != want {
		t.Errorf("rank %d of %d, %v", rank, want, err)
	}
}
