package plain

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
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

// LineOf returns the model of one task whose four arms are the points 0, 1, 2 and 3 under the
// kernel 1 + xy: the straight lines. Noise is 2.
func LineOf(t *testing.T) *model.Model {
	t.Helper()
	arms, err := kernels.NewPoints([]string{"x"}, []string{"a", "b", "c", "d"}, [][]float64{{0}, {1}, {2}, {3}})
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := kernels.NewPoints(nil, []string{"one"}, [][]float64{{}})
	if err != nil {
		t.Fatal(err)
	}
	joint := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Arm: kernels.Linear{}}, {Scale: 1}}}
	p, err := problem.New("line", tasks, arms, []int{0, 0, 0, 0}, joint, []float64{2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := ModelOf(t, p)
	return m
}
