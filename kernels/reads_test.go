package kernels

import (
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Every part that reads columns is found, by the columns of its dims.
func TestReads(t *testing.T) {
	p := try.Of(NewPoints([]string{"a", "b", "c"}, []string{"p"}, [][]float64{{1, 2, 3}}))
	k := Sum{[]Kernel{
		Constant{2},
		Scaled{3, Product{[]Kernel{RBF{Dims: Dims{Names: []string{"c", "a"}}}, Identity{}}}},
		Power{Linear{Dims: Dims{Index: []int{1}}}, 2},
		Open{Kernel: Category{Dims: Dims{Names: []string{"b"}}}, Slots: []Slot{{}}},
		Func("f", func(x, y []float64) float64 { return x[0] * y[0] }),
	}}
	want := []Read{{"rbf", 2, 1}, {"rbf", 0, 1}, {"linear", 1, 0}, {"category", 1, 0}}
	if got := Reads(k, p); !slices.Equal(got, want) {
		t.Errorf("reads %v, want %v", got, want)
	}
	if got := Reads(Matern{Nu: 1.5}, p); len(got) != 3 {
		t.Errorf("a kernel without dims reads %v", got)
	}
	if got := Reads(RBF{Dims: Dims{Names: []string{"d"}}}, p); got != nil {
		t.Errorf("a kernel that does not fit reads %v", got)
	}
}
