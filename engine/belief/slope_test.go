package belief

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// TestSlope: the derivatives of the evidence are its central differences, with blocks and random effects and without, and of counts.
func TestSlope(t *testing.T) {
	successes := tableOf(t, 2, 6, func(task, arm int) (mean, sd, count float64) {
		const trials = 40
		m := float64(2+4*task+5*arm) / trials
		return m, math.Sqrt(m * (1 - m) * trials / (trials - 1)), trials
	})
	for _, p := range []*problem.Problem{successes, smooth(t), onDays(t, 4), onDays(t, 24), inYears(t, true, "year", "lot")} {
		c := prepared(t, p)
		s := &search{chosen: c, ctx: context.Background(), rng: rand.New(rand.NewPCG(1, 3))}
		for _, u := range s.fromPrior(3) {
			grad := make([]float64, len(u))
			s.slope(grad, u)
			for j, number := range s.numbers {
				const h = 1e-3
				up, down := slices.Clone(u), slices.Clone(u)
				up[j], down[j] = u[j]+h, u[j]-h
				v := try.Of(s.scores([][]float64{up, down}))
				// one-sided steps of 1e-4 are off by half the curvature times the step
				if want := (v[0] - v[1]) / (2 * h); math.Abs(grad[j]-want) > 2e-3*(1+math.Abs(want)) {
					t.Errorf("%s: derivative %g, differences say %g", number.name, grad[j], want)
				}
			}
		}
	}
}
