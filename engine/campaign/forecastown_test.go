package campaign

import (
	"math"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The mean square of the difference of two arms x and y of a task equals the one of the kernel 1000 + 50 x·y +
// 10 [x = y], 50 |x - y|² + 20, whatever share of it is by each arm itself; and of draws from
// the kernel the mean of √(1-s) √h is left: 6 B(2, 5/2) = 0.6857 for the density 6 s (1-s), times (2/3) √2 = 0.9428 for
// h evenly from 0 to 2. 2,000 runs of 15 tasks have standard errors below 1 %, by which the tolerances are set.
func TestLoosened(t *testing.T) {
	p, _, _ := couplingDays(t, "CoBayesFC", 10)
	m := try.Of(p.question().Model(t.Context(), nil))
	from := try.Of(priorOf(m))
	runs := enginetest.Number(2000, 600)
	var drawn, kernel, along, square float64
	// the same draws of the prior, before arms get a part by themselves
	q := p
	q.Algorithm = "CoTestFC" // that takes the kernel at its word
	base, _ := try.Two(truths(t.Context(), q, nil, 0, runs))
	for run := range runs {
		mean := from.loosened(p.Problem, base[run].Mean, run).Mean
		for v := range p.Problem.V() {
			lo, hi := p.Problem.ArmsOf(v)
			for i := lo; i < hi; i++ {
				for j := lo; j < i; j++ {
					d, b := mean[i]-mean[j], base[run].Mean[i]-base[run].Mean[j]
					drawn += d * d
					// of 10 [x = y] each of the two arms has 10, and of 50 x·y the difference has 50 |x - y|²
					kernel += 20
					for _, x := range p.Problem.Arms.X {
						kernel += 50 * (x[i] - x[j]) * (x[i] - x[j])
					}
					along, square = along+d*b, square+b*b
				}
			}
		}
	}
	if r := drawn / kernel; math.Abs(r-1) > 0.03 {
		t.Errorf("mean squares of differences are %.3f of the kernel's", r)
	}
	// 0.6857·0.9428
	if r := along / square; math.Abs(r-0.6465) > 0.01 {
		t.Errorf("%.3f of the kernel's part is left, want 0.6465", r)
	}
	// truths loosens them for a method that fits such parts
	own, _ := try.Two(truths(t.Context(), p, nil, 0, 3))
	for run, x := range own {
		want := from.loosened(p.Problem, base[run].Mean, run)
		for i := range x.Mean {
			if x.Mean[i] != want.Mean[i] {
				t.Fatalf("run %d, arm %d: %g, want %g", run, i, x.Mean[i], want.Mean[i])
			}
		}
	}
}

// A forecast says which of its methods it does not let take the kernel at its word; where the scale of
// the kernel is stated, or leads are, or means are known, there is none.
func TestWhoTakesTheKernelAtItsWord(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	p, mean, _ := couplingDays(t, "CoTestFC", 10)
	p.Capacity = 0
	p.Options.Epsilon = 60
	// a method whose scale is stated fits no part of each arm, and there is nothing to say
	stated := p
	stated.Algorithm, stated.Options.Scale = "CoBayesFC", 1
	known := p
	known.Problem = plan.Supposed(p.Problem, mean)
	for name, x := range map[string]struct {
		p    Protocol
		want bool
	}{"prior": {p, true}, "scale stated": {stated, false}, "means known": {known, false}} {
		f, err := MakeForecast(t.Context(), x.p, 0, 1, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := strings.Contains(f.Assumes.String(), Note{Kind: NoteOwnPart, Names: []string{"CoBayesFC"}}.String()); got != x.want {
			t.Errorf("%s: %q", name, f.Assumes)
		}
	}
}
