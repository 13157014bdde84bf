package cotest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A Brownian motion reaches the heights with a horizon at some look with probability at most alpha, and with
// nearly that probability: the union of two events loses no more than a tenth.
func TestBoundaryWithHorizon(t *testing.T) {
	const alpha, paths = 0.1, 40000
	times := sequential.Geometric(sequential.ClockGrowth, sequential.ClockLooks)
	for _, horizon := range []int{1, 12, 59} {
		z := try.Of(normalBoundary.heights(t.Context(), new(canon.Memory), alpha, horizon))
		flat := try.Of(normalBoundary.heights(t.Context(), new(canon.Memory), alpha, 0))
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

// A capital has the same boundary at every look, sub-Gaussian scores have a higher one than normal scores, and a smaller level raises
// each.
func TestBoundaries(t *testing.T) {
	at := func(b boundary, alpha float64) []float64 {
		z, err := b.heights(t.Context(), new(canon.Memory), alpha, 0)
		if err != nil || len(z) != sequential.ClockLooks {
			t.Fatalf("%d looks: %v", len(z), err)
		}
		return z
	}
	if z := at(capitalBoundary, 0.05); math.Abs(z[0]-math.Log(20)) > 1e-6 || z[len(z)-1] != z[0] {
		t.Errorf("a capital has the boundaries %v", z)
	}
	normal, wide := at(normalBoundary, 0.05), at(subGaussianBoundary, 0.05)
	if !(wide[0] > normal[0]) || wide[0] > 1.25*normal[0] {
		t.Errorf("sub-Gaussian scores: %.3f, normal ones: %.3f", wide[0], normal[0])
	}
	for _, b := range []boundary{normalBoundary, subGaussianBoundary, capitalBoundary} {
		if !(at(b, 0.01)[0] > at(b, 0.05)[0]) {
			t.Errorf("boundaries of kind %d do not rise as the level falls", b.kind)
		}
	}
}

// Each form has a mode, with a name.
func TestModes(t *testing.T) {
	seen := map[form]bool{}
	for f, m := range modes {
		if m.make == nil || m.regime == "" {
			t.Errorf("form %d has no mode", f)
		}
		seen[form(f)] = true
	}
	if len(seen) != int(formBlocks)+1 {
		t.Errorf("%d modes", len(seen))
	}
}
