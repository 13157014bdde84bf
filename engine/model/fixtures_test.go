package model

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// model returns the model of p.
func model(t testing.TB, p *problem.Problem) *Model {
	t.Helper()
	return try.Of(New(p, 0))
}
