package kernels

// Category compares columns that hold codes of unordered categories,
//
//	k(x, y) = Π_c (1 if x_c = y_c, else s),  s = Similarity.
//
// The Gram matrix of one column is s 11ᵀ + (1 - s) [x_c = y_c], a sum of two positive semi-definite matrices for 0 ≤ s < 1. Products are
// positive semi-definite by Schur's product theorem.
type Category struct {
	Similarity float64 // value for two different categories, in [0, 1)
	Dims       Dims    // columns that it compares
}

var similarityParam = Param{
	Name: "similarity", Synonyms: []string{"rho", "correlation", "sim"}, Kind: NumberKind, Default: "0", Range: fraction,
	Doc: "how alike two different categories are",
}

// Eval returns k(x, y).
func (k Category) Eval(x, y Point) float64 {
	product := 1.0
	for c := range k.Dims.count(len(x.X)) {
		if at := k.Dims.at(c); x.X[at] != y.X[at] {
			product *= k.Similarity
		}
	}
	return product
}

// Row sets dst[j] = k(x, ys[from+j]).
func (k Category) Row(dst []float64, x Point, ys *Points, from int) {
	(Constant{1}).Row(dst, x, ys, from)
	for c := range k.Dims.count(len(x.X)) {
		at := k.Dims.at(c)
		xc := x.X[at]
		for j, y := range ys.X[at][from : from+len(dst)] {
			if y != xc {
				dst[j] *= k.Similarity
			}
		}
	}
}

// Validate checks that there is a column, and that the similarity is in range.
func (k Category) Validate(dim int) error { return formOf(k).validate(dim, nil) }

// String prints the call that makes k.
func (k Category) String() string { return formOf(k).String() }

var categoryEntry = Entry{
	Name: "category", Synonyms: []string{"categorical", "overlap", "hamming", "onehot", "one_hot"},
	Formula:    "Π_c (1 if x_c = y_c, else similarity)",
	Doc:        "columns of categories, whose values are equal or different",
	Reference:  "one column's matrix is similarity·11ᵀ + (1 - similarity)·[x_c = y_c]; products by Schur's theorem",
	Dimensions: "d ≥ 1",
	Params:     []Param{similarityParam, dimsParam},
	Example:    "category(similarity=0.3)",
}.of(Category{})
