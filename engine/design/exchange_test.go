package design

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// valuesOf returns a kernel of unit diagonal on n arms as Values.
func valuesOf(n int, kernel func(i, j int) float64, ridge float64, precision []float64) Values {
	v := Values{Squares: make([]float64, n), Precision: precision, Ridge: ridge}
	for i := range v.Squares {
		v.Squares[i] = kernel(i, i)
	}
	v.Inner = func(dst []float64, i, from int) {
		for k := range dst {
			dst[k] = kernel(i, from+k)
		}
	}
	v.Among = func(arms []int) (func(dst []float64, i, from int), error) {
		return func(dst []float64, i, from int) {
			for k := range dst {
				dst[k] = kernel(arms[i], arms[from+k])
			}
		}, nil
	}
	return v
}

// exchanged solves by an Exchange that starts with the pivots down to ξ.
func exchanged(t *testing.T, v Values, kernel func(i, j int) float64, opt Options, c ...Contrasts) (d Design) {
	t.Helper()
	x := try.Of(NewExchange(v, factored(len(v.Squares), kernel, v.Ridge).Arms, opt))
	for _, one := range c {
		d = try.Of(x.Minimax(one))
	}
	return d
}

// scales returns precisions of several noise scales.
func scales(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1 + float64(i%7)/3
	}
	return out
}

// againstFirst lists the contrasts of the first arm of each task with the others, near ones with the largest weights.
func againstFirst(tasks, n int) (c Contrasts) {
	for v := range tasks {
		for i := range n - 1 {
			c.Pairs = append(c.Pairs, Pair{I: v * n, J: v*n + i + 1, Weight: 1 / math.Pow(0.1+0.02*float64(i), 2)})
		}
	}
	return c
}

func everyPair(n int) Contrasts {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return Contrasts{Groups: [][]int{all}}
}

// Both bounds are right and close to each other: in the features of the whole kernel, the value follows from the weights by explicit
// inverses, the lower bound from the certificate, and the optimum of the interior-point method over all arms and pairs lies between them.
func TestExchange(t *testing.T) {
	const tasks, tol = 3, 0.02
	n := sized(50, 16)
	kernel := smoothArms(tasks, n, 1.5, 2)
	whole := factored(tasks*n, kernel, 1e-12)
	ridges := []float64{1e-1, 1e-2, 1e-3, 1e-6}
	if testing.Short() {
		ridges = ridges[1:2]
	}
	for _, xi := range ridges {
		for _, precision := range [][]float64{nil, scales(tasks * n)} {
			whole.Ridge, whole.Precision = xi, precision
			for name, c := range map[string]Contrasts{"tasks": taskGroups(tasks, n), "all": everyPair(tasks * n), "listed": againstFirst(tasks, n)} {
				best := try.Of(Minimax(whole.Space, c, Options{Tolerance: 1e-5}))
				d := exchanged(t, valuesOf(tasks*n, kernel, xi, precision), kernel, Options{Tolerance: tol}, c)
				if d.Status != Optimal || d.Lower > best.Value || d.Value < best.Lower || d.DualityGap() > 2.5*tol {
					t.Errorf("%s, ξ %g: %.6g to %.6g, %v; want %.6g", name, xi, d.Lower, d.Value, d.Status, best.Value)
				}
				value, lower := slowValue(t, whole.Space, c, d.Weights), slowLower(t, whole.Space, d.Certificate)
				if math.Abs(d.Value-value) > 1e-6*value || math.Abs(d.Lower-lower) > 1e-5*lower {
					t.Errorf("%s, ξ %g: %.9g to %.9g, by inverses %.9g to %.9g", name, xi, d.Lower, d.Value, lower, value)
				}
				if total := sum(d.Weights); math.Abs(total-1) > 1e-12 || slices.Min(d.Weights) < 0 {
					t.Errorf("weights sum to %v", total)
				}
			}
		}
	}
}

// A solve that continues from another, even of other contrasts, has the same value; one with additional pairs takes fewer steps.
func TestExchangeGoesOn(t *testing.T) {
	const tasks, tol = 3, 0.02
	n := sized(100, 14)
	kernel := smoothArms(tasks, n, 1.5, 7)
	v := valuesOf(tasks*n, kernel, 1e-3, nil)
	opt := Options{Tolerance: tol}
	alone := exchanged(t, v, kernel, opt, everyPair(tasks*n))
	after := exchanged(t, v, kernel, opt, taskGroups(tasks, n), everyPair(tasks*n))
	late := exchanged(t, v, kernel, opt, taskGroups(tasks, n), againstFirst(tasks, n), taskGroups(tasks, n), everyPair(tasks*n))
	for _, d := range []Design{after, late} {
		if d.Lower > alone.Value || alone.Lower > d.Value || d.DualityGap() > 2.5*tol {
			t.Errorf("%.6g to %.6g, alone %.6g to %.6g", d.Lower, d.Value, alone.Lower, alone.Value)
		}
	}
	if after.Iterations >= alone.Iterations {
		t.Errorf("%d steps, alone %d", after.Iterations, alone.Iterations)
	}
}

