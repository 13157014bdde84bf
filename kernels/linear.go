package kernels

import (
	"cmp"
	"math"
)

// Linear is the scalar product plus a constant,
//
//	k(x, y) = bias + Σ_c x_c y_c / ℓ_c².
//
// Its rank is at most the number of columns, plus one if bias > 0.
type Linear struct {
	Bias        float64   // ≥ 0; 0 means linear functions through the origin
	Lengthscale []float64 // ℓ > 0: one for all columns, or one per column read; none means 1
	Dims        Dims      // columns read
}

// Eval returns k(x, y).
func (k Linear) Eval(x, y Point) float64 { return k.Bias + k.Dims.product(x.X, y.X, k.Lengthscale) }

// Row sets dst[j] = k(x, ys[from+j]).
func (k Linear) Row(dst []float64, x Point, ys *Points, from int) {
	k.Dims.products(dst, x.X, ys, from, k.Lengthscale)
	if k.Bias != 0 {
		for j := range dst {
			dst[j] += k.Bias
		}
	}
}

// Validate checks that there is a column, and that bias and length scales are in range.
func (k Linear) Validate(dim int) error { return formOf(k).validate(dim, nil) }

// String prints the call that makes k.
func (k Linear) String() string { return formOf(k).String() }

var linearEntry = Entry{
	Name: "linear", Synonyms: []string{"dot", "dotproduct", "dot_product", "lin"},
	Formula:    "bias + Σ_c x_c y_c / lengthscale_c²",
	Doc:        "rewards are linear in the features",
	Reference:  "Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, sec. 4.2.2",
	Dimensions: "d ≥ 1",
	Params:     []Param{biasParam, lengthscaleParam, dimsParam},
	Example:    "linear(bias=1)",
}.of(Linear{})

// Polynomial is an integer power of the linear kernel,
//
//	k(x, y) = (bias + Σ_c x_c y_c / ℓ_c²)^degree,
//
// positive semi-definite in every dimension by Schur's product theorem.
type Polynomial struct {
	Degree      int       // ≥ 1; 0 means 2
	Bias        float64   // ≥ 0; 0 means only monomials of the full degree
	Lengthscale []float64 // ℓ > 0: one for all columns, or one per column read; none means 1
	Dims        Dims      // columns read
}

var degreeParam = Param{
	Name: "degree", Synonyms: []string{"d", "order", "power"}, Kind: IntegerKind, Default: "2", Range: fromOne,
	Doc: "highest degree of the monomials",
}

func (k Polynomial) degree() int { return cmp.Or(k.Degree, 2) }

// Eval returns k(x, y).
func (k Polynomial) Eval(x, y Point) float64 {
	return math.Pow(k.Bias+k.Dims.product(x.X, y.X, k.Lengthscale), float64(k.degree()))
}

// Row sets dst[j] = k(x, ys[from+j]).
func (k Polynomial) Row(dst []float64, x Point, ys *Points, from int) {
	k.Dims.products(dst, x.X, ys, from, k.Lengthscale)
	n := k.degree()
	for j, v := range dst {
		dst[j] = wholePower(k.Bias+v, n)
	}
}

// wholePower returns v^n for n ≥ 1, by squaring.
func wholePower(v float64, n int) float64 {
	result := 1.0
	for ; n > 1; n >>= 1 {
		if n&1 == 1 {
			result *= v
		}
		v *= v
	}
	return result * v
}

// Validate checks that there is a column, and that degree, bias and length scales are in range.
func (k Polynomial) Validate(dim int) error { return formOf(k).validate(dim, nil) }

// String prints the call that makes k.
func (k Polynomial) String() string { return formOf(k).String() }

var polynomialEntry = Entry{
	Name: "polynomial", Synonyms: []string{"poly"},
	Formula:    "(bias + Σ_c x_c y_c / lengthscale_c²)^degree",
	Doc:        "rewards are polynomial in the features; a bias > 0 adds the lower degrees",
	Reference:  "Rasmussen and Williams 2006, sec. 4.2.2",
	Dimensions: "d ≥ 1",
	Params:     []Param{degreeParam, biasParam, lengthscaleParam, dimsParam},
	Example:    "polynomial(degree=3, bias=1)",
}.of(Polynomial{})
