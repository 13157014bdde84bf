package model_test

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// Means with five digits have a larger norm than the function they are of, and something as good as them
// does not.
func TestNearNorm(t *testing.T) {
	p, err := manyarms.Problem(250)
	if err != nil {
		t.Fatal(err)
	}
	m := plain.ModelOf(t, p)
	own, err := m.Norm()
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.NearNorm(0.1)
	if err != nil {
		t.Fatal(err)
	}
	if norm := manyarms.Norm / m.Unit; got > norm || got < norm/4 || got > own {
		t.Errorf("a function as good as the means has norm %g; the true one has %g and the means %g", got, norm, own)
	}
	exactly, err := m.NearNorm(1e9) // every arm will do
	if err != nil || exactly != own {
		t.Errorf("without a lead to keep the norm is %g, that of the means is %g (%v)", exactly, own, err)
	}
}
