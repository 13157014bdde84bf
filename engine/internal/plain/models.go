package plain

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// ModelOf returns the model of p.
func ModelOf(t testing.TB, p *problem.Problem) *model.Model {
	t.Helper()
	m, err := model.New(p, 0)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
