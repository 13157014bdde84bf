package dsl

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/fit"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// A number bound to a name is one number, in kernels and in formulas; without one it is
// another number in each place.
func TestFreeHyperparameters(t *testing.T) {
	s := NewSession(Options{})
	values := valuesOf(t, s, `
a = free(0.5, min=0.1, max=5)
b = a
wave(x, y) = exp(-b*abs(x[0] - y[0]))
k = task(rbf(lengthscale=[a, 2])) * arm(free(3)*wave) + free(0.05, min=1e-6, max=1)*identity()
k
print(k)
a
wave
2*free(3)`)
	// Texts as print and displays show them, which a script reads back.
	const joint = `free(3) * task(rbf(lengthscale=[free(0.5, min=0.1, max=5, name="a"), 2])) * arm(wave) + free(0.05, min=1e-06, max=1) * identity()`
	const definitions = "a = free(0.5, min=0.1, max=5, name=\"a\")\nwave(x, y) = exp(-a*abs(x[0] - y[0]))\n"
	j := values[0].(kernels.Joint)
	if j.String() != joint || values[1] != definitions+joint || values[3] != definitions {
		t.Errorf("%v\n%v\n%v", j, values[1], values[3])
	}
	if f := values[2].(kernels.Free); f.Name != "a" || f.String() != `free(0.5, min=0.1, max=5, name="a")` {
		t.Errorf("%+v", f)
	}
	free, err := j.Free()
	if err != nil || len(free) != 3 || free[1].Label() != "a" {
		t.Fatalf("%v, %v", free, err)
	}
	// New values in the order of Free: the scale, a, and the last factor.
	moved := try.Of(j.With([]float64{4, 1, 0.5}))
	settled := try.Of(moved.Settled())
	if got, want := settled.String(), "4*task(rbf(lengthscale=[1, 2])) * arm(wave) + 0.5*identity()"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	wave := settled.Formulas()[0] // a was written into its body
	if wave.Body != "exp(-1*abs(x[0] - y[0]))" || len(wave.Free) != 0 {
		t.Errorf("%+v", wave)
	}
	p := try.Of(kernels.NewPoints([]string{"x"}, []string{"p", "q"}, [][]float64{{0}, {2}}))
	// At the distance 2: exp(-2) with a = 1, and exp(-1) with its start value 0.5.
	for _, row := range []struct {
		k    kernels.Kernel
		want float64
	}{{wave, math.Exp(-2)}, {j.Formulas()[0], math.Exp(-1)}} {
		// one rounding
		if gram, err := kernels.Gram(row.k, p); err != nil || math.Abs(gram.At(0, 1)-row.want) > 1e-15 {
			t.Errorf("%+v at two points: %v, want %v", row.k, err, row.want)
		}
	}
}

// A kernel that was fitted to a problem's own data was not known before, and results on these data
// say so; on other data they do not.
func TestFit(t *testing.T) {
	// Results on the data of the fit, under the fitted kernel and under one that is made of it, and on other data.
	s := NewSession(Options{Folder: "testdata"})
	values := valuesOf(t, s, `
k = task(free(0.5, min=0.1, max=2)*identity() + 0.5) * arm(free(0.1)*linear()) + free(0.01)*identity()
p = problem("small.csv", kernel=task(identity()) * arm(linear()))
f = fit(p, kernel=k, mean="none", noise=free(0.5, min=0.01, max=2), starts=2)
f
own = fc(with_kernel(p, fitted(f)), max_samples=100000)
own
fc(problem("small.csv", kernel=2*fitted(f) + 0.1*identity()), max_samples=100000)
fc(paper(1, gap=0.8), runs=1)
print(fitted(f))
plot(f)
plot(f, x="arm", y="residual")
fit(p)
fc(problem("small.csv", kernel=k), max_samples=100000)`)
	f := values[0].(fit.Fit)
	if len(f.Parameters) != 4 || f.Parameters[3].Name != "noise" || f.LogLikelihood < f.LogLikelihoodStart || values[4] != f.Kernel.String() {
		t.Errorf("%+v", f)
	}
	for i, heuristic := range []bool{true, true, false} {
		if r := values[1+i].(engine.Result); strings.Contains(r.Guarantee, "approximate, not proven. The kernel was fitted to these data") != heuristic {
			t.Errorf("result %d: %s", i, r.Guarantee)
		}
	}
	// The fitted kernel has no free hyperparameters, and the original kernel still has them.
	if r := values[1].(engine.Result); slices.ContainsFunc(r.Warnings, func(w engine.Warning) bool { return w.Kind == engine.WarnFree }) {
		t.Errorf("a fitted kernel counts as one to be fitted: %q", r.Warnings)
	}
	if r := values[8].(engine.Result); !slices.ContainsFunc(r.Warnings, func(w engine.Warning) bool { return w.Kind == engine.WarnFree }) {
		t.Errorf("no warning that the kernel was not fitted: %q", r.Warnings)
	}
	if looked := values[7].(fit.Fit); len(looked.Parameters) != 0 || looked.LogLikelihood != looked.LogLikelihoodStart {
		t.Errorf("a kernel without free hyperparameters: %+v", looked)
	}
}
