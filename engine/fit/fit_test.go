package fit

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine"
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
		if math.Abs(centre[i]) > 0.35 { // the likelihood underestimates a scale beside a level that it estimates, too
			t.Errorf("number %d: off by a factor of %v on average", i, math.Exp(centre[i]))
		}
	}
}

// Under the kernel that the rewards were drawn from, the test for lack of fit must reject
// as often as its level says: its degrees of freedom are exact.
func TestMisfitLevel(t *testing.T) {
	const draws = 400
	w := world{tasks: 4, arms: 8, reps: 3, noise: 0.8}
	k := joint(t, kernels.RBF{}, kernels.RBF{Lengthscale: []float64{2}})
	for _, mean := range []string{MeanNone, MeanTask} {
		var values []float64
		for draw := range draws {
			p := w.draw(t, k, 0, rand.New(rand.NewPCG(2, uint64(draw))))
			p.Noise = slices.Clone(p.Noise)
			for i := range p.Noise {
				p.Noise[i] = 2 // F does not mind the scale, but where it begins to look
			}
			d, err := dataOf(p, mean)
			if err != nil {
				t.Fatal(err)
			}
			s, err := newSurface(t.Context(), d, k, nil)
			if err != nil {
				t.Fatal(err)
			}
			s.fixed = d.common(w.noise)
			g, err := s.process(nil)
			if err != nil {
				t.Fatal(err)
			}
			var f Fit
			if err := f.misfit(s, optimum{process: g, likelihood: g.likelihood}, Options{Starts: 1}); err != nil {
				t.Fatal(err)
			}
			if f.Misfit.Test != "F" || f.Misfit.Freedom[1] != 4*8*2 || !f.Misfit.Exact {
				t.Fatalf("%+v", f.Misfit)
			}
			values = append(values, f.Misfit.PValue)
		}
		slices.Sort(values)
		distance := 0.0
		for i, v := range values {
			distance = max(distance, math.Abs(v-float64(i)/draws), math.Abs(v-float64(i+1)/draws))
		}
		// Kolmogorov: √n D exceeds 1.95 with probability 0.001
		if distance*math.Sqrt(draws) > 1.95 {
			t.Errorf("mean %s: p-values are not uniform: √n D = %.2f", mean, distance*math.Sqrt(draws))
		}
	}
}

// A kernel that is right and was fitted must seldom be found to misfit: fitting makes the
// test conservative. So do standard deviations of single arms, which are widened.
func TestMisfitAfterFitting(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	const draws = 50
	w := world{tasks: 5, arms: 8, reps: 4, noise: 0.6}
	k := joint(t, kernels.RBF{Lengthscale: []float64{2}}, kernels.Mul(kernels.Constant{Value: 4}, kernels.RBF{Lengthscale: []float64{1.5}}))
	start := joint(t, rbf(1), kernels.Mul(free(1, 1e-2, 1e3), rbf(3)))
	fittedKernel, singleArms, close := 0, 0, 0
	for draw := range draws {
		p := w.draw(t, k, 10, rand.New(rand.NewPCG(21, uint64(draw))))
		f := fitted(t, p, Options{Kernel: start, Starts: 1})
		if f.Misfit.Remedy != "" {
			fittedKernel++
		}
		if slices.ContainsFunc(f.Warnings, func(s string) bool { return strings.Contains(s, "closer to the kernel") }) {
			close++
		}
		p.NoiseEstimated, p.Noise = true, nil
		for _, r := range p.Rewards {
			p.Noise = append(p.Noise, stat.StdDev(r, nil))
		}
		if f = fitted(t, p, Options{Kernel: k, Starts: 1}); f.Misfit.Test != "chi-square" || f.Misfit.Exact {
			t.Fatalf("standard deviations of single arms: %+v", f.Misfit)
		}
		if f.Misfit.PValue < misfitLevel {
			singleArms++
		}
	}
	t.Logf("of %d draws: %d with a remedy, %d called too close, %d rejected with single standard deviations", draws, fittedKernel, close, singleArms)
	// at 5 %, 8 or more of 50 has probability 0.004 [binomial]
	if fittedKernel >= 8 || singleArms >= 8 || close >= 4 {
		t.Error("too many")
	}
}

