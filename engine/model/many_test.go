package model

import (
	"context"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

func many(t testing.TB, n int) *Model {
	t.Helper()
	p := try.Of(manyarms.Problem(n))
	m := model(t, p)
	if !m.Many() {
		t.Fatalf("%d arms are not many", n)
	}
	return m
}

// ρ_1, ρ* and ω of many arms by the interior-point method over all arms and all pairs, in features
// to a thousandth of ξ: both methods certify an interval, and the intervals have to meet. ARMS=1000
// takes half a minute.
func TestManyAgainstAllArms(t *testing.T) {
	if testing.Short() {
		t.Skip("takes five seconds")
	}
	const xi = 1e-3
	n := 400
	if arms, err := strconv.Atoi(os.Getenv("ARMS")); err == nil {
		n = arms
	}
	m := many(t, n)
	s := try.Of(m.Stopped(0, 1e-3*m.Normalised(xi)))
	space := design.Space{Features: s.Features, Precision: m.Precision, Ridge: m.Normalised(xi)}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	rivals := try.Of(m.Truth().Rivals(0.1))
	for name, c := range map[string]design.Contrasts{
		"rho_1": {Groups: m.Problem.Groups()}, "omega": {Groups: [][]int{all}}, "rho_star": rivals,
	} {
		want := try.Of(design.Minimax(space, c, m.Solver(2e-3)))
		got := try.Of(m.Designs().Certified(xi, c))
		t.Logf("%s: by exchange %.6g to %.6g, over all arms %.6g to %.6g", name, got.Lower, got.Value, want.Lower, want.Value)
		// Features that end at a thousandth of ξ hide less than 8/1000 of a variance, times the
		// largest weight relative to a mean one.
		if got.Lower > want.Value*1.002 || got.Value < want.Lower || got.DualityGap() > 0.04 {
			t.Errorf("%s: the intervals do not meet, or one is wide", name)
		}
	}
}

// The design of an algorithm, its rounding and its estimator, against features of the whole kernel.
func TestManyPlansAndEstimates(t *testing.T) {
	const xi, pulls = 1e-4, 2000
	n := enginetest.Number(250, 205)
	m := many(t, n)
	groups := m.Problem.Groups()
	d, err := m.Designs().Design(xi, groups)
	if err != nil {
		t.Fatal(err)
	}
	r, covered, err := m.Designs().Round(xi, design.Contrasts{Groups: groups}, d.Weights, pulls)
	if err != nil || !covered {
		t.Fatalf("rounding %g, %v", r.Ratio, err)
	}
	exact := try.Of(m.Exact())
	value, _, err := design.MaxVariance(t.Context(), exact.Space(xi), design.Contrasts{Groups: groups}, d.Weights)
	if err != nil || value > d.Value*(1+1e-6) || value < d.Value/1.2 {
		t.Errorf("value %.6g, in all features %.6g, %v", d.Value, value, err)
	}
	shares := make([]float64, n)
	for i, k := range r.Counts {
		shares[i] = float64(k) / pulls
	}
	counted, _, err := design.MaxVariance(t.Context(), exact.Space(xi), design.Contrasts{Groups: groups}, shares)
	if err != nil || counted > r.Ratio*value*(1+1e-6) {
		t.Errorf("after the rounding %.6g, of the weights %.6g, ratio %.4g, %v", counted, value, r.Ratio, err)
	}

	// An estimator in the features of all arms, which the derived model uses.
	whole := *exact
	whole.derived = true
	want := try.Of(NewEstimator(&whole, xi, r.Counts))
	got := try.Of(NewEstimator(m, xi, r.Counts))
	means := make([]float64, n)
	for i := range means {
		means[i] = m.Problem.Mean[i] + 0.1*math.Sin(float64(i))
	}
	a, b := got.Estimates(means), want.Estimates(means)
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-5*(1+math.Abs(b[i])) {
			t.Fatalf("arm %d: estimate %.9g, in all features %.9g", i, a[i], b[i])
		}
	}
	const norm = 71.7
	for k := range 200 {
		i, j := (7*k)%50, 49-(3*k)%49
		// The part outside the span has no noise, so the variance is not above the one of A⁻¹; the
		// bias is not below its norm in all features, and at most √2 times that.
		if got.Variance(i, j) > want.Variance(i, j)*(1+1e-5)+1e-12 {
			t.Errorf("arms %d and %d: variance %.9g, in all features %.9g", i, j, got.Variance(i, j), want.Variance(i, j))
		}
		if i == j {
			continue
		}
		x, y := got.Bias(i, j, Bound{Norm: norm}), want.Bias(i, j, Bound{Norm: norm})
		if x < y*(1-1e-4)-1e-6 || x > 1.5*y+1e-6 {
			t.Errorf("arms %d and %d: bias %.9g, in all features %.9g", i, j, x, y)
		}
	}
}

