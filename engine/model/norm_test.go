package model

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// The norm of expected rewards is at most the norm of the function that they come from, also where the
// kernel is singular to working precision; of some of the arms it is less.
func TestNormOfFunction(t *testing.T) {
	last := 0.0
	for _, n := range []int{60, 250, enginetest.Number(1000, 500)} {
		p := try.Of(manyarms.Problem(n))
		m := try.Of(New(p, p.LargestNoise()))
		norm := try.Of(m.Truth().Norm())
		norm *= m.Unit
		t.Logf("%d arms: norm %.3f", n, norm)
		if norm > manyarms.Norm*(1+1e-3) || norm < last {
			t.Errorf("%d arms: norm %g, want at most %g and at least %g", n, norm, manyarms.Norm, last)
		}
		last = norm
	}
}
