package fit

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Data drawn from a known kernel must give its numbers back, with intervals that cover
// them about as often as they say, and never a likelihood below that at the start.
func TestRecovery(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	const draws = 40
	w := world{tasks: 8, arms: 8, reps: 4, noise: 0.5}
	truth := []float64{4, 2, 1, 0.6} // scale, length scale of tasks, of arms; noise
	k := joint(t, kernels.RBF{Lengthscale: []float64{truth[1]}}, kernels.Mul(kernels.Constant{Value: truth[0]}, kernels.RBF{Lengthscale: []float64{truth[2]}}))
	start := joint(t, rbf(1), kernels.Mul(free(1, 1e-2, 1e3), rbf(3)))
	sigma := free(1, 0.01, 100)
	covered, centre := make([]int, 4), make([]float64, 4)
	w.noise = truth[3]
	for draw := range draws {
		p := w.draw(t, k, 10, rand.New(rand.NewPCG(1, uint64(draw))))
		f := fitted(t, p, Options{Kernel: start, Noise: &sigma, Starts: 2})
		if f.LogLikelihood < f.LogLikelihoodStart {
			t.Errorf("draw %d: the log likelihood falls from %v to %v", draw, f.LogLikelihoodStart, f.LogLikelihood)
		}
		for i, at := range []int{0, 1, 2, 3} {
			got := f.Parameters[at]
			centre[i] += math.Log(got.Value/truth[i]) / draws
			if got.CI95[0] <= truth[i] && truth[i] <= got.CI95[1] {
				covered[i]++
			}
		}
	}
	t.Logf("of %d draws covered %v, mean log ratio to the truth %.3f", draws, covered, centre)
	for i, c := range covered {
		// 95 % of 40 is 38; 31 or fewer has probability 0.0003 [binomial], and intervals
		// from curvature are asymptotic
		if c < 32 {
			t.Errorf("number %d: covered in %d of %d draws", i, c, draws)
		}
		// the likelihood underestimates a scale beside a level that it estimates, too
		if math.Abs(centre[i]) > 0.35 {
			t.Errorf("number %d: off by a factor of %v on average", i, math.Exp(centre[i]))
		}
	}
}

// Where a problem has only guesses of its noise, they are where the fit of the noise starts, not
// what it uses.
func TestUnknownNoise(t *testing.T) {
	w := world{tasks: 6, arms: 8, reps: 4, noise: 0.6}
	k := joint(t, kernels.RBF{Lengthscale: []float64{2}}, kernels.Mul(kernels.Constant{Value: 4}, kernels.RBF{}))
	p := w.draw(t, k, 10, rand.New(rand.NewPCG(4, 4)))
	p.Noise.UnknownBy = problem.UnknownProblem
	for i := range p.Noise.Scales {
		p.Noise.Scales[i] = 20
	}
	f := fitted(t, p, Options{Kernel: joint(t, rbf(1), kernels.Mul(free(1, 1e-2, 1e3), rbf(3)))})
	last := f.Parameters[len(f.Parameters)-1]
	if f.Noise != "fitted" || last.Name != "noise" || math.Abs(math.Log(last.Value/0.6)) > 0.35 {
		t.Errorf("noise %s: %+v; want about 0.6, fitted", f.Noise, last)
	}
}

