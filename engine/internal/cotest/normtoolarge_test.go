package cotest

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// A norm that is stated so large that it rules out less than the rank does leaves least squares, where the
// dimensions are few enough for it.
func TestNormTooLargeIsLeastSquares(t *testing.T) {
	p, err := manyarms.Problem(60)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New(p, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		norm    float64
		bounded bool
	}{{26, true}, {600, false}, {6e4, false}, {6e12, false}} {
		if _, bounded, err := BoundOf(m, engine.Options{Norm: c.norm}); err != nil || bounded != c.bounded {
			t.Errorf("norm %g: by the norm %t, %v", c.norm, bounded, err)
		}
	}
}
