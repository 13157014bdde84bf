package kernels

// Constant is k(x, y) = Value: all points share one unknown mean. It is positive semi-definite for Value ≥ 0. As a term of
// a sum it prints as a number.
type Constant struct {
	Value float64 // ≥ 0
}

var valueParam = Param{
	Name: "value", Synonyms: []string{"variance", "var", "constant_value", "c"}, Kind: NumberKind, Range: NonNegative,
	Doc: "variance of the common level",
}

// Eval returns the value.
func (k Constant) Eval(x, y Point) float64 { return k.Value }

// Row sets dst[j] to the value.
func (k Constant) Row(dst []float64, x Point, ys *Points, from int) {
	for j := range dst {
		dst[j] = k.Value
	}
}

// Validate checks that the value is ≥ 0, in any dimension.
func (k Constant) Validate(dim int) error { return formOf(k).validate(dim, nil) }

// String prints the call that makes k.
func (k Constant) String() string { return formOf(k).String() }

var constantEntry = Entry{
	Name: "constant", Synonyms: []string{"const", "one", "ones"},
	Formula:    "value",
	Doc:        "the same level everywhere; k + 2 means k + constant(2)",
	Reference:  "Rasmussen and Williams 2006, sec. 4.2.1",
	Dimensions: "every d",
	Params:     []Param{valueParam},
	Example:    "constant(2)",
}.of(Constant{})

// Identity is the Kronecker delta,
//
//	k(x, y) = 1 if x and y are the same point, else 0.
//
// Points are the same if they have the same ID; equal names have equal IDs. Different points with equal features are independent.
type Identity struct{}

// Eval returns 1 if x and y are the same point, and 0 otherwise.
func (Identity) Eval(x, y Point) float64 {
	if x.ID == y.ID {
		return 1
	}
	return 0
}

// Row sets dst[j] = k(x, ys[from+j]).
func (Identity) Row(dst []float64, x Point, ys *Points, from int) {
	clear(dst)
	for j, id := range ys.ID[from : from+len(dst)] {
		if id == x.ID {
			dst[j] = 1
		}
	}
}

// Validate accepts every dimension.
func (Identity) Validate(dim int) error { return nil }

// String prints the call that makes k.
func (Identity) String() string { return "identity()" }

var identityEntry = Entry{
	Name: "identity", Synonyms: []string{"delta", "white", "noise", "white_noise", "kronecker", "iid", "diag", "eye"},
	Formula:    "1 if x and y are the same point, else 0",
	Doc:        "points are unrelated; they are compared by name, not by distance",
	Reference:  "its Gram matrix of distinct points is the identity matrix",
	Dimensions: "every d",
	Example:    "identity()",
}.of(Identity{})
