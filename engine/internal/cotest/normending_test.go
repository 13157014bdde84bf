//go:build unix

package cotest

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/ending"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// someRounds makes rounds of the test under a norm until the context ends.
func someRounds(ctx context.Context, t testing.TB, arms, rounds int) error {
	p, err := manyarms.Problem(arms)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.NewContext(ctx, p, 1)
	if err != nil {
		return err
	}
	a, err := newNormed(m, plain.TermsOf(t, m, engine.ModeFC, engine.Options{Unit: 1, Epsilon: 0.1, Norm: manyarms.Norm}), Bound{Bound: model.Bound{Norm: manyarms.Norm}})
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		plan, err := a.Plan(ctx)
		if err != nil {
			return err
		}
		if err := a.Learn(ctx, enginetest.Pull(rng, p, plan)); err != nil {
			return err
		}
	}
	return nil
}

// A run under a norm ends when its context does, wherever it is.
func TestNormedEnds(t *testing.T) {
	const slack = 64 // blocks of arms that had begun
	rounds, arms := 3, 600
	if testing.Short() {
		rounds, arms = 2, 100
	}
	ending.Check(t, "rounds under a norm", slack, func(ctx context.Context) error { return someRounds(ctx, t, arms, rounds) })
}
