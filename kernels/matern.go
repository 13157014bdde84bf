package kernels

import (
	"cmp"
	"math"
)

// Matern is the Matérn kernel of smoothness ν = 1/2, 3/2 or 5/2 [RW06, pp. 84-85]. With r² = Σ_c (x_c - y_c)² / ℓ_c² and s = √(2ν) r,
//
//	ν = 1/2:  k(x, y) = exp(-s)
//	ν = 3/2:  k(x, y) = (1 + s) exp(-s)
//	ν = 5/2:  k(x, y) = (1 + s + s²/3) exp(-s).
//
// The distance is Euclidean. With another distance, such as the sum of absolute differences, the kernel is not positive-definite in more
// than one dimension.
type Matern struct {
	Nu          float64   // ν = 0.5, 1.5 or 2.5; 0 means 2.5
	Lengthscale []float64 // ℓ > 0: one for all columns, or one per column read; none means 1
	Dims        Dims      // columns read
}

var nuParam = Param{
	Name: "nu", Synonyms: []string{"smoothness"}, Kind: ChoiceKind, Default: "2.5", Choices: []float64{0.5, 1.5, 2.5},
	Doc: "smoothness: 0.5 is rough, 2.5 twice differentiable",
}

func (k Matern) nu() float64 { return cmp.Or(k.Nu, 2.5) }

func (k Matern) lengthscales() []float64 { return k.Lengthscale }

func (k Matern) smooth() (Kernel, bool) {
	if k.nu() > 2 {
		return k, false
	}
	return RBF{Lengthscale: k.Lengthscale, Dims: k.Dims}, true
}

// Eval returns k(x, y).
func (k Matern) Eval(x, y Point) float64 {
	s := math.Sqrt(2 * k.nu() * k.Dims.square(x.X, y.X, k.Lengthscale))
	decay := math.Exp(-s)
	switch {
	case decay == 0 || k.nu() == 0.5: // exp(-s) underflows long before s overflows
		return decay
	case k.nu() == 1.5:
		return (1 + s) * decay
	}
	return (1 + s + s*s/3) * decay
}

// Row sets dst[j] = k(x, ys[from+j]).
func (k Matern) Row(dst []float64, x Point, ys *Points, from int) {
	f := 2 * k.nu() * k.Dims.squares(dst, x.X, ys, from, k.Lengthscale)
	for j, v := range dst {
		dst[j] = math.Sqrt(f * v)
	}
	if k.nu() == 0.5 {
		ExpScaled(dst, -1)
		return
	}
	s := append([]float64(nil), dst...)
	ExpScaled(dst, -1)
	quadratic := 0.0
	if k.nu() == 2.5 {
		quadratic = 1. / 3
	}
	for j, v := range s {
		if dst[j] != 0 { // avoids 0·∞, as in Eval
			dst[j] *= 1 + v + quadratic*v*v
		}
	}
}

// Validate checks that there is a column, and that nu and length scales are in range.
func (k Matern) Validate(dim int) error { return formOf(k).validate(dim, nil) }

// String prints the call that makes k.
func (k Matern) String() string { return formOf(k).String() }

var maternEntry = Entry{
	Name: "matern", Synonyms: []string{"matérn", "matern12", "matern32", "matern52", "exponential", "laplacian"},
	Formula:    "nu = 0.5: exp(-s); 1.5: (1 + s) exp(-s); 2.5: (1 + s + s²/3) exp(-s);  s² = 2 nu Σ_c (x_c - y_c)² / lengthscale_c²",
	Doc:        "rewards that are rougher than with rbf",
	Reference:  "Rasmussen and Williams 2006, eq. 4.17",
	Dimensions: "d ≥ 1, with the Euclidean distance",
	Params:     []Param{nuParam, lengthscaleParam, dimsParam},
	Example:    "matern(nu=1.5, lengthscale=0.5)",
}.of(Matern{})