// More arms than a pass uses: both bounds hold for all arms and all pairs.
func TestExchangeOfASample(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const tasks, n, xi = 4, 1000, 1e-2
	kernel := smoothArms(tasks, n, 1, 8)
	whole := factored(tasks*n, kernel, 1e-3*xi)
	whole.Ridge = xi
	c := taskGroups(tasks, n)
	d := exchanged(t, valuesOf(tasks*n, kernel, xi, nil), kernel, Options{Tolerance: 0.02}, c)
	value, _, err := MaxVariance(t.Context(), whole.Space, c, d.Weights)
	// features that end at a thousandth of ξ hide at most 4/1000 of a variance, times the weights
	if err != nil || math.Abs(d.Value-value) > 0.01 || d.DualityGap() > 0.05 {
		t.Errorf("%.6g to %.6g, by features %.6g, %v", d.Lower, d.Value, value, err)
	}
	if lower := slowLower(t, whole.Space, d.Certificate); math.Abs(lower/d.Lower-1) > 1e-3 {
		t.Errorf("lower %.6g, by features %.6g", d.Lower, lower)
	}
}

// The upper bound for all pairs is at least the largest variance, for each way of computing it: by coordinates and exact values, by
// coordinates alone, and by distances from the mean.
func TestExchangePairBound(t *testing.T) {
	const n = 400
	kernel := smoothArms(1, n, 2, 9)
	pivots := factored(n, kernel, 1e-2)
	all := everyPair(n).Groups[0]
	x := try.Of(NewExchange(valuesOf(n, kernel, 1e-2, nil), pivots.Arms, Options{}))
	x.contrasts(everyPair(n))
	x.begin()
	top, buffer := 0.0, make([]float64, 1)
	for _, rest := range []float64{0.01, 0.3, 3} {
		c := x.covariancesAt(x.lambda).lead(rest)
		if mean := sum(c.rest) / n; mean > rest {
			t.Fatalf("mean rest %g", mean)
		}
		for _, i := range all {
			for _, j := range all[:i] {
				top = max(top, c.variance(i, j, buffer))
			}
		}
		for _, floor := range []float64{0.5, 0.95, 1.1} {
			p := x.newPairScan(all, c, floor*top)
			if !p.exact {
				t.Fatal("not evaluated")
			}
			if high, partner, got := p.run(); math.Abs(got-max(floor, 1)*top) > 1e-9*top {
				t.Errorf("rest %g, floor %g: %.9g, want %.9g", rest, floor, got, top)
			} else if k := slices.Index(high, slices.Max(high)); floor < 1 && math.Abs(c.variance(p.order[k].arm, p.order[partner[k]].arm, buffer)-top) > 1e-9*top {
				t.Errorf("rest %g, floor %g: arms %d and %d", rest, floor, k, partner[k])
			}
			p.exact = false
			if _, _, got := p.run(); got < top || got > max(floor, 1)*top+4*slices.Max(c.rest)+p.slack {
				t.Errorf("rest %g, floor %g: at most %.9g, the largest is %.9g", rest, floor, got, top)
			}
		}
		x.opt.Scan = 1
		if _, _, got := x.newPairScan(all, c, 0).run(); got < top || got > 3*top {
			t.Errorf("by distances %.6g, the largest is %.6g", got, top)
		}
		x.opt.Scan = 0
	}
}

