package algorithms

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Without a statement that noise scales are equal, a measured result is proven only if every round has a scale for each arm. Here more
// runs than delta are wrong, because early rounds give the noisiest arm the scale of the others. Hardly any of them is proven.
func TestUnstatedScalesAreNotProven(t *testing.T) {
	const delta = 0.005
	means, sd := slices.Repeat([]float64{-2}, 20), slices.Repeat([]float64{1}, 20)
	means[0], means[1], sd[0] = 0, -0.05, 3
	p := enginetest.Unrelated(t, 1, means).Experimental()
	p.Noise.UnknownBy = problem.UnknownTested
	m, entry, opt := plain.ModelOf(t, p), Default(engine.ModeFC), engine.Options{Delta: delta}
	runs, wrong, proven, both := enginetest.Number(600, 300), 0, 0, 0
	for seed := range runs {
		s := try.Of(engine.Begin(try.Of(entry.New(m, opt)), opt))
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		for plan, more := try.Two(s.Next(t.Context())); more; plan, more = try.Two(s.Next(t.Context())) {
			b := engine.Batch{Counts: plan.Counts, Means: make([]float64, p.N()), Squares: make([]float64, p.N())}
			for i, n := range plan.Counts {
				b.Means[i] = means[i] + sd[i]/math.Sqrt(float64(max(n, 1)))*rng.NormFloat64()
				if n > 1 {
					b.Squares[i] = sd[i] * sd[i] * distuv.ChiSquared{K: float64(n - 1), Src: rng}.Rand()
				}
			}
			try.To(s.Learn(t.Context(), b))
		}
		r := try.Of(Measured(entry, m, s))
		bad := r.Answers[0].Decided && r.Answers[0].Arm != p.Arms.Names[0]
		wrong += indices.Indicator(bad)
		if r.Standing == engine.StandingProven {
			proven++
			both += indices.Indicator(bad)
		} else if r.DecidedTasks > 0 && !strings.Contains(r.Guarantee, `noise="unknown arm" needs no statement`) {
			t.Fatal(r.Guarantee)
		}
	}
	if limit := delta * float64(runs); float64(wrong) <= limit || float64(both) > limit || proven == 0 {
		t.Errorf("of %d runs %d are wrong, %d are called proven, %d are both", runs, wrong, proven, both)
	}
}
