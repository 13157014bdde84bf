package design

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/cores"
)

// On pivots that are all arms it is Minimax: the two certified intervals overlap and are as narrow as
// asked.
func TestPivotsOfAllArms(t *testing.T) {
	const tasks, n, tol = 2, 40, 0.01
	p := factored(tasks*n, smoothArms(tasks, n, 2, 1), 1e-13)
	if len(p.Arms) != tasks*n {
		t.Fatalf("rank %d", len(p.Arms))
	}
	p.Ridge = 1e-3
	want, err := Minimax(p.Space, taskGroups(tasks, n), Options{Tolerance: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	d, err := MinimaxOnPivots(p, taskGroups(tasks, n), Options{Tolerance: tol})
	if err != nil || d.Lower > want.Value || d.Value < want.Lower || d.Value > want.Value*(1+3*tol) || d.Lower < want.Value/(1+3*tol) {
		t.Errorf("%.5g to %.5g (%v, %v), want %.6g", d.Lower, d.Value, d.Status, err, want.Value)
	}
}

// With more tasks than contrasts that join at once, the largest still do.
func TestPivotsOfManyTasks(t *testing.T) {
	const tasks, n = 80, 2
	kernel := smoothArms(tasks, n, 0.4, 1)
	whole := factored(tasks*n, kernel, 1e-9)
	whole.Ridge = 0.1
	want, err := Minimax(whole.Space, taskGroups(tasks, n), Options{Tolerance: 1e-4})
	if err != nil {
		t.Fatal(err)
	}
	p := factored(tasks*n, kernel, 1e-3)
	p.Ridge = whole.Ridge
	if len(p.Arms) >= tasks {
		t.Fatalf("%d pivots", len(p.Arms))
	}
	d, err := MinimaxOnPivots(p, taskGroups(tasks, n), Options{Tolerance: 0.01})
	if err != nil || d.Lower > want.Value || d.Value < want.Lower || d.Value > 1.1*want.Value || d.Lower < want.Value/1.1 {
		t.Errorf("%.5g to %.5g on %d pivots (%v, %v), want %.6g", d.Lower, d.Value, len(p.Arms), d.Status, err, want.Value)
	}
}

// On the pivots of a stopped factor both ends are right for the kernel itself: checked in the
// features of the whole one, by explicit inverses and by the interior-point method over all arms.
func TestPivotsBoundTheKernel(t *testing.T) {
	const tasks = 3
	n := sized(50, 24)
	kernel := smoothArms(tasks, n, 1.5, 2)
	whole := factored(tasks*n, kernel, 1e-12)
	c := taskGroups(tasks, n)
	ridges := []float64{1e-1, 1e-2, 1e-3}
	if testing.Short() {
		ridges = ridges[1:2]
	}
	for _, xi := range ridges {
		whole.Ridge = xi
		best, err := Minimax(whole.Space, c, Options{Tolerance: 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []float64{1, 0.1, 0.01} {
			p := factored(tasks*n, kernel, part*xi)
			p.Ridge = xi
			arms, rest := slices.Clone(p.Arms), slices.Clone(p.Rest)
			d, err := MinimaxOnPivots(p, c, Options{Tolerance: 0.02})
			if err != nil {
				t.Fatal(err)
			}
			truth := slowValue(t, whole.Space, c, d.Weights)
			lower := slowLower(t, whole.Space, d.Certificate)
			if truth > d.Value*(1+1e-7) || d.Value > truth+8*part*1.001+1e-7 || d.Reached > d.Value*(1+1e-12) {
				t.Errorf("ξ %g, rest %g: value %.6g, reached %.6g, by inverses %.6g", xi, part, d.Value, d.Reached, truth)
			}
			// In all features the same dual point proves at least what it proves in fewer, up to
			// the rests that enter its own contrasts.
			if d.Lower > best.Value || lower > best.Value*(1+1e-9) {
				t.Errorf("ξ %g, rest %g: lower %.6g, by inverses %.6g, above the optimum %.6g", xi, part, d.Lower, lower, best.Value)
			}
			if !slices.Equal(arms, p.Arms) || !slices.Equal(rest, p.Rest) {
				t.Error("the pivots given were changed")
			}
			if total := sum(d.Weights); math.Abs(total-1) > 1e-12 || slices.Min(d.Weights) < 0 {
				t.Errorf("weights sum to %v", total)
			}
		}
	}
}

// Listed contrasts with weights, several noise scales.
func TestPivotsListedContrasts(t *testing.T) {
	const tasks = 3
	n := sized(60, 24)
	kernel := smoothArms(tasks, n, 1.5, 3)
	whole := factored(tasks*n, kernel, 1e-12)
	p := factored(tasks*n, kernel, 1e-5)
	p.Ridge, whole.Ridge = 1e-3, 1e-3
	p.Precision = make([]float64, tasks*n)
	for i := range p.Precision {
		p.Precision[i] = 1 + float64(i%7)/3
	}
	whole.Precision = p.Precision
	var c Contrasts
	for v := range tasks {
		for i := range n - 1 {
			c.Pairs = append(c.Pairs, Pair{I: v * n, J: v*n + i + 1, Weight: 1 / math.Pow(0.1+0.02*float64(i), 2)})
		}
	}
	best, err := Minimax(whole.Space, c, Options{Tolerance: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	d, err := MinimaxOnPivots(p, c, Options{Tolerance: 0.02})
	if err != nil || d.Lower > best.Value || d.Value < best.Lower || d.Value > 1.1*best.Value {
		t.Errorf("%.6g to %.6g, %v, %v; want %.6g", d.Lower, d.Value, d.Status, err, best.Value)
	}
	if truth := slowValue(t, whole.Space, c, d.Weights); truth > d.Value*(1+1e-9) {
		t.Errorf("value %.6g, by inverses %.6g", d.Value, truth)
	}
}

// Without a scan of all pairs the value is a bound, at most twice what was met here.
func TestPivotsWithoutScan(t *testing.T) {
	n := sized(60, 24)
	p := factored(3*n, smoothArms(3, n, 1.5, 4), 1e-4)
	p.Ridge = 1e-2
	c := taskGroups(3, n)
	exact, err := MinimaxOnPivots(p, c, Options{Tolerance: 0.02})
	if err != nil {
		t.Fatal(err)
	}
	d, err := MinimaxOnPivots(p, c, Options{Tolerance: 0.02, Scan: 1})
	if err != nil || d.Value < d.Reached || d.Value > 2.2*d.Reached || d.Lower > exact.Value || exact.Value > d.Value {
		t.Errorf("value %.6g, reached %.6g, lower %.6g, %v; with the scan %.6g", d.Value, d.Reached, d.Lower, err, exact.Value)
	}
	if truth, _, err := MaxVariance(t.Context(), p.Space, c, d.Weights); err != nil || truth > d.Value {
		t.Errorf("value %.6g, of the pairs themselves %.6g, %v", d.Value, truth, err)
	}
}

// The bits do not depend on the number of cores, and a context ends a solve.
func TestPivotsCores(t *testing.T) {
	each := sized(300, 70)
	p := factored(5*each, smoothArms(5, each, 1, 5), 1e-3)
	p.Ridge = 1e-2
	c := taskGroups(5, each)
	var first Design
	for k, n := range []int{1, 3} {
		d, err := MinimaxOnPivots(p, c, Options{Tolerance: 0.05, Context: cores.Within(t.Context(), n)})
		if err != nil {
			t.Fatal(err)
		}
		if k == 0 {
			first = d
		}
		if d.Value != first.Value || d.Lower != first.Lower || !slices.Equal(d.Weights, first.Weights) {
			t.Errorf("%d cores: %v to %v, one: %v to %v", n, d.Lower, d.Value, first.Lower, first.Value)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := MinimaxOnPivots(p, c, Options{Context: ctx}); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context gives %v", err)
	}
}

// A threshold ends a solve as soon as the lower bound has passed it; what has nothing to decide is
// trivial.
func TestPivotsThreshold(t *testing.T) {
	n := sized(100, 40)
	p := factored(3*n, smoothArms(3, n, 1, 6), 1e-4)
	p.Ridge = 1e-2
	c := taskGroups(3, n)
	d, err := MinimaxOnPivots(p, c, Options{Tolerance: 0.02})
	if err != nil {
		t.Fatal(err)
	}
	s, err := MinimaxOnPivots(p, c, Options{Tolerance: 0.02, Threshold: d.Lower / 3})
	if err != nil || s.Status != Separated || s.Lower <= d.Lower/3 || s.Lower > d.Value || s.Iterations >= d.Iterations {
		t.Errorf("%v after %d iterations at %.5g, %v; without a threshold %d", s.Status, s.Iterations, s.Lower, err, d.Iterations)
	}
	if d, err := MinimaxOnPivots(p, Contrasts{Groups: [][]int{{1}}}, Options{}); err != nil || d.Status != Trivial {
		t.Errorf("one arm: %v, %v", d.Status, err)
	}
	p.Ridge = 0
	if _, err := MinimaxOnPivots(p, c, Options{}); err == nil {
		t.Error("no ridge is needed")
	}
}
