package bayes

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The probability that some arm exceeds the leader agrees with the share of 100,000 plain draws from the posterior. Only the standard
// error of its own draws, which are fewer, is allowed.
func TestAnyOfAgreesWithPlainDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 4))
	const n = 8
	p := enginetest.Unrelated(t, 3, make([]float64, n)).WithKernel(rough)
	m := try.Of(model.New(p, 0))
	for trial := range 6 {
		counts, rewards := make([]int, p.N()), make([]float64, p.N())
		for i := range counts {
			counts[i], rewards[i] = 1+rng.IntN(4), rng.NormFloat64()
		}
		of := try.Of(model.NewPosterior(m, model.Prior{}.OnPulled(), counts, rewards))
		set := p.Groups()[trial%3]
		leader := set[trial%n]
		var rivals []int
		chances, limits := make([]float64, n), make([]float64, 0, n)
		for k, i := range set {
			if i != leader {
				chances[k] = 0.02 + 0.1*rng.Float64()
				rivals, limits = append(rivals, i), append(limits, upper(chances[k]))
			}
		}
		var factor mat.Cholesky
		if !factor.Factorize(correlationsWith(of, leader, rivals)) {
			t.Fatal("no factor")
		}
		var lower mat.TriDense
		factor.LTo(&lower)
		const draws = 100_000
		z, x, hits := mat.NewVecDense(n-1, nil), mat.NewVecDense(n-1, nil), 0
		for range draws {
			for k := range n - 1 {
				z.SetVec(k, rng.NormFloat64())
			}
			x.MulVec(&lower, z)
			for k := range n - 1 {
				if x.AtVec(k) > limits[k] {
					hits++
					break
				}
			}
		}
		if got, want := anyOf(of, set, leader, chances), float64(hits)/draws; math.Abs(got-want) > 0.06*want {
			t.Errorf("trial %d: %.4f, plain draws give %.4f", trial, got, want)
		}
	}
}
