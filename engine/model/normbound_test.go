package model

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// With a ball so large that it excludes nothing, the bound approaches the one of T*, which has another
// solver; it is never above it, and a smaller ball has no larger one beyond what the search misses.
func TestNormLowerBoundApproachesCharacteristicTime(t *testing.T) {
	for number := enginetest.Number(1, 3); number <= 3; number++ {
		p := try.Of(problem.PaperCase(number, 0.2))
		m := model(t, p)
		free := try.Of(m.Truth().LowerBound(0.05, 0))
		norm := try.Of(m.Truth().Norm())
		for _, c := range []struct{ times, least float64 }{{1, 0.85}, {100, 0.97}} {
			got, err := m.Truth().NormLowerBound(c.times*norm, 0.05, 0)
			if err != nil || got > free*(1+1e-9) || got < c.least*free {
				t.Errorf("case %d, norm × %g: %.5g (%v), without a norm %.5g", number, c.times, got, err, free)
			}
		}
	}
}

// The proof, by its definition: each function is in the ball, makes all right answers of a task wrong,
// and the weights give the value.
func TestNormLowerBoundProof(t *testing.T) {
	p := try.Of(manyarms.Problem(enginetest.Number(60, 30)))
	m := model(t, p)
	const epsilon = 0.1
	norms := []float64{40, 71.7}
	if testing.Short() {
		norms = norms[:1]
	}
	for _, norm := range norms {
		truth, err := m.known()
		if err != nil {
			t.Fatal(err)
		}
		s := newAlternatives(m, truth, m.Features, norm, epsilon/m.Unit)
		value, err := s.solve()
		if err != nil || !(value > 0) || len(s.best) == 0 {
			t.Fatal(value, err)
		}
		sum, told := 0.0, make([]float64, p.N())
		for _, g := range s.best {
			theta := mat.NewVecDense(len(g.theta), g.theta)
			if size := mat.Norm(theta, 2) / math.Sqrt(m.Scale); size > norm*(1+1e-12) {
				t.Fatalf("a function of norm %g in a ball of %g", size, norm)
			}
			var rewards mat.VecDense
			rewards.MulVec(m.Features, theta)
			best, right := math.Inf(-1), math.Inf(-1)
			lo, hi := p.ArmsOf(g.task)
			top := math.Inf(-1)
			for i := lo; i < hi; i++ {
				top = max(top, p.Mean[i])
			}
			for i := lo; i < hi; i++ {
				best = max(best, rewards.AtVec(i)*m.Unit)
				if p.Mean[i] >= top-epsilon {
					right = max(right, rewards.AtVec(i)*m.Unit)
				}
			}
			if best < right+epsilon-1e-7 {
				t.Fatalf("task %d: best %g, right answers reach %g", g.task, best, right)
			}
			sum += g.weight
			for i, f := range rewards.RawVector().Data {
				d := (f*m.Unit - p.Mean[i]) / p.Noise.Scales[i]
				told[i] += g.weight * d * d / 2
			}
		}
		most := 0.0
		for _, v := range told {
			most = max(most, v)
		}
		if math.Abs(sum-1) > 1e-9 || math.Abs(most/value-1) > 1e-6 {
			t.Errorf("norm %g: weights sum to %g, value %g, by definition %g", norm, sum, value, most)
		}
	}
}
