package kernels

import (
	"cmp"
	"math"
)

// RBF is the Gaussian kernel,
//
//	k(x, y) = exp(-½ Σ_c (x_c - y_c)² / ℓ_c²),
//
// positive-definite in every dimension.
type RBF struct {
	Lengthscale []float64 // ℓ > 0: one for all columns, or one per column read; none means 1
	Dims        Dims      // columns read
}

func (k RBF) lengthscales() []float64 { return k.Lengthscale }

// Eval returns k(x, y).
func (k RBF) Eval(x, y Point) float64 { return math.Exp(-0.5 * k.Dims.square(x.X, y.X, k.Lengthscale)) }

// Row sets dst[j] = k(x, ys[from+j]).
func (k RBF) Row(dst []float64, x Point, ys *Points, from int) {
	ExpScaled(dst, -0.5*k.Dims.squares(dst, x.X, ys, from, k.Lengthscale))
}

// Validate checks that there is a column, and that length scales are in range.
func (k RBF) Validate(dim int) error { return formOf(k).validate(dim, nil) }

// String prints the call that makes k.
func (k RBF) String() string { return formOf(k).String() }

var rbfEntry = Entry{
	Name: "rbf", Synonyms: []string{"gaussian", "se", "eq", "sqexp", "exp_quad", "squared_exponential"},
	Formula:    "exp(-½ Σ_c (x_c - y_c)² / lengthscale_c²)",
	Doc:        "smooth rewards: points within a length scale are similar",
	Reference:  "Rasmussen and Williams 2006, eq. 4.9",
	Dimensions: "d ≥ 1",
	Params:     []Param{lengthscaleParam, dimsParam},
	Example:    "rbf(lengthscale=0.5)",
}.of(RBF{})

// RQ is the rational quadratic kernel, a mixture of Gaussian kernels over length
// scales,
//
//	k(x, y) = (1 + r²/(2α))^-α,  r² = Σ_c (x_c - y_c)² / ℓ_c².
type RQ struct {
	Lengthscale []float64 // ℓ > 0: one for all columns, or one per column read; none means 1
	Alpha       float64   // α > 0; 0 means 1
	Dims        Dims      // columns read
}

var alphaParam = Param{
	Name: "alpha", Synonyms: []string{"scale_mixture", "shape"}, Kind: NumberKind, Default: "1", Range: Positive,
	Doc: "how narrow the mixture of length scales is; the limit of large alpha is rbf",
}

func (k RQ) lengthscales() []float64 { return k.Lengthscale }

func (k RQ) alpha() float64 { return cmp.Or(k.Alpha, 1) }

// Eval returns k(x, y).
func (k RQ) Eval(x, y Point) float64 {
	a := k.alpha()
	return math.Pow(1+k.Dims.square(x.X, y.X, k.Lengthscale)/(2*a), -a)
}

// Row sets dst[j] = k(x, ys[from+j]).
func (k RQ) Row(dst []float64, x Point, ys *Points, from int) {
	a := k.alpha()
	f := k.Dims.squares(dst, x.X, ys, from, k.Lengthscale) / (2 * a)
	if a == 1 {
		for j, s := range dst {
			dst[j] = 1 / (1 + f*s)
		}
		return
	}
	for j, s := range dst {
		dst[j] = math.Log1p(f * s)
	}
	ExpScaled(dst, -a)
}

// Validate checks that there is a column, and that length scales and alpha are in range.
func (k RQ) Validate(dim int) error { return formOf(k).validate(dim, nil) }

// String prints the call that makes k.
func (k RQ) String() string { return formOf(k).String() }

var rqEntry = Entry{
	Name: "rq", Synonyms: []string{"rational_quadratic", "rationalquadratic", "ratquad"},
	Formula:    "(1 + r²/(2 alpha))^-alpha,  r² = Σ_c (x_c - y_c)² / lengthscale_c²",
	Doc:        "smooth rewards that vary on many length scales at once",
	Reference:  "Rasmussen and Williams 2006, eq. 4.19",
	Dimensions: "d ≥ 1",
	Params:     []Param{lengthscaleParam, alphaParam, dimsParam},
	Example:    "rq(lengthscale=0.5, alpha=2)",
}.of(RQ{})
