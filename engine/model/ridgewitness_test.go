package model

import (
	"context"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/ending"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// The look for a witness asks its context at each row of its products.
func TestWitnessEnds(t *testing.T) {
	p, err := manyarms.Problem(300)
	if err != nil {
		t.Fatal(err)
	}
	const rank, norm = 40, 2 * manyarms.Norm
	m, err := New(p, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.lookFit(1e-3, norm, rank); err != nil { // the columns are there from here on
		t.Fatal(err)
	}
	asked := ending.Check(t, "lookFit", 1, func(ctx context.Context) error {
		m.ctx = ctx
		_, err := m.lookFit(1e-3, norm, rank)
		return err
	})
	if asked < rank {
		t.Errorf("asked %d times in %d rows", asked, rank)
	}
}