// A kernel that is too smooth must be found out, the size of what it misses estimated,
// and the arm that is an exception named.
func TestMisfitFound(t *testing.T) {
	w := world{tasks: 5, arms: 10, reps: 6, noise: 0.5}
	smooth := joint(t, kernels.RBF{Lengthscale: []float64{3}}, kernels.Mul(kernels.Constant{Value: 4}, kernels.RBF{Lengthscale: []float64{3}}))
	rough := kernels.AddJoint(smooth, identity(0.5))
	found := 0
	for draw := range 10 {
		p := w.draw(t, rough, 2, rand.New(rand.NewPCG(3, uint64(draw))))
		f := fitted(t, p, Options{Kernel: joint(t, rbf(3), kernels.Mul(free(4, 0.1, 100), rbf(3)))})
		if strings.HasPrefix(f.Misfit.Remedy, "+ ") && f.Misfit.Nugget > 0.1 {
			found++
		}
	}
	if found < 8 {
		t.Errorf("misfit found in %d of 10 draws", found)
	}
	p := w.draw(t, smooth, 2, rand.New(rand.NewPCG(3, 99)))
	for r := range p.Rewards[17] {
		p.Rewards[17][r] += 3
	}
	p.Mean[17] += 3
	f := fitted(t, p, Options{Kernel: smooth})
	if r := f.Misfit.Residuals[0]; r.Task != "t1" || r.Arm != "a7" || r.Standardised < 4 || f.Misfit.PValue > 0.001 {
		t.Errorf("the exception is %+v, p = %v", r, f.Misfit.PValue)
	}
	if !slices.ContainsFunc(f.Warnings, func(s string) bool { return strings.Contains(s, "*identity()") }) {
		t.Errorf("no remedy in %q", f.Warnings)
	}
}

// Sharing is supported where the tasks are alike, and not where they are not.
func TestSharing(t *testing.T) {
	w := world{tasks: 6, arms: 10, reps: 4, noise: 0.5}
	arm := kernels.Mul(kernels.Constant{Value: 4}, kernels.RBF{Lengthscale: []float64{1}})
	same := rand.New(rand.NewPCG(4, 1))
	alike := fitted(t, w.draw(t, kernels.LiftArm(arm), 0, same), Options{Kernel: joint(t, rbf(5), arm)})
	if alike.Sharing.Verdict != SharingHelps || alike.Sharing.Speedup < 4 {
		t.Errorf("equal tasks: %s, speedup %v", alike.Sharing.Verdict, alike.Sharing.Speedup)
	}
	own := fitted(t, w.draw(t, joint(t, kernels.Identity{}, arm), 0, same), Options{Kernel: joint(t, kernels.RBF{Lengthscale: []float64{10}}, arm)})
	if own.Sharing.Verdict != SharingHurts || !slices.ContainsFunc(own.Warnings, func(s string) bool { return strings.Contains(s, "pooling the tasks hurts") }) {
		t.Errorf("independent tasks under a kernel that pools them: %s, %q", own.Sharing.Verdict, own.Warnings)
	}
	free := fitted(t, w.draw(t, joint(t, kernels.Identity{}, arm), 0, same), Options{Kernel: joint(t, rbf(1), arm)})
	if free.Sharing.Verdict == SharingHelps || free.Sharing.Speedup > 1.5 {
		t.Errorf("independent tasks: %s, speedup %v", free.Sharing.Verdict, free.Sharing.Speedup)
	}
}

// The speedup has known limits: V for equal tasks, 1 for independent ones, V over the
// rank without noise.
func TestSpeedupLimits(t *testing.T) {
	ones := [][]float64{{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}}
	apart := [][]float64{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}
	pairs := [][]float64{{1, 1, 0, 0}, {1, 1, 0, 0}, {0, 0, 1, 1}, {0, 0, 1, 1}}
	for _, row := range []struct {
		alike       [][]float64
		noise, want float64
	}{{ones, 0.1, 4}, {ones, 100, 4}, {apart, 0.1, 1}, {apart, 100, 1}, {pairs, 1e-6, 2}, {pairs, 5, 2}} {
		if got := speedup(row.alike, 3, row.noise); math.Abs(got-row.want) > 1e-6*row.want {
			t.Errorf("%v at noise %v: %v, want %v", row.alike, row.noise, got, row.want)
		}
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
		p    *engine.Problem
		opt  Options
		want string
	}{
		{t.Context(), &unknown, Options{}, `problem "drawn" has no mean rewards to fit to`},
		{t.Context(), p, Options{Mean: "linear"}, `mean must be "problem", "task" or "none", got "linear"`},
		{t.Context(), p, Options{Noise: &nothing}, "the noise is a free number that may be 0"},
		{t.Context(), single, Options{Mean: MeanTask}, "2 arms leave nothing to fit to after 2 constant levels"},
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
