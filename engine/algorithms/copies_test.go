package algorithms_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Arms with equal features are one arm to the kernel, and only their own rewards can show that they are equal: answers that assume it are
// heuristic while the data allow a difference above epsilon.
func TestCopiesAreHeuristic(t *testing.T) {
	for seed := range uint64(16) {
		r := measured(t, []float64{0, 1, 1.4, 1.1}, 0.05, seed)
		if r.Standing != engine.StandingHeuristic || !strings.Contains(r.Guarantee, `arm "b", and "c"`) {
			t.Errorf("seed %d: %s", seed, r.Guarantee)
		}
	}
}

// The possible difference of copies falls with their rewards, and is infinite if one of them has none.
func TestMostApart(t *testing.T) {
	m := copies(t)
	for _, row := range []struct {
		counts []int
		apart  float64 // difference of means, and 2.81 of their standard errors
	}{{[]int{1, 2, 2, 1}, 0.1 + 2*2.81/math.Sqrt2}, {[]int{1, 20000, 20000, 1}, 0.1 + 2*2.81/math.Sqrt(20000)}, {[]int{1, 5, 0, 1}, math.Inf(1)}} {
		d := model.NewReplicates(4)
		d.Add(engine.Batch{Counts: row.counts, Means: []float64{0, 1, 1.1, 5}})
		if i, j, apart := m.Relations().MostApart(&d); i+j != 3 || apart != row.apart && !(math.Abs(apart-row.apart) < 1e-9) {
			t.Errorf("%v: arms %d and %d are apart by up to %g, want %g", row.counts, i, j, apart, row.apart)
		}
	}
}

// measured runs CoTestFC on rewards with these means.
func measured(t *testing.T, means []float64, epsilon float64, seed uint64) engine.Result {
	t.Helper()
	m := copies(t)
	e := try.Of(algorithms.Named(engine.ModeFC, "CoTestFC"))
	opt := engine.Options{Delta: 0.1, Epsilon: epsilon}
	alg := try.Of(e.New(m, opt))
	s := try.Of(engine.Begin(alg, opt))
	rng := rand.New(rand.NewPCG(seed, 7))
	for {
		plan, more := try.Two(s.Next(t.Context()))
		if !more {
			break
		}
		b := engine.Batch{Counts: plan.Counts, Means: make([]float64, len(means))}
		for i, n := range plan.Counts {
			if n > 0 {
				b.Means[i] = means[i] + rng.NormFloat64()/math.Sqrt(float64(n))
			}
		}
		try.To(s.Learn(t.Context(), b))
	}
	return try.Of(algorithms.Measured(e, m, s))
}

// copies returns a problem of measured rewards with four arms, of which the second and the third have the same features.
func copies(t *testing.T) *model.Model {
	t.Helper()
	tasks := try.Of(kernels.NewPoints(nil, []string{"t"}, [][]float64{{}}))
	arms := try.Of(kernels.NewPoints([]string{"x"}, []string{"a", "b", "c", "d"}, [][]float64{{0}, {1}, {1}, {2}}))
	k := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Arm: kernels.RBF{}}}}
	p := try.Of(problem.New("p", tasks, arms, []int{0, 0, 0, 0}, k, []float64{1}, nil))
	p.Noise.Environment = problem.EnvironmentMeasured
	return try.Of(model.New(p, 0))
}
