package symmetric_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
)

func TestMake(t *testing.T) {
	got := symmetric.Add(symmetric.Make(2, func(i, j int) float64 { return float64(10*i + j) }), func(i int) float64 { return float64(i + 1) })
	if want := mat.NewSymDense(2, []float64{1, 1, 1, 13}); !mat.Equal(got, want) {
		t.Errorf("%v, want %v", mat.Formatted(got), mat.Formatted(want))
	}
}

func TestTrace(t *testing.T) {
	a, b := symmetric.Make(3, func(i, j int) float64 { return float64(1 + i + 2*j) }), symmetric.Make(3, func(i, j int) float64 { return float64(i*j - 1) })
	var product mat.Dense
	product.Mul(a, b)
	if got, want := symmetric.Trace(a, b), mat.Trace(&product); got != want {
		t.Errorf("%g, want %g", got, want)
	}
}
