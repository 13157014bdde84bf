package cotest

import (
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// A glance computes the need of one walk; it is the one that looking at all walks finds for that arm, and
// no fewer arms are open.
func TestGlance(t *testing.T) {
	p, err := manyarms.Problem(600)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New(p, 1)
	if err != nil {
		t.Fatal(err)
	}
	a, err := newNormed(m, engine.Options{Unit: 1, Epsilon: 0.1, Norm: manyarms.Norm}, Bound{Norm: manyarms.Norm})
	if err != nil {
		t.Fatal(err)
	}
	rng, open := rand.New(rand.NewPCG(1, 2)), 0
	for range 2 {
		plan, err := a.Plan()
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Learn(enginetest.Pull(rng, p, plan)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range a.contests {
		if c.closed {
			continue
		}
		open++
		all, some := a.ahead(c), c.glance(a.clock, a.epsilon, a.gap, a.variance)
		if len(some.needs) != 1 || some.open < all.open || some.rival != some.needs[0].J {
			t.Fatalf("rival %d, %d needs, %d arms open of %d", some.rival, len(some.needs), some.open, all.open)
		}
		for _, q := range all.needs {
			if q.J == some.rival && q != some.needs[0] {
				t.Errorf("need %v, among all walks %v", some.needs[0], q)
			}
			if q.J == some.rival {
				some.rival = -1
			}
		}
		if some.rival >= 0 {
			t.Errorf("arm %d is not open", some.rival)
		}
	}
	if open == 0 {
		t.Fatal("no contest is open")
	}
}
