package canon

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Arms are one where all features agree to rounding: the same numbers at other places, or with zeros between them, are others.
func TestFirstEqual(t *testing.T) {
	x := mat.NewDense(9, 4, []float64{
		1, 2, 0, 0,
		0, 1, 2, 0,
		1, 0, 2, 0,
		1, 2, 0, 1e-16,
		0, 0, 0, 0,
		1, 0, 0, 2,
		-1e-16, 1 + 1e-14, 2, 0,
		0, 1e-16, 0, 0,
		1, 2, 0, 1e-3,
	})
	got, err := FirstEqual(t.Context(), x)
	if want := []int{0, 1, 2, 0, 4, 5, 1, 4, 8}; err != nil || !slices.Equal(got, want) {
		t.Errorf("first equal arms %v, %v; want %v", got, err, want)
	}
}
