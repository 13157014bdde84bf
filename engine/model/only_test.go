package model

import (
	"math"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
)

// The problem of some tasks has their arms, with what is known of each and the same
// kernel between them.
func TestOnly(t *testing.T) {
	p := enginetest.Paper(t, 2, 0.4)
	whole := model(t, p)
	q := p.Only(3, 1)
	part := model(t, q)
	from := make([]int, 0, 12) // where the arms come from
	for _, v := range []int{3, 1} {
		lo, hi := p.ArmsOf(v)
		for i := lo; i < hi; i++ {
			from = append(from, i)
		}
	}
	if q.V() != 2 || q.N() != 12 || q.Tasks.Names[0] != "task 4" || q.Tasks.Names[1] != "task 2" {
		t.Fatalf("%d tasks %v, %d arms", q.V(), q.Tasks.Names, q.N())
	}
	inner := func(m *Model, i, j int) float64 {
		sum := 0.0
		for k := range m.Rank() {
			sum += m.Features.At(i, k) * m.Features.At(j, k)
		}
		return sum
	}
	for a, i := range from {
		if q.Mean[a] != p.Mean[i] || q.Arms.Names[a] != p.Arms.Names[i] || q.Noise.Scales[a] != p.Noise.Scales[i] || q.TaskOf[a] != a/6 {
			t.Errorf("arm %d is not arm %d", a, i)
		}
		for b, j := range from {
			if got, want := inner(part, a, b), inner(whole, i, j); math.Abs(got-want) > 1e-9 {
				t.Errorf("k(%d, %d) = %g, want %g", a, b, got, want)
			}
		}
	}
}
