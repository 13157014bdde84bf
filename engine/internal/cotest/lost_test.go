package cotest

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// smoothArms returns one task of arms on a line under a smooth kernel.
func smoothArms(t *testing.T, arms int) *problem.Problem {
	t.Helper()
	kernel := kernels.LiftArm(kernels.RBF{Lengthscale: []float64{0.2}})
	var names []string
	var x [][]float64
	var mean []float64
	for i := range arms {
		at := float64(i) / float64(arms-1)
		names, x, mean = append(names, strconv.Itoa(i)), append(x, []float64{at}), append(mean, math.Sin(6*at))
	}
	points := try.Of(kernels.NewPoints([]string{"x"}, names, x))
	task := try.Of(kernels.NewPoints(nil, []string{"t"}, nil))
	return try.Of(problem.New("smooth", task, points, make([]int, arms), kernel, []float64{1}, mean))
}

// Whole pulls bring some gaps less information than was planned. No round is lost because its information does not reach the next look.
func TestNoRoundIsLost(t *testing.T) {
	p := smoothArms(t, 60)
	m := plain.ModelOf(t, p)
	lost := 0
	for seed := range uint64(enginetest.Number(20, 10)) {
		a := try.Of(newCoTest(m, plain.TermsOf(t, m, engine.ModeFC, engine.Options{Delta: 0.05, Epsilon: 0.3}), minimaxPlanner{}))
		rng := rand.New(rand.NewPCG(seed, 1))
		for round := 1; round <= 30 && !a.Done(); round++ {
			plan := try.Of(a.Plan(t.Context()))
			if round > 1 && len(a.bets) == 0 {
				lost++
			}
			try.To(a.Learn(t.Context(), enginetest.Pull(rng, p, plan)))
		}
	}
	if lost > 0 {
		t.Errorf("%d rounds moved no walk", lost)
	}
}

// A finer grid of arms under the same smooth kernel costs at most a few times as many samples: nearly equal arms do not move the clock so far that another
// leader cannot exclude them.
func TestFinerGridsCostLittle(t *testing.T) {
	pulls := func(arms int) (total int) {
		p := smoothArms(t, arms)
		m := plain.ModelOf(t, p)
		for seed := range uint64(enginetest.Number(12, 6)) {
			a := try.Of(newCoTest(m, plain.TermsOf(t, m, engine.ModeFC, engine.Options{Delta: 0.05, Epsilon: 0.3}), minimaxPlanner{}))
			rng := rand.New(rand.NewPCG(seed, 1))
			for round := 1; round <= 30 && !a.Done(); round++ {
				plan := try.Of(a.Plan(t.Context()))
				total += plan.Pulls()
				try.To(a.Learn(t.Context(), enginetest.Pull(rng, p, plan)))
			}
		}
		return total
	}
	if coarse, fine := pulls(25), pulls(800); fine > 3*coarse { // 2.0; with all information 4.1
		t.Errorf("%d samples on 800 arms, %d on 25", fine, coarse)
	}
}
