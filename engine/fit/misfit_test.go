package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Under the kernel that the rewards were drawn from, the test for lack of fit must reject
// as often as its level says: its degrees of freedom are exact.
func TestMisfitLevel(t *testing.T) {
	if testing.Short() {
		t.Skip("800 draws")
	}
	const draws = 400
	w := world{tasks: 4, arms: 8, reps: 3, noise: 0.8}
	k := joint(t, kernels.RBF{}, kernels.RBF{Lengthscale: []float64{2}})
	for _, mean := range []string{MeanNone, MeanTask} {
		var values []float64
		for draw := range draws {
			p := w.draw(t, k, 0, rand.New(rand.NewPCG(2, uint64(draw))))
			p.Noise.Scales = slices.Clone(p.Noise.Scales)
			for i := range p.Noise.Scales {
				p.Noise.Scales[i] = 2 // F does not depend on the scale, but its starting point does
			}
			d := try.Of(dataOf(p, mean))
			s := try.Of(newSurface(t.Context(), d, k, nil))
			s.fixed = d.common(w.noise)
			g := try.Of(s.process(nil))
			var f Fit
			try.To(f.misfit(s, optimum{process: g, likelihood: g.likelihood}, Options{Starts: 1}))
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
		if slices.ContainsFunc(f.Warnings, func(w engine.Warning) bool { return w.Kind == engine.WarnFitTooGood }) {
			close++
		}
		p.Noise.Known, p.Noise.Scales = problem.NoiseSD, nil
		for _, r := range p.Rewards {
			p.Noise.Scales = append(p.Noise.Scales, stat.StdDev(r, nil))
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

// A kernel that is too smooth must be found out, the size of its misfit estimated,
// and the arm that is an exception named.
func TestMisfitFound(t *testing.T) {
	w := world{tasks: 5, arms: 10, reps: 6, noise: 0.5}
	smooth := joint(t, kernels.RBF{Lengthscale: []float64{3}}, kernels.Mul(kernels.Constant{Value: 4}, kernels.RBF{Lengthscale: []float64{3}}))
	rough := kernels.AddJoint(smooth, identity(0.5))
	found, draws := 0, 10
	if testing.Short() {
		draws = 2
	}
	for draw := range draws {
		p := w.draw(t, rough, 2, rand.New(rand.NewPCG(3, uint64(draw))))
		f := fitted(t, p, Options{Kernel: joint(t, rbf(3), kernels.Mul(free(4, 0.1, 100), rbf(3)))})
		if strings.HasPrefix(f.Misfit.Remedy, "+ ") && f.Misfit.Nugget > 0.1 {
			found++
		}
	}
	if found < draws*8/10 {
		t.Errorf("misfit found in %d of %d draws", found, draws)
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
	if !slices.ContainsFunc(f.Warnings, func(w engine.Warning) bool {
		return w.Kind == engine.WarnFitMisfit && strings.Contains(w.Names[0], "*identity()")
	}) {
		t.Errorf("no remedy in %q", f.Warnings)
	}
}
