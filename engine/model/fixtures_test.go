package model

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// model returns the model of p.
func model(t testing.TB, p *problem.Problem) *Model {
	t.Helper()
	m, err := New(p, 0)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