// Results do not depend on the number of cores, a context ends a solve at any time, and memory is checked.
func TestExchangeOnCores(t *testing.T) {
	const tasks = 5
	n := sized(160, 60)
	kernel := smoothArms(tasks, n, 1, 5)
	v := valuesOf(tasks*n, kernel, 1e-2, nil)
	c := taskGroups(tasks, n)
	first := exchanged(t, v, kernel, Options{Context: cores.Within(t.Context(), 1)}, c)
	for _, k := range []int{2, 3} {
		d := exchanged(t, v, kernel, Options{Context: cores.Within(t.Context(), k)}, c)
		if d.Value != first.Value || d.Lower != first.Lower || !slices.Equal(d.Weights, first.Weights) {
			t.Errorf("%d cores: %v to %v, one: %v to %v", k, d.Lower, d.Value, first.Lower, first.Value)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	inner, calls := v.Inner, 0
	v.Inner = func(dst []float64, i, from int) {
		inner(dst, i, from)
		if calls++; calls == 1000 {
			cancel()
		}
	}
	x, err := NewExchange(v, supporting(first.Weights), Options{Context: cores.Within(ctx, 1)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.Minimax(c); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context gives %v", err)
	}
	small := memlimit.Named(t.Context(), 1<<16, "--memory")
	if x, err = NewExchange(v, supporting(first.Weights), Options{Context: small}); err == nil {
		_, err = x.Minimax(c)
	}
	var need *memlimit.Error
	if !errors.As(err, &need) {
		t.Errorf("too little memory gives %v", err)
	}
}

// supporting returns the arms with positive weight.
func supporting(weights []float64) (out []int) {
	for i, w := range weights {
		if w > 0 {
			out = append(out, i)
		}
	}
	return out
}

// Problems without contrasts are trivial, and invalid ones are refused.
func TestExchangeEdges(t *testing.T) {
	same := func(i, j int) float64 { return 1 }
	for name, c := range map[string]Contrasts{"nothing": {}, "one arm": {Groups: [][]int{{1}}}, "equal arms": everyPair(5)} {
		x := try.Of(NewExchange(valuesOf(5, same, 0.1, nil), []int{0}, Options{}))
		if d, err := x.Minimax(c); err != nil || d.Status != Trivial || len(d.Weights) != 5 {
			t.Errorf("%s: %v, %v", name, d.Status, err)
		}
	}
	if _, err := NewExchange(valuesOf(5, same, 0, nil), []int{0}, Options{}); err == nil {
		t.Error("no ridge is needed")
	}
	// Two arms that share nothing, one with the fourth of the noise: λ_i ∝ σ_i at ξ → 0, value (σ_1 + σ_2)².
	apart := func(i, j int) float64 { return map[bool]float64{true: 1}[i == j] }
	x := try.Of(NewExchange(valuesOf(2, apart, 1e-9, []float64{1, 4}), []int{0, 1}, Options{Tolerance: 1e-4}))
	if d, err := x.Minimax(everyPair(2)); err != nil || math.Abs(d.Value-2.25) > 1e-3 || math.Abs(d.Lower-2.25) > 1e-3 {
		t.Errorf("%.6g to %.6g, %v; want 2.25", d.Lower, d.Value, err)
	}
}

// With more tasks than contrasts added at once, the largest are still added.
func TestExchangeOfManyTasks(t *testing.T) {
	const tasks, n, ridge = 80, 2, 0.1
	kernel := smoothArms(tasks, n, 0.4, 1)
	whole := factored(tasks*n, kernel, 1e-9)
	whole.Ridge = ridge
	want := try.Of(Minimax(whole.Space, taskGroups(tasks, n), Options{Tolerance: 1e-4}))
	d := exchanged(t, valuesOf(tasks*n, kernel, ridge, nil), kernel, Options{Tolerance: 0.01}, taskGroups(tasks, n))
	if d.Lower > want.Value || d.Value < want.Lower || d.Value > 1.1*want.Value || d.Lower < want.Value/1.1 {
		t.Errorf("%.5g to %.5g (%v), want %.6g", d.Lower, d.Value, d.Status, want.Value)
	}
}

// A threshold ends a solve as soon as the lower bound exceeds it.
func TestExchangeThreshold(t *testing.T) {
	n := sized(100, 40)
	kernel := smoothArms(3, n, 1, 6)
	v, c := valuesOf(3*n, kernel, 1e-2, nil), taskGroups(3, n)
	d := exchanged(t, v, kernel, Options{Tolerance: 0.02}, c)
	s := exchanged(t, v, kernel, Options{Tolerance: 0.02, Threshold: d.Lower / 3}, c)
	if s.Status != Separated || s.Lower <= d.Lower/3 || s.Lower > d.Value || s.Value < d.Lower || s.Iterations >= d.Iterations {
		t.Errorf("%v after %d iterations, %.5g to %.5g; without a threshold %d, %.5g to %.5g",
			s.Status, s.Iterations, s.Lower, s.Value, d.Iterations, d.Lower, d.Value)
	}
	if s = exchanged(t, v, kernel, Options{Tolerance: 0.02, Threshold: 3 * d.Value}, c); s.Status == Separated || s.Reached > 3*d.Value {
		t.Errorf("%v with a reached %.5g below the threshold", s.Status, s.Reached)
	}
}
