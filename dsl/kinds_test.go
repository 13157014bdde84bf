package dsl

import (
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/kinds"
)

// TestKinds: each kind that package kinds lists is returned by some function, has its own name,
// JSON name and Go type, and can be put into a session.
func TestKinds(t *testing.T) {
	seen := map[any]bool{}
	for _, k := range kinds.Names() {
		if !slices.ContainsFunc(Functions(), func(f Function) bool { return f.Result == Type(k.Name) }) {
			t.Errorf("no function returns %s", k.A())
		}
		for _, name := range []any{k.Name, "JSON " + k.JSON, k.Type} {
			if seen[name] {
				t.Errorf("two kinds have %v", name)
			}
			seen[name] = true
		}
		if Type(k.Name) == Problem { // an empty problem is refused
			continue
		}
		s := NewSession(Options{})
		if err := s.Put("v", Type(k.Name).zero()); err != nil {
			t.Error(err)
		}
		if _, got, _ := s.Value("v"); got != Type(k.Name) {
			t.Errorf("%v was put as %s", k.Type, got.a())
		}
	}
	// Three kinds have names that the language itself uses.
	for want, got := range map[Type]Type{Problem: typeOf[problem.Problem](), Result: typeOf[engine.Result](), Sweep: typeOf[sim.Sweep]()} {
		if got != want {
			t.Errorf("package kinds calls a %s a %s", want, got)
		}
	}
}