// The noise of an estimated difference, by its weights on the pulls, is not above Variance, and the
// worst bias in the ball, by the kernel, not above Bias.
func TestPulledErrors(t *testing.T) {
	const n, xi, norm = 250, 1e-3, 5
	m := many(t, n)
	counts := make([]int, n)
	for k := range 40 {
		counts[6*k] = 3 + k%5
	}
	e := try.Of(NewEstimator(m, xi, counts))
	gram := mat.NewDense(n, n, nil)
	for i := range n {
		m.Row(gram.RawRowView(i), i)
	}
	for k := range 60 {
		i, j := (11*k)%n, (17*k+3)%n
		w := e.Weights(i, j)
		noise := 0.0
		c := slices.Clone(w)
		for a, v := range w {
			if v != 0 {
				noise += v * v / (float64(counts[a]) * m.Precision[a])
			}
		}
		c[i]--
		c[j]++
		x := mat.NewVecDense(n, c)
		worst := norm * math.Sqrt(m.Scale) * math.Sqrt(max(0, mat.Inner(x, gram, x)))
		if noise > e.Variance(i, j)*(1+1e-9) {
			t.Errorf("arms %d and %d: noise %.9g above %.9g", i, j, noise, e.Variance(i, j))
		}
		if bias := e.Bias(i, j, Bound{Norm: norm}); worst > bias*(1+1e-6)+1e-9 || bias > 2.5*worst+1e-6 {
			t.Errorf("arms %d and %d: worst bias %.9g, stated %.9g", i, j, worst, bias)
		}
	}
}

// The bits do not depend on the number of cores.
func TestManyOnCores(t *testing.T) {
	p := try.Of(manyarms.Problem(500))
	var weights, estimates []float64
	for _, k := range []int{1, 2, 3} {
		m := try.Of(NewContext(cores.Within(context.Background(), k), p, 0))
		d := try.Of(m.Designs().Design(1e-2, p.Groups()))
		r, _ := try.Two(m.Designs().Round(1e-2, design.Contrasts{Groups: p.Groups()}, d.Weights, 500))
		e := try.Of(NewEstimator(m, 1e-2, r.Counts))
		if got := e.Estimates(p.Mean); k == 1 {
			weights, estimates = d.Weights, got
		} else if !slices.Equal(d.Weights, weights) || !slices.Equal(got, estimates) {
			t.Errorf("%d cores: other numbers", k)
		}
	}
}

// ρ*(0) of arms that share nothing, against the solver on identity().
func TestUnsharedHardness(t *testing.T) {
	p, err := manyarms.Problem(60)
	if err != nil {
		t.Fatal(err)
	}
	m := model(t, p)
	alone := try.Of(m.Independent())
	want := try.Of(alone.Truth().Confirmation(0, 0.1))
	got, err := m.Truth().UnsharedHardness(0.1)
	if err != nil || math.Abs(got/want.Value-1) > 1e-6 {
		t.Errorf("%.8g, by the solver %.8g to %.8g, %v", got, want.Lower, want.Value, err)
	}
}
