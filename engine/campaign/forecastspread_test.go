package campaign

import (
	"math"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The noise of a task has from none to all of the stated variance, half in the mean with the variance 1/12, and its
// arms are alike; the variance between its arms from none to twice the kernel's, in the mean as much, with the
// variance 1/3. 30,000 draws have standard errors of 0.0017 and 0.0033.
func TestSpreadsOfTasks(t *testing.T) {
	p, _, _ := couplingDays(t, "CoBayesFC", 10)
	m := try.Of(p.question().Model(t.Context(), nil))
	from := try.Of(priorOf(m))
	var u, uu, h, hh, n float64
	for run := range 2000 {
		sd, spread := scattered(p.Problem, run), from.spreads(p.Problem, run)
		for v := range p.Problem.V() {
			lo, hi := p.Problem.ArmsOf(v)
			for i := lo; i < hi; i++ {
				if sd[i] != sd[lo] {
					t.Fatalf("arms of task %d scatter by %g and %g", v, sd[lo], sd[i])
				}
			}
			// of the stated variance, 20²
			x := sd[lo] * sd[lo] / 400
			if x < 0 || x > 1 || spread[v] < 0 || spread[v] > 2 {
				t.Fatalf("shares %g and %g", x, spread[v])
			}
			u, uu, h, hh, n = u+x, uu+x*x, h+spread[v], hh+spread[v]*spread[v], n+1
		}
	}
	u, h = u/n, h/n
	// three to four standard errors
	if math.Abs(u-0.5) > 0.006 || math.Abs(uu/n-u*u-1./12) > 0.003 || math.Abs(h-1) > 0.011 || math.Abs(hh/n-h*h-1./3) > 0.012 {
		t.Errorf("shares of noise %.4f, %.4f, factors %.4f, %.4f", u, uu/n-u*u, h, hh/n-h*h)
	}
}

// Only noise that is stated in one number is a bound; scales from data, and guesses, are used unchanged. If no noise is
// drawn, the notes do not mention drawn noise.
func TestWhoseNoiseIsABound(t *testing.T) {
	p, _, _ := couplingDays(t, "CoTestFC", 10)
	p.Problem = p.Problem.Only(0)
	p.Capacity, p.Options.Epsilon = 0, 60
	for name, x := range map[string]struct {
		change func(*problem.NoiseModel)
		want   bool
	}{
		"stated":     {func(*problem.NoiseModel) {}, true},
		"from data":  {func(n *problem.NoiseModel) { n.Known = problem.NoiseTask }, false},
		"estimated":  {func(n *problem.NoiseModel) { n.UnknownBy = problem.UnknownProblem }, false},
		"sd of arms": {func(n *problem.NoiseModel) { n.SD = n.Scales }, false},
	} {
		q, of := p, *p.Problem
		x.change(&of.Noise)
		q.Problem = &of
		all, _ := try.Two(truths(t.Context(), q, nil, 0, 2))
		// the second run, whose noise is below 20 if it is drawn
		if less := all[1].Noise.Deviations()[0] < 20; less != x.want {
			t.Errorf("%s: noise %g", name, all[1].Noise.Deviations()[0])
		}
		f := try.Of(MakeForecast(t.Context(), q, 0, 1, nil))
		if said := slices.ContainsFunc(f.Assumes, func(n Note) bool { return n.Kind == NoteNoiseBelow }); said != x.want {
			t.Errorf("%s: %q", name, f.Assumes)
		}
	}
}
