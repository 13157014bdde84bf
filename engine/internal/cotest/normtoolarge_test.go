package cotest

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// A norm that is stated so large that it rules out less than the rank does leaves least squares, where the
// dimensions are few enough for it.
func TestNormTooLargeIsLeastSquares(t *testing.T) {
	p := try.Of(manyarms.Problem(60))
	m := try.Of(model.New(p, 1))
	for _, c := range []struct {
		norm    float64
		bounded bool
	}{{26, true}, {600, false}, {6e4, false}, {6e12, false}} {
		if _, bounded, err := BoundOf(m, plain.TermsOf(t, m, engine.ModeFC, engine.Options{Norm: c.norm})); err != nil || bounded != c.bounded {
			t.Errorf("norm %g: by the norm %t, %v", c.norm, bounded, err)
		}
	}
	// of 300 arms, which have more than 256 dimensions, each agent then uses its own least squares: a hundred times the norm of the
	// rewards took 15 times the samples
	p = try.Of(manyarms.Problem(300))
	m = try.Of(model.New(p, 1))
	for norm, want := range map[float64]form{280: formNorm, 2800: formAloneMany} {
		if f, _, err := formOf(m, plain.TermsOf(t, m, engine.ModeFC, engine.Options{Norm: norm})); err != nil || f != want {
			t.Errorf("300 arms, norm %g: form %d, %v", norm, f, err)
		}
	}
}
