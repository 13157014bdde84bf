package cotest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
)

// A Brownian motion reaches the heights with a horizon at some look with probability at most alpha, and with
// nearly that probability: the union of two events loses no more than a tenth.
func TestHeightsWithHorizon(t *testing.T) {
	const alpha, paths = 0.1, 40000
	times := sequential.Geometric(sequential.ClockGrowth, sequential.ClockLooks)
	for _, horizon := range []int{1, 12, 59} {
		z, err := heights(t.Context(), new(canon.Memory), engine.LawNormal, alpha, horizon)
		if err != nil {
			t.Fatal(err)
		}
		flat, err := heights(t.Context(), new(canon.Memory), engine.LawNormal, alpha, 0)
		if err != nil {
			t.Fatal(err)
		}
		if horizon == 12 && (z[8] >= flat[8] || z[20] <= flat[20]) {
			t.Errorf("heights %.3f and %.3f, without a horizon %.3f and %.3f", z[8], z[20], flat[8], flat[20])
		}
		rng, crossed := rand.New(rand.NewPCG(1, uint64(horizon))), 0
		for range paths {
			b, last := 0.0, 0.0
			for k, at := range times {
				b, last = b+math.Sqrt(at-last)*rng.NormFloat64(), at
				if b >= z[k]*math.Sqrt(at) {
					crossed++
					break
				}
			}
		}
		// four standard deviations of a share of 0.1
		if share, sd := float64(crossed)/paths, math.Sqrt(alpha*(1-alpha)/paths); share > alpha+4*sd || share < 0.85*alpha {
			t.Errorf("horizon %d: %.4f of the paths cross, want at most %g and no less than 0.85 of it", horizon, share, alpha)
		}
	}
}
