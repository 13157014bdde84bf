package model

import (
	"math"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// The posterior of unrelated arms is the one on a basis without a part by itself, to rounding and, where the scale is fitted, the
// tolerance of its search.
func TestUnrelatedPosterior(t *testing.T) {
	p := wavy(t, 40).WithKernel(kernels.Joint{Terms: []kernels.Term{{Scale: 2.5, Task: kernels.Identity{}, Arm: kernels.Identity{}}}})
	m := model(t, p)
	if !m.Relations().Unrelated() {
		t.Fatal("the arms are related")
	}
	counts := make([]int, 40)
	for i := range 25 {
		counts[i] = 1 + i%4
	}
	for _, prior := range []Prior{{Scale: 0.7}, {}, {Scale: 0.7, Level: engine.Level{Known: true, Value: 0.4}}, {Level: engine.Level{Known: true, Value: 0.4}}} {
		got := try.Of(NewPosterior(m, prior.OnPulled(), counts, p.Mean))
		if got.Groups() == nil {
			t.Fatalf("%+v: the posterior is not in groups", prior)
		}
		d := exactly(t, m, prior.Level, counts, p.Mean)
		c := try.Of(d.fit(prior.Scale*d.natural, false))
		want, _ := try.Two(c.posterior(c.scale))
		tol := 1e-10
		if prior.Scale == 0 {
			tol = 4 * scaleTolerance
		}
		near := func(what string, got, want float64) {
			if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
				t.Errorf("%+v: %s %.12g, want %.12g", prior, what, got, want)
			}
		}
		near("scale", got.Scale, want.Scale)
		near("surprise", got.Surprise, want.Surprise)
		near("level", got.Level, want.Level)
		if got.Freedom != want.Freedom {
			t.Errorf("%d degrees of freedom, want %d", got.Freedom, want.Freedom)
		}
		ours, theirs := got.Estimates(p.Mean), want.Estimates(p.Mean)
		all := []int{0, 3, 24, 25, 39}
		matrix, other := got.CovarianceMatrix(all), want.CovarianceMatrix(all)
		for k, i := range all {
			near("estimate", ours[i], theirs[i])
			near("variance", got.ArmVariance(i), want.ArmVariance(i))
			for l, j := range all {
				near("variance of a difference", got.Variance(i, j), want.Variance(i, j))
				near("covariance", matrix.At(k, l), other.At(k, l))
			}
		}
	}
}
