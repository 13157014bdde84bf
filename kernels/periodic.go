package kernels

import "math"

// Periodic is the periodic kernel, with period p_c in each column read,
//
//	k(x, y) = exp(-2 Σ_c sin²(π (x_c - y_c)/p_c) / ℓ_c²).
//
// It is a Gaussian kernel of the points (sin 2πx_c/p_c, cos 2πx_c/p_c), and therefore positive semi-definite in every dimension. The
// variant with the sine of the distance ‖x - y‖ agrees for one column, but is not positive semi-definite for more.
type Periodic struct {
	Period []float64 // p > 0: one for all columns, or one per column read; none means 1
	// ℓ > 0, in units of (sin, cos): one for all columns, or one per column read; none means 1
	Lengthscale []float64
	Dims        Dims // columns read
}

// Eval returns k(x, y).
func (k Periodic) Eval(x, y Point) float64 {
	sum := 0.0
	for c := range k.Dims.count(len(x.X)) {
		at := k.Dims.at(c)
		s := math.Sin(math.Pi*(x.X[at]-y.X[at])/perColumn(k.Period, c)) / perColumn(k.Lengthscale, c)
		sum += s * s
	}
	return math.Exp(-2 * sum)
}

// Row sets dst[j] = k(x, ys[from+j]).
func (k Periodic) Row(dst []float64, x Point, ys *Points, from int) {
	clear(dst)
	for c := range k.Dims.count(len(x.X)) {
		at := k.Dims.at(c)
		xc, yc := x.X[at], ys.X[at][from:from+len(dst)]
		frequency, ell := math.Pi/perColumn(k.Period, c), perColumn(k.Lengthscale, c)
		w := 1 / (ell * ell)
		for j, y := range yc {
			s := math.Sin(frequency * (xc - y))
			dst[j] += w * s * s
		}
	}
	ExpScaled(dst, -2)
}

// Validate checks that there is a column, and that periods and length scales are in range.
func (k Periodic) Validate(dim int) error { return formOf(k).validate(dim, nil) }

// String prints the call that makes k.
func (k Periodic) String() string { return formOf(k).String() }

var periodicEntry = Entry{
	Name: "periodic", Synonyms: []string{"per", "expsine", "expsinesquared", "exp_sine_squared"},
	Formula:    "exp(-2 Σ_c sin²(π (x_c - y_c)/period_c) / lengthscale_c²)",
	Doc:        "rewards that repeat in every column, of any shape within a period",
	Reference:  "MacKay, Introduction to Gaussian processes, 1998, sec. 4.3; Rasmussen and Williams 2006, eq. 4.31",
	Dimensions: "d ≥ 1, by a product over columns",
	Params:     []Param{periodParam, lengthscaleParam, dimsParam},
	Example:    "periodic(period=2, lengthscale=0.7)",
}.of(Periodic{})

// Cosine is a product of cosine waves, with period p_c in each column read,
//
//	k(x, y) = Π_c cos(2π (x_c - y_c)/p_c).
//
// Each factor has rank two, cos(a - b) = cos a cos b + sin a sin b, so the product is positive semi-definite in every dimension. The cosine
// of the distance ‖x - y‖ is not, for more than one column.
type Cosine struct {
	Period []float64 // p > 0: one for all columns, or one per column read; none means 1
	Dims   Dims      // columns read
}

// Eval returns k(x, y).
func (k Cosine) Eval(x, y Point) float64 {
	product := 1.0
	for c := range k.Dims.count(len(x.X)) {
		at := k.Dims.at(c)
		product *= math.Cos(2 * math.Pi * (x.X[at] - y.X[at]) / perColumn(k.Period, c))
	}
	return product
}

// Row sets dst[j] = k(x, ys[from+j]).
func (k Cosine) Row(dst []float64, x Point, ys *Points, from int) {
	(Constant{1}).Row(dst, x, ys, from)
	for c := range k.Dims.count(len(x.X)) {
		at := k.Dims.at(c)
		xc, yc := x.X[at], ys.X[at][from:from+len(dst)]
		frequency := 2 * math.Pi / perColumn(k.Period, c)
		for j, y := range yc {
			dst[j] *= math.Cos(frequency * (xc - y))
		}
	}
}

// Validate checks that there is a column, and that the periods are in range.
func (k Cosine) Validate(dim int) error { return formOf(k).validate(dim, nil) }

// String prints the call that makes k.
func (k Cosine) String() string { return formOf(k).String() }

var cosineEntry = Entry{
	Name: "cosine", Synonyms: []string{"sinusoid"},
	Formula:    "Π_c cos(2π (x_c - y_c)/period_c)",
	Doc:        "rewards that are one sine wave per column",
	Reference:  "cos(a - b) = cos a cos b + sin a sin b is a scalar product; products by Schur's theorem",
	Dimensions: "d ≥ 1, by a product over columns",
	Params:     []Param{periodParam, dimsParam},
	Example:    "cosine(period=2)",
}.of(Cosine{})