func TestLimitsAndLevels(t *testing.T) {
	w := world{tasks: 3, arms: 8, reps: 3, noise: 0.3}
	k := joint(t, kernels.RBF{Lengthscale: []float64{2}}, kernels.Mul(kernels.Constant{Value: 9}, kernels.RBF{}))
	p := w.draw(t, k, 20, rand.New(rand.NewPCG(7, 1)))
	open := joint(t, kernels.RBF{Lengthscale: []float64{2}}, kernels.Mul(free(1, 0.5, 2), kernels.RBF{}))
	f := fitted(t, p, Options{Kernel: open})
	if f.Parameters[0].Limit != "max" || f.Parameters[0].Value != 2 || !strings.HasPrefix(f.Expression, "2*task") {
		t.Errorf("%+v, %s", f.Parameters[0], f.Expression)
	}
	if !strings.HasPrefix(f.Usable, f.Expression+" + ") || math.Abs(f.Levels[0]-20) > 3 {
		t.Errorf("levels %v, usable %s", f.Levels, f.Usable)
	}
	if f = fitted(t, p, Options{Kernel: open, Mean: MeanTask}); len(f.Levels) != 3 || !strings.HasSuffix(f.Usable, "*task(identity())") {
		t.Errorf("levels %v, usable %s", f.Levels, f.Usable)
	}
	if !p.WithKernel(f.Kernel).KernelFittedHere() || p.KernelFittedHere() {
		t.Error("the problem does not know where its kernel was fitted")
	}
	if other := w.draw(t, f.Kernel, 20, rand.New(rand.NewPCG(7, 2))); other.KernelFittedHere() {
		t.Error("other data count as those fitted to")
	}
	again, err := Of(context.Background(), p, Options{Kernel: open, Mean: MeanTask})
	if err != nil || again.LogLikelihood != f.LogLikelihood || again.Usable != f.Usable {
		t.Errorf("a second fit differs: %v, %v", again.Usable, err)
	}
}

// Two scales of one term are told apart by nothing, and the length scale beside them is
// determined all the same.
func TestUndetermined(t *testing.T) {
	w := world{tasks: 4, arms: 8, reps: 4, noise: 0.3}
	k := joint(t, kernels.RBF{Lengthscale: []float64{2}}, kernels.Mul(kernels.Constant{Value: 3}, kernels.RBF{}))
	twice := joint(t, kernels.Mul(free(1, 0.01, 100), kernels.RBF{Lengthscale: []float64{2}}), kernels.Mul(free(2, 0.01, 100), rbf(2)))
	one := joint(t, kernels.RBF{Lengthscale: []float64{2}}, kernels.Mul(free(2, 0.01, 100), rbf(2)))
	p := w.draw(t, k, 0, rand.New(rand.NewPCG(9, 1)))
	f, g := fitted(t, p, Options{Kernel: twice}), fitted(t, p, Options{Kernel: one})
	if f.Parameters[0].StandardError != 0 || f.Parameters[1].StandardError != 0 {
		t.Errorf("%+v", f.Parameters)
	}
	if a, b := f.Parameters[2].StandardError, g.Parameters[1].StandardError; !(b > 0) || math.Abs(a/b-1) > 0.02 {
		t.Errorf("standard error of the length scale %v, with one scale %v", a, b)
	}
	if !slices.ContainsFunc(f.Warnings, func(w engine.Warning) bool { return w.Kind == engine.WarnFitUndetermined }) {
		t.Errorf("%q", f.Warnings)
	}
}

func TestErrors(t *testing.T) {
	w := world{tasks: 2, arms: 3, reps: 2, noise: 0.3}
	k := joint(t, kernels.RBF{}, kernels.Mul(free(1, 0.5, 2), kernels.RBF{}))
	p := w.draw(t, k, 0, rand.New(rand.NewPCG(8, 1)))
	unknown := *p
	unknown.Mean = nil
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	nothing := free(0, 0, 1)
	single := world{tasks: 2, arms: 1, reps: 2, noise: 0.3}.draw(t, k, 0, rand.New(rand.NewPCG(8, 2)))
	for _, row := range []struct {
		ctx  context.Context
		p    *problem.Problem
		opt  Options
		want string
	}{
		{t.Context(), &unknown, Options{}, `problem "drawn" has no mean rewards. A fit needs a mean`},
		{t.Context(), p, Options{Mean: "linear"}, `mean must be "problem", "task" or "none", got "linear"`},
		{t.Context(), p, Options{Noise: &nothing}, "the noise is a free hyperparameter that may be 0"},
		{t.Context(), single, Options{Mean: MeanTask}, "2 arms, too few to fit a kernel after 2 constant means"},
		{ended, p, Options{}, context.Canceled.Error()},
	} {
		_, err := Of(row.ctx, row.p, row.opt)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%v, want %s", err, row.want)
		}
	}
	if _, err := Of(ended, p, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
