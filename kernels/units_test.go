package kernels

import (
	"math"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A kernel on scaled features with a length scale that is a share of the range is the kernel on the
// features themselves; columns that are kept and columns of one value change nothing.
func TestStandardized(t *testing.T) {
	p := try.Of(NewPoints([]string{"temp", "code", "same"}, []string{"a", "b", "c"}, [][]float64{{150, 3, 7}, {180, 5, 7}, {210, 3, 7}}))
	q := p.Standardized(func(name string) bool { return name == "code" })
	own := Product{[]Kernel{RBF{Lengthscale: []float64{30}, Dims: Dims{Names: []string{"temp"}}}, Category{Similarity: 0.3, Dims: Dims{Names: []string{"code"}}}, RBF{Dims: Dims{Names: []string{"same"}}}}}
	share := Product{[]Kernel{RBF{Lengthscale: []float64{0.5}, Dims: Dims{Names: []string{"temp"}}}, Category{Similarity: 0.3, Dims: Dims{Names: []string{"code"}}}, RBF{Dims: Dims{Names: []string{"same"}}}}}
	want := try.Of(Gram(own, p))
	got := try.Of(Gram(share, q))
	for i := range 3 {
		for j := range 3 {
			if math.Abs(got.At(i, j)-want.At(i, j)) > 1e-14 {
				t.Errorf("k(%d, %d) = %v, want %v", i, j, got.At(i, j), want.At(i, j))
			}
		}
		for c := range p.X {
			if q.Value(c, i) != p.X[c][i] {
				t.Errorf("point %d has %v in the units of the data, want %v", i, q.Value(c, i), p.X[c][i])
			}
		}
	}
	if q.X[0][1] != 0.5 || q.X[1][1] != 5 || q.X[2][1] != 0 || p.X[0][1] != 180 {
		t.Errorf("scaled to %v, from %v", q.X, p.X)
	}
	if sub := q.Subset([]int{2}); sub.Value(0, 0) != 210 {
		t.Errorf("a subset has %v", sub.Value(0, 0))
	}
}
